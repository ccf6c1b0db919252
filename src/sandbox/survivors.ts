/** What is left of a run that was killed, and its end. */
import { errno_of } from "./errno.ts";
import type { Libc } from "./libc.ts";
import { list_ids, read_text } from "./proc_fs.ts";
import { look_at } from "./process_tree.ts";
import { limit_of, REAPER, type RunMark } from "./run_mark.ts";

/** A process that could not be ended. */
export interface Survivor {
  readonly pid: number;
  /** Of its program. */
  readonly name: string;
  readonly why: string;
}

/** What became of them. */
export interface Ended {
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
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Ends every process with this mark, blocking, for 4 seconds at most. To be called only where the run is known to be gone.
 * No other process is ever signalled: the mark is looked at just before, and an id that is free again is not given
 * to another process until all others were in use.
 */
export function end_survivors(libc: Libc, mark: RunMark): Ended {
  const seen = new Set<number>();
  const asked = new Set<number>();
  const began = performance.now();
  for (;;) {
    const waited = performance.now() - began;
    const there = list_ids(libc, "/proc").filter((pid) => {
      const limit = limit_of(libc, pid);
      if (limit === null || limit.hard < mark.first || limit.hard > mark.last) return false;
      if (look_at(libc, pid)?.ended !== false) return false;
      const is_reaper = limit.soft === REAPER;
      if (!is_reaper) seen.add(pid);
      if (waited >= KILL_AFTER_MS || is_reaper) libc.call("kill", [pid, SIGKILL]);
      else if (!asked.has(pid)) libc.call("kill", [pid, SIGTERM]);
      asked.add(pid);
      return true;
    });
    if (there.length === 0) return { ended: seen.size, left: [] };
    if (waited > KILL_AFTER_MS + GONE_AFTER_MS) {
      const gone = [...seen].filter((pid) => !there.includes(pid)).length;
      return { ended: gone, left: there.map((pid) => survivor(libc, pid)) };
    }
    Atomics.wait(sleeper, 0, 0, PAUSE_MS);
  }
}

function survivor(libc: Libc, pid: number): Survivor {
  const is_closed = libc.call("kill", [pid, SIGKILL]) !== 0 && libc.errno() === errno_of("EPERM");
  return {
    pid,
    name: read_text(libc, `/proc/${pid}/comm`)?.trim() ?? "",
    why: is_closed ? "another user started it" : "it does not end",
  };
}
