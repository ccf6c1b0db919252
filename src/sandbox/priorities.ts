/** Who may be given another priority, processor or scheduler: programs of the run, and nobody else. */
import type { Libc } from "./libc.ts";
import type { Notification } from "./notification.ts";
import { process_of } from "./other_process.ts";
import { look_at } from "./process_tree.ts";
import { type Syscall, syscall_number } from "./syscalls.ts";

/** The first argument names a thread; of the last two the second does. Everything else in them concerns only that thread. */
export const PRIORITY_CALLS = [
  ...["sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"] as const,
  ...["setpriority", "ioprio_set"] as const,
] satisfies Syscall[];

/** Parents that are gone through at most; a tree of processes is not as deep. */
const MOST_PARENTS = 256;

/** Whether the thread that a call names belongs to the run: below `hamr`, and not `hamr` itself. */
export function is_inside_sandbox(libc: Libc, { call, args }: Notification): boolean {
  const second = (["setpriority", "ioprio_set"] as const)
    .some((name) => syscall_number(name, libc.arch) === call);
  const tid = Number(BigInt.asIntN(32, args[second ? 1 : 0]));
  let process = tid > 0 ? process_of(libc, tid) : null;
  if (process === null || process === Deno.pid) return false;
  for (let parents = 0; parents < MOST_PARENTS && process !== null && process > 1; parents++) {
    process = look_at(libc, process)?.parent ?? null;
    if (process === Deno.pid) return true;
  }
  return false;
}
