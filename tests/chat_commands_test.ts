/** What a chat's commands and keys do to what is seen, kept and told, on a real terminal: tmux. */
import assert from "node:assert/strict";
import { bash, call, say, type Script } from "./support/model_server.ts";
import { png } from "../src/tools/_images.ts";
import { PROGRAM } from "./support/hamr.ts";
import { Terminal } from "./support/terminal.ts";
import { stage } from "./support/stage.ts";
import { on_standard_ports } from "./support/standard_ports.ts";
import { BY_WORDS, chat, HAS_TMUX, IDLE, on_terminal } from "./support/tmux.ts";

const LONG = Array.from({ length: 30 }, (_, nth) => `line ${nth + 1}`).join("\n");

const SCRIPTED: Script = (request) => {
  const { messages } = request.body;
  const last = messages.at(-1);
  const text = String(last?.content);
  if (/summar/i.test(String(messages[0]?.content)) && messages.length === 2) {
    return say("The user said hello, many times.");
  }
  if (last?.role === "tool") return say("Done.");
  if (text.startsWith("Long file")) return call("write", { path: "long.txt", content: LONG });
  if (text.startsWith("Count")) return bash("seq 1 30");
  if (text.startsWith("Too long")) {
    return { status: 400, body: '{"error":{"message":"maximum context length is 9 tokens"}}' };
  }
  if (text.startsWith("Talk")) return say("word ".repeat(1500));
  return (BY_WORDS as (asked: typeof request) => ReturnType<typeof say>)(request);
};

chat("what was cut short is shown in full, the newest first", {
  script: SCRIPTED,
  width: 80,
  height: 50,
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("C-o");
  await screen.shows("nothing more to show");
  await screen.keys("Long file", "Enter");
  await screen.shows(/long\.txt[^]*Done\./);
  await screen.keys("Count", "Enter");
  await screen.shows(
    /… 25 more lines \(ctrl-o\)\n +\| 26\n[^]*\| 30\n[^]*Done\.[^]*doubtful\. Files seen to\s+change[^]*\(ctrl-o\)[^]*tool call/,
  );
  await screen.keys("C-o");
  await screen.shows(/hamr to the model: doubtful\n {2}Files seen to change/);
  await screen.keys("C-o");
  await screen.shows(/bash → seq 1 30\n {2}1\n {2}2\n[^]* {2}30\n/);
  await screen.keys("C-o");
  await screen.shows(/write → long\.txt \(30 lines\)\n {2}\+ line 1\n[^]* {2}\+ line 30\n/);
  await screen.keys("C-o");
  await screen.shows("nothing more to show");
  await screen.tmux("clear-history");
  await screen.keys("C-l");
  await screen.shows(/nothing more to show[^]*─\n *\n─/);
  await screen.keys("/exit", "Enter");
  await screen.shows("EXIT 0");
});

chat("/undo takes back what the last task changed, then the one before, and all with a word", {
  script: SCRIPTED,
  height: 50,
}, async (screen, s) => {
  await screen.shows(IDLE);
  const made = ["a.txt", "long.txt", "made"];
  const there = () => made.filter((file) => s.ws.exists(file));
  for (const task of ["Write it", "Long file", "Touch", "Hello"]) {
    await screen.keys(task, "Enter");
    await screen.shows(new RegExp(`› ${task}\\n[^]*(?:Done|You said)[^]*\\n─+\\n *\\n─+\\n`));
  }
  assert.deepEqual(there(), made);
  for (const [task, shown] of [["Touch", "made"], ["Long file", "long.txt"]]) {
    await screen.keys("/undo", "Enter");
    await screen.shows(`undo of: ${task} (↑ brings it back)\n${shown}: removed\n`);
  }
  assert.deepEqual(there(), ["a.txt"]);
  await screen.keys("/redo", "Enter");
  await screen.shows("long.txt: restored\n");
  await screen.keys("/undo", "Enter");
  await screen.shows(/long\.txt: restored\n\nundo of: Long file \(↑.*\)\nlong\.txt: removed\n/);
  assert.deepEqual(there(), ["a.txt"]);
  await screen.keys("/undo all", "Enter");
  await screen.shows(/long\.txt: removed\n\na\.txt: removed\n/);
  assert.deepEqual(there(), []);
  await screen.keys("/undo", "Enter");
  await screen.shows("nothing to undo; /undo all checks the whole session again");
  await screen.keys("/diff all", "Enter");
  await screen.shows(/\nno changes\n/);
  for (const file of made) {
    await screen.keys("/redo", "Enter");
    await screen.shows(new RegExp(`checks the whole session again[^]*\\n${file}: restored\\n`));
  }
  await screen.keys("/redo", "Enter");
  await screen.shows("nothing to redo");
  assert.deepEqual(there(), made);
  // What a person has changed since holds up no undo of what came before, and stays.
  s.ws.write("long.txt", "mine");
  for (const [task, shown] of [["Touch", "made: removed"], ["Long file", "long.txt: left alone"]]) {
    await screen.keys("/undo", "Enter");
    await screen.shows(new RegExp(`nothing to redo[^]*undo of: ${task} [^]*\\n${shown}`));
  }
  await screen.keys("/undo", "Enter");
  await screen.shows(/nothing to redo[^]*undo of: Write it [^]*\na\.txt: removed\n/);
  assert.deepEqual([there(), s.ws.read("long.txt")], [["long.txt"], "mine"]);
  await screen.keys("/undo", "Enter");
  await screen.shows(/nothing to redo[^]*nothing to undo/);
  await screen.keys("/undo --force", "Enter");
  await screen.shows(/nothing to redo[^]*undo of: Long file [^]*\nlong\.txt: removed/);
});

chat("/status says what the conversation is, and what it may do", {
  script: SCRIPTED,
  width: 160,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("/status", "Enter");
  await screen.shows(/\nsession +none yet, in [^]*\nmode +auto\n[^]*\nyou are asked +before/);
  await screen.keys("/verify true", "Enter", "Hello", "Enter");
  await screen.shows("Verify true: ✓");
  await screen.shows(IDLE);
  await screen.keys("/status", "Enter");
  const shown = await screen.shows(
    /\nsession +[0-9a-f]{8}, in [^]*\ncost +\d+ tokens[^]*\nnetwork/,
  );
  assert.match(
    shown,
    new RegExp(`\\nmodel +scripted, by .* at ${new URL(s.server.url).origin}\\n`),
  );
  assert.match(shown, /\nmode +verify: true\nwindow +\d+ of [^]*messages/);
});

chat("a command whose words are wrong does nothing but say so, and without a restart", {
  script: SCRIPTED,
  height: 40,
}, async (screen, s) => {
  await screen.shows(IDLE);
  // The words come before whether there is anything to undo.
  await screen.keys("/undo --nope", "Enter");
  await screen.shows(/unknown flag --nope/);
  await screen.keys("/undo this please", "Enter");
  await screen.shows("no undo this: /undo, or /undo all");
  await screen.keys("/diff most", "Enter");
  await screen.shows("no diff most: /diff, or /diff all");
  await screen.keys("/permissions everything", "Enter");
  await screen.shows("everything is not a flag such as --allow-net");
  await screen.keys("/quit now", "Enter");
  await screen.shows("/quit takes no arguments: nothing was done");
  await screen.keys("/help /undo", "Enter");
  await screen.shows(/\n\/undo \[all\] [^\n]*\n\n*─/);
  await screen.keys("/sessions nope", "Enter");
  await screen.shows("no other session of this workspace");
  for (const task of ["Blue sky", "Green grass"]) {
    await screen.keys(task, "Enter");
    await screen.has_shown(`You said: ${task}.`);
    await screen.shows(IDLE);
    if (task === "Blue sky") {
      await screen.keys("/undo --step 99", "Enter");
      await screen.shows("there is no step 99: this session has 1 step");
      await screen.keys("/undo", "Enter");
      await screen.shows("nothing has been changed yet");
      s.ws.write("talk.md", "");
      await screen.keys("/export talk.md", "Enter");
      await screen.shows(/talk\.md is there: name another\s+file/);
      Deno.removeSync(s.ws.at("talk.md"));
      // A restart shows no time that was taken.
      await screen.shows(/· \d:\d\d\n/);
    }
    await screen.keys("/new", "Enter");
    await screen.shows(new RegExp(`› ${task}[^]*\\? lists the keys[^]*─\n *\n─`));
  }
  await screen.keys("/sessions nope", "Enter");
  await screen.shows("no other session here has nope in its ID or task");
  await screen.keys("/sessions blue", "Enter");
  await screen.shows(/Continue which session\?\n→ Blue sky(?:(?!Green)[^])*$/);
  await screen.keys("zzz");
  await screen.shows("nothing fits");
  await screen.keys("C-u");
  await screen.shows("→ Blue sky");
  await screen.keys("Enter");
  await screen.has_shown(/› Blue sky\n[^]*continues\./);
  await screen.shows(IDLE);
  await screen.keys("see @nope.txt, ada@b.txt and @dataclass", "Enter");
  await screen.has_shown("You said: see @nope.txt");
  s.ws.write("a.txt", "");
  await screen.shows(IDLE);
  await screen.keys("and @none.txt, please", "Enter");
  await screen.has_shown("there is no file none.txt");
});

chat("a session is named and compacted, and goes on from there", {
  script: SCRIPTED,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("/compact", "Enter");
  await screen.shows("nothing to compact yet");
  await screen.keys("/permissions", "Enter");
  await screen.shows(
    /^write +\/\S+\nread +everything, but not ~\/.ssh, [^]*more places[^]*\nnetwork +only servers[^]*\nyou are asked +before dangerous/m,
  );
  await on_standard_ports(async () => {
    await screen.keys("/model", "Enter");
    await screen.shows(/model: scripted, the only one at http:/);
  });
  // By the names that they have elsewhere.
  await screen.keys("/hotkeys", "Enter");
  await screen.shows(/!COMMAND +run a command/);
  await screen.keys("/usage", "Enter");
  await screen.shows("tokens, no price known");
  for (const nth of [1, 2, 3, 4]) {
    await screen.keys(`Talk ${nth}`, "Enter");
    await screen.shows(new RegExp(`› Talk ${nth}\\n|word word`));
    await screen.shows(/─+\n *\n─+\n(?:(?!esc to)[^])*$/);
  }
  await screen.keys("/compact", "Enter");
  await screen.has_shown(/🗜 compacted: [\d.]+k? → [\d.]+k? tokens/);
  await screen.shows(IDLE);
  await screen.keys("/rename The  long talk", "Enter");
  await screen.shows(/is now: The long talk[^]*─\n *\n─/);
  await screen.keys("And now?", "Enter");
  await screen.has_shown("You said: And now?");
  const told = JSON.stringify(s.server.requests.at(-1)!.body.messages);
  assert.match(told, /older messages of this session were replaced/);
  assert.match(told, /Talk 1/);
  assert.match((await s.hamr(["sessions"])).stdout, /The long talk\n$/);
  // What is compacted has not ended otherwise than its last task; nor is that a message to go back to.
  await screen.keys("Wait", "Enter");
  await screen.shows(/running touch began/);
  await screen.keys("/diff all", "Enter");
  await screen.shows("/diff all can be shown once the task has ended");
  await screen.keys("Escape");
  await screen.shows(/\ninterrupted\n[^]*─\n *\n─+\n(?:(?!esc to)[^])*$/);
  await screen.keys("/compact", "Enter");
  await screen.shows(/› \/compact\n[^]*compact[^]*─\n *\n─+\n(?:(?!esc to)[^])*$/);
  await screen.keys("/cost", "Enter");
  const [cost = ""] = /[\d.]+k? tokens, no/.exec(await screen.shows(/tokens, no price/)) ?? [];
  // Esc Esc is twice in a row: with a word between them, nobody goes back.
  for (const keys of [["Escape"], ["x", "BSpace"], ["Escape"], ["/nope", "Enter"]]) {
    await screen.keys(...keys);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await screen.shows("no command /nope");
  await screen.tmux("clear-history");
  await screen.keys("/export a.md", "Enter");
  await screen.shows(/written to .*a\.md/);
  await screen.keys("/export a.md", "Enter");
  await screen.shows("a.md is there: name another file");
  await screen.keys("/cost", "Enter");
  await screen.shows(new RegExp(`another file\\n+${cost}`));
  await screen.keys("/tree", "Enter");
  assert.doesNotMatch(await screen.shows(/→ Wait/), /went on/);
  await screen.keys("C-d");
  await screen.shows(/─+\n *\n─+\n[^]*·/);
  await screen.keys("/fork", "Enter");
  await screen.shows(/this is a copy: \/resume [0-9a-f]{8} goes back[^]*─\n *\n─/);
  await screen.keys("In the copy", "Enter");
  await screen.has_shown("You said: In the copy");
  assert.match(JSON.stringify(s.server.requests.at(-1)!.body.messages), /Talk 1.*In the copy/);
  await screen.keys("C-d");
  await screen.shows("EXIT 0");
  const { stdout: saved } = await s.hamr(["sessions"]);
  const [, first = ""] = /Finished +In the copy\n(\S+).*Stopped +The long talk\n$/.exec(saved) ??
    [];
  const { stdout, stderr, code } = await s.hamr(["replay", first]);
  assert.equal(code, 0, stdout + stderr);
});

chat("colors are chosen, and ASCII is enough", {
  script: SCRIPTED,
  env: { HAMR_CHAT_ASCII: "on" },
}, async (screen) => {
  await screen.shows(/^-+\n.*\n-+\n.*\|/m);
  await screen.keys("hello", "Enter");
  await screen.shows(/> hello\n\nYou said: hello\./);
  const colored = () => screen.tmux("capture-pane", "-p", "-e");
  assert.doesNotMatch(await colored(), /[^\0-\x7f]/);
  // What the terminal says of its background comes after the first lines were painted.
  const white = new TextEncoder().encode("\x1b]11;rgb:ffff/ffff/ffff\x07");
  await screen.tmux("send-keys", "-H", ...[...white].map((byte) => byte.toString(16)));
  await screen.keys("/theme", "Enter");
  await screen.shows("theme: auto");
  assert.match(await colored(), /\x1b\[34m(?:\x1b\[49m)?>\x1b\[39m \x1b\[1mhello/);
  await screen.keys("/theme pink", "Enter");
  await screen.shows("no theme pink: auto, light, dark or none");
  await screen.keys("/theme light", "Enter");
  await screen.shows('theme light; [chat] theme = "light"');
  await screen.keys("again", "Enter");
  await screen.shows("You said: again.");
  assert.match(await colored(), /\x1b\[34m(?:\x1b\[49m)?>\x1b\[39m \x1b\[1magain/);
  await screen.keys("/theme none", "Enter");
  await screen.shows("theme none");
  await screen.keys("plain", "Enter");
  await screen.shows("You said: plain.");
  assert.match(await colored(), /\n> plain\n/);
  await screen.keys("Too long", "Enter");
  await screen.shows(/Context full: [^]*\/rewind goes back to an earlier message, \/new begins/);
});

Deno.test({
  name: "chat: the person is called who looks elsewhere, and nobody else is",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS }, async (s) => {
      const env = { ...s.env, HAMR_CHAT_NOTIFY: "osc9" };
      const place = { cwd: s.ws.path, home: s.home.path, env };
      const terminal = new Terminal([...PROGRAM, "chat"], place);
      await terminal.until("? lists the keys", 0);
      await terminal.type("hello\r");
      await terminal.until("You said: hello.", 0);
      await terminal.type("\x1b[O");
      await terminal.type("Ask\r");
      await terminal.until("\x1b]9;hamr: a question for you\x07", 0);
      await terminal.type("1");
      await terminal.until("\x1b]9;hamr: done\x07", 0);
      await terminal.type("\x1b[I");
      await terminal.type("again\r");
      await terminal.until("You said: again.", 0);
      await terminal.end();
      assert.equal(terminal.shown.split("\x1b]9;").length, 3);
    }),
});

Deno.test({
  name:
    "chat: a key that a terminal with the Kitty protocol says is let go is not pressed again; an answer goes to its clipboard",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS }, async (s) => {
      const place = { cwd: s.ws.path, home: s.home.path, env: s.env };
      const terminal = new Terminal([...PROGRAM, "chat"], place);
      const press = (key: string, modifiers: number) =>
        terminal.type(`\x1b[${key};${modifiers}u\x1b[${key};${modifiers}:3u`);
      await terminal.until("\x1b[?u", 0);
      await terminal.type("\x1b[?0u");
      await terminal.until("\x1b[>5u", 0);
      const [escape, tab, c] = ["27", "9", "99"];
      await press(escape, 1);
      await press(c, 5);
      await terminal.until("ctrl-c again to quit", 0);
      await terminal.type("hello\r");
      await terminal.until("You said: hello.", 0);
      await terminal.type("/copy\r");
      const copied = `\x1b]52;c;${btoa("You said: hello.")}\x07`;
      await terminal.until(copied, 0);
      // This takes a restart, after which the answer is still the last one.
      await terminal.type("/export talk.md\r");
      await terminal.until("written to", 0);
      const from = terminal.shown.length;
      await terminal.type("/copy\r");
      await terminal.until(copied, from);
      await press(tab, 2);
      await terminal.until("plan · read-only", 0);
      // Twice is meant, and goes back to an earlier message.
      assert.doesNotMatch(terminal.shown, /nothing has been done yet|ask · workspace/);
      await terminal.end();
    }),
});

Deno.test({
  name: "chat: an image comes from the clipboard; what is missing is said",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS, one_conversation: false }, async (s) => {
      const { path } = s.outside;
      s.outside.write("bin/xclip", `#!/bin/sh\necho "$@" > ${path}/asked; cat ${path}/shot.png\n`);
      Deno.chmodSync(`${path}/bin/xclip`, 0o755);
      s.outside.write("shot.png", png(4, 4));
      const env = { DISPLAY: ":9", PATH: `${path}/bin:${Deno.env.get("PATH")}` };
      const size = { width: 80, height: 24 };
      await on_terminal(s, { ...size, env }, async (screen) => {
        await screen.shows(IDLE);
        await screen.keys("What is", "C-v");
        await screen.shows(/─\nWhat is \S+\/hamr_clipboard_\w+\.png *\n─/);
        await screen.keys("Enter");
        await screen.has_shown(/You said: .object/);
        assert.match(s.server.requests.at(-1)!.raw, /"image_url":\{/);
        assert.match(s.outside.read("asked"), /-selection clipboard -target image\/png/);
        s.outside.write("shot.png", "none");
        await screen.keys("C-v");
        await screen.shows("there is no image in the clipboard");
      });
      // A program that commands can write is none of the person's.
      for (const flag of ["--allow-write", "--add-dir", "-c"]) {
        if (flag === "-c") await s.run("What is it?", `--add-dir=${path}`);
        Deno.removeSync(`${path}/asked`);
        const args = [flag === "-c" ? flag : `${flag}=${path}`];
        await on_terminal(s, { ...size, env, args }, async (screen) => {
          await screen.shows(IDLE);
          await screen.keys("C-v");
          await screen.shows(/no image/);
        });
        assert.ok(!s.outside.exists("asked"), flag);
        s.outside.write("asked", "");
      }
      await on_terminal(s, size, async (screen) => {
        await screen.shows(IDLE);
        await screen.keys("C-v");
        await screen.shows("no image: there is no clipboard here");
      });
    }),
});

Deno.test({
  name: "chat: /model offers those of the other servers on this machine, and goes on there",
  ignore: !HAS_TMUX,
  fn: () =>
    stage(
      { script: BY_WORDS },
      (s) =>
        stage(
          { script: () => say("From the other one."), ollama_ctx: 8192, models: ["other"] },
          (o) =>
            on_terminal(
              s,
              { width: 80, height: 24, env: { OLLAMA_HOST: new URL(o.server.url).origin } },
              async (screen) => {
                await screen.shows(IDLE);
                await screen.keys("One", "Enter");
                await screen.shows("You said: One.");
                await screen.keys("/model", "Enter");
                await screen.shows(/Model \(now scripted\):[^]*→ other +ollama at http/);
                await screen.keys("Enter");
                await screen.shows(/from now on: other at http/);
                await screen.keys("Two", "Enter");
                await screen.shows(/From the other one\.[^]*\nother · /);
                assert.match(JSON.stringify(o.server.requests.at(-1)!.body.messages), /One.*Two/s);
                // One that was only named stays chosen over a restart, too.
                await screen.keys("/model third", "Enter");
                await screen.shows(/model third from the next task on[^]*no model third; it has: /);
                await screen.keys("/export talk.md", "Enter");
                await screen.shows(/written to [^]*\nthird · /);
                // And for a new conversation, as the mode does.
                await screen.keys("/model fourth", "Enter", "/mode ask", "Enter");
                await screen.shows("mode ask");
                await screen.keys("/new", "Enter");
                await screen.shows(/mode ask\n[^]*type a task[^]*\nfourth · ask ·/);
              },
            ),
        ),
    ),
});

chat("/model URL goes on at a server elsewhere, or says why it can't", {
  script: BY_WORDS,
  env: { HAMR_BASE_URL: "http://127.0.0.1:2/v1", HAMR_PROVIDER_API_MODE: "ollama_chat" },
}, async (screen, s) => {
  await screen.shows(
    /connection refused at [^]*\/model lists what [^]*\/model URL uses a server elsewhere/,
  );
  await screen.keys("/model http://", "Enter");
  await screen.shows(/is not a URL; example:/);
  await screen.keys("/model http://127.0.0.1:3", "Enter");
  await screen.shows(/connection refused at http:\/\/127\.0\.0\.1:3\//);
  await screen.keys(`/model ${s.server.url}`, "Enter");
  await screen.shows(/from now on: scripted at http:/);
  await screen.keys("One", "Enter");
  await screen.shows("You said: One.");
  assert.ok(s.server.requests.every(({ native }) => !native), "the protocol was the other one's");
});

chat("what was typed while there was no model is not lost when there is one", {
  script: BY_WORDS,
  env: { HAMR_BASE_URL: "", HAMR_MODEL: "", HAMR_PROVIDER: "openai", OPENAI_API_KEY: "" },
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Zero", "Enter");
  await screen.shows(/› Zero[^]*Not started: /);
  await screen.keys(`/model ${s.server.url}`, "Enter");
  await screen.shows(/from now on: scripted at http:/);
  await screen.keys("Up");
  await screen.shows(/^Zero$/m);
  await screen.keys("Enter");
  await screen.shows("You said: Zero.");
});
