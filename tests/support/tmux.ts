/** The chat, on a real terminal: tmux. */
import assert from "node:assert/strict";
import { bash, call, say, type Script } from "./model_server.ts";
import { environment, PROGRAM } from "./hamr.ts";
import { type Stage, stage } from "./stage.ts";
import { installed } from "./installed.ts";
import { skip } from "./skip.ts";

/** Whether there is one. */
export const HAS_TMUX = installed("tmux");
if (!HAS_TMUX) skip("no tmux: the chat was not tried on a terminal");

/** A terminal in which the program runs. */
export interface Screen {
  /** Keys by tmux' names; other words are typed. */
  keys(...keys: string[]): Promise<void>;
  /** What is shown, once it has this in it. */
  shows(expected: string | RegExp): Promise<string>;
  /** The same of all that was ever shown. */
  has_shown(expected: string | RegExp): Promise<string>;
  tmux(...args: string[]): Promise<string>;
  /** The program itself, which `/proc` may hide even from its own user (`hidepid`). */
  pid(): number;
}

/** By then whatever is waited for has come. */
export const HANG_MS = 60_000;

/** Runs the program on a terminal of its own. */
export async function on_terminal(
  s: Stage,
  { width, height, args = [], env: more = {}, jobs }: {
    width: number;
    height: number;
    args?: readonly string[];
    env?: Record<string, string>;
    /** A shell with job control is there, too. */
    jobs?: true;
  },
  body: (screen: Screen) => Promise<void>,
): Promise<void> {
  const socket = `hamr-${crypto.randomUUID()}`;
  const env = {
    ...environment(s.home.path),
    ...s.env,
    TERM: "screen-256color",
    ...more,
    EDITOR: "sed -i s/$/,\\ edited/",
  };
  const tmux = async (...more: string[]) => {
    const { stdout } = await new Deno.Command("tmux", {
      args: ["-f", "/dev/null", "-L", socket, ...more],
      clearEnv: true,
      env,
    }).output();
    return new TextDecoder().decode(stdout);
  };
  // Deno draws a progress bar of its own over the screen while it loads modules, unless it is told not to.
  const words = [...PROGRAM, ...args].map((word) => `'${word}'`).join(" ");
  const size = ["-x", String(width), "-y", String(height)];
  s.home.write("start", `echo $$ > '${s.home.at("pid")}'; exec ${words}`);
  const start = `sh '${s.home.at("start")}'`;
  const end = `${start}; echo "EXIT $?"; cat`;
  await tmux("new-session", "-d", ...size, "-c", s.ws.path, jobs ? "bash --norc -i" : end);
  const session = (await tmux("list-panes", "-F", "#{pane_pid}")).trim();
  if (jobs) await tmux("send-keys", start, "Enter");
  const seen = async (expected: string | RegExp, ...scope: string[]) => {
    const end = performance.now() + HANG_MS;
    // Soon again at first, then less often: each look is a process.
    for (let wait_ms = 20;; wait_ms = Math.min(wait_ms * 1.3, 150)) {
      const text = await tmux("capture-pane", "-p", ...scope);
      if (typeof expected === "string" ? text.includes(expected) : expected.test(text)) return text;
      assert.ok(performance.now() < end, `${expected} is not in:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, wait_ms));
    }
  };
  try {
    await body({
      tmux,
      keys: async (...keys) => void await tmux("send-keys", ...keys),
      shows: (expected) => seen(expected),
      has_shown: (expected) => seen(expected, "-S", "-500"),
      pid() {
        const pid = s.home.read("pid").trim();
        // For `Deno.kill`, 0 and NaN are the whole group of whoever runs the tests.
        assert.match(pid, /^[1-9]\d*$/);
        return Number(pid);
      },
    });
  } finally {
    await tmux("kill-server");
    await ended(session);
  }
}

/** Waits until no program of a terminal's session is left: who hangs up on one does not wait for its end. */
async function ended(session: string): Promise<void> {
  for (const end = performance.now() + HANG_MS;;) {
    const { stdout } = await new Deno.Command("ps", { args: ["-s", session, "-o", "stat="] })
      .output();
    if (!/^[^Z\n]/m.test(new TextDecoder().decode(stdout))) return;
    assert.ok(performance.now() < end, "a program outlives its terminal");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A test of a chat. */
export function chat(
  name: string,
  options: {
    readonly script: Script;
    readonly width?: number;
    readonly height?: number;
    readonly args?: readonly string[];
    readonly env?: Record<string, string>;
  },
  body: (screen: Screen, s: Stage) => Promise<void>,
): void {
  const { script, width = 80, height = 24, args = [], env = {} } = options;
  Deno.test({
    name: `chat: ${name}`,
    ignore: !HAS_TMUX,
    fn: () =>
      stage(
        { script, violations: true },
        (s) => on_terminal(s, { width, height, args, env }, (screen) => body(screen, s)),
      ),
  });
}

/** Answers by what was said last. */
export const BY_WORDS: Script = ({ body: { messages } }) => {
  const last = messages.at(-1);
  const text = String(last?.content);
  if (last?.role === "tool") return say("Done:\n\n- **one** point\n- `two`\n");
  if (text.startsWith("Write it")) return call("write", { path: "a.txt", content: "one\ntwo\n" });
  if (text.startsWith("Wait")) return bash("touch began; sleep 60");
  if (text.includes("Ask")) {
    return call("clarify", { question: "Which?", choices: ["red", "blue"] });
  }
  if (text.includes("Push")) return bash("git push --force");
  if (text.includes("Touch")) return bash("touch made && echo made || echo refused");
  // Not what goes with it of the person's own commands: that would be a claim.
  const [typed = ""] = text.split("\n\nI ran `");
  return say(`You said: ${typed.split("\n").join("|")}.`);
};

/** The input is empty, and nothing is waited for. */
export const IDLE = /^─+\n.*\n─+\n.*·/m;
