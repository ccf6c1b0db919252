/** The chat, on a real terminal: tmux. */
import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { png } from "../src/tools/_images.ts";
import { stage } from "./support/stage.ts";
import { BY_WORDS, chat, HANG_MS, HAS_TMUX, IDLE, on_terminal } from "./support/tmux.ts";

chat("tasks, what is said meanwhile, an interrupt, the end, and on from there", {
  script: BY_WORDS,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Write it", "Enter");
  const shown = await screen.has_shown(/point[^]*two\n/);
  assert.match(shown, /› Write it\n/);
  assert.match(shown, /🔧 write → a\.txt.*\n(?: +✓ \d+ s\n)? +1 \+ one\n +2 \+ two\n/);
  assert.match(shown, /^- one point$/m);
  assert.equal(s.ws.read("a.txt"), "one\ntwo\n");

  await screen.keys("Wait", "Enter");
  await screen.shows(/running touch began; sleep 60 \d+ s/);
  await screen.keys("be quick", "Enter");
  await screen.keys("then this", "Tab");
  await screen.keys("and that", "Tab");
  await screen.shows(/⇢ be quick .*\n⧗ then this .*\n⧗ and that/);
  await screen.keys("Up");
  await screen.shows(/^and that$/m);
  await screen.keys("C-c");
  await screen.keys("Escape");
  await screen.has_shown(/You said: be quick\..*› then this.*You said: then this\./s);

  await screen.keys("C-d");
  const end = await screen.shows("EXIT 0");
  const [, id = ""] = /hamr chat --resume (\w+)/.exec(end) ?? [];
  await screen.tmux("kill-server");
  await on_terminal(
    s,
    { width: 48, height: 20, args: ["chat", "--resume", id, "More"] },
    async (again) => {
      await again.has_shown("You said: More.");
      const told = JSON.stringify(s.server.requests.at(-1)?.body.messages);
      assert.match(told, /Write it.*be quick.*then this.*More/s);
    },
  );
});

chat("keys, commands, files, a question, a plan, a signal", {
  script: BY_WORDS,
  width: 48,
  height: 20,
}, async (screen, s) => {
  s.ws.write("src/main.ts", "");
  s.ws.write(".gitignore", "secret.txt\n");
  s.ws.write("secret.txt", "");
  await screen.shows(IDLE);
  await screen.keys("one", "C-j", "two", "\\", "Enter", "three", "M-Enter", "four", "Enter");
  await screen.has_shown("You said: one|two|three|four.");
  for (const up of ["Up", "C-p"]) {
    await screen.keys(up);
    await screen.shows(/^four$/m);
    await screen.keys("C-c");
    await screen.shows(IDLE);
  }

  await screen.keys("/co");
  await screen.shows(/\/context.*\n.*\/cost/);
  await screen.keys("C-c", "/cost", "Enter");
  await screen.shows(/tokens, no price known/);
  await screen.keys("/nope", "Enter");
  await screen.shows("no command /nope; /help lists them");
  await screen.keys("/review", "Enter");
  await screen.shows(/\/review is a task here: enter sends it[^]*\n─+\nReview what `git diff/);
  await screen.keys("C-u");
  await screen.keys("/login", "Enter");
  await screen.shows("no command /login; instead: set the model");
  s.ws.write(".hamr/commands/greet.md", "Say hello to $ARGUMENTS.\n");
  await screen.keys("/greet you", "Enter");
  await screen.has_shown(/› \/greet you\n\nYou said: Say hello to you\./);
  await screen.keys("see @s");
  await screen.shows("src/main.ts");
  assert.ok(!(await screen.tmux("capture-pane", "-p")).includes("secret.txt"));
  await screen.keys("Tab", "Enter");
  await screen.has_shown("You said: see @src/main.ts.");

  await screen.keys("Push", "Enter");
  await screen.shows(/git push --force\n.*\n.*y yes · n no/s);
  await screen.keys("n");
  // What is said next may have scrolled it away by the time it is looked for.
  await screen.has_shown(/✗ .*(refused|declined)/i);

  await screen.shows(IDLE);
  await screen.keys("/plan Touch", "Enter");
  await screen.has_shown(/mode plan\n\n› Touch[^]*- two\n/);
  await screen.shows(/· plan · read-only/);
  assert.ok(!s.ws.exists("made"), "the kernel holds a plan to reading");
  await screen.shows(/The plan:[^]*→ carry it out/);
  await screen.keys("Enter");
  await screen.shows(/› Carry out the plan\.\n\nYou said: Carry out the plan\.[^]*· auto ·/);
  await screen.keys("BTab");
  await screen.shows(/· plan · read-only/);
  await screen.keys("BTab");
  await screen.shows(/· ask · workspace/);

  Deno.kill(screen.pid(), "SIGTERM");
  await screen.shows("EXIT 130");
  // What is typed is seen again: the terminal is as it was.
  await screen.keys("echoed");
  await screen.shows("echoed");
});

chat("what the model asks, and what is answered to it", {
  script: BY_WORDS,
}, async (screen, s) => {
  const results = () =>
    s.server.requests.flatMap(({ body }) => body.messages)
      .filter(({ role }) => role === "tool").map(({ content }) => content).join("\n");
  await screen.shows(IDLE);
  await screen.keys("Ask");
  await screen.keys("Enter");
  await screen.shows(/\? Which\?\n {2}1 red\n {2}2 blue/);
  await screen.keys("2");
  await screen.shows(/Which\? blue[^]*- two\n/);
  assert.match(results(), /The user says: blue/);

  await screen.keys("Ask again", "Enter");
  await screen.shows("1 red");
  await screen.keys("Both of them", "Enter");
  await screen.shows(/Which\? Both of them[^]*- two\n/);
  assert.match(results(), /The user says: Both of them/);

  await screen.keys("Push", "Enter");
  await screen.shows("y yes");
  await screen.keys("w");
  await screen.shows("say what to do instead");
  await screen.keys("only locally", "Enter");
  await screen.shows(/the user said no: only locally[^]*- two\n/);
  assert.match(results(), /the user said no: only locally\. Do as they say/);

  await screen.keys("Push", "Enter");
  await screen.shows("e change it");
  await screen.keys("e");
  await screen.keys("C-u", "touch instead", "Enter");
  await screen.shows(/run instead: touch instead[^]*- two\n/);
  assert.match(results(), /\[the user changed the command to: touch instead\]/);
  assert.ok(s.ws.exists("instead"));

  await screen.keys("Ask", "Enter");
  await screen.shows("1 red");
  await screen.keys("Escape");
  await screen.shows(/Which\? \(no answer\)[^]*- two\n/);
});

chat("the person's own commands, undo, export, earlier messages and sessions, more rights", {
  script: BY_WORDS,
}, async (screen, s) => {
  const told = () => String(s.server.requests.at(-1)!.body.messages.at(-1)?.content);
  s.ws.write(".git/HEAD", "ref: refs/heads/topic\n");
  await screen.shows(IDLE);
  await screen.keys("!printf '\\033[31mearly\\033[0m\\n'; touch /etc/x; : < /dev/tty", "Enter");
  // Nor is the terminal its own: it could read what is typed.
  await screen.shows(/early\n[^]*(Read-only|denied)[^]*No such device[^]*exit code 1/);
  await screen.keys("Write it", "Enter");
  await screen.has_shown(/two\n/);
  const [first] = s.server.requests;
  assert.match(
    String(first!.body.messages.at(-1)?.content),
    // Without its colors.
    /^Write it\n\nI ran `printf .*; touch .etc.x; : < .dev.tty` \(exit code 1\):\n```\nearly\n[^]*```$/,
  );
  await screen.keys("!cat a.txt; touch shown; sleep 60", "Enter");
  await screen.shows(/running cat a\.txt; touch shown/);
  await until("it has printed", () => s.ws.exists("shown"), HANG_MS);
  await screen.keys("Escape");
  await screen.shows(/ {2}two\n {2}(ended|stopped|killed)/);

  await screen.keys("/undo", "Enter");
  await screen.has_shown(/removed +a\.txt|a\.txt.*removed/);
  await screen.shows(IDLE);
  assert.ok(!s.ws.exists("a.txt"));
  await screen.keys("What now?", "Enter");
  await screen.has_shown(/You said: What now/);
  assert.match(
    told(),
    /^What now\?\n\nI ran `cat a\.txt;.*` \(ended by the user\):[^]*I ran `hamr undo`[^]*a\.txt/,
  );

  await screen.keys("/export talk.md", "Enter");
  await screen.has_shown(/written to .*talk\.md/);
  assert.match(s.ws.read("talk.md"), /Write it[^]*What now\?/);

  await screen.shows(IDLE);
  await screen.keys("C-r");
  await screen.shows("Earlier:");
  await screen.keys("Write");
  await screen.keys("Enter");
  await screen.shows(/^Write it$/m);
  await screen.keys("C-c");

  await screen.keys("/new", "Enter");
  await screen.shows(/type a task[^]*\? lists the keys/);
  await screen.keys("Another", "Enter");
  await screen.has_shown("You said: Another.");
  await screen.keys("/sessions", "Enter");
  await screen.shows(/Continue which session[^]*Write it +just now · topic · Finished/);
  await screen.keys("Enter");
  await screen.has_shown(/› Write it\n[^]*› What now\?\n[^]*continues\.\n─/);
  await screen.keys("And on", "Enter");
  await screen.has_shown("You said: And on.");
  assert.match(JSON.stringify(s.server.requests.at(-1)!.body.messages), /What now/);

  await screen.keys("/permissions to everything", "Enter");
  await screen.shows(/chat takes \["TASK"\]/);
  await screen.keys("/permissions --allow-write=/no/such", "Enter");
  await screen.has_shown(/--allow-write=\/no\/such: there is no such/);
  await screen.shows(IDLE);
  await screen.keys(`/permissions --allow-write=${s.outside.path}`, "Enter");
  await screen.has_shown(/from now on: --allow-write=\S+\n─/);
  await screen.keys(`!touch ${s.outside.path}/made`, "Enter");
  await screen.shows(/made\n[^]*exit code 0/);
  assert.ok(s.outside.exists("made"));
});

Deno.test({
  name:
    "chat: who answers is said before the first task; the very first start asks, and writes it down",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS, ollama_ctx: 8192, models: ["one", "two"] }, async (s) => {
      const env = { HAMR_BASE_URL: "", HAMR_MODEL: "", OLLAMA_HOST: new URL(s.server.url).origin };
      const size = { width: 80, height: 24, args: ["--no-color"], env };
      await on_terminal(s, size, async (screen) => {
        await screen.shows(/Which model\?[^]*→ one[^]*two/);
        await screen.keys("two");
        await screen.shows(/→ two/);
        await screen.keys("Enter");
        await screen.has_shown(/two is your model from now on:[^]*config\.toml/);
        const shown = await screen.shows(/^two · window \d.*k · auto/m);
        assert.equal(shown.split("type a task").length, 2, shown);
      });
      const file = s.home.read(".config/hamr/config.toml");
      assert.match(
        file,
        /^\[provider\]\nmodel = "two"\nbase_url = "http:.*\napi_mode = "ollama_chat"$/m,
      );
      const mistyped = { ...size, env: { ...env, HAMR_MODEL: "onee" } };
      await on_terminal(s, mistyped, async (screen) => {
        await screen.shows(/has no model onee; it has: one, two; \/model\s+picks one/);
        await screen.keys("/model", "Enter");
        await screen.shows(/Model \(now onee\):[^]*→ one[^]*two/);
        await screen.keys("Enter");
        await screen.shows(/^one · /m);
      });
      const gone = { ...env, OLLAMA_HOST: "", HAMR_BASE_URL: "http://127.0.0.1:9/v1" };
      await on_terminal(s, { ...size, env: gone }, async (screen) => {
        await screen.shows(/127\.0\.0\.1:9/);
        await screen.keys("Hello", "Enter");
        await screen.shows(/› Hello[^]*127\.0\.0\.1:9/);
      });
    }),
});

chat("back to an earlier message, with its files or without; the person's editor", {
  script: BY_WORDS,
  env: { PATH: `bin:${Deno.env.get("PATH")}` },
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("First", "Enter");
  await screen.has_shown("You said: First.");
  await screen.keys("Write it", "Enter");
  await screen.shows(/- two\n(?:(?!esc to interrupt)[^])*$/);
  assert.ok(s.ws.exists("a.txt"));

  await screen.keys("Escape");
  await screen.keys("Escape");
  await screen.shows(/Go back to before:[^]*→ Write it[^]*1 step changed files[^]*First/);
  await screen.keys("Enter");
  await screen.shows(/→ the conversation and the files/);
  await screen.keys("Enter");
  await screen.shows(/a\.txt: removed[^]*─\nWrite it *\n─/);
  assert.ok(!s.ws.exists("a.txt"));
  await screen.keys("C-c", "Second", "Enter");
  await screen.has_shown("You said: Second.");
  const told = JSON.stringify(s.server.requests.at(-1)!.body.messages);
  assert.match(told, /First[^]*Second/);
  assert.doesNotMatch(told, /Write it/);

  // What was said before the first time is still there to go back to, and to go on from.
  await screen.keys("/rewind", "Enter");
  await screen.shows(/→ Second .*\n +First +before the copy/);
  await screen.keys("Enter");
  await screen.shows(/→ only the conversation/);
  await screen.keys("Enter");
  await screen.shows(/─\nSecond *\n─/);
  s.ws.write("shot.png", png(4, 4));
  s.ws.write("bad.png", "no image");
  await screen.keys("C-c", "See @bad.png, @shot.png and shot.png, not @gone.png", "Enter");
  await screen.has_shown(
    /there is no image gone\.png:[^]*name\nbad\.png: it is [^]*\nwith 1 image of 2/,
  );
  await screen.has_shown(/You said: .object/);
  const kept = JSON.stringify(s.server.requests.at(-1)!.body.messages);
  assert.match(kept, /First/);
  assert.doesNotMatch(kept, /You said: Second/);
  assert.equal(s.server.requests.at(-1)!.raw.split('"image_url":{').length, 2);
  // As terminals write what is dragged into the empty input: no command.
  s.ws.write("my shot.png", png(4, 4));
  await screen.keys(`${s.ws.path}/my\\ shot.png dragged`, "Enter");
  await screen.has_shown("shot.png dragged");
  await screen.shows(IDLE);
  await until(
    "both are sent",
    () => s.server.requests.at(-1)!.raw.split('"image_url":{').length === 3,
  );
  // None of the workspace, wherever PATH leads.
  s.ws.write("bin/sed", "#!/bin/sh\ntouch planted\n");
  Deno.chmodSync(s.ws.at("bin/sed"), 0o755);
  await screen.keys("Second", "C-g");
  await screen.shows(/─\nSecond, edited *\n─/);
  await screen.keys("Enter");
  await screen.has_shown("You said: Second, edited.");
  assert.ok(!s.ws.exists("planted"));
  const sessions = (await s.hamr(["sessions"])).stdout.trim().split("\n");
  assert.equal(sessions.length, 3, sessions.join("\n"));
});

Deno.test("chat: without a terminal it says what to use instead; hamr alone shows the help", async () => {
  await stage({}, async (s) => {
    const { code, stderr } = await s.hamr(["chat"]);
    assert.deepEqual([code, /needs a terminal.*hamr run/.test(stderr)], [3, true], stderr);
    assert.match((await s.hamr([])).stdout, /^hamr: a coding agent/);
  });
});

chat("a provider that there is not ends it at once", {
  script: BY_WORDS,
  args: ["--provider", "nobody"],
}, async (screen) => {
  await screen.shows(/hamr: --provider: unknown provider "nobody"; known: ollama[^]*EXIT 3/);
});
