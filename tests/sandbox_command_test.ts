import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { hamr, PROGRAM, start } from "./support/hamr.ts";
import { ANSWER, bash, say } from "./support/model_server.ts";
import { remove } from "./support/remove.ts";
import { installed } from "./sandbox/support/world.ts";
import { stage } from "./support/stage.ts";

const on_linux = Deno.build.os === "linux";
const ON_TERMINAL = fileURLToPath(new URL("./support/on_terminal.py", import.meta.url));

interface Place {
  readonly workspace: string;
  readonly home: string;
  readonly outside: string;
  sandbox(flags: readonly string[], ...command: string[]): ReturnType<typeof hamr>;
}

async function with_place(work: (place: Place) => Promise<void>): Promise<void> {
  const root = Deno.realPathSync(await Deno.makeTempDir({ prefix: "hamr_test_" }));
  const [workspace, home, outside] = ["ws", "home", "out"].map((name) => `${root}/${name}`) as [
    string,
    string,
    string,
  ];
  for (const folder of [workspace, `${home}/.ssh`, outside]) {
    Deno.mkdirSync(folder, { recursive: true });
  }
  Deno.writeTextFileSync(`${home}/.ssh/id`, "private");
  Deno.writeTextFileSync(`${outside}/note`, "public");
  const sandbox = (flags: readonly string[], ...command: string[]) =>
    hamr(["sandbox", ...flags, "--", ...command], { cwd: workspace, home });
  try {
    await work({ workspace, home, outside, sandbox });
  } finally {
    await remove(root);
  }
}

/** A server of someone else's on this machine. */
function foreign(): { readonly port: number; close(): void } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  (async () => {
    for await (const connection of listener) connection.close();
  })();
  return { port: (listener.addr as Deno.NetAddr).port, close: () => listener.close() };
}

Deno.test({
  name: "a command that fails on a terminal is told what would allow more, and nowhere else",
  ignore: !on_linux || !installed("python3"),
  fn: () =>
    with_place(async ({ workspace, home, outside }) => {
      const told = /--allow-write=PATH.*allow more/;
      const tries = async (command: string, ...wrapper: readonly string[]) => {
        const args = ["sandbox", "--", "bash", "-c", command];
        return (await hamr(args, { cwd: workspace, home, wrapper })).stderr;
      };
      const terminal = ["python3", ON_TERMINAL, "[]"];
      assert.match(await tries(`touch ${outside}/x`, ...terminal), told);
      assert.doesNotMatch(await tries("touch here", ...terminal), told);
      assert.doesNotMatch(await tries(`touch ${outside}/x`), told);
    }),
});

/** Takes the terminal, plants, and leaves a process that would do so again; whoever else writes there is stopped (SIGTTOU). */
const KEEPS_TERMINAL = `
import os, signal, termios, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.setpgid(0, 0)
os.tcsetpgrp(0, os.getpgrp())
mode = termios.tcgetattr(0)
mode[3] |= termios.TOSTOP
termios.tcsetattr(0, termios.TCSANOW, mode)
def plant(): open(".git/config", "a").write("[core]\\nfsmonitor = planted\\n")
plant()
if os.fork() == 0:
  os.setsid()
  for _ in range(1000):
    if "planted" not in open(".git/config").read(): plant()
    time.sleep(0.02)
os._exit(1)
`;

const PLANTS = "while :; do git config core.fsmonitor planted; sleep 0.05; done";

/** Has a letter that the person types end whoever is in the foreground (SIGQUIT). */
const QUITS =
  "trap '' QUIT; git config core.fsmonitor planted; stty quit y; printf 'sure? ' >&2; read answer";

/** Has that letter stop whoever is in the foreground (SIGTSTP), and goes on by itself: the person's prompt is back. */
const STOPS =
  `trap '' TSTP; git config core.fsmonitor planted; stty susp y; ${PLANTS} & printf 'sure? ' >&2; read answer; wait`;

for (
  const [title, typed, command] of [
    ["stop hamr, as that says something", [], ["python3", "-c", KEEPS_TERMINAL]],
    ["end hamr, as the person types", [["sure? ", "y\n"]], ["bash", "-c", QUITS]],
    ["stop hamr, as the person types", [["sure? ", "y\n"]], ["bash", "-c", STOPS]],
  ] as const
) {
  Deno.test({
    name: `a command that has its terminal ${title}, leaves nothing planted`,
    ignore: !on_linux || !installed("python3"),
    fn: () =>
      with_place(async ({ workspace, home }) => {
        new Deno.Command("git", { args: ["init", "-q"], cwd: workspace }).outputSync();
        // A shell with jobs around it, as a person has: without one nobody could wake it, and it is not stopped.
        const shell = '"$@"; git config core.fsmonitor; kill -9 %1';
        const keys = JSON.stringify(typed);
        const wrapper = ["python3", ON_TERMINAL, keys, "bash", "-mc", shell, "bash"];
        const args = ["sandbox", "--", ...command];
        assert.equal((await hamr(args, { cwd: workspace, home, wrapper })).stdout, "");
        assert.doesNotMatch(Deno.readTextFileSync(`${workspace}/.git/config`), /planted/);
      }),
  });
}

/**
 * Plant in a loop, also where they are stopped: one by a timer of its own has it go on; one by the end of its parent, which a timer ends; and
 * one by the end of its terminal, whose other end is in a socket that nobody has open and that goes when any program closes one.
 */
const WAKES = `
import array, ctypes, fcntl, os, signal, socket, termios, time
for one in (signal.SIGCONT, signal.SIGHUP): signal.signal(one, lambda *_: None)
libc = ctypes.CDLL(None)
def send(which, once, again):
  timer, event = ctypes.c_void_p(), (ctypes.c_int * 16)(0, 0, which)
  assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
  assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, again, 0, once), None) == 0
if os.fork() == 0:
  os.setsid()
  if os.fork() > 0:
    send(signal.SIGKILL, 300000000, 0)
    while True: time.sleep(60)
  os.setpgid(0, 0)
elif os.fork() == 0:
  # Its parent closes the last of what has the other end of its terminal.
  master, slave = os.openpty()
  if os.fork() == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.close(master)
  else:
    os.close(slave)
    one, other = socket.socketpair()
    sent = array.array("i", [one.fileno(), master])
    other.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
    other.close(), os.close(master), one.close()
    while not os.path.exists("over"): time.sleep(0.02)
    os._exit(0)
else:
  send(signal.SIGCONT, 20000000, 20000000)
while not os.path.exists("over"):
  open(".git/config", "a").write("[core]\\nfsmonitor = planted\\n")
  open("turns", "a").write("x")
  time.sleep(0.02)
`;

/** An MCP server that works on by itself. */
const TICKS = `
import json, sys, threading, time
def tick():
  while True: open("turns", "a").write("x"), time.sleep(0.02)
threading.Thread(target=tick, daemon=True).start()
server = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
for line in sys.stdin:
  id = json.loads(line).get("id")
  if id is not None: print(json.dumps({"jsonrpc": "2.0", "id": id, "result": {**server, "tools": []}}), flush=True)
`;
/** With fewer rights than the run: it is not in its sandbox. */
const TICKING = `[mcp.ticks]
command = "python3"
args = ["ticks.py"]
[mcp.ticks.permissions]
net = "none"
`;

/** Stops a run as Ctrl-Z does, in the midst of its command, and says what is planted then; lets it go on. */
const STOPPED = `"$@" & until [ -s turns ]; do sleep 0.05; done; kill -TSTP %1
while kill -0 $! && ! grep -q '^State:.T' "/proc/$!/status"; do sleep 0.05; done
cp turns then; sleep 0.3; git config core.fsmonitor >&2; cmp turns then >&2; touch over; kill -CONT %1; wait %1`;

Deno.test({
  name: "a run that is stopped leaves nothing planted, and goes on afterwards",
  ignore: !on_linux || !installed("python3"),
  fn: async () => {
    const plants = "until [ -e over ]; do git config core.fsmonitor planted; echo >> turns; done";
    // Its other end is open: such a terminal's program is left alone.
    const honest = `python3 -c 'import pty; pty.spawn(["sleep", "600"])' < /dev/null & shell=$!`;
    const script = [
      bash(
        `${honest}; python3 wakes.py & until [ -s turns ]; do sleep 0.05; done; ${plants}; kill $shell && touch whole`,
      ),
      say(ANSWER),
    ];
    await stage({ script, files: { "wakes.py": WAKES, "ticks.py": TICKS } }, async (s) => {
      s.home.write(".config/hamr/config.toml", TICKING);
      new Deno.Command("git", { args: ["init", "-q"], cwd: s.ws.path }).outputSync();
      const wrapper = ["python3", ON_TERMINAL, "[]", "bash", "-mc", STOPPED, "bash"];
      const { code, stdout, stderr } = await s.hamr(["run", "--quiet", "Wait."], { wrapper });
      assert.deepEqual([code, stdout.trim()], [0, ANSWER], stderr);
      assert.doesNotMatch(stderr, /^planted|differ|^cmp/m);
      Deno.statSync(`${s.ws.path}/whole`);
    });
  },
});

Deno.test({
  name: "System V objects that a command makes, by a key or without, are its own, and gone with it",
  ignore: !on_linux || !installed("python3"),
  fn: () =>
    with_place(async ({ workspace, sandbox }) => {
      Deno.writeTextFileSync(
        `${workspace}/make.py`,
        `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
key = 0x68616d72 ^ os.getpid() << 8
def make(key, flags): return [libc.shmget(key, 4096, flags), libc.semget(key, 1, flags), libc.msgget(key, flags)]
made = make(key, 0o1600) + make(0, 0o600)
assert [libc.shmget(of, 4096, 0o15600) for of in (0, key ^ 1)] == [-1, -1]
print(*made, make(key, 0o1600) == make(key, 0) == made[:3], make(key, 0o3600), os.strerror(ctypes.get_errno()))
`,
      );
      const { stdout } = await sandbox([], "python3", "make.py");
      const [, ids = ""] = /^((?:\d+ ){6})True \[-1, -1, -1\] File exists\n$/.exec(stdout) ?? [];
      assert.notEqual(ids, "", stdout);
      const left = ["shm", "sem", "msg"].map((kind) => {
        const [, ...lines] = Deno.readTextFileSync(`/proc/sysvipc/${kind}`).trim().split("\n");
        return lines.map((line) => line.trim().split(/\s+/)[1] ?? "");
      });
      ids.trim().split(" ").forEach((id, at) =>
        assert.ok(!left[at % 3]?.includes(id), `${at} ${id}`)
      );
    }),
});

Deno.test({
  name: "sandbox gives the command its input, its output and its exit code",
  ignore: !on_linux,
  fn: () =>
    with_place(async ({ workspace, home, sandbox }) => {
      const one = await sandbox([], "bash", "-c", "echo out; echo err >&2; exit 7");
      assert.deepEqual([one.code, one.stdout, one.stderr], [7, "out\n", "err\n"]);
      const piped = await hamr(["sandbox", "--", "cat"], { cwd: workspace, home, stdin: "data" });
      assert.deepEqual([piped.code, piped.stdout], [0, "data"]);
      assert.equal((await sandbox([], "bash", "-c", "kill -9 $$")).code, 137);
      const none = await sandbox([], "no-such-program");
      assert.equal(none.code, 127);
      assert.match(none.stderr, /"no-such-program" could not be started/);
      assert.equal((await sandbox([], "/etc")).code, 126, "as shells do it");
      const empty = await sandbox([]);
      assert.equal(empty.code, 3);
      assert.match(empty.stderr, /needs a command: hamr sandbox -- ls -l/);
    }),
});

Deno.test({
  name: "sandbox keeps to the policy that the flags say",
  ignore: !on_linux,
  fn: () =>
    with_place(async ({ home, outside, sandbox }) => {
      const code = async (flags: string[], script: string) =>
        (await sandbox(flags, "bash", "-c", script)).code;
      assert.notEqual(await code([], `echo x > ${outside}/new`), 0);
      assert.equal(await code([`--allow-write=${outside}`], `echo x > ${outside}/new`), 0);
      assert.equal(await code([], `cat ${outside}/note`), 0);
      assert.notEqual(await code([], `cat ${home}/.ssh/id`), 0);
      assert.notEqual(await code([], `ls ${home}/.ssh`), 0);
      assert.equal(await code([`--allow-read=${home}/.ssh/id`], `cat ${home}/.ssh/id`), 0);
      assert.notEqual(await code([`--allow-read=${home}/.ssh/id`], `cat ${outside}/note`), 0);
      assert.notEqual(await code([`--deny-read=${outside}`], `cat ${outside}/note`), 0);
      assert.equal(await code(["--allow-read"], `cat ${home}/.ssh/id`), 0);
      assert.equal(await code(["--allow-run=cat"], `cat ${outside}/note`), 0);
      assert.equal(await code(["--allow-run=cat"], "ls"), 126);
      assert.equal(await code(["--sandbox", "off"], `echo x > ${outside}/off`), 0);
    }),
});

Deno.test({
  name: "sandbox tells which connection was refused, and the flag that allows it",
  ignore: !on_linux,
  fn: () =>
    with_place(async ({ sandbox }) => {
      const server = foreign();
      const connect = (flags: string[]) =>
        sandbox(flags, "bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${server.port}`);
      try {
        const refused = await connect([]);
        assert.notEqual(refused.code, 0);
        assert.match(
          refused.stderr,
          new RegExp(
            `refused a connection to 127\\.0\\.0\\.1:${server.port}, .*--allow-net=loopback$`,
            "m",
          ),
        );
        assert.notEqual((await connect(["--deny-net"])).code, 0);
        assert.equal((await connect(["--allow-net=loopback"])).code, 0);
        assert.equal((await connect(["--allow-net"])).code, 0);
      } finally {
        server.close();
      }
    }),
});

Deno.test({
  name: "sandbox names the flag where a failed command could not look a name up, and only there",
  ignore: !installed("python3"),
  fn: () =>
    with_place(async ({ sandbox }) => {
      // As the C library's resolver opens it; a browser's probe sets no flags.
      const socket = (flags: string, code: number) =>
        `import socket
try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM${flags}).connect(("192.0.2.1", 53))
except OSError as error: print(error.errno)
raise SystemExit(${code})`;
      const resolver = " | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC";
      const run = (script: string, ...flags: string[]) => sandbox(flags, "python3", "-c", script);
      const failed = await run(socket(resolver, 1));
      assert.deepEqual([failed.code, failed.stdout], [1, "13\n"]);
      assert.match(failed.stderr, /^hamr: the sandbox refused UDP, .*--allow-net\n$/);
      assert.equal((await run(socket(resolver, 0))).stderr, "");
      assert.equal((await run(socket("", 1))).stderr, "");
      assert.equal((await run(socket(resolver, 1), "--allow-net")).stderr, "");
    }),
});

Deno.test({
  name: "what a command leaves running ends with it, and SIGTERM ends both",
  ignore: !on_linux,
  fn: () =>
    with_place(async ({ workspace, home, sandbox }) => {
      const marker = `${300 + Math.random()}`;
      const left = () =>
        new TextDecoder().decode(
          new Deno.Command("pgrep", { args: ["-f", `sleep ${marker}`] }).outputSync().stdout,
        );
      await sandbox([], "bash", "-c", `setsid sleep ${marker} >/dev/null 2>&1 & sleep 0.2`);
      assert.equal(left(), "");
      const running = start(["sandbox", "--", "bash", "-c", `echo up; exec sleep ${marker}`], {
        cwd: workspace,
        home,
      });
      while (!running.stdout().includes("up")) await new Promise((go) => setTimeout(go, 10));
      running.kill("SIGTERM");
      assert.equal((await running.done).code, 143);
      assert.equal(left(), "");
    }),
});

Deno.test("settings in the workspace that --config names are put back", () =>
  with_place(async ({ workspace, sandbox }) => {
    const file = `${workspace}/c.toml`;
    Deno.writeTextFileSync(file, "# mine\n");
    const { stderr } = await sandbox([`--config=${file}`], "sh", "-c", "echo x >> c.toml");
    assert.match(stderr, /put back c\.toml/);
    assert.equal(Deno.readTextFileSync(file), "# mine\n");
  }));

Deno.test("what can't be allowed is refused by name, and nothing is started", () =>
  with_place(async ({ workspace, sandbox, home }) => {
    const refused = async (flags: string[], words: RegExp) => {
      const { code, stderr } = await sandbox(flags, "touch", "started");
      assert.equal(code, 3, stderr);
      assert.match(stderr, words);
      assert.deepEqual([...Deno.readDirSync(workspace)], []);
    };
    await refused(["--allow-net=example.com"], /names.*"example\.com"/);
    await refused(["--allow-write=/no/such"], /--allow-write=\/no\/such: there is no such file/);
    await refused(["--allow-read=/no/such"], /--allow-read=\/no\/such: there is no such file/);
    await refused(["--allow-run=no-such-program"], /--allow-run=no-such-program: there is no such/);
    await refused([`--deny-read=${workspace}`], new RegExp(`${workspace}.*must not be read`));
    await refused(["-C", home], new RegExp(`holds your home folder ${home}`));
  }));

// Inside hamr's own sandbox nobody may look at other processes, as in Docker's default profile.
Deno.test({
  name: "without a supervisor there is no network, and start, doctor and result say why",
  ignore: !on_linux,
  fn: () =>
    stage({ script: [bash("exec 3<>/dev/tcp/127.0.0.1/1"), say(ANSWER)] }, async (s) => {
      const variables = "--allow-env=DENO_DIR,HAMR_BASE_URL,HAMR_MODEL";
      const inside = (...args: string[]) =>
        s.hamr(["sandbox", "--allow-net", variables, "--", ...PROGRAM, ...args]);
      const run = await inside("run", "--mode", "ask", "Count.");
      assert.equal(run.code, 0, run.stderr);
      assert.match(
        run.stderr,
        /⚠️ {2}commands have no network at all, .*inside another hamr's sandbox/,
      );
      assert.match(s.server.requests[1]?.body.messages.at(-1)?.content ?? "", /Permission denied/);
      const doctor = await inside("doctor", "-v");
      assert.match(doctor.stdout, /warning.*commands have no network at all/);
      assert.match(doctor.stdout, /network: none.*seccomp/);
      const near = await inside("run", "--json", "--allow-net=loopback", "Count.");
      assert.equal(near.code, 3);
      assert.match(near.stdout, /--allow-net=loopback cannot be enforced here/);
    }),
});

Deno.test({
  name: "the same limits hold for a command as in a run",
  ignore: !on_linux,
  fn: () =>
    with_place(async ({ sandbox, workspace }) => {
      const score = "cat /proc/self/oom_score_adj";
      const ulimits = `ulimit -Hc; ulimit -Hf; ulimit -Sf; ulimit -u; ${score}`;
      const { stdout } = await sandbox([], "bash", "-c", ulimits);
      const [, given = ""] = /^0\n10485760\n10485760\n\d+\n(\d+)\n$/.exec(stdout) ?? [];
      const own = Number(Deno.readTextFileSync("/proc/self/oom_score_adj"));
      assert.equal(Number(given), Math.min(own + 500, 1000), stdout);
      const more = "ulimit -Hf unlimited; truncate -s 11G large";
      const { stderr } = await sandbox([], "bash", "-c", more);
      assert.match(stderr, /cannot modify limit/);
      assert.equal(Deno.statSync(`${workspace}/large`).size, 0);
    }),
});

/** A disk with keys, and the whole of the first disk once more beside it (WSL, ostree): the second name of each folder above. */
const TWICE =
  'cd "$1"; shift; mkdir disk all some; mount -t tmpfs tmpfs disk; mkdir disk/ws disk/keys; ' +
  "echo key > disk/keys/key; echo plain > disk/plain; " +
  'mount --bind / all; mount --bind "${PWD%/*}" some; cd disk/ws; exec "$@"';
const may_mount = on_linux && Deno.uid() === 0 && installed("unshare");

Deno.test({
  name: "what is denied on a disk stays so where the disk that holds it is mounted twice" +
    (may_mount ? "" : " (NOT TESTED HERE: not root on Linux with unshare)"),
  ignore: !may_mount,
  fn: () =>
    with_place(async ({ workspace, outside, home }) => {
      const disk = `${outside}/disk`;
      const script =
        `cat ${disk}/plain; cat ${disk}/keys/key; ls ${outside}/all/usr > /dev/null && echo listed`;
      const { stdout, stderr } = await hamr(
        ["sandbox", `--deny-read=${disk}/keys`, "--", "sh", "-c", script],
        { home, cwd: workspace, wrapper: ["unshare", "-m", "sh", "-ec", TWICE, "sh", outside] },
      );
      assert.equal(stdout, "plain\nlisted\n", stderr);
      assert.match(stderr, /keys\/key: Permission denied/);
    }),
});

Deno.test({
  name: "known gap: shared memory of the user's other programs can be read and written",
  ignore: !on_linux,
  fn: () =>
    with_place(async ({ sandbox }) => {
      const file = `/dev/shm/hamr_test_${crypto.randomUUID()}`;
      Deno.writeTextFileSync(file, "theirs\n", { mode: 0o600 });
      try {
        const { stdout } = await sandbox([], "bash", "-c", `cat ${file}; echo ours >> ${file}`);
        assert.equal(stdout, "theirs\n");
        assert.equal(Deno.readTextFileSync(file), "theirs\nours\n");
      } finally {
        Deno.removeSync(file);
      }
    }),
});
