/** Whatever is typed: the chat does not break, and ends when it is told to. */
import assert from "node:assert/strict";
import { bash, call, say, type Script } from "../support/model_server.ts";
import { PROGRAM, until } from "../support/hamr.ts";
import { stage } from "../support/stage.ts";
import { Terminal, works_in } from "../support/terminal.ts";

const THOROUGH = Deno.env.get("HAMR_THOROUGH") !== undefined;
const HAS_SCRIPT = await new Deno.Command("script", { args: ["--version"], stdout: "null" })
  .output().then(({ success }) => success, () => false);

/** `HAMR_KEYS_S`: seconds of typing; `HAMR_KEYS_SEED`: where the keys begin, as a failure has named it. */
const TYPED_MS = Number(Deno.env.get("HAMR_KEYS_S") ?? 20) * 1000;
const SEED = Number(Deno.env.get("HAMR_KEYS_SEED") ?? 16);
/** Milliseconds from one key to the next: within a frame, and after one. */
const GAPS = [0, 10, 50, 300];
/** A conversation takes so long at most, and then ends in one of the ways that there are. */
const ROUND_MS = Math.min(60_000, TYPED_MS / 2);
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
    "\x1a",
    "\x07",
    "/copy\r",
    "/permissions\r",
    "/memory\r",
    "/resume zz\r",
    "/help\r",
    "\x1b[200~\x1b[31mred\x1b[201~",
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

/** Goes between the program and the model; where it is killed, so is each reply that is under way. */
class Between {
  #child: Deno.ChildProcess | null = null;

  private constructor(readonly port: number, private readonly target: string) {}

  static to(url: string): Between {
    const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const { port } = listener.addr as Deno.NetAddr;
    listener.close();
    return new Between(port, new URL(url).port);
  }

  start(): void {
    this.#child ??= new Deno.Command(Deno.execPath(), {
      args: ["eval", BETWEEN, String(this.port), this.target],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    child?.kill("SIGKILL");
    await child?.status;
  }
}

const BETWEEN = `
  const [port, target] = Deno.args.map(Number);
  const hostname = "127.0.0.1";
  for await (const one of Deno.listen({ port, hostname })) {
    const other = await Deno.connect({ port: target, hostname });
    one.readable.pipeTo(other.writable).catch(() => {});
    other.readable.pipeTo(one.writable).catch(() => {});
  }`;

/** A shell that sets its terminal right when something sleeps, as all do, wakes it, and says in the end how it found the terminal. */
const SHELL =
  "set -m; wake() { [ $1 != 148 ] && return $1; stty sane; fg >/dev/null; wake $?; }; " +
  '"$@"; wake $?; was=$?; stty -a; echo "IT IS OVER: $was"';

/** Sends a signal to the conversation in a folder, as long as it is one: while it restarts it has no arguments to be known by. */
async function signal(folder: string, name: Deno.Signal, over: () => boolean): Promise<void> {
  const is_it = (pid: number) => {
    try {
      return Deno.readLinkSync(`/proc/${pid}/cwd`) === folder &&
        Deno.readTextFileSync(`/proc/${pid}/comm`) !== "bash\n" &&
        Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes("\0chat");
    } catch {
      return false;
    }
  };
  await until("there is a conversation", () => {
    const pids = [...Deno.readDirSync("/proc")].map((entry) => Number(entry.name)).filter(is_it);
    const first = pids.sort((a, b) => a - b)[0];
    if (first !== undefined) Deno.kill(first, name);
    return first !== undefined || over();
  });
}

/** How a conversation ends, one after the other. */
const ENDS = ["the terminal is gone", "SIGHUP", "ctrl-d", "SIGTERM"] as const;

Deno.test({
  name: "chat: random keys break nothing, and the end of the terminal ends it",
  ignore: !THOROUGH || !HAS_SCRIPT || Deno.build.os !== "linux",
  fn: async () => {
    const below = numbers(SEED);
    let typed = 0;
    const until_ms = performance.now() + TYPED_MS;
    for (let round = 0; round === 0 || performance.now() < until_ms; round++) {
      const left = Math.max(1000, until_ms - performance.now());
      const end = ENDS[(SEED + round) % ENDS.length]!;
      typed += await conversation(below, { ms: Math.min(left, ROUND_MS), end });
    }
    Deno.stderr.writeSync(new TextEncoder().encode(`seed ${SEED}: ${typed} keys\n`));
  },
});

/** One of them; gives how many keys were typed. */
function conversation(
  below: (below: number) => number,
  { ms, end }: { ms: number; end: typeof ENDS[number] },
): Promise<number> {
  const options = { script: SCRIPTED, one_conversation: false, violations: true };
  return stage(options, async (s) => {
    const between = Between.to(s.server.url);
    between.start();
    const env = {
      ...s.env,
      HAMR_BASE_URL: `http://127.0.0.1:${between.port}/v1`,
      HAMR_RETRY_ATTEMPTS: "2",
      EDITOR: "sed -i s/h/H/",
    };
    const place = { cwd: s.ws.path, home: s.home.path, env };
    const terminal = new Terminal(["bash", "-c", SHELL, "bash", ...PROGRAM, "chat"], place);
    const shown = () => `seed ${SEED}: …${terminal.shown.slice(-2000)}`;
    let ended = false;
    let typed = 0;
    // `/quit` is one of the commands, and the list of them goes around.
    const over = () => ended || terminal.shown.includes("IT IS OVER");
    void terminal.status.then(() => ended = true);
    try {
      await terminal.until("? lists the keys", 0);
      for (const stop = performance.now() + ms; performance.now() < stop && !over(); typed++) {
        const what = below(100);
        if (what === 0) await between.kill();
        else if (what < 4) between.start();
        else if (what === 4) await signal(s.ws.path, "SIGTSTP", over);
        else await terminal.type(KEYS[below(KEYS.length)]!);
        await new Promise((resolve) => setTimeout(resolve, GAPS[below(GAPS.length)]));
      }
      assert.doesNotMatch(terminal.shown, /Uncaught|internal error|NotCapable|panicked/, shown());
      if (over()) assert.match(terminal.shown, /IT IS OVER: 0/, shown());
      else if (end === "the terminal is gone") terminal.hang_up();
      else if (end === "ctrl-d") await quit(terminal);
      else await signal(s.ws.path, end, over);
      if (over() || end !== "the terminal is gone") {
        await until(
          () => `it has ended by ${end}, ${shown()}`,
          () => terminal.shown.includes("IT IS OVER"),
        );
        const rest = terminal.shown.slice(-8000);
        assert.match(rest, / icanon /, `${end}, ${shown()}`);
        assert.match(rest, / echo /, `${end}, ${shown()}`);
        for (const off of ["?2004", "?1004"]) {
          assert.ok(rest.lastIndexOf(`${off}l`) > rest.lastIndexOf(`${off}h`), `${off} ${shown()}`);
        }
        assert.ok(rest.lastIndexOf("?25h") > rest.lastIndexOf("?25l"), `the cursor, ${shown()}`);
      }
      await terminal.status;
      assert.doesNotMatch(terminal.shown, /Uncaught|internal error|NotCapable|panicked/, shown());
      await until("all that ran there has ended", () => !works_in(s.ws.path));
    } finally {
      await between.kill();
      if (!ended) terminal.hang_up();
    }
    return typed;
  });
}

/** Whatever is open is left, and then the chat. */
async function quit(terminal: Terminal): Promise<void> {
  for (let nth = 0; nth < 20 && !terminal.shown.includes("IT IS OVER"); nth++) {
    await terminal.type("\x1b");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await terminal.type("\x15\x7f\x04");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
