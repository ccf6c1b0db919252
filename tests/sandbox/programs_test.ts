/** What programs need of the kernel that a sandbox likes to refuse: terminals, debuggers, hiding. With what could be made of it. */
import assert from "node:assert/strict";
import { EVERYDAY } from "../support/everyday.ts";
import { everyone, installed, on_linux, own, result_of, run_job, sh } from "./support/world.ts";
import { with_world } from "./support/world.ts";

const net_own = { policy: { net: "own" } } as const;
const python = on_linux && installed("python3");

const TERMINAL = `
import os, pty, subprocess
ends = os.openpty()
os.write(ends[0], b"typed\\n")
print(os.read(ends[1], 99), os.ttyname(ends[1]).startswith("/dev/pts/"))
pid, end = pty.fork()
if pid == 0:
  with open("/dev/tty", "r+b", 0) as own: own.write(b"asks: "); print("got", own.readline(), flush=True)
  os._exit(0)
os.write(end, b"secret\\n")
text = b""
try:
  while piece := os.read(end, 999): text += piece
except OSError: pass
print(b"asks: " in text and b"got b'secret\\\\n'" in text)
`;

/** Each tries to reach the terminal N, which another program of the same user (PID) has open as file FD; then its own tricks. */
const TERMINAL_ATTACKS = `
import ctypes, fcntl, os, socket, threading
libc = ctypes.CDLL(None, use_errno=True)
N, PID, FD, LOCKED = "{N}", {PID}, {FD}, "{LOCKED}"
PEER, UNLOCK = 0x5441, 0x40045431
def attempt(what, f):
  try: print("reached", what, f())
  except OSError: pass
for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK):
  attempt("path", lambda: os.open(N, flags))
  attempt("holder", lambda: os.open(f"/proc/{PID}/fd/{FD}", flags))
attempt("named", lambda: fcntl.ioctl(os.open(N, os.O_PATH), PEER, 2))
for path in ("/dev/null", "/dev/zero", "/dev/tty", "self", LOCKED):
  attempt(path, lambda: fcntl.ioctl(os.open(path, os.O_RDONLY | os.O_CREAT), PEER, 2))
attempt("socket", lambda: fcntl.ioctl(socket.socketpair()[0].fileno(), PEER, 2))
attempt("nothing", lambda: fcntl.ioctl(999, PEER, 2))
# One of its own, still locked; then other files in its place while it is looked at.
end = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
attempt("locked", lambda: fcntl.ioctl(end, PEER, 2))
fcntl.ioctl(end, UNLOCK, bytes(4))
files = [os.open(LOCKED, os.O_RDONLY), os.dup(end)]
stop = False
def swap():
  while not stop:
    for file in files: os.dup2(file, end)
thread = threading.Thread(target=swap); thread.start()
given = set()
for _ in range(300):
  try: file = fcntl.ioctl(end, PEER, 0x102); given.add(os.readlink(f"/proc/self/fd/{file}")); os.close(file)
  except OSError: pass
stop = True; thread.join()
print(len(given) <= 1 and N not in given)
# The terminal's input can't be forged, not even one's own.
attempt("forge", lambda: fcntl.ioctl(files[1], 0x5412, b"x"))
`;

/** The list of interfaces; then a new one, for which the kernel has to say EPERM, and words to another program's socket. */
const NETLINK = `
import socket, struct
print("lo" in [name for _, name in socket.if_nameindex()])
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); s.bind((0, 0))
NEW_LINK, NEW_ADDRESS, NEW_ROUTE = 16, 20, 24
for kind in (NEW_LINK, NEW_ADDRESS, NEW_ROUTE):
  s.sendto(struct.pack("=IHHII16x", 32, kind, 0x605, 1, 0), (0, 0))
  print(-struct.unpack_from("=i", s.recv(9999), 16)[0])
try: print("sent", s.sendto(b"x" * 32, ({PID}, 0)))
except OSError as error: print(error.errno)
`;

/** Held outside: a terminal with something typed that nobody has read. */
const HOLDER = `
import os, sys
a, b = os.openpty()
os.write(a, b"password\\n")
print(f"{os.ttyname(b)} {b}\\n", end="", flush=True)
sys.stdin.read()
os.set_blocking(a, False)
print(f"{os.read(b, 99)} {os.read(a, 99)}\\n", end="", flush=True)
`;

for (const who of everyone) {
  Deno.test({
    name: `programs get terminals of their own (as ${who})`,
    ignore: !python,
    fn: () =>
      with_world(who, async (world) => {
        const outcome = await run_job(world, {
          ...net_own,
          steps: [{ kind: "run", name: "python", argv: ["python3", "-c", TERMINAL] }],
        });
        const { stdout, stderr } = result_of(outcome, "python");
        assert.equal(stdout, "b'typed\\n' True\nTrue\n", stderr);
      }),
  });

  Deno.test({
    name:
      `no terminal of another program's is reached, nor a file in a terminal's place (as ${who})`,
    ignore: !python,
    fn: () =>
      with_world(who, async (world) => {
        const locked = `${world.outside}/database`;
        Deno.writeTextFileSync(locked, "");
        own(locked, who);
        const user = who === "nobody" ? { uid: 65534, gid: 65534 } : {};
        const holder = new Deno.Command("python3", {
          args: ["-c", HOLDER],
          cwd: "/",
          env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
          stdin: "piped",
          stdout: "piped",
          ...user,
        }).spawn();
        const reader = holder.stdout.pipeThrough(new TextDecoderStream()).getReader();
        const [name = "", fd = ""] = ((await reader.read()).value ?? "").trim().split(" ");
        assert.match(name, /^\/dev\/pts\/\d+$/);
        const script = TERMINAL_ATTACKS.replace("{N}", name).replace("{FD}", fd)
          .replace("{PID}", `${holder.pid}`).replace("{LOCKED}", locked);
        const outcome = await run_job(world, {
          ...net_own,
          locked,
          steps: [{ kind: "run", name: "python", argv: ["python3", "-c", script] }],
        });
        await holder.stdin.close();
        const rest = (await reader.read()).value;
        await holder.status;
        const { stdout, stderr } = result_of(outcome, "python");
        assert.equal(stdout, "True\n", stderr);
        // What was typed there is still there, and its echo is all that was written.
        assert.equal(rest, "b'password\\n' b'password\\r\\n'\n");
      }),
  });

  Deno.test({
    name:
      `which addresses there are may be asked, and nothing of the network be changed (as ${who})`,
    ignore: !python,
    fn: () =>
      with_world(who, async (world) => {
        const outcome = await run_job(world, {
          ...net_own,
          steps: [{ kind: "run", name: "python", argv: ["python3", "-c", NETLINK] }],
        });
        const { stdout, stderr } = result_of(outcome, "python");
        assert.equal(stdout, "True\n1\n1\n1\n1\n", stderr);
      }),
  });

  Deno.test({
    name: `a program that hides itself is served as any other (as ${who})`,
    ignore: !on_linux || !installed("ssh-agent"),
    fn: () =>
      with_world(who, async (world) => {
        const outcome = await run_job(world, {
          ...net_own,
          steps: [sh("agent", "ssh-agent sh -c 'ssh-add -l; echo $?'")],
        });
        const { stdout, stderr } = result_of(outcome, "agent");
        assert.equal(stdout, "The agent has no identities.\n1\n", stderr);
      }),
  });

  Deno.test({
    name: `programs of the run are debugged, and nothing else is (as ${who})`,
    ignore: !on_linux || !installed("gdb") || !python,
    fn: () =>
      with_world(who, async (world) => {
        const user = who === "nobody" ? { uid: 65534, gid: 65534 } : {};
        const stranger = new Deno.Command("sleep", { args: ["60"], cwd: "/", ...user }).spawn();
        const trace = (call: string) =>
          `python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(${call}, None, None))'`;
        try {
          const outcome = await run_job(world, {
            ...net_own,
            steps: [
              sh("gdb", "gdb -batch -ex run --args true 2>&1 | tail -1"),
              sh("attach", "sleep 60 & gdb -batch -p $! -ex detach 2>&1 | tail -1; kill $!"),
              // 16 is PTRACE_ATTACH, 0x4206 PTRACE_SEIZE, 0 PTRACE_TRACEME.
              sh(
                "stranger",
                `${trace(`16, ${stranger.pid}`)}; ${trace(`0x4206, ${stranger.pid}`)}`,
              ),
              sh("by_hamr", `exec ${trace("0, 0")}`),
              sh(
                "by_init",
                `(setsid sh -c 'sleep 0.1; ${
                  trace("0, 0").replaceAll("'", `'"'"'`)
                } > own' &); until [ -s own ]; do sleep 0.02; done; cat own`,
              ),
              { kind: "end", name: "end" },
            ],
          });
          assert.match(result_of(outcome, "gdb").stdout ?? "", /exited normally/);
          assert.match(result_of(outcome, "attach").stdout ?? "", /detached/);
          assert.equal(result_of(outcome, "stranger").stdout, "-1\n-1\n");
          assert.equal(result_of(outcome, "by_hamr").stdout, "-1\n");
          assert.match(result_of(outcome, "by_init").stdout ?? "", /^-?\d\n$/);
          assert.deepEqual(result_of(outcome, "end").left, []);
        } finally {
          stranger.kill("SIGKILL");
          await stranger.status;
        }
      }),
  });
}

Deno.test({
  name: "what stops itself for a parent that has ended is ended with the run",
  ignore: !python,
  fn: () =>
    with_world("self", async (world) => {
      // Each child's parent ends at that moment, and hamr becomes its parent: the race that a supervisor could lose.
      const race = `
import ctypes, os, signal
libc = ctypes.CDLL(None)
for n in range(200):
  if os.fork() == 0:
    if os.fork() == 0:
      os.closerange(0, 3); libc.ptrace(0, 0, None, None); os.kill(os.getpid(), signal.SIGSTOP); os._exit(0)
    os._exit(0)
  os.wait()
print("done")`;
      const outcome = await run_job(world, {
        ...net_own,
        steps: [
          { kind: "run", name: "race", argv: ["python3", "-c", race] },
          sh("after", "sleep 0.1; echo goes on"),
          { kind: "end", name: "end" },
        ],
      });
      assert.equal(result_of(outcome, "race").stdout, "done\n");
      assert.equal(result_of(outcome, "after").stdout, "goes on\n");
      assert.deepEqual(result_of(outcome, "end").left, []);
    }),
});

/** Left running by a command: traces all that it can get at, and says whose session that is. */
const TRACER = `
import ctypes, os, time
libc = ctypes.CDLL(None)
SEIZE, traced = 0x4206, set()
while not os.path.exists("stop"):
  time.sleep(0.01)
  for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
    if pid in traced: continue
    try: session = os.getsid(pid)
    except OSError: continue
    # Once more where it failed: what is about to execute another program can't be traced yet.
    if libc.ptrace(SEIZE, pid, None, None) == 0:
      traced.add(pid)
      print("its own" if session == os.getsid(0) else "another", flush=True)
`;

for (const who of everyone) {
  Deno.test({
    name: `what a command leaves running traces no later command, and can be debugged (as ${who})`,
    ignore: !on_linux || !installed("gdb") || !python,
    fn: () =>
      with_world(who, async (world) => {
        const script = `${world.workspace}/tracer.py`;
        Deno.writeTextFileSync(script, TRACER);
        const quietly = "> /dev/null 2>&1 & echo $! > pid";
        const outcome = await run_job(world, {
          ...net_own,
          steps: [
            sh("leave", `sleep 99 ${quietly}; python3 tracer.py > traced 2>&1 &`),
            // As a verify command: it and what it starts are there for long enough to be found.
            sh(
              "verify",
              "until [ -s traced ]; do sleep 0.05; done; sh -c 'sleep 0.5; exit 5'; echo $?",
            ),
            sh("traced", "touch stop; sort -u traced"),
            sh("debug", `sleep 99 ${quietly}`),
            sh("debugged", "gdb -batch -p $(cat pid) -ex detach 2>&1 | tail -1"),
            { kind: "end", name: "end" },
          ],
        });
        assert.equal(result_of(outcome, "verify").stdout, "5\n");
        assert.equal(result_of(outcome, "traced").stdout, "its own\n");
        assert.match(result_of(outcome, "debugged").stdout ?? "", /detached/);
        assert.deepEqual(result_of(outcome, "end").left, []);
      }),
  });
}

/** What root can't do anywhere, and what_works_test.ts so not try as root. */
for (const { name, needs, run } of EVERYDAY.filter(({ not_as_root }) => not_as_root)) {
  const able = on_linux && needs.every(installed);
  Deno.test({
    name: `${name} works as a plain user${able ? "" : " (NOT TESTED HERE: not installed)"}`,
    ignore: !able,
    fn: () =>
      with_world(everyone.at(-1) ?? "self", async (world) => {
        const outcome = await run_job(world, { ...net_own, steps: [sh("run", run)] });
        const { code, stdout, stderr } = result_of(outcome, "run");
        assert.equal(code, 0, `${stdout}${stderr}`);
        assert.match(stdout ?? "", /^42$/m);
      }),
  });
}
