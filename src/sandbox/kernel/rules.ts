import { file_rules } from "./file_rules.ts";
import { SCOPE_ABI } from "./abi.ts";
import { any_bit, type FilterRule, ioctl_rules, low, on_call, one_of } from "./filter.ts";
import type { Policy } from "../policy.ts";
import { REALLY } from "./prctl.ts";
import { socket_rules } from "./socket_rules.ts";
import type { Syscall } from "./syscalls.ts";

export interface RuleInput {
  readonly policy: Pick<Policy, "read" | "deny_read" | "write" | "net">;
  /** Landlock's version here: what it does not do yet, the filter does as well as it can. */
  readonly abi: number;
  /** hamr's own ids, which no child may signal. */
  readonly own: OwnIds;
  /** The user whose processes these are. */
  readonly uid: number;
  /** System V objects that were there before: of other programs. */
  readonly others_ipc: Readonly<Record<IpcKind, readonly number[]>>;
  /** Lets its holder, and nobody else, end all of this domain at once; null: nobody may. */
  readonly sweep_key: bigint | null;
  /** Whether a supervisor answers what is asked; without one no socket connects unless `net` is `"all"`. */
  readonly supervised: boolean;
  /** Whether the supervisor can have a copy of a program's socket. */
  readonly takes_sockets: boolean;
}

/** Shared memory, semaphores, message queues. */
export type IpcKind = keyof typeof IPC_CALLS;

/** Every call that does something with an object; its id comes first. */
const IPC_CALLS = {
  shm: ["shmat", "shmctl"],
  sem: ["semop", "semtimedop", "semctl"],
  msg: ["msgsnd", "msgrcv", "msgctl"],
} as const satisfies Readonly<Record<string, readonly Syscall[]>>;

/** Desktops have some dozens; a filter has room for 4096 instructions, and each id takes one for each call. */
const MOST_IPC = 100;

/** The ids under which hamr itself can be reached by a signal. */
interface OwnIds {
  readonly pid: number;
  /** All its threads: `kill` takes a thread's id for its process. */
  readonly tids: readonly number[];
  /** Its process group, 0 if it belongs to another pid namespace. */
  readonly pgid: number;
}

/** Constants of the kernel's interface, each from the header named. */
/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (linux/sched.h). */
const CLONE_NEW = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 |
  0x40000000;
const CLONE_NEWTIME = 0x80; // In clone() these bits are the exit signal; only unshare() reads them so.
const S_IFMT = 0xf000, S_IFCHR = 0x2000, S_IFBLK = 0x6000; // linux/stat.h
const F_SETFL = 4, F_SETOWN = 8, F_SETOWN_EX = 15, F_SETSIG = 10, O_ASYNC = 0x2000; // asm-generic/fcntl.h
const SIGKILL = 9, SIGCONT = 18; // asm/signal.h
const F_SETLEASE = 1024; // linux/fcntl.h
/** What Linux alone knows begins at 1024; F_GETDELEG (1039, Linux 6.19) is the last of it that was looked at (linux/fcntl.h). */
const F_LINUX = 0x400, F_ABOVE_LINUX = 0xfffffc00, F_PAST_KNOWN = 0x3f0;
const O_CREAT = 0x40, O_TMPFILE = 0x400000; // asm-generic/fcntl.h
/** S_ISUID, S_ISGID (linux/stat.h). */
const SET_ID = 0o6000;
const UNCHANGED = -1, NEGATIVE = 0x80000000;
const PTRACE_TRACEME = 0, PTRACE_ATTACH = 16, PTRACE_SEIZE = 0x4206; // linux/ptrace.h
const PR_SET_DUMPABLE = 4; // linux/prctl.h
const RLIMIT_CORE = 4; // asm-generic/resource.h
const TIOCGPTPEER = 0x5441, FIOASYNC = 0x5452; // asm-generic/ioctls.h
const IPC_CREAT = 0o1000, IPC_PRIVATE = 0, SHM_HUGETLB = 0o4000; // linux/ipc.h, linux/shm.h
const PRIO_PROCESS = 0, IOPRIO_WHO_PROCESS = 1; // linux/resource.h, linux/ioprio.h

/** Each writes to the terminal's input, or draws on it, as if the user had typed (asm-generic/ioctls.h). */
const TERMINAL_IOCTLS = {
  TIOCSTI: 0x5412,
  TIOCLINUX: 0x541c,
  TIOCCONS: 0x541d,
  TIOCSETD: 0x5423,
};
/** Each names, in memory that a filter can't read, who gets a file's signals: it could name hamr (asm-generic/sockios.h). */
const OWNER_IOCTLS = { FIOSETOWN: 0x8901, SIOCSPGRP: 0x8902 };

/** Calls that no build or test needs, and that reach into other processes or the machine itself. */
const NEVER: readonly (readonly Syscall[])[] = [
  // Other processes' memory and files.
  ["process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"],
  // The kernel's own machinery, and files by number instead of by path.
  ["perf_event_open", "bpf", "userfaultfd", "fanotify_init", "lookup_dcookie"],
  ["add_key", "request_key", "keyctl", "open_by_handle_at"],
  // What is mounted, and where.
  ["mount", "umount2", "pivot_root", "chroot", "setns", "fsopen", "fsconfig", "fsmount"],
  ["fspick", "move_mount", "open_tree", "open_tree_attr", "mount_setattr"],
  // The machine.
  ["kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"],
  ["swapon", "swapoff", "reboot", "acct", "quotactl", "quotactl_fd", "sethostname"],
  ["setdomainname", "settimeofday", "clock_settime", "iopl", "ioperm", "vhangup"],
  // Other processes' memory, moved about or taken away.
  ["process_madvise", "process_mrelease"],
  // Landlock lets no message queue be opened, but sees neither that one is made on the way, which stays, nor that one is removed.
  ["mq_open", "mq_unlink"],
];

/** The rules of the filter for a policy; the order within one call matters. */
export function rules_for(input: RuleInput): readonly FilterRule[] {
  const { policy, supervised } = input;
  return [
    on_call(NEVER.flat(), "EPERM"),
    // io_uring makes sockets and connects them past any filter. Programs fall back on ENOSYS.
    on_call(["io_uring_setup", "io_uring_enter", "io_uring_register"], "ENOSYS"),
    ...namespace_rules(),
    ...[S_IFCHR, S_IFBLK].flatMap((device) => [
      on_call("mknod", "EPERM", low(1, device, S_IFMT)),
      on_call("mknodat", "EPERM", low(2, device, S_IFMT)),
    ]),
    ...signal_rules(input),
    ...trace_rules(input),
    // An id is all that it takes to use an object, and a new one gets another; databases and `fakeroot` make their own.
    ...(Object.keys(IPC_CALLS) as IpcKind[]).map((kind) =>
      on_call(IPC_CALLS[kind], "EACCES", one_of(0, input.others_ipc[kind].slice(0, MOST_IPC)))
    ),
    ...(supervised ? supervised_rules(input.takes_sockets) : []),
    ...ioctl_rules(Object.values({ ...TERMINAL_IOCTLS, ...OWNER_IOCTLS }), "EPERM"),
    // A program that opens a file with a lease waits for its holder, up to 45 s and again and again; it takes a file that may be read and
    // belongs to this user. Answered as by a file system without them.
    on_call("fcntl", "EINVAL", low(1, F_SETLEASE)),
    // F_SETDELEG is a lease, too. What comes after it is answered as by a kernel of this time.
    on_call("fcntl", "EINVAL", low(1, F_LINUX, F_ABOVE_LINUX), any_bit(1, F_PAST_KNOWN)),
    // Its flags and mode are in memory. Programs fall back to openat().
    on_call("openat2", "ENOSYS"),
    ...file_rules(input),
    ...set_id_rules(),
    ...owner_and_mode_rules(input),
    ...priority_rules(supervised),
    ...socket_rules(policy.net, input),
  ];
}

function namespace_rules(): FilterRule[] {
  return [
    // A new user namespace hands out every capability inside it.
    on_call("clone", "EPERM", any_bit(0, CLONE_NEW)),
    on_call("unshare", "EPERM", any_bit(0, CLONE_NEW | CLONE_NEWTIME)),
    // Its flags are in memory, which a filter can't read. The C libraries fall back to clone().
    on_call("clone3", "ENOSYS"),
  ];
}

/**
 * No child may signal hamr, for which the id of any of its threads stands. Landlock (ABI 6) sees to that outside the domain; the worker and the
 * threads that it starts are inside.
 */
function signal_rules({ own, abi, sweep_key, supervised }: RuleInput): FilterRule[] {
  const threads = [...new Set([own.pid, ...own.tids])];
  const all = [...threads, ...new Set([-own.pid, -own.pgid].filter((id) => id < 0))];
  const everyone = low(0, -1);
  return [
    // kill() takes two arguments; the third register is still shown to the filter, and carries the key.
    ...(sweep_key === null || abi < SCOPE_ABI
      ? []
      : [on_call("kill", "allow", everyone, { kind: "whole", arg: 2, is: sweep_key })]),
    on_call("kill", "EPERM", everyone),
    on_call("kill", "EPERM", one_of(0, all)),
    on_call(["tkill", "rt_sigqueueinfo", "pidfd_open"], "EPERM", one_of(0, threads)),
    on_call(["tgkill", "rt_tgsigqueueinfo"], "EPERM", low(0, own.pid)),
    // A process can also be named by a descriptor, which a filter can't resolve. Programs fall back to kill().
    on_call("pidfd_send_signal", "ENOSYS"),
    // A file can be told to send SIGIO, or any signal, to its owner.
    on_call("fcntl", "EPERM", one_of(2, all), low(1, F_SETOWN)),
    on_call("fcntl", "EPERM", low(1, F_SETOWN_EX)),
    // A person who types would have it go on while hamr has it stand still.
    on_call("fcntl", "EPERM", one_of(2, [SIGKILL, SIGCONT]), low(1, F_SETSIG)),
    // A terminal names its own foreground group, which `hamr sandbox` is in. nginx only asks for it.
    ...(abi >= SCOPE_ABI ? [] : [
      on_call("fcntl", "EPERM", low(1, F_SETFL), any_bit(2, O_ASYNC)),
      ...ioctl_rules([FIOASYNC], "pretend"),
    ]),
    // Threads that start later are in no list; the supervisor knows them. A group is signaled without it: by the reaper, when hamr is gone.
    ...(supervised
      ? [
        on_call("kill", "allow", any_bit(0, NEGATIVE)),
        // The caller's own group, which `hamr sandbox` is in, too: before this version Landlock lets it be signaled.
        ...(abi >= SCOPE_ABI ? [on_call("kill", "allow", low(0, 0))] : []),
        on_call(["kill", "tkill", "rt_sigqueueinfo"], "ask"),
        on_call("fcntl", "ask", low(1, F_SETOWN)),
      ]
      : []),
    // The limit of a core stays as it is: with none at all the kernel hands a crash to the machine's handler, which runs outside.
    on_call("setrlimit", "pretend", low(0, RLIMIT_CORE)),
    on_call("prlimit64", "pretend", low(0, 0), low(1, RLIMIT_CORE), { kind: "not_null", arg: 2 }),
    // A limit set on another process ends it as well (RLIMIT_CPU, RLIMIT_FSIZE).
    on_call("prlimit64", "allow", low(0, 0)),
    on_call("prlimit64", "EPERM"),
  ];
}

/** Debuggers may attach to programs of the run; Landlock protects all others. hamr's own threads, and programs whose word it takes, are refused here. */
function trace_rules({ own, supervised }: RuleInput): FilterRule[] {
  const then = supervised ? "ask" : "EPERM";
  return [
    on_call("ptrace", "EPERM", one_of(1, [own.pid, ...own.tids])),
    ...[PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE].map((is) =>
      on_call("ptrace", then, low(0, is))
    ),
  ];
}

function supervised_rules(takes_sockets: boolean): FilterRule[] {
  const hides = [low(0, PR_SET_DUMPABLE), low(1, 0)];
  const made = (calls: Syscall[], flags_at: number) => [
    on_call(calls, "ask", any_bit(flags_at, IPC_CREAT)),
    on_call(calls, "ask", low(0, IPC_PRIVATE)),
  ];
  return [
    // The other end of a terminal that the program has opened itself: Landlock knows it by its path alone, as it does the user's. Where
    // the supervisor can't have a copy of the program's own end, Landlock's answer stands.
    ...(takes_sockets ? ioctl_rules([TIOCGPTPEER], "ask") : []),
    // What stays until somebody removes it is made by the supervisor, which does so. Huge pages want a right that hamr may have, as root's
    // group has it: nobody gets them so, as in most places.
    on_call("shmget", "EPERM", any_bit(2, SHM_HUGETLB)),
    ...[...made(["shmget", "semget"], 2), ...made(["msgget"], 1)],
    // The supervisor could not look at what a program wants that hides itself, as ssh-agent does. What else runs as this user
    // outside could look at it now; nothing is dumped (RLIMIT_CORE).
    on_call("prctl", "allow", ...hides, low(2, REALLY)),
    on_call("prctl", "pretend", ...hides),
  ];
}

/** Nothing is made that runs with the rights of its owner. */
function set_id_rules(): FilterRule[] {
  // Without these flags the mode is not given, and the register holds anything.
  const makes = O_CREAT | O_TMPFILE;
  return [
    on_call(["creat", "mknod"], "EPERM", any_bit(1, SET_ID)),
    on_call("mknodat", "EPERM", any_bit(2, SET_ID)),
    on_call("open", "EPERM", any_bit(1, makes), any_bit(2, SET_ID)),
    on_call("openat", "EPERM", any_bit(2, makes), any_bit(3, SET_ID)),
  ];
}

/** Landlock ignores owners and modes: the supervisor makes such changes in places that may be written; without one they are refused. */
function owner_and_mode_rules({ policy, supervised, uid }: RuleInput): FilterRule[] {
  if (supervised && policy.write !== "all") {
    return [
      on_call(["chmod", "fchmod", "fchmodat", "fchmodat2"], "ask"),
      on_call(["chown", "lchown", "fchown", "fchownat"], "ask"),
    ];
  }
  const keeps = (calls: Syscall[], arg: number) => [
    ...[uid, UNCHANGED].map((id) => on_call(calls, "allow", low(arg, id))),
    on_call(calls, "EPERM"),
  ];
  return [
    on_call(["chmod", "fchmod"], "EPERM", any_bit(1, SET_ID)),
    on_call(["fchmodat", "fchmodat2"], "EPERM", any_bit(2, SET_ID)),
    ...keeps(["chown", "lchown", "fchown"], 1),
    ...keeps(["fchownat"], 2),
  ];
}

/** A program sets what the scheduler does with itself. Its other threads and its children go by number: someone has to look. */
function priority_rules(supervised: boolean): FilterRule[] {
  const then = supervised ? "ask" : "EPERM";
  const scheduling = [
    ...["sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"] as const,
  ];
  const pages = ["migrate_pages", "move_pages"] as const;
  return [
    on_call([...scheduling, ...pages], "allow", low(0, 0)),
    on_call(pages, "EPERM"),
    on_call(scheduling, then),
    ...([["setpriority", PRIO_PROCESS], ["ioprio_set", IOPRIO_WHO_PROCESS]] as const)
      .flatMap(([call, process]) => [
        on_call(call, "allow", low(0, process), low(1, 0)),
        on_call(call, then, low(0, process)),
        on_call(call, "EPERM"),
      ]),
  ];
}
