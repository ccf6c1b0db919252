import assert from "node:assert/strict";
import { can_call_raw, can_compile, raw_program, raw_step } from "./support/raw.ts";
import { type RawCall, surprises } from "./support/raw.ts";
import { type Arch, syscall_number } from "../../src/sandbox/kernel/syscalls.ts";
import { everyone, installed, on_linux, result_of, run_job, SECRET, sh } from "./support/world.ts";
import { hides_processes } from "../support/hidden.ts";
import { with_world } from "./support/world.ts";

const EPERM = 1, EACCES = 13, ENOSYS = 38;
const HIGH = 0x1_0000_0000n;
const NO = [EPERM];

/** Everything is done with signal 0, which only asks whether it could be sent. */
const SIGNALS: readonly RawCall[] = [
  { label: "kill_hamr", call: "kill", args: ["{PID}", 0], errno: NO },
  { label: "kill_worker_thread", call: "kill", args: ["{TID}", 0], errno: NO },
  { label: "kill_group", call: "kill", args: ["-{PGID}", 0], errno: NO },
  { label: "kill_all", call: "kill", args: [-1, 0, 12345], errno: NO },
  { label: "kill_all_short", call: "kill", args: [0xffffffff, 0], errno: NO },
  { label: "tkill", call: "tkill", args: ["{TID}", 0], errno: NO },
  { label: "tgkill", call: "tgkill", args: ["{PID}", "{TID}", 0], errno: NO },
  { label: "tgkill_main", call: "tgkill", args: ["{PID}", "{PID}", 0], errno: NO },
  { label: "queue", call: "rt_sigqueueinfo", args: ["{PID}", 0, "x:00"], errno: NO },
  {
    label: "queue_thread",
    call: "rt_tgsigqueueinfo",
    args: ["{PID}", "{TID}", 0, "x:00"],
    errno: NO,
  },
  { label: "pidfd", call: "pidfd_open", args: ["{PID}", 0], errno: NO },
  { label: "proc_folder", call: "openat", args: [-100, "s:/proc/{PID}", 0x10000], errno: null },
  { label: "pidfd_signal", call: "pidfd_send_signal", args: ["last", 0, 0, 0], errno: [ENOSYS] },
  { label: "file_owner", call: "fcntl", args: [0, 8, "{PID}"], errno: NO },
  { label: "file_owner_thread", call: "fcntl", args: [0, 8, "{TID}"], errno: NO },
  { label: "file_owner_ex", call: "fcntl", args: [0, 15, "x:0100000001000000"], errno: NO },
  { label: "limit", call: "prlimit64", args: ["{PID}", 0, 0, 0], errno: NO },
  { label: "own_group", call: "kill", args: [0, 0], errno: null },
];

const REACHING_IN: readonly RawCall[] = [
  { label: "attach", call: "ptrace", args: [16, "{PID}", 0, 0], errno: NO },
  { label: "attach_thread", call: "ptrace", args: [16, "{TID}", 0, 0], errno: NO },
  { label: "seize", call: "ptrace", args: [0x4206, "{TID}", 0, 0], errno: NO },
  { label: "readv", call: "process_vm_readv", args: ["{PID}", 0, 0, 0, 0, 0], errno: NO },
  { label: "writev", call: "process_vm_writev", args: ["{PID}", 0, 0, 0, 0, 0], errno: NO },
  { label: "getfd", call: "pidfd_getfd", args: [0, 0, 0], errno: NO },
  { label: "kcmp", call: "kcmp", args: ["{PID}", "{PID}", 0, 0, 0], errno: NO },
];

/** With arguments that a kernel without this filter would refuse otherwise, or that do no harm. */
const MACHINE: readonly RawCall[] = [
  { label: "user_namespace", call: "unshare", args: [0x10000000], errno: NO },
  { label: "mount_namespace", call: "unshare", args: [0x20000], errno: NO },
  { label: "namespace_high", call: "unshare", args: [0x10000000n | HIGH], errno: NO },
  { label: "clone_user", call: "clone", args: [0x10000011, 0, 0, 0, 0], errno: NO },
  { label: "clone3", call: "clone3", args: ["x:00", 64], errno: [ENOSYS] },
  { label: "io_uring", call: "io_uring_setup", args: [1, "x:00"], errno: [ENOSYS] },
  { label: "mount", call: "mount", args: ["s:none", "s:/mnt", "s:tmpfs", 0, 0], errno: NO },
  { label: "umount", call: "umount2", args: ["s:/nowhere", 0], errno: NO },
  { label: "new_mount", call: "fsopen", args: ["s:tmpfs", 0], errno: NO },
  { label: "tree", call: "open_tree", args: [-100, "s:/", 1], errno: NO },
  { label: "chroot", call: "chroot", args: ["s:."], errno: NO },
  { label: "handle", call: "open_by_handle_at", args: [-100, "x:00", 0], errno: NO },
  { label: "bpf", call: "bpf", args: [0, 0, 0], errno: NO },
  { label: "perf", call: "perf_event_open", args: [0, 0, -1, -1, 0], errno: NO },
  { label: "userfault", call: "userfaultfd", args: [0], errno: NO },
  { label: "keys", call: "keyctl", args: [0, -3, 0], errno: NO },
  { label: "reboot", call: "reboot", args: [0, 0, 0, 0], errno: NO },
  { label: "module", call: "finit_module", args: [-1, 0, 0], errno: NO },
  { label: "clock", call: "clock_settime", args: [99, 0], errno: NO },
  { label: "type_for_the_person", call: "ioctl", args: [0, 0x5412, "s:x"], errno: NO },
  { label: "type_high", call: "ioctl", args: [0, 0x5412n | HIGH, "s:x"], errno: NO },
  {
    label: "device",
    call: "mknodat",
    args: [-100, "s:null", 0x21b6, 0x103],
    errno: [EPERM, EACCES],
  },
  { label: "x32", call: 0x40000027, errno: [ENOSYS] },
  { label: "unheard_of", call: 470, errno: [ENOSYS] },
];

/** Ends a process that should still be alive; false if something else had ended it before. */
async function ended_by_us(process: Deno.ChildProcess): Promise<boolean> {
  try {
    process.kill("SIGTERM");
  } catch {
    // Gone: its status says how.
  }
  return (await process.status).signal === "SIGTERM";
}

for (const who of everyone) {
  Deno.test({
    name: `hamr and the machine can't be reached by system calls (as ${who})`,
    ignore: !on_linux || !can_call_raw || Deno.build.arch !== "x86_64",
    fn: () =>
      with_world(who, async (world) => {
        const calls = [...SIGNALS, ...REACHING_IN, ...MACHINE];
        const outcome = await run_job(world, {
          steps: [raw_step("raw", calls, raw_program(world))],
        });
        const known = calls.filter(({ label }) => label !== "proc_folder" || !hides_processes());
        assert.deepEqual(surprises(result_of(outcome, "raw"), known), []);
      }),
  });

  Deno.test({
    name: `hamr's memory, environment and files can't be read (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const parts = ["{PID}", "{PID}/task/{TID}", "{PID}/task/{PID}"];
        const script = parts.map((part) => `
          cat /proc/${part}/environ
          (exec 3< /proc/${part}/mem) && echo reached mem
          (exec 3< /proc/${part}/maps) && head -1 /proc/${part}/maps && echo reached maps
          for f in /proc/${part}/fd/*; do readlink $f && echo reached fd; done
          cat /proc/${part}/fd/0 && echo reached fd 0
          ls /proc/${part}/cwd/ /proc/${part}/root/ && echo reached root
          cat /proc/${part}/auxv /proc/${part}/stack /proc/${part}/syscall
        `).join("\n");
        const everywhere = "cat /proc/*/environ /proc/*/task/*/environ 2>/dev/null; env";
        const outcome = await run_job(world, {
          steps: [sh("read", script), sh("everywhere", everywhere)],
        });
        const read = result_of(outcome, "read");
        assert.equal(read.stdout, "");
        assert.doesNotMatch(result_of(outcome, "everywhere").stdout ?? "", new RegExp(SECRET));
      }),
  });
}

/** For every thread of hamr there is, also those that it has started since; signal 0 only asks. */
const EVERY_THREAD = `
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen()
for _ in range(20): socket.create_connection(server.getsockname()).close()
try: threads = [int(name) for name in os.listdir("/proc/{PID}/task")]
except OSError: threads = [{PID}]
is_inside = lambda tid: "Seccomp:\\t2" in open(f"/proc/{PID}/task/{tid}/status").read()
assert HIDDEN or len([tid for tid in threads if is_inside(tid)]) > 1
def attempt(what, tid, result):
  if result == 0: print("reached", what, tid)
for tid in threads:
  attempt("kill", tid, libc.kill(tid, 0))
  attempt("tkill", tid, libc.syscall(TKILL, tid, 0))
  attempt("tgkill", tid, libc.syscall(TGKILL, {PID}, tid, 0))
  attempt("queue", tid, libc.sigqueue(tid, 0, None))
  attempt("owner", tid, libc.fcntl(0, 8, tid))
  attempt("limit", tid, libc.prlimit(tid, 0, None, ctypes.create_string_buffer(16)))
  attempt("attach", tid, libc.ptrace(16, tid, None, None))
  attempt("seize", tid, libc.ptrace(0x4206, tid, None, None))
  for name in ("environ", "mem", "maps", "auxv", "syscall", "stack", "fd/0", "fd/3", "cwd", "root", "exe", "fdinfo/3"):
    for path in (f"/proc/{tid}/{name}", f"/proc/{PID}/task/{tid}/{name}"):
      try:
        print("read", path, os.listdir(path)) if os.path.isdir(path) else open(path, "rb").read(1) and print("read", path)
      except OSError: pass
  for name in ("comm", "oom_score_adj", "setgroups", "uid_map", "mem", "timerslack_ns", "coredump_filter", "clear_refs"):
    try: os.open(f"/proc/{PID}/task/{tid}/{name}", os.O_WRONLY); print("wrote", name)
    except OSError: pass
`;

/** What programs do with each other goes on: signals to one, to a group, to who is gone, by a file. */
const OTHERS = `
(trap "echo TERM; exit 3" TERM; echo > up; while :; do sleep 0.02; done) & until [ -e up ]; do sleep 0.02; done
kill -0 $! && kill $!; wait $!; echo $?
kill -0 $! 2>&1 | grep -o "No such process"
python3 -c 'import fcntl, os, signal
pid = os.fork()
if pid == 0: signal.pause()
fcntl.fcntl(0, 8, pid); print("owner" if fcntl.fcntl(0, 9) == pid else "?"); os.kill(pid, 9)'
`;

for (const who of everyone) {
  Deno.test({
    name: `none of hamr's threads is signaled, traced, read or written (as ${who})`,
    ignore: !on_linux || !installed("python3"),
    fn: () =>
      with_world(who, async (world) => {
        const number = (call: "tkill" | "tgkill") => syscall_number(call, Deno.build.arch as Arch);
        const script = EVERY_THREAD.replace("TKILL, tid", `${number("tkill")}, tid`)
          .replace("TGKILL", `${number("tgkill")}`)
          .replace("HIDDEN", hides_processes() ? "True" : "False");
        const outcome = await run_job(world, {
          policy: { net: "own" },
          steps: [
            sh("pipe", "mkfifo pipe"),
            { kind: "thread", name: "late", pipe: `${world.workspace}/pipe` },
            { kind: "run", name: "threads", argv: ["python3", "-c", script] },
            sh("others", OTHERS),
          ],
        });
        const { stdout, stderr, code } = result_of(outcome, "threads");
        assert.deepEqual([stdout, stderr, code], ["", "", 0]);
        assert.equal(result_of(outcome, "others").stdout, "TERM\n3\nNo such process\nowner\n");
      }),
  });
}

Deno.test({
  name: "root's children keep no capability that reaches beyond files and users",
  ignore: !on_linux || Deno.uid() !== 0,
  fn: () =>
    with_world("self", async (world) => {
      const status = (name: string, prefix: string) =>
        sh(name, `${prefix} grep -E '^Cap|NoNew' /proc/self/status`);
      const outcome = await run_job(world, {
        steps: [
          status("plain", ""),
          status("as_nobody", "setpriv --reuid=65534 --regid=65534 --clear-groups"),
          sh("chmod", "touch f && chmod 600 f && echo x >> f && stat -c %a f"),
        ],
      });
      const allowed = (1n << 0n) | (1n << 1n) | (1n << 3n) | (1n << 4n) | (1n << 6n) | (1n << 7n) |
        (1n << 10n);
      for (const { stdout } of outcome.results.slice(0, 2)) {
        const sets = [...(stdout ?? "").matchAll(/^Cap\w+:\t([0-9a-f]+)$/gm)];
        assert.equal(sets.length, 5);
        for (const [line, bits] of sets) assert.equal(BigInt(`0x${bits}`) & ~allowed, 0n, line);
        assert.match(stdout ?? "", /NoNewPrivs:\t1/);
      }
      assert.equal(result_of(outcome, "chmod").stdout, "600\n");
    }),
});

Deno.test({
  name: "a 32-bit system call ends the process that makes it",
  ignore: !on_linux || !can_compile || Deno.build.arch !== "x86_64",
  fn: () =>
    with_world("self", async (world) => {
      const [program = ""] = raw_program(world);
      const outcome = await run_job(world, {
        steps: [{ kind: "run", name: "int80", argv: [program, "int80"] }],
      });
      const { stdout, signal } = result_of(outcome, "int80");
      assert.deepEqual([stdout, signal], ["", "SIGSYS"]);
    }),
});

for (const who of everyone) {
  Deno.test({
    name: `what detaches itself is ended, and nothing else is (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const bystander = new Deno.Command("sleep", { args: ["60"] }).spawn();
        try {
          const outcome = await run_job(world, {
            steps: [
              sh(
                "daemons",
                "(setsid sh -c 'sleep 61 & sleep 62 & echo > up; exec sleep 63' >/dev/null 2>&1 &); " +
                  "until [ -e up ]; do sleep 0.02; done",
              ),
              sh("ignoring", "(trap '' TERM HUP INT; sleep 64 >/dev/null 2>&1 &)"),
              sh(
                "stopped",
                "setsid sh -c 'kill -STOP $$' >/dev/null 2>&1 & " +
                  "until grep -q '^State:.T' /proc/$!/status; do sleep 0.02; done",
              ),
              { kind: "end", name: "end", count: true },
            ],
          });
          const { before, left, after } = result_of(outcome, "end");
          assert.ok(before! >= 5, `${before}`);
          assert.deepEqual([left, after], [[], 0]);
        } finally {
          assert.equal(await ended_by_us(bystander), true);
        }
      }),
  });
}

Deno.test({
  name: "processes that fork without end are ended",
  ignore: !on_linux || !can_compile,
  fn: () =>
    with_world("self", async (world) => {
      const [program = ""] = raw_program(world);
      const beat = `${world.workspace}/beat`;
      const grow =
        "for i in 1 2 3 4 5 6 7; do (sleep 30) & :; (exec setsid sleep 30) & done; sleep 30";
      const outcome = await run_job(world, {
        steps: [
          sh(
            "hop",
            `${program} hop 8 10 > ${beat} 2>/dev/null & ` +
              `until [ "$(stat -c %s ${beat})" -gt 100 ]; do sleep 0.02; done`,
          ),
          sh("grow", `for i in 1 2 3 4; do (${grow}) >/dev/null 2>&1 & done; sleep 0.05`),
          { kind: "end", name: "end" },
        ],
      });
      assert.deepEqual(result_of(outcome, "end").left, []);
      const size = Deno.statSync(beat).size;
      assert.ok(size > 100, `only ${size} hops`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(Deno.statSync(beat).size, size, "some are still hopping");
    }),
});

Deno.test({
  name: "a child can't end the run's host, nor a stranger, by signalling everyone",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const stranger = new Deno.Command("sleep", { args: ["60"] }).spawn();
      let scoped = true;
      try {
        const outcome = await run_job(world, {
          steps: [
            // Signal 0 only asks: if a defense is missing, this test must not end the tester's own session.
            sh("everyone", "kill -0 -- -1 && echo reached"),
            sh("stranger", `kill -9 ${stranger.pid} && echo reached`),
            sh("parent", "kill -0 $PPID && echo reached"),
            sh("group", "trap 'echo own group' TERM; kill 0; echo went on"),
          ],
        });
        // Before Landlock 6 (Linux 6.12) other programs can be signaled, as SECURITY.md says.
        const { support } = outcome;
        scoped = support.kind === "linux" && support.abi >= 6;
        for (const name of ["everyone", ...(scoped ? ["stranger"] : []), "parent"]) {
          assert.equal(result_of(outcome, name).stdout, "", name);
        }
        assert.equal(result_of(outcome, "group").stdout, "own group\nwent on\n");
      } finally {
        assert.equal(await ended_by_us(stranger), scoped);
      }
    }),
});

Deno.test({
  name: "files that hamr was started with are not handed to commands",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const outcome = await run_job(world, {
        steps: [sh("list", "ls /proc/self/fd"), sh("write", "echo pwned >&9")],
      });
      // The fourth is the listing itself.
      assert.equal(result_of(outcome, "list").stdout, "0\n1\n2\n3\n");
      assert.notEqual(result_of(outcome, "write").code, 0);
    }),
});
