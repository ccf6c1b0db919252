import { attempt } from "../../config/attempt.ts";
import { message_of } from "../../config/text.ts";
import { errno_of, type ErrnoName } from "./errno.ts";
import { type Argument, buffer_of, c_string, type Libc, linux_libc, open_libc } from "./libc.ts";
import type { Policy } from "../policy.ts";
import { prctl } from "./prctl.ts";
import type { Arch, Syscall } from "./syscalls.ts";

/** What this machine's kernel can enforce. Plain data: the main thread finds it out and sends it to the tools worker. */
export type Support =
  | {
    readonly kind: "linux";
    readonly arch: Arch;
    /** Landlock's ABI version, at least 1. */
    readonly abi: number;
    /** Why no supervisor can answer `connect` and `listen` here, as a sentence without a full stop; null if one can. */
    readonly no_supervisor: string | null;
    /** Whether it can have a copy of a program's socket (pidfd_getfd). If not, it makes the sockets itself. */
    readonly takes_sockets: boolean;
  }
  /** A profile of sandbox-exec before every command; which ports are the run's own it can't tell. */
  | { readonly kind: "macos"; readonly no_supervisor: string }
  | {
    readonly kind: "none";
    /** A sentence without a full stop, for an error message. */
    readonly reason: string;
  };

/** linux/include/uapi/linux/landlock.h */
const RULE_PATH_BENEATH = 1, CREATE_RULESET_VERSION = 1;
/** linux/include/uapi/linux/seccomp.h */
const GET_ACTION_AVAIL = 2;
const RET_USER_NOTIF = 0x7fc00000;
const RET_ALLOW = 0x7fff0000;
/** linux/time.h */
const CLOCK_MONOTONIC = 1;
/** linux/include/uapi/linux/capability.h; a version of 0 is none. */
const CAP_HEADER_BYTES = 8, CAP_DATA_BYTES = 24;
/** linux/include/uapi/linux/stat.h */
const STATX_BYTES = 256;
/** No file is open under it. */
const NO_FILE = -1;
/** Documentation/admin-guide/LSM/Yama.rst: below the first a process may look at its own descendants. */
const ADMINS_ONLY = 2, NO_ONE = 3;

/** Asks the kernel. Never throws; changes nothing; costs 1 to 2 ms, nearly all of it opening the C library. */
export function probe(): Support {
  if (Deno.build.os === "darwin") {
    return { kind: "macos", no_supervisor: "macOS can't tell the run's own servers from others" };
  }
  if (Deno.build.os !== "linux") {
    return none(`there is no sandbox for ${Deno.build.os} in this version`);
  }
  let libc: Libc;
  try {
    libc = open_libc();
  } catch (error) {
    return none(`the C library could not be opened (${message_of(error)})`);
  }
  if (libc.arch !== "x86_64" && libc.arch !== "aarch64") {
    return none(`there is no sandbox for ${Deno.build.arch} processors`);
  }
  const abi = libc.call("landlock_create_ruleset", [0, 0, CREATE_RULESET_VERSION]);
  if (abi < 1) return none(no_landlock(libc.errno()));
  if (prctl(libc, "GET_SECCOMP") < 0) {
    return none("this kernel was built without seccomp");
  }
  // Every kernel with Landlock has these.
  if (!has_action(libc, RET_ALLOW)) return none("a container's seccomp profile hides seccomp");
  const hidden = hidden_call(libc);
  if (hidden !== null) return none(`a container's seccomp profile hides ${hidden}`);
  const takes_sockets = can_take_sockets(libc);
  return { kind: "linux", arch: libc.arch, abi, no_supervisor: no_supervisor(libc), takes_sockets };
}

/** Whether a supervisor answers under a policy: where it has to make the sockets itself, it makes none that reach every network. */
export function is_supervised(support: Support, net: Policy["net"]): boolean {
  return support.kind === "linux" && support.no_supervisor === null &&
    (support.takes_sockets || net !== "all");
}

/** A call of the sandbox that a filter around hamr answers, found by asking for the impossible; it would fail only beside the first request. */
function hidden_call(libc: Libc): string | null {
  const fails = (errno: ErrnoName, name: Syscall, args: Argument[]) =>
    libc.call(name, args) < 0 && libc.errno() === errno_of(errno);
  if (!fails("EINVAL", "close_range", [1, 0, 0])) return "close_range";
  for (const name of ["capget", "capset"] as const) {
    if (!fails("EINVAL", name, [buffer_of(CAP_HEADER_BYTES), buffer_of(CAP_DATA_BYTES)])) {
      return name;
    }
  }
  if (!fails("EBADF", "landlock_add_rule", [-1, RULE_PATH_BENEATH, 0, 0])) {
    return "landlock_add_rule";
  }
  if (fails("EBADF", "landlock_restrict_self", [-1, 0])) return null;
  // The kernel's own answer, too, to whoever may still gain rights, which hamr itself may.
  const own = libc.errno() === errno_of("EPERM") && prctl(libc, "GET_NO_NEW_PRIVS") === 0;
  return own ? null : "landlock_restrict_self";
}

/** A call needed to see changes that a filter around hamr answers (Docker's before 2018: statx); null if there is none. */
export function unseeing(): string | null {
  const libc = linux_libc();
  if (libc === null) return null;
  const name = c_string("x");
  const asked = {
    statx: [NO_FILE, name, 0, 0, buffer_of(STATX_BYTES)],
    openat: [NO_FILE, name, 0, 0],
    readlinkat: [NO_FILE, name, buffer_of(1), 1],
    getdents64: [NO_FILE, buffer_of(1), 1],
  } as const;
  const hidden = (Object.keys(asked) as (keyof typeof asked)[])
    .find((call) => libc.call(call, [...asked[call]]) >= 0 || libc.errno() !== errno_of("EBADF"));
  return hidden === undefined
    ? null
    : `what commands change can't be seen here: a container's seccomp profile hides ${hidden}`;
}

function has_action(libc: Libc, action: number): boolean {
  const named = buffer_of(4);
  new DataView(named.buffer).setUint32(0, action, true);
  return libc.call("seccomp", [GET_ACTION_AVAIL, 0, named]) === 0;
}

/** Docker's default profile forbids it to whoever lacks CAP_SYS_PTRACE. The kernel always lets a process look at itself. */
function can_take_sockets(libc: Libc): boolean {
  const process = libc.call("pidfd_open", [Deno.pid, 0]);
  const file = process < 0 ? -1 : libc.call("pidfd_getfd", [process, 2, 0]);
  for (const opened of [process, file]) if (opened >= 0) libc.call("close", [opened]);
  return file >= 0;
}

/** A supervisor hears of calls by seccomp, and looks at the memory of who made them. */
function no_supervisor(libc: Libc): string | null {
  if (!has_action(libc, RET_USER_NOTIF)) return "this kernel has no seccomp user notification";
  // Landlock's kernels all have it. A process has one supervisor at most.
  if (
    libc.call("openat2", [NO_FILE, c_string("x"), 0, 0]) < 0 && libc.errno() === errno_of("ENOSYS")
  ) {
    return "hamr runs inside another hamr's sandbox, which supervises it already";
  }
  const no_timer = why_no_timer(libc);
  if (no_timer !== null) return no_timer;
  // Nothing is there if the kernel has no Yama.
  const scope = attempt(
    () => Number(Deno.readTextFileSync("/proc/sys/kernel/yama/ptrace_scope")),
    0,
  );
  if (scope < ADMINS_ONLY || (scope < NO_ONE && Deno.uid() === 0)) return null;
  const who = scope < NO_ONE ? "only root" : "no one";
  return `kernel.yama.ptrace_scope is ${scope}, so ${who} may look at other processes`;
}

/** The supervisor's own alarm takes one of the pending signals that a user may have (timer_create(2)). */
function why_no_timer(libc: Libc): string | null {
  const id = buffer_of(4);
  if (libc.call("timer_create", [CLOCK_MONOTONIC, 0, id]) === 0) {
    libc.call("timer_delete", [new DataView(id.buffer).getInt32(0, true)]);
    return null;
  }
  return libc.errno() === errno_of("EAGAIN")
    ? "too few signals may be pending for a timer (ulimit -i)"
    : "timers (timer_create) are forbidden here";
}

function none(reason: string): Support {
  return { kind: "none", reason };
}

function no_landlock(errno: number): string {
  return errno === errno_of("EOPNOTSUPP")
    ? "Landlock is built into this kernel but switched off (add landlock to the lsm= boot parameter)"
    : "this kernel has no Landlock (Linux 5.13 or newer is needed), or a container's seccomp profile hides it";
}
