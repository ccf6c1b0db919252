/** What may happen to a chat's terminal and to its server, on a real terminal: tmux. */
import assert from "node:assert/strict";
import { bash, say, type Script } from "./support/model_server.ts";
import { pause, until } from "./support/hamr.ts";
import { BY_WORDS, chat, HANG_MS, HAS_TMUX, IDLE, on_terminal } from "./support/tmux.ts";
import { stage } from "./support/stage.ts";
import { works_in } from "./support/terminal.ts";

const LINES = 10_000;
const MANY = Array.from({ length: LINES }, (_, nth) => `- line ${nth + 1}\n`).join("");

const PLANTS = "until [ -e over ]; do git config core.fsmonitor planted; echo >> turns; done";

const SCRIPTED: Script = (request) =>
  String(request.body.messages.at(-1)?.content).startsWith("Stream")
    ? { ...say(MANY), fragment: 200 }
    : String(request.body.messages.at(-1)?.content).startsWith("Plant")
    ? bash(PLANTS)
    : (BY_WORDS as (asked: typeof request) => ReturnType<typeof say>)(request);

const PARAGRAPHS = Array.from(
  { length: 20 },
  (_, nth) => `Paragraph ${nth} ${"is long enough to be broken in a narrow window ".repeat(2)}`,
);

chat("what was said stands once in what can be scrolled back to, also after a change of the size", {
  script: () => say(PARAGRAPHS.join("\n\n")),
  width: 100,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Tell", "Enter");
  await screen.shows(/Paragraph 19 [^]*\n─{100}\n *\n─{100}\n.*·/);
  for (const [x, y] of [[48, 24], [100, 24], [99, 12], [100, 40], [100, 24]]) {
    await screen.tmux("resize-window", "-x", `${x}`, "-y", `${y}`);
    // Drawn anew: below the last rule there is nothing but the status.
    await screen.shows(new RegExp(`Paragraph 19 [^]*\\n─{${x}}\\n *\\n─{${x}}\\n.*·.*\\n*$`));
  }
  // With the same width as before, the old screen looks like the new one.
  let all = "";
  await until(() => `each paragraph once:\n${all}`, async () => {
    all = await screen.tmux("capture-pane", "-p", "-J", "-S", "-");
    const seen = [...all.matchAll(/Paragraph (\d+)/g)].map(([, nth]) => Number(nth));
    return `${seen}` === `${[...PARAGRAPHS.keys()]}` && all.match(/type\s+a task/g)?.length === 1;
  });
  assert.equal(s.server.requests.length, 1);
});

chat("what is typed while 10,000 lines stream is there, whatever size the window takes", {
  script: SCRIPTED,
  width: 200,
  height: 50,
}, async (screen) => {
  await screen.shows(/^─{200}$/m);
  await screen.keys("Stream", "Enter");
  await screen.shows(/- line \d+\n/);
  await screen.keys("typed ");
  await screen.tmux("resize-window", "-x", "48", "-y", "20");
  await screen.keys("mean");
  await screen.tmux("resize-window", "-x", "120", "-y", "30");
  await screen.keys("while");
  const end = await screen.shows(
    new RegExp(`- line ${LINES}\\n[^]*typed meanwhile\\n─{120}\\n.*·`),
  );
  assert.equal(end.match(/typed meanwhile/g)?.length, 1, end);
  assert.equal(end.match(/^─{120}$/gm)?.length, 2, end);
  await screen.keys("Enter");
  await screen.has_shown("You said: typed meanwhile.");
});

Deno.test({
  name: "chat: it sleeps and wakes, where there is a shell to wake it; what was typed is there",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: SCRIPTED, violations: true }, async (s) => {
      const size = { width: 80, height: 24 };
      await on_terminal(s, { ...size, jobs: true }, async (screen) => {
        await screen.shows(IDLE);
        await screen.keys("half a tho");
        await screen.shows("half a tho");
        await screen.keys("C-z");
        await screen.shows("Stopped");
        await screen.keys("fg", "Enter");
        await screen.has_shown(/Stopped[^]*─\nhalf a tho *\n─/);
        await screen.keys("ught", "Enter");
        await screen.has_shown("You said: half a thought.");
        // Somebody else may stop it, too: then what it has switched on in the terminal is off for the shell.
        Deno.kill(screen.pid(), "SIGTSTP");
        // The shell drops what was typed before its prompt.
        await screen.has_shown(/Stopped[^]*Stopped[^]*[$#]\s*$/);
        await screen.keys("stty -a", "Enter");
        await screen.shows(/ echo /);
        await screen.keys("fg", "Enter");
        await screen.has_shown(/stty -a[^]*type a task[^]*·/);
        await screen.keys("And now?", "Enter");
        await screen.has_shown("You said: And now?");
        // What a command plants is put back first, and its work stands still.
        new Deno.Command("git", { args: ["init", "-q"], cwd: s.ws.path }).outputSync();
        await screen.keys("Plant", "Enter");
        await until("it plants", () => s.ws.exists("turns"), HANG_MS);
        await screen.keys("C-z");
        await screen.has_shown(/Stopped[^]*Stopped[^]*Stopped[^]*[$#]\s*$/);
        assert.doesNotMatch(s.ws.read(".git/config"), /planted/);
        s.ws.write("over", "");
        await screen.keys("fg", "Enter");
        await screen.has_shown(/Done:[^]*two/);
      });
      await on_terminal(s, size, async (screen) => {
        await screen.shows(IDLE);
        await screen.keys("C-z");
        // What is typed before that is a line to the terminal, and its end is another key.
        await screen.has_shown(/type a task[^]*type a task[^]*·/);
        await screen.keys("still", "Enter");
        await screen.has_shown("You said: still.");
      });
    }),
});

chat("with its terminal all that its commands have started ends", {
  script: SCRIPTED,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Wait", "Enter");
  await until("the command runs", () => s.ws.exists("began"), HANG_MS);
  assert.ok(works_in(s.ws.path));
  await screen.tmux("kill-server");
  await until("nothing is left", () => !works_in(s.ws.path), HANG_MS);
  assert.match((await s.hamr(["sessions"])).stdout, /Wait/);
});

/** A server that says a word again and again, without an end. */
const ENDLESS = `
  const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\\n\\n';
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, (asked) => {
    if (!asked.url.endsWith("/chat/completions")) return Response.json({ data: [{ id: "endless" }] });
    let timer;
    const body = new ReadableStream({
      start: (stream) => timer = setInterval(() => stream.enqueue(new TextEncoder().encode(chunk)), 5),
      cancel: () => clearInterval(timer),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });`;

Deno.test({
  name: "chat: a server that is killed in the middle of an answer is named, and the chat goes on",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({}, async (s) => {
      const server = new Deno.Command(Deno.execPath(), {
        args: ["eval", ENDLESS],
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const { value } = await server.stdout.getReader().read();
      const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/v1`;
      const env = { HAMR_BASE_URL: url, HAMR_MODEL: "endless", HAMR_RETRY_ATTEMPTS: "1" };
      await on_terminal(s, { width: 80, height: 24, env }, async (screen) => {
        await screen.shows(IDLE);
        await screen.keys("Talk", "Enter");
        await screen.shows(/word word/);
        server.kill("SIGKILL");
        await server.status;
        const end = await screen.shows(/Model error: [^]*\n─+\n *\n─+\n/);
        assert.ok(end.includes(new URL(url).host), end);
        await screen.keys("/cost", "Enter");
        await screen.shows(/tokens, no price known/);
        await screen.keys("C-d");
        await screen.shows(/EXIT 0/);
        // What is typed is seen again: the terminal is as it was.
        await screen.keys("echoed");
        await screen.shows("echoed");
      });
    }),
});

Deno.test({
  name: "chat: who quits while the server says nothing is not kept waiting",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({}, async (s) => {
      const server = Deno.listen({ port: 0, hostname: "127.0.0.1" });
      const silent: Deno.Conn[] = [];
      const taken = (async () => {
        for await (const one of server) silent.push(one);
      })();
      const url = `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}/v1`;
      const env = { HAMR_BASE_URL: url, HAMR_MODEL: "silent" };
      await on_terminal(s, { width: 80, height: 24, env }, async (screen) => {
        await screen.shows(/^─+\n.*\n─+\n/m);
        await screen.keys("hello", "Enter");
        await screen.shows("esc to interrupt");
        await screen.keys("C-d");
        await screen.shows("EXIT 0");
      });
      server.close();
      silent.forEach((one) => one.close());
      await taken;
    }),
});

/** Ctrl-C, pressed and let go, by the Kitty protocol. */
const HELD = "1b 5b 39 39 3b 35 75 1b 5b 39 39 3b 35 3a 33 75";
for (
  const [key, expected] of [
    ["C-c", /─\nx *\n─/],
    ["C-d", /─\nlost\n*secondx/],
    [`-H ${HELD}`, /─\nx *\n─/],
  ] as const
) {
  chat(
    `a paste whose end was lost takes every key but ${
      key.startsWith("-H") ? "Kitty's ctrl-c" : key
    }`,
    {
      script: SCRIPTED,
    },
    async (screen) => {
      await screen.shows(IDLE);
      await screen.tmux("send-keys", "-H", ..."1b 5b 32 30 30 7e".split(" "));
      await screen.keys("lost");
      await screen.keys("C-m");
      await screen.keys("second");
      await screen.shows("a paste has not ended yet: keys wait for it; ctrl-c ends it");
      // On a busy machine it is read together with what was typed before, and is pasted, too; a person presses it again.
      for (let presses = 0; presses < 20; presses++) {
        await screen.keys(...key.split(" "));
        await pause(100);
        await screen.keys("x");
        await pause(100);
        if (expected.test(await screen.tmux("capture-pane", "-p"))) break;
      }
      await screen.shows(expected);
      await screen.keys("C-c");
      await screen.shows(IDLE);
      await screen.keys("Hello", "Enter");
      await screen.has_shown("You said: Hello.");
    },
  );
}
