/** Whatever is typed: the chat does not break, and ends when it is told to. */
import assert from "node:assert/strict";
import { bash, call, say, type Script } from "../support/model_server.ts";
import { PROGRAM, until } from "../support/hamr.ts";
import { stage } from "../support/stage.ts";
import { Terminal } from "../support/terminal.ts";

const THOROUGH = Deno.env.get("HAMR_THOROUGH") !== undefined;
const HAS_SCRIPT = await new Deno.Command("script", { args: ["--version"], stdout: "null" })
  .output().then(({ success }) => success, () => false);

/** `HAMR_KEYS_S`: seconds of typing; `HAMR_KEYS_SEED`: the seed that a failure has named. */
const TYPED_MS = Number(Deno.env.get("HAMR_KEYS_S") ?? 30) * 1000;
const SEED = Number(Deno.env.get("HAMR_KEYS_SEED") ?? Math.floor(Math.random() * 2 ** 32));
/** Milliseconds from one key to the next: within a frame, and after one. */
const GAPS = [0, 10, 50, 300];
const KEYS = [
  ...["\r", "\x1b", "\x1b\x1b", "\t", "\x1b[Z", "\x1b[A", "\x1b[B", "\x12", "\n", "\x1b\r", "\x7f"],
  ...[
    "\x15",
    "/",
    "@",
    "?",
    "!",
    "1",
    "y",
    "n",
    "a",
    "w",
    "e",
    "\\\r",
    "\x1b[27u",
    "\x1b[<0;5;5M",
    "\0",
  ],
  ...["日本語", "👨‍👩‍👧", "\x1b[200~a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n\x1b[201~"],
  ...["Write it\r", "Long\r", "Ask\r", "Push\r", "Wait\r", "hello\r", "!echo hi\r", "!sleep 1\r"],
  ...[
    "/he\r",
    "/diff\r",
    "/context\r",
    "/cost\r",
    "/tools\r",
    "/model x\r",
    "/verify true\r",
    "/verify\r",
  ],
  ...[
    "/undo\r",
    "/new\r",
    "/sessions\r",
    "/rewind\r",
    "/mode plan\r",
    "/compact\r",
    "/rename a name\r",
    "/theme light\r",
    "/theme none\r",
    "\x0f",
    "\x16",
    "\x0c",
    "\x1b[O",
    "\x1b[I",
    "\x1b]11;rgb:ffff/ffff/ffff\x07",
    "/mode auto\r",
    "/export f.md\r",
  ],
];

const SCRIPTED: Script = ({ body: { messages } }) => {
  const text = String(messages.at(-1)?.content);
  if (messages.at(-1)?.role === "tool") {
    return say("Done:\n\n| a | b |\n|---|---|\n| 日本 | 👨‍👩‍👧 |\n");
  }
  if (text.startsWith("Write")) return call("write", { path: "a.txt", content: "one\n" });
  if (text.startsWith("Ask")) return call("clarify", { question: "Which?", choices: ["a", "b"] });
  if (text.startsWith("Push")) return bash("git push --force");
  if (text.startsWith("Wait")) return bash("sleep 5");
  return say(text.startsWith("Long") ? "word ".repeat(400) : `You said: ${text}`);
};

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/** Whether any process is at work in a folder. */
function works_in(folder: string): boolean {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name)).some(
    ({ name }) => {
      try {
        return Deno.readLinkSync(`/proc/${name}/cwd`).startsWith(folder);
      } catch {
        return false; // It has ended, or is somebody else's.
      }
    },
  );
}

Deno.test({
  name: "chat: random keys break nothing, and the end of the terminal ends it",
  ignore: !THOROUGH || !HAS_SCRIPT || Deno.build.os !== "linux",
  fn: () =>
    stage({ script: SCRIPTED, one_conversation: false, violations: true }, async (s) => {
      const below = numbers(SEED);
      const program = PROGRAM.flatMap((word) => word === "run" ? ["run", "--quiet"] : [word]);
      const place = { cwd: s.ws.path, home: s.home.path, env: s.env };
      const terminal = new Terminal([...program, "chat"], place);
      await terminal.until("? lists the keys", 0);
      let ended = false;
      void terminal.status.then(() => ended = true);
      for (const end = performance.now() + TYPED_MS; performance.now() < end && !ended;) {
        await terminal.type(KEYS[below(KEYS.length)]!);
        await new Promise((resolve) => setTimeout(resolve, GAPS[below(GAPS.length)]));
      }
      const shown = () => `seed ${SEED}: …${terminal.shown.slice(-2000)}`;
      assert.ok(!ended, shown());
      assert.doesNotMatch(terminal.shown, /Uncaught|internal error|NotCapable|panicked/, shown());
      terminal.hang_up();
      await terminal.status;
      await until("all that ran there has ended", () => !works_in(s.ws.path));
    }),
});
