import assert from "node:assert/strict";
import { run_filter } from "../_interpreter.ts";
import { compile_filter, type SyscallAction, verdict_value } from "./filter.ts";
import { type RuleInput, rules_for } from "./rules.ts";
import { type Arch, type Syscall, syscall_number } from "./syscalls.ts";

const AUDIT = { x86_64: 0xc000003e, aarch64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028 };
const KEY = 0x1234_5678_9abc_def0n;
const HIGH = 1n << 32n;

const base: RuleInput = {
  uid: 0,
  supervised: false,
  takes_sockets: true,
  policy: { read: "all", deny_read: ["/k"], write: [], net: "none" },
  abi: 7,
  own: { pid: 500, tids: [500, 501, 777], pgid: 490 },
  sweep_key: KEY,
  others_ipc: { shm: [0, 32769], sem: [5], msg: [] },
};

type Case = readonly [Syscall, readonly (number | bigint)[], SyscallAction];

/** Tries each case on both processors' filters. */
function check(input: RuleInput, cases: readonly Case[]): void {
  for (const arch of ["x86_64", "aarch64"] as const) {
    const filter = compile_filter(rules_for(input), arch);
    for (const [call, args, verdict] of cases) {
      const number = syscall_number(call, arch);
      if (number === null) continue;
      const value = run_filter(filter, { number, arch: AUDIT[arch], args });
      assert.equal(
        value.toString(16),
        verdict_value(verdict).toString(16),
        `${arch} ${call}(${args.join(", ")}) should be ${verdict}`,
      );
    }
  }
}

Deno.test("ordinary calls pass", () => {
  check(base, [
    ["read", [0, 0, 10], "allow"],
    ["openat", [-100, 0, 0x241, 0o644], "allow"],
    ["clone", [0x1200011], "allow"], // fork
    ["clone", [0x3d0f00], "allow"], // a thread
    ["prctl", [38, 1], "allow"],
    ["prctl", [4, 0], "allow"], // PR_SET_DUMPABLE, where nobody has to look at the program
    ["ptrace", [16, 1234], "EPERM"],
    ["ptrace", [7, 1234], "allow"], // PTRACE_CONT
    ["ioctl", [0, 0x5401], "allow"], // TCGETS
    ["ioctl", [0, 0x40049409], "allow"], // FICLONE
    ["fcntl", [0, 4, 0x800], "allow"], // F_SETFL
    ["kill", [0, 15], "allow"], // its own group
    ["kill", [1234, 15], "allow"],
    ["kill", [-1234, 15], "allow"],
    ["tgkill", [1234, 1234, 6], "allow"],
    ["prlimit64", [0, 7, 0, 0], "allow"],
    ["prlimit64", [0, 4, 0, 0x1000], "allow"],
    ["prlimit64", [0, 4, 0x1000, 0], "pretend"], // RLIMIT_CORE
    ["prlimit64", [0, 4, 2 ** 32, 0], "pretend"],
    ["setrlimit", [4, 0x1000], "pretend"],
    ["setrlimit", [7, 0x1000], "allow"],
    ["mknodat", [-100, 0, 0x1000 | 0o644, 0], "allow"], // a FIFO
    ["socketpair", [1, 1 | 0x80000, 0], "allow"],
  ]);
});

Deno.test("calls into other processes, the kernel and the machine are refused", () => {
  check(base, [
    ["ptrace", [16, 500], "EPERM"],
    ["ptrace", [16, 777n | HIGH], "EPERM"],
    ["ptrace", [0, 0], "EPERM"], // PTRACE_TRACEME, where nobody could look at the parent
    ["process_vm_readv", [500], "EPERM"],
    ["bpf", [], "EPERM"],
    ["mount", [], "EPERM"],
    ["reboot", [], "EPERM"],
    ["open_tree_attr", [], "EPERM"],
    ["io_uring_setup", [8, 1], "ENOSYS"],
    ["clone3", [], "ENOSYS"],
    ["clone", [0x10000011], "EPERM"],
    ["clone", [0x10000011n | HIGH], "EPERM"],
    ["unshare", [0x20000], "EPERM"],
    ["unshare", [0x80], "EPERM"],
    ["unshare", [0x400], "allow"], // CLONE_FILES
    ["mknodat", [-100, 0, 0x2000 | 0o666, 0x103], "EPERM"],
    ["mknod", [0, 0x6000 | 0o666, 0x103], "EPERM"],
    ["ioctl", [0, 0x5412], "EPERM"], // TIOCSTI
    ["ioctl", [0, 0x5412n | HIGH], "EPERM"],
    ["ioctl", [0, 0x8901], "EPERM"], // FIOSETOWN
  ]);
});

Deno.test("a process of many threads, beside many programs with shared objects, has a filter that holds for each", () => {
  const from = (first: number, many: number) => Array.from({ length: many }, (_, n) => first + n);
  const ids = [0, 199, 200, 201, 399, 400].map((n) => 1000 + n);
  check(
    {
      ...base,
      own: { pid: 500, tids: from(1000, 401), pgid: 490 },
      others_ipc: { shm: from(1, 100), sem: from(1, 100), msg: from(1, 100) },
    },
    [
      ...ids.flatMap((id): Case[] => [
        ["kill", [id, 9], "EPERM"],
        ["tkill", [id, 9], "EPERM"],
        ["fcntl", [3, 8, id], "EPERM"],
        ["fcntl", [3, 4, id], "allow"],
        ["ptrace", [7, id], "EPERM"],
      ]),
      ["kill", [-490, 9], "EPERM"],
      ["kill", [1401, 9], "allow"],
      ["tkill", [999, 9], "allow"],
      ["fcntl", [3, 8, 1401], "allow"],
      ["msgsnd", [100], "EACCES"],
      ["msgsnd", [101], "allow"],
    ],
  );
});

Deno.test("hamr's ids can't be signaled, whatever is in the unused half of the register", () => {
  check(base, [
    ["kill", [500, 9], "EPERM"],
    ["kill", [500n | HIGH, 9], "EPERM"],
    ["kill", [777, 9], "EPERM"],
    ["kill", [-500, 9], "EPERM"],
    ["kill", [-490, 9], "EPERM"],
    ["kill", [0xfffffe16n, 9], "EPERM"], // -490 without its sign extension
    ["tkill", [777, 9], "EPERM"],
    ["tgkill", [500, 777, 9], "EPERM"],
    ["rt_sigqueueinfo", [501, 9], "EPERM"],
    ["rt_tgsigqueueinfo", [500, 501, 9], "EPERM"],
    ["pidfd_open", [500, 0], "EPERM"],
    ["pidfd_send_signal", [5, 9], "ENOSYS"],
    ["fcntl", [3, 8, 777], "EPERM"],
    ["fcntl", [3, 8, -490], "EPERM"],
    ["fcntl", [3, 8, 1234], "allow"],
    ["fcntl", [3, 15, 0x1000], "EPERM"],
    ["fcntl", [3, 10, 9], "EPERM"], // F_SETSIG with SIGKILL
    ["fcntl", [3, 10, 18 + 2 ** 32], "EPERM"], // with SIGCONT
    ["fcntl", [3, 10, 34], "allow"],
    ["fcntl", [3, 10, 0], "allow"],
    ["fcntl", [3, 1024, 1], "EINVAL"], // F_SETLEASE
    ["fcntl", [3, 1025, 0], "allow"], // F_GETLEASE
    ["prlimit64", [500, 0, 0x1000], "EPERM"],
  ]);
});

Deno.test("who gets a signal is asked, as an id may be of a thread of hamr; groups are signaled without hamr", () => {
  check({ ...base, supervised: true }, [
    ["kill", [1234, 15], "ask"],
    ["kill", [0, 15], "allow"],
    ["kill", [-1234, 15], "allow"],
    ["kill", [-490, 9], "EPERM"],
    ["kill", [-1, 9], "EPERM"],
    ["tkill", [1234, 15], "ask"],
    ["rt_sigqueueinfo", [1234, 15], "ask"],
    ["fcntl", [3, 8, 1234], "ask"],
    ["fcntl", [3, 8, 777], "EPERM"],
    ["fcntl", [3, 9, 0], "allow"], // F_GETOWN
    ["fcntl", [3, 4, 0x2802], "allow"], // F_SETFL: Landlock sees to it
    ["ioctl", [3, 0x5452], "allow"], // FIOASYNC
  ]);
  check({ ...base, abi: 5, supervised: true }, [
    ["kill", [0, 15], "ask"],
    // Signals as a file becomes ready, to a terminal's foreground group.
    ["fcntl", [3, 4, 0x2802], "EPERM"],
    ["ioctl", [3, 0x5452], "pretend"],
  ]);
});

Deno.test("only the holder of the key may signal everyone, and only where Landlock says who that is", () => {
  check(base, [
    ["kill", [-1, 9, KEY], "allow"],
    ["kill", [-1, 9, KEY ^ 1n], "EPERM"],
    ["kill", [-1, 9, KEY ^ HIGH], "EPERM"],
    ["kill", [-1, 9], "EPERM"],
    ["kill", [500, 9, KEY], "EPERM"],
  ]);
  check({ ...base, abi: 5 }, [["kill", [-1, 9, KEY], "EPERM"]]);
  check({ ...base, sweep_key: null }, [["kill", [-1, 9, 0], "EPERM"]]);
});

Deno.test("net none: only unix streams that are never connected", () => {
  check(base, [
    ["socket", [1, 1], "allow"],
    ["socket", [1, 5 | 0x80800], "allow"],
    ["socket", [1, 2], "EACCES"],
    ["socket", [1, 3], "EACCES"], // SOCK_RAW, which makes a datagram socket
    ["socket", [2, 1], "EACCES"],
    ["socket", [2n | HIGH, 1], "EACCES"],
    ["socket", [10, 2], "EACCES"],
    ["socket", [16, 3, 0], "EAFNOSUPPORT"],
    ["socket", [17, 3], "EAFNOSUPPORT"],
    ["socket", [40, 1], "EAFNOSUPPORT"],
    ["socketpair", [1, 5], "allow"],
    ["socketpair", [1, 2], "EACCES"],
    ["socketpair", [1, 3], "EACCES"],
    ["socketpair", [30, 1], "EAFNOSUPPORT"],
    ["connect", [3, 0x1000, 110], "EACCES"],
    ["sendto", [3, 0x1000, 5, 0, 0, 0], "allow"],
    ["sendto", [3, 0x1000, 5, 0, 0x1000, 16], "allow"], // no socket there is takes an address so
    ["sendto", [3, 0x1000, 5, 0x20000000, 0x1000, 16], "EACCES"],
  ]);
});

Deno.test("what a supervisor can give: own servers, own terminals, own debuggers", () => {
  check({ ...base, supervised: true, policy: { ...base.policy, net: "own" } }, [
    ["socket", [2, 1, 0], "allow"],
    ["socket", [2, 2, 0], "ask"],
    ["socket", [10n | HIGH, 2, 17], "ask"],
    ["socket", [2, 2, 1], "EACCES"], // IPPROTO_ICMP
    ["socket", [2, 2, 136], "EACCES"], // IPPROTO_UDPLITE
    ["socket", [2, 3, 17], "EACCES"], // SOCK_RAW
    ["socket", [2, 2 | 0x80000, 0], "ask"], // SOCK_CLOEXEC
    ["socket", [2, 2 | 0x800, 17], "ask"], // SOCK_NONBLOCK
    ["socket", [1, 2, 0], "EACCES"],
    ["setsockopt", [3, 1n | HIGH, 2], "ask"], // SO_REUSEADDR
    ["setsockopt", [3, 1, 15], "ask"], // SO_REUSEPORT
    ["setsockopt", [3, 1, 9], "allow"], // SO_KEEPALIVE
    ["socket", [16, 3, 0], "allow"], // NETLINK_ROUTE
    ["socket", [16, 3, 15], "EAFNOSUPPORT"], // NETLINK_KOBJECT_UEVENT
    ["connect", [3, 0x1000, 16], "ask"],
    ["setsockopt", [3, 0, 42], "ENOPROTOOPT"], // MCAST_JOIN_GROUP
    ["setsockopt", [3, 41n | HIGH, 20], "ENOPROTOOPT"], // IPV6_JOIN_GROUP
    ["setsockopt", [3, 41, 26], "allow"], // IPV6_V6ONLY
    ["setsockopt", [3, 6, 1], "allow"], // TCP_NODELAY
    ["ioctl", [3, 0x5441, 0x102], "ask"], // TIOCGPTPEER
    ["ioctl", [3, 0x5441n | HIGH, 0x102], "ask"],
    ["ioctl", [3, 0x5412, 0], "EPERM"],
    ["ptrace", [0, 0], "ask"],
    ["ptrace", [16, 501], "EPERM"],
    ["ptrace", [16, 1234], "ask"],
    ["ptrace", [0x4206, 1234], "ask"],
    ["prctl", [4, 0], "pretend"],
    ["prctl", [4, 1], "allow"],
    ["prctl", [4, 0, 0x68616d72], "allow"], // hamr inside hamr
  ]);
});

Deno.test("a supervisor that can't have a program's socket makes each that may be connected", () => {
  const input = { ...base, supervised: true, takes_sockets: false };
  check({ ...input, policy: { ...base.policy, net: "own" } }, [
    ["socket", [2, 1, 0], "ask"],
    ["socket", [10, 1 | 0x80800, 6], "ask"],
    ["socket", [2, 1, 262], "EPROTONOSUPPORT"], // IPPROTO_MPTCP
    ["socket", [1, 1 | 0x80000, 0], "ask"],
    ["socket", [1, 5, 0], "ask"],
    ["socket", [1, 2, 0], "EACCES"],
    ["socket", [16, 3, 0], "allow"],
    ["socketpair", [1, 1], "allow"],
    ["bind", [3, 0x1000, 16], "ask"],
    ["connect", [3, 0x1000, 16], "ask"],
    ["ioctl", [3, 0x5441, 0x102], "allow"], // TIOCGPTPEER: Landlock refuses it
  ]);
  check({ ...input, policy: { ...base.policy, net: "none" } }, [
    ["socket", [2, 1, 0], "EACCES"],
    ["socket", [1, 1, 0], "ask"],
  ]);
});

Deno.test("net all: internet sockets, but no unix socket that could be connected", () => {
  check({ ...base, policy: { ...base.policy, net: "all" } }, [
    ["socket", [2, 1], "allow"],
    ["socket", [10, 2], "allow"],
    ["socket", [16, 3, 0], "allow"],
    ["socket", [16, 3, 9], "EAFNOSUPPORT"],
    ["socket", [1, 1], "EACCES"],
    ["socket", [40, 1], "EAFNOSUPPORT"],
    ["socketpair", [1, 1], "allow"],
    ["socketpair", [1, 2], "EACCES"],
    ["connect", [3, 0x1000, 16], "allow"],
    ["io_uring_setup", [], "ENOSYS"],
  ]);
});

Deno.test("what Landlock does not cover yet is refused, unless everything may be written", () => {
  const attributes: Case[] = [
    ["setxattr", [], "EOPNOTSUPP"],
    ["setxattrat", [], "EOPNOTSUPP"],
    ["file_setattr", [], "EOPNOTSUPP"],
    ["ioctl", [3, 0x40086602], "EOPNOTSUPP"],
    ["ioctl", [3, 0x5000940e], "EOPNOTSUPP"], // BTRFS_IOC_SUBVOL_CREATE
    ["ioctl", [3, 0x40086604], "EOPNOTSUPP"], // EXT4_IOC_SETVERSION
    ["ioctl", [3, 0x40806685], "EOPNOTSUPP"], // FS_IOC_ENABLE_VERITY
    ["ioctl", [3, 0xc0406618n | HIGH], "EOPNOTSUPP"], // FS_IOC_REMOVE_ENCRYPTION_KEY
    ["ioctl", [3, 0x40047211], "EOPNOTSUPP"], // FAT_IOCTL_SET_ATTRIBUTES
    ["ioctl", [3, 0x40186f04], "EOPNOTSUPP"], // OCFS2_IOC_REFLINK
    ["ioctl", [3, 0x4004f50d], "EOPNOTSUPP"], // F2FS_IOC_SET_PIN_FILE
    ["ioctl", [3, 0x40088302], "EOPNOTSUPP"], // ZFS_IOC_SETDOSFLAGS
  ];
  check(base, [...attributes, ["truncate", [], "allow"], ["openat", [0, 0, 0x200], "allow"]]);
  check({ ...base, abi: 2 }, [
    ["truncate", [], "EACCES"],
    ["openat", [0, 0, 0x200], "EACCES"], // O_RDONLY | O_TRUNC
    ["openat", [0, 0, 0x201], "allow"], // O_WRONLY | O_TRUNC: Landlock's
    ["open", [0, 0x80200], "EACCES"],
    ["openat", [0, 0, 0x203], "EACCES"], // O_ACCMODE | O_TRUNC
    ["openat2", [], "ENOSYS"],
  ]);
  check(
    { ...base, abi: 2, policy: { ...base.policy, write: "all" } },
    [...attributes.map(([call, args]): Case => [call, args, "allow"]), ["truncate", [], "allow"]],
  );
});

Deno.test("a file is opened for reading or writing, or by its path only", () => {
  const { policy } = base;
  for (const input of [base, { ...base, abi: 1, policy: { ...policy, write: "all" as const } }]) {
    check(input, [
      ["open", [0, 3], "EACCES"],
      ["open", [0, 0x80903], "EACCES"], // with O_NONBLOCK, O_NOCTTY, O_CLOEXEC
      ["openat", [-100, 0, 3n | HIGH], "EACCES"],
      ["openat", [-100, 0, 0x200003], "allow"], // O_PATH
      ["openat", [-100, 0, 2], "allow"],
    ]);
  }
});

Deno.test("what reads a file, or changes one that is open for writing, is left to it", () => {
  check(base, [
    ["ioctl", [3, 0x80086601], "allow"], // FS_IOC_GETFLAGS
    ["ioctl", [3, 0xc020660b], "allow"], // FS_IOC_FIEMAP
    ["ioctl", [3, 0x801c581f], "allow"], // FS_IOC_FSGETXATTR
    ["ioctl", [3, 0x800c581e], "allow"], // XFS_IOC_DIOINFO
    ["ioctl", [3, 0xc0189436], "allow"], // FIDEDUPERANGE
    ["ioctl", [3, 0x541b], "allow"], // FIONREAD
    ["fcntl", [3, 1031, 65536], "allow"], // F_SETPIPE_SZ
    ["fcntl", [3, 1033, 1], "allow"], // F_ADD_SEALS
    ["fcntl", [3, 1036, 0x1000], "allow"], // F_SET_RW_HINT
    ["fcntl", [3, 1030, 3], "allow"], // F_DUPFD_CLOEXEC
  ]);
});

Deno.test("calls of fcntl that come after those that are known are not there", () => {
  check(base, [
    ["fcntl", [3, 1040, 1], "EINVAL"], // F_SETDELEG
    ["fcntl", [3, 1040n | HIGH, 1], "EINVAL"],
    ["fcntl", [3, 1041], "EINVAL"],
    ["fcntl", [3, 2047], "EINVAL"],
  ]);
});

Deno.test("extended attributes are read of what is open only, unless everything may be read", () => {
  const by_path = ["getxattr", "lgetxattr", "getxattrat", "listxattr", "llistxattr", "listxattrat"];
  const cases = (then: SyscallAction) => by_path.map((call): Case => [call as Syscall, [], then]);
  check(base, cases("EOPNOTSUPP"));
  check({ ...base, policy: { ...base.policy, write: "all" } }, cases("EOPNOTSUPP"));
  check({ ...base, policy: { ...base.policy, read: ["/r"], deny_read: [] } }, cases("EOPNOTSUPP"));
  check({ ...base, policy: { ...base.policy, deny_read: [] } }, cases("allow"));
});

Deno.test("another processor mode ends the process; unheard-of calls do not exist", () => {
  const value = (arch: Arch, call: { number: number; audit: number }) =>
    run_filter(compile_filter(rules_for(base), arch), {
      number: call.number,
      arch: call.audit,
      args: [],
    });
  assert.equal(value("x86_64", { number: 20, audit: AUDIT.i386 }), verdict_value("kill"));
  assert.equal(value("aarch64", { number: 20, audit: AUDIT.arm }), verdict_value("kill"));
  for (const number of [0x40000000, 0x40000029, 0xffffffff, 520, 470, 1000]) {
    assert.equal(value("x86_64", { number, audit: AUDIT.x86_64 }), verdict_value("ENOSYS"));
  }
});

Deno.test("System V objects that were there are not used, however many there are", () => {
  check(base, [
    ["shmat", [0, 0, 0], "EACCES"],
    ["shmat", [32769n | HIGH, 0, 0], "EACCES"],
    ["shmctl", [32769, 0], "EACCES"],
    ["shmat", [5, 0, 0], "allow"],
    ["semop", [5, 0, 1], "EACCES"],
    ["semtimedop", [5, 0, 1, 0], "EACCES"],
    ["semctl", [5, 0, 0], "EACCES"],
    ["msgrcv", [0, 0, 0], "allow"],
    ["mq_open", [1, 0o102], "EPERM"],
    ["mq_unlink", [1], "EPERM"],
  ]);
  const many = Array.from({ length: 4096 }, (_, id) => id);
  const others_ipc = { shm: many, sem: many, msg: many };
  // BPF_MAXINSNS of linux/bpf_common.h, of 8 bytes each.
  const most: RuleInput = {
    ...base,
    supervised: true,
    policy: { ...base.policy, net: "own" },
    others_ipc,
  };
  for (const arch of ["x86_64", "aarch64"] as const) {
    assert.ok(compile_filter(rules_for(most), arch).length <= 4096 * 8);
  }
});
