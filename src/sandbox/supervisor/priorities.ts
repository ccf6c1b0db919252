/** Whose priority, processor or scheduler may be changed, who may be traced, and who gets signals: programs of the run, and never hamr. */
import { errno_of } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { is_syscall, type Notification } from "./notification.ts";
import { process_of } from "./other_process.ts";
import { read_process } from "../processes/process_tree.ts";
import type { Syscall } from "../kernel/syscalls.ts";

/** The first argument names a thread; of the last two the second does. Everything else in them concerns only that thread. */
export const PRIORITY_CALLS = [
  ...["sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"] as const,
  ...["setpriority", "ioprio_set"] as const,
] satisfies Syscall[];

/** Each sends a signal, at once or later (F_SETOWN; the rules ask about no other `fcntl`). */
export const SIGNAL_CALLS = ["kill", "tkill", "rt_sigqueueinfo", "fcntl"] satisfies Syscall[];

const PTRACE_TRACEME = 0n; // linux/ptrace.h
/** Sends nothing; only asks whether it could be sent. */
const NO_SIGNAL = 0;
/** Parents that are gone through at most; a tree of processes is not as deep. */
const MOST_PARENTS = 256;

/** Whether the thread that a call names belongs to the run: below `hamr`, and not `hamr` itself. */
export function is_inside_sandbox(libc: Libc, asked: Notification): boolean {
  const second = is_syscall(libc, asked, "setpriority") || is_syscall(libc, asked, "ioprio_set");
  const tid = Number(BigInt.asIntN(32, asked.args[second ? 1 : 0]));
  return is_below(libc, tid > 0 ? process_of(libc, tid) : null);
}

/**
 * 0 if a call may signal whom it names: anybody but hamr, by the id of any of its threads. What nobody has is asked for first:
 * a thread of hamr could get it in the meantime.
 */
export function signal_fault(libc: Libc, asked: Notification): number {
  const id = Number(BigInt.asIntN(32, asked.args[is_syscall(libc, asked, "fcntl") ? 2 : 0]));
  const group_of = (tid: number) => libc.call("getpgid", [tid]);
  if (id === 0 && is_syscall(libc, asked, "kill")) {
    return group_of(asked.tid) === group_of(0) ? errno_of("EPERM") : 0;
  }
  const esrch = errno_of("ESRCH");
  if (libc.call("kill", [id, NO_SIGNAL]) < 0 && libc.errno() === esrch) return esrch;
  return libc.call("tgkill", [Deno.pid, id, NO_SIGNAL]) === 0 ? errno_of("EPERM") : 0;
}

/** Whether a program may be traced: not git, hooks and the verify command, whose word hamr takes and which are in hamr's own sessions. */
export function may_trace(libc: Libc, { tid, args }: Notification): boolean {
  const tracer = read_process(libc, tid);
  // The parent of the one who asks; if it ends in the meantime, `hamr` gets a child that only stops itself.
  if (BigInt.asIntN(32, args[0]) === PTRACE_TRACEME) return is_below(libc, tracer?.parent ?? null);
  const target = read_process(libc, Number(BigInt.asIntN(32, args[1])));
  if (tracer === null || target === null) return false;
  if (target.session === tracer.session) return true;
  const leader = read_process(libc, target.session);
  return target.session !== read_process(libc, Deno.pid)?.session &&
    (leader === null || leader.ended || leader.parent !== Deno.pid);
}

function is_below(libc: Libc, start: number | null): boolean {
  let process = start;
  if (process === Deno.pid) return false;
  for (let parents = 0; parents < MOST_PARENTS && process !== null && process > 1; parents++) {
    process = read_process(libc, process)?.parent ?? null;
    if (process === Deno.pid) return true;
  }
  return false;
}
