/** What ends a chat while its screen is still being loaded, or while it restarts, leaves the terminal as it was. */
import assert from "node:assert/strict";
import { bash, say } from "./support/model_server.ts";
import { environment, PROGRAM } from "./support/hamr.ts";
import { installed } from "./support/installed.ts";
import { type Stage, stage } from "./support/stage.ts";

/**
 * Gives a program a terminal; a signal at its first words, or once it has left the screen for the command that is typed;
 * and says how it ended and whether keys come as lines that are seen.
 */
const ON_TERMINAL = `
import fcntl, json, os, pty, signal, sys, termios
master, slave = pty.openpty()
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2): os.dup2(slave, fd)
    os.execvp(sys.argv[3], sys.argv[3:])
shown = b""
while b"type a task" not in shown: shown += os.read(master, 65536)
raw = not termios.tcgetattr(slave)[3] & termios.ICANON
if typed := sys.argv[2]:
    os.write(master, typed.encode() + b"\\r")
    while b"\\x1b[?2004l" not in shown: shown += os.read(master, 65536)
os.kill(child, getattr(signal, sys.argv[1]))
_, status = os.waitpid(child, 0)
flags = termios.tcgetattr(slave)[3]
sane = bool(flags & termios.ICANON and flags & termios.ECHO)
print(json.dumps({"raw": raw, "sane": sane, "code": os.waitstatus_to_exitcode(status)}))
`;

/** Types a task to a program, and closes its terminal while the task's command runs. */
const CLOSED = `
import os, pty, sys
child, window = pty.fork()
if child == 0: os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
for said, typed in ((b"type a task", b"Wait.\\r"), (b"ticked", b"")):
    while said not in shown: shown += os.read(window, 65536)
    os.write(window, typed)
os.close(window)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
`;

const HAS_PYTHON = installed("python3");

const text = new TextDecoder();

async function ended_by(signal: Deno.Signal, typed: string, s: Stage): Promise<unknown> {
  return JSON.parse(await told_by([ON_TERMINAL, signal, typed], s));
}

async function told_by(script: readonly string[], s: Stage): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("python3", {
    args: ["-c", ...script, ...PROGRAM, "chat"],
    cwd: s.ws.path,
    env: { ...environment(s.home.path, s.env), TERM: "xterm" },
    clearEnv: true,
    stdin: "null",
  }).output();
  return text.decode(stdout) || JSON.stringify(text.decode(stderr));
}

Deno.test({
  name: "a signal while the chat is being loaded ends it, and the terminal is as it was",
  ignore: !HAS_PYTHON || Deno.build.os === "windows",
  async fn() {
    await stage({ script: [say("Hi.")], violations: true }, async (s) => {
      for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
        assert.deepEqual(
          await ended_by(signal, "", s),
          { raw: true, sane: true, code: 130 },
          signal,
        );
      }
    });
  },
});

Deno.test({
  name: "a signal while the chat restarts ends it, and nothing starts in its place",
  ignore: !HAS_PYTHON || Deno.build.os === "windows",
  async fn() {
    await stage({ script: [say("Hi.")], violations: true }, async (s) => {
      const ended = await ended_by("SIGHUP", "/new", s) as { readonly code: number };
      // Heard by the conversation, or by the system where nobody listens anymore.
      assert.ok([130, -1].includes(ended.code), JSON.stringify(ended));
      assert.deepEqual(ended, { raw: true, sane: true, code: ended.code });
    });
  },
});

Deno.test({
  name: "a terminal that is closed while a task runs ends it as an interrupt does",
  ignore: !HAS_PYTHON || Deno.build.os === "windows",
  async fn() {
    const script = [bash("echo tick''ed; sleep 600")];
    await stage({ script, violations: true }, async (s) => {
      assert.equal(await told_by([CLOSED], s), "130\n");
      const { stdout } = await s.hamr(["sessions", "list", "--json"]);
      const [{ status, stop_reason }] = JSON.parse(stdout).sessions;
      assert.deepEqual([status, stop_reason], ["ended", "user_interrupt"]);
    });
  },
});
