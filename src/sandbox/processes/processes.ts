import { type Libc, linux_libc } from "../kernel/libc.ts";
import { read_text } from "../kernel/proc_fs.ts";
import { sweep } from "./sweep.ts";
import {
  child_ids,
  children_of,
  type Process,
  read_process,
  scan_below,
  started_beside,
  tree_below,
} from "./process_tree.ts";
import { sleep_sync } from "../../config/within.ts";

interface EndOptions {
  /** Gives up after this many milliseconds. Default: never. */
  readonly limit_ms?: number;
  /** From `apply`, on its thread; elsewhere it does nothing. Ends everything inside at once: without it a process that forks endlessly may win. */
  readonly sweep_key?: bigint | null;
  /** Only processes of these sessions, besides what the sweep ends, and they are cleared from the process table: there are other children. */
  readonly sessions?: ReadonlySet<number>;
}

/** Between two looks: the kernel needs a moment to take a killed process down. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;
const SIGKILL = 9;
const WNOHANG = 1;

/**
 * The commands of the living processes that were started by this one, and not by each other. Those that detached themselves are
 * found as well: `apply` makes this process their new parent (PR_SET_CHILD_SUBREAPER). Threads, and processes that have ended,
 * are not listed, nor is what another thread has started for a sandbox of its own. Empty if there is no /proc.
 *
 * @param except processes that are not listed either, nor is the session that one of them leads
 * @param only sessions, likewise: no others are listed
 */
export function left_running(
  except: ReadonlySet<number>,
  only: ReadonlySet<number> | null,
): string[] {
  const libc = linux_libc();
  if (libc === null) return [];
  const beside = started_beside(libc);
  const living = tree_below(libc, Deno.pid)
    .filter(({ pid, session }) =>
      !except.has(pid) && !except.has(session) && !beside.has(session) &&
      (only === null || only.has(session))
    );
  const pids = new Set(living.map(({ pid }) => pid));
  return living.filter(({ parent }) => !pids.has(parent)).map(({ pid }) =>
    (read_text(libc, `/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ").trim() || `process ${pid}`
  );
}

/**
 * Whether there is a living process below this one that `counts`, whoever started it. Where that can't be known there may be.
 * `often`: without the sure way, which takes a millisecond and a half.
 */
export function runs_below(counts: (pid: number) => boolean, { often = false } = {}): boolean {
  const libc = linux_libc();
  if (libc === null) return true;
  return [tree_below, often ? tree_below : scan_below].some((below) =>
    below(libc, Deno.pid).some(({ pid }) => counts(pid))
  );
}

/**
 * Ends every descendant with SIGKILL and waits, blocking, until none is left or the limit is reached: what is killed ends only when the
 * kernel is done with its call, which is carried out. Never signals a process that is not a descendant.
 * @returns the ids of those still there: [] is success.
 */
export function end_descendants(
  { limit_ms = Infinity, sweep_key = null, sessions }: EndOptions,
): number[] {
  const libc = linux_libc();
  if (libc === null) return [];
  const deadline = performance.now() + limit_ms;
  let pause = SHORTEST_PAUSE_MS;
  for (;;) {
    if (sweep_key !== null) sweep(libc, sweep_key);
    if (sessions !== undefined) clear_ended_in(sessions);
    const left = sessions === undefined
      ? living(libc, sweep_key === null)
      : tree_below(libc, Deno.pid).filter(({ session }) => sessions.has(session));
    if (left.length === 0 || performance.now() > deadline) return left.map(({ pid }) => pid);
    end_each(libc, left);
    sleep_sync(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Reaps ended children that nobody waits for: those that detached themselves and were handed to this process. */
export function clear_ended_orphans(waited_for: ReadonlySet<number>): void {
  const libc = linux_libc();
  if (libc === null) return;
  const beside = started_beside(libc);
  for (const pid of child_ids(libc, Deno.pid)) {
    // Does nothing to one that is still alive.
    if (!beside.has(pid) && !waited_for.has(pid)) libc.call("wait4", [pid, 0, WNOHANG, 0]);
  }
}

/** The same at any time, of these sessions: until then each counts against a limit on processes. */
export function clear_ended_in(sessions: ReadonlySet<number>): void {
  const libc = linux_libc();
  if (libc === null) return;
  for (const child of children_of(libc, Deno.pid)) {
    // The first of a session is waited for by whoever started it.
    if (child.ended && child.pid !== child.session && sessions.has(child.session)) {
      libc.call("wait4", [child.pid, 0, WNOHANG, 0]);
    }
  }
}

/** Following children can miss one that is just being handed to a new parent; so "none" is asked twice, or by the sure way. */
function living(libc: Libc, surely: boolean): Process[] {
  const found = tree_below(libc, Deno.pid);
  if (found.length > 0) return found;
  return surely ? scan_below(libc, Deno.pid) : tree_below(libc, Deno.pid);
}

function end_each(libc: Libc, doomed: readonly Process[]): void {
  const own = read_process(libc, Deno.pid);
  const ended_groups = new Set<number>();
  for (const { pid, started } of doomed) {
    const now = read_process(libc, pid);
    // It has ended by itself, and its id may belong to another by now.
    if (now?.started !== started) continue;
    // A group is ended in one step, so a fork in it can't slip away. Only in a session that a descendant opened:
    // in hamr's own session a group may hold its neighbors in a pipeline.
    const { group, session } = now;
    if (own !== null && session !== own.session && group > 1 && !ended_groups.has(group)) {
      ended_groups.add(group);
      libc.call("kill", [-group, SIGKILL]);
    }
    libc.call("kill", [pid, SIGKILL]);
  }
}
