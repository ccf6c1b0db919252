/** Kernels and containers that lack what the sandbox is made of: a filter of this test's own answers in their place. */
import assert from "node:assert/strict";
import { installed, on_linux } from "./sandbox/support/world.ts";
import { ANSWER, bash, type Recorded, say } from "./support/model_server.ts";
import { until } from "./support/hamr.ts";
import { stage } from "./support/stage.ts";

const able = on_linux && Deno.build.arch === "x86_64" && installed("python3");
const missing = able ? "" : " (NOT TESTED HERE: not x86_64 Linux with python3)";

/** Deno itself waits 40 seconds for the locks of its caches, which the program has none of. */
const unbuilt = Deno.env.has("HAMR_BIN") ? "" : " (NOT TESTED HERE: no HAMR_BIN)";

/** Answers the call of this number with this error, for whatever is run behind it: always, or unless its first argument is `but`, or only if its second one is `only`. */
const without = (
  number: number,
  errno: number,
  but?: number,
  only?: number,
): readonly string[] => [
  ...["python3", "-c"],
  `import ctypes, os, struct, sys
libc, number, errno, but, only = ctypes.CDLL(None), *map(int, sys.argv[1:5])
unless = [(0x20, 0, 0, 16), (0x15, 1, 0, but & 0xffffffff)] if but != -2 else []
unless += [(0x20, 0, 0, 24), (0x15, 0, 1, only)] if only != -2 else []
code = b"".join(struct.pack("HBBI", *one) for one in
  [(0x20, 0, 0, 0), (0x15, 0, 1 + len(unless), number), *unless, (0x06, 0, 0, 0x50000 | errno), (0x06, 0, 0, 0x7fff0000)])
kept = ctypes.create_string_buffer(code, len(code))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept)), 0, 0) == 0
os.execvp(sys.argv[5], sys.argv[5:])`,
  ...[number, errno, but ?? -2, only ?? -2].map(String),
];

const LANDLOCK_CREATE = 444, LANDLOCK_RULE = 445, LANDLOCK_RESTRICT = 446;
const SECCOMP = 317, PRCTL_NUMBER = 157, CLOSE_RANGE = 436, PRLIMIT = 302;
const PIDFD_GETFD = 438, PROCESS_VM_READV = 310;
const OPENAT2 = 437, CAPGET = 125, STATX = 332, TIMER_CREATE = 222, CONNECT = 42;
const RENAME = 82, FCNTL = 72, F_SETLK = 6;
const ENOLCK = 37, EPERM = 1, EACCES = 13, EINVAL = 22, ENOSYS = 38, EOPNOTSUPP = 95;

const NOT_AT_ALL: readonly (readonly [number, number, RegExp])[] = [
  [LANDLOCK_CREATE, ENOSYS, /this kernel has no Landlock \(Linux 5\.13 or newer is needed\)/],
  [LANDLOCK_CREATE, EOPNOTSUPP, /Landlock is .* switched off/],
  [PRCTL_NUMBER, EINVAL, /this kernel was built without seccomp/],
  [SECCOMP, ENOSYS, /a container's seccomp profile hides seccomp/],
  [SECCOMP, EPERM, /a container's seccomp profile hides seccomp/],
  [LANDLOCK_RULE, EPERM, /a container's seccomp profile hides landlock_add_rule/],
  [LANDLOCK_RESTRICT, ENOSYS, /a container's seccomp profile hides landlock_restrict_self/],
  [LANDLOCK_RESTRICT, EPERM, /a container's seccomp profile hides landlock_restrict_self/],
  [CLOSE_RANGE, ENOSYS, /a container's seccomp profile hides close_range/],
  [CAPGET, EPERM, /a container's seccomp profile hides capget/],
];

Deno.test({
  name: `where the sandbox can't be enforced nothing is asked and nothing starts${missing}`,
  ignore: !able,
  async fn() {
    await stage({ script: [say(ANSWER)] }, async (s) => {
      for (const [number, errno, why] of NOT_AT_ALL) {
        const wrapper = without(number, errno);
        const run = await s.hamr(["run", "--json", "What?"], { wrapper });
        assert.equal(run.code, 3, run.stderr);
        assert.match(run.stderr, why);
        assert.match(
          run.stderr,
          /the sandbox cannot be enforced here: .*; --sandbox off runs without it/,
        );
        const command = await s.hamr(["sandbox", "--", "touch", "started"], { wrapper });
        assert.equal(command.code, 3, command.stderr);
        const doctor = await s.hamr(["doctor"], { wrapper });
        assert.match(doctor.stdout, why);
      }
      assert.deepEqual([s.server.requests.length, s.ws.exists("started")], [0, false]);
      const off = { wrapper: without(LANDLOCK_CREATE, ENOSYS) };
      assert.equal((await s.hamr(["run", "--json", "--sandbox", "off", "What?"], off)).code, 0);
    });
  },
});

Deno.test({
  name: `where a part of it fails only once it is put up, no command runs${missing}`,
  ignore: !able,
  async fn() {
    // What is asked at the start has these first arguments, and works.
    for (const [number, but] of [[LANDLOCK_RULE, -1], [LANDLOCK_RESTRICT, -1], [CLOSE_RANGE, 1]]) {
      await stage({ script: [bash("touch started"), say(ANSWER)] }, async (s) => {
        const wrapper = without(number!, EPERM, but);
        const run = await s.hamr(["run", "--json", "Start."], { wrapper });
        assert.equal(run.code, 3, run.stderr);
        assert.match(run.stderr, /failed with EPERM .*To go on without a sandbox: --sandbox off/);
        const command = await s.hamr(["sandbox", "--", "touch", "started"], { wrapper });
        assert.equal(command.code, 3, command.stderr);
        assert.ok(!s.ws.exists("started"));
      });
    }
  },
});

Deno.test({
  name: `where the system does not tell how many files may be open, none are missed${missing}`,
  ignore: !able,
  async fn() {
    await stage({ script: [bash("touch made"), say("made is there.")] }, async (s) => {
      const run = await s.hamr(["run", "--json", "Make it."], { wrapper: without(PRLIMIT, EPERM) });
      assert.equal(run.code, 0, run.stderr);
      assert.ok(s.ws.exists("made"));
    });
  },
});

Deno.test({
  name:
    `where a call that says whether links were followed is refused, a log is written all the same${missing}`,
  ignore: !able,
  async fn() {
    for (const errno of [EPERM, ENOSYS]) {
      await stage({ script: [say(ANSWER)] }, async (s) => {
        const run = await s.hamr(["run", "--json", "--log-file", "run.log", "What?"], {
          wrapper: without(OPENAT2, errno),
        });
        assert.equal(run.code, 0, run.stderr);
        assert.match(s.ws.read("run.log"), /"type":"result"/);
      });
    }
  },
});

Deno.test({
  name: `where hamr would not see what a command changes, no run begins${missing}${unbuilt}`,
  ignore: !able || unbuilt !== "",
  async fn() {
    await stage({ script: [bash("touch made"), say(ANSWER)] }, async (s) => {
      for (const errno of [EPERM, ENOSYS]) {
        const wrapper = without(STATX, errno);
        for (const flags of [[], ["--sandbox", "off"]]) {
          const run = await s.hamr(["run", "--json", ...flags, "Make it."], { wrapper });
          assert.equal(run.code, 3, run.stderr);
          assert.match(run.stderr, /what commands change can't be seen here: .* hides statx/);
        }
      }
      assert.deepEqual([s.server.requests.length, s.ws.exists("made")], [0, false]);
    });
  },
});

Deno.test({
  name: `a server that this machine lets nobody ask is not waited for${missing}`,
  ignore: !able,
  async fn() {
    await stage({ script: [say(ANSWER)] }, async (s) => {
      for (const errno of [EPERM, EACCES]) {
        const run = await s.hamr(["run", "--json", "What?"], { wrapper: without(CONNECT, errno) });
        assert.deepEqual([run.code, run.result.stop_reason], [1, "llm_error"], run.stderr);
        assert.doesNotMatch(run.stderr, /waiting until it is back/);
        assert.match(run.result.error?.message ?? "", /no answer from .*(not permitted|denied)/);
      }
    });
  },
});

Deno.test({
  name: `without timers there is no supervisor, and that is said${missing}`,
  ignore: !able,
  async fn() {
    await stage({ script: [bash("touch made"), say(ANSWER)] }, async (s) => {
      const wrapper = without(TIMER_CREATE, EPERM);
      const run = await s.hamr(["run", "--json", "--mode", "auto", "Make it."], { wrapper });
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.result.warnings.join("\n"), /no network at all.*timers .*forbidden here/);
      assert.ok(s.ws.exists("made"));
    });
  },
});

Deno.test({
  name: `without a supervisor the rest holds, and that is reported${missing}`,
  ignore: !able,
  async fn() {
    await stage({ script: [] }, async (s) => {
      const wrapper = without(TIMER_CREATE, EPERM);
      const text = `touch own; touch ${s.outside.path}/x; exec 3<>/dev/tcp/127.0.0.1/1`;
      const run = await s.hamr(["sandbox", "--", "bash", "-c", text], { wrapper });
      assert.match(run.stderr, /commands have no network at all, not even servers of their own: /);
      assert.match(run.stderr, /\/x': Permission denied/);
      assert.match(run.stderr, /\/dev\/tcp\/127\.0\.0\.1\/1: Permission denied/);
      assert.deepEqual([s.ws.exists("own"), s.outside.exists("x")], [true, false]);
      const doctor = await s.hamr(["doctor", "-v"], { wrapper });
      assert.match(doctor.stdout, /mode and times of your files elsewhere can be changed/);
    });
  },
});

Deno.test({
  name: `under Docker's seccomp profiles the run's own servers are reached, and no other${missing}`,
  ignore: !able,
  async fn() {
    await stage({ script: [] }, async (s) => {
      const profile = [...without(PIDFD_GETFD, EPERM), ...without(PROCESS_VM_READV, EPERM)];
      const { port } = new URL(s.server.url);
      const serve = `
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname())
print("own", socket.socket().connect_ex(server.getsockname()))
print("other", socket.socket().connect_ex(("127.0.0.1", ${port})))`;
      const run = await s.hamr(["sandbox", "--", "python3", "-c", serve], { wrapper: profile });
      assert.equal(run.stdout, "own 0\nother 13\n", run.stderr);
      assert.doesNotMatch(run.stderr, /no network at all/);
      const doctor = await s.hamr(["doctor"], { wrapper: profile });
      assert.match(doctor.stdout, /sandbox: in force: .*, supervisor$/m);
    });
  },
});

Deno.test({
  name: `where the data folder can't rename, what a killed run planted is still put back${missing}`,
  ignore: !able,
  async fn() {
    const plant = "echo x > .git/hooks/post-commit; touch planted; sleep 60";
    const script = ({ body }: Recorded) =>
      JSON.stringify(body.messages).includes("the first task") ? bash(plant) : say(ANSWER);
    await stage({ script, one_conversation: false }, async (s) => {
      s.ws.write(".git/HEAD", "ref: refs/heads/main\n");
      for (const folder of ["objects/", "refs/", "hooks/"]) s.ws.write(`.git/${folder}`, "");
      const wrapper = without(RENAME, EPERM);
      const first = s.start(["run", "Do the first task."], { wrapper });
      await until("planted", () => s.ws.exists("planted"));
      first.kill("SIGKILL");
      await first.done;
      const { result } = await s.run("What is it?");
      assert.match(result.warnings.join("\n"), /after a run that was cut off: .*post-commit/);
      assert.ok(!s.ws.exists(".git/hooks/post-commit"));
    });
  },
});

Deno.test({
  name:
    `where files can't be locked that is said, and no other process is blamed${missing}${unbuilt}`,
  ignore: !able || unbuilt !== "",
  async fn() {
    await stage({ script: [say(ANSWER)] }, async (s) => {
      const wrapper = without(FCNTL, ENOLCK, undefined, F_SETLK);
      const { result, stderr } = await s.hamr(["run", "--json", "What?"], { wrapper });
      const said = result.warnings.filter((line) => line.includes("the session is not saved"));
      assert.equal(said.length, 1, stderr);
      assert.match(said[0]!, /the file system of \S+ refuses locks on files; set HAMR_HOME/);
      assert.doesNotMatch(stderr, /another process/);
      const left = [...Deno.readDirSync(s.home.at(".local/share/hamr"))].map(({ name }) => name);
      assert.deepEqual(left.filter((name) => /^[\da-f-]{36}/.test(name)), []);
    });
  },
});
