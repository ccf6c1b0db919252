/** Finds and ends what a killed run has left running. */
import { errno_of } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { list_ids, read_text } from "../kernel/proc_fs.ts";
import { read_process } from "./process_tree.ts";
import { process_limit, REAPER, type RunMark } from "./run_mark.ts";
import { sleep_sync } from "../../config/within.ts";

interface Survivor {
  readonly pid: number;
  readonly name: string;
  readonly why: string;
}

interface EndedProcesses {
  /** How many were there and are gone; what hamr itself had put beside them does not count. */
  readonly ended: number;
  readonly left: readonly Survivor[];
}

/** Between SIGTERM and SIGKILL, as for a command that takes too long. */
const KILL_AFTER_MS = 2000;
/** After SIGKILL a process goes at once, unless the kernel is waiting for a disk on its behalf. */
const GONE_AFTER_MS = 2000;
const PAUSE_MS = 20;
const SIGTERM = 15, SIGKILL = 9;

/** Ends every process with this mark, for 4 seconds at most, once the run is gone. The mark is checked just before, so no other is hit. */
export function end_survivors(libc: Libc, mark: RunMark): EndedProcesses {
  const seen = new Set<number>();
  const asked = new Set<number>();
  const began = performance.now();
  for (;;) {
    const waited = performance.now() - began;
    const there = list_ids(libc, "/proc").flatMap((pid) => {
      const limit = process_limit(libc, pid);
      if (limit === null || limit.hard < mark.first || limit.hard > mark.last) return [];
      // One that has ended waits for its parent.
      if (read_process(libc, pid)?.ended !== false) return [];
      return [{ pid, is_reaper: limit.soft === REAPER }];
    });
    const closed = new Set<number>();
    for (const { pid, is_reaper } of there) {
      if (!is_reaper) seen.add(pid);
      const by_force = is_reaper || waited >= KILL_AFTER_MS;
      if (!by_force && asked.has(pid)) continue;
      asked.add(pid);
      const sent = libc.call("kill", [pid, by_force ? SIGKILL : SIGTERM]) === 0;
      if (!sent && libc.errno() === errno_of("EPERM")) closed.add(pid);
    }
    if (there.length === 0) return { ended: seen.size, left: [] };
    const is_hopeless = there.every(({ pid }) => closed.has(pid));
    if (is_hopeless || waited > KILL_AFTER_MS + GONE_AFTER_MS) {
      const left = there.filter(({ is_reaper }) => !is_reaper).map(({ pid }) => ({
        pid,
        name: read_text(libc, `/proc/${pid}/comm`)?.trim() ?? "",
        why: closed.has(pid) ? "it is another user's" : "it does not end",
      }));
      return { ended: seen.size - left.length, left };
    }
    sleep_sync(PAUSE_MS);
  }
}
