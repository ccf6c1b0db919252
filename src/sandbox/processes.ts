import { type Libc, open_libc } from "./libc.ts";
import { list_ids, read_start } from "./proc_fs.ts";

/** A line of /proc/PID/stat, as far as it is needed. */
interface Process {
  readonly pid: number;
  /** `Z` and `X`: ended, and only waiting to be noticed. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since boot: tells a process from a later one with the same id. */
  readonly started: number;
}

/** How {@link end_descendants} works. */
export interface EndOptions {
  /** Gives up after this many milliseconds. Default 2000. */
  readonly limit_ms?: number;
  /** From `apply`: one call then ends everything inside at once. Without it a process that forks without end may win. */
  readonly sweep_key?: bigint | null;
  /**
   * Children that `Deno.Command` still waits for. Where given, all others that ended are cleared from the process table;
   * without it none are, since waiting for one of Deno's own would rob it of its exit code.
   */
  readonly waited_for?: ReadonlySet<number>;
}

const LIMIT_MS = 2000;
/** Between two looks: the kernel needs a moment to take a killed process down. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;
const SIGKILL = 9;
const WNOHANG = 1;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * The living processes that were started by this one, or by what it started. Those that detached themselves are
 * found as well: `apply` makes this process their new parent (PR_SET_CHILD_SUBREAPER). Threads and processes that have ended
 * are not listed. Empty where there is no /proc.
 */
export function descendants(): number[] {
  return open_on_linux() === null ? [] : living(open_libc()).map(({ pid }) => pid);
}

/**
 * Ends every descendant with SIGKILL and waits, blocking, until none is left or the limit is reached. Never signals a
 * process that is not a descendant.
 * @returns the ids of those still there: [] is success.
 */
export function end_descendants(options: EndOptions = {}): number[] {
  const libc = open_on_linux();
  if (libc === null) return [];
  const deadline = performance.now() + (options.limit_ms ?? LIMIT_MS);
  let pause = SHORTEST_PAUSE_MS;
  let left = living(libc);
  while (left.length > 0) {
    // All of this Landlock domain in one step, under the kernel's lock: nothing can fork away from it.
    if (typeof options.sweep_key === "bigint") {
      libc.call("kill", [-1, SIGKILL, options.sweep_key]);
    }
    end_each(libc, left);
    if (performance.now() > deadline) break;
    Atomics.wait(sleeper, 0, 0, pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    left = living(libc);
  }
  if (options.waited_for !== undefined) clear_ended(libc, options.waited_for);
  return left.map(({ pid }) => pid);
}

/**
 * Clears from the process table the children that have ended and that nobody waits for: those that detached themselves
 * and were handed to this process.
 */
export function clear_ended_orphans(waited_for: ReadonlySet<number>): void {
  const libc = open_on_linux();
  if (libc !== null) clear_ended(libc, waited_for);
}

function clear_ended(libc: Libc, waited_for: ReadonlySet<number>): void {
  for (const { pid, state, parent } of processes(libc)) {
    if (parent !== Deno.pid || state !== "Z" || waited_for.has(pid)) continue;
    libc.call("wait4", [pid, 0, WNOHANG, 0]);
  }
}

function open_on_linux(): Libc | null {
  return Deno.build.os === "linux" ? open_libc() : null;
}

function living(libc: Libc): Process[] {
  const children = new Map<number, Process[]>();
  for (const process of processes(libc)) {
    const siblings = children.get(process.parent);
    if (siblings === undefined) children.set(process.parent, [process]);
    else siblings.push(process);
  }
  const found: Process[] = [];
  const queue = [Deno.pid];
  for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
    for (const child of children.get(parent) ?? []) {
      queue.push(child.pid);
      if (child.state !== "Z" && child.state !== "X") found.push(child);
    }
  }
  return found;
}

function end_each(libc: Libc, doomed: readonly Process[]): void {
  const own = look(libc, Deno.pid);
  const ended_groups = new Set<number>();
  for (const { pid, started } of doomed) {
    const now = look(libc, pid);
    // It has ended by itself, and its id may belong to another by now.
    if (now?.started !== started) continue;
    // A group is ended in one step, so a fork in it can't slip away. Only in a session that a descendant opened:
    // in hamr's own session a group may hold its neighbours in a pipeline.
    const { group, session } = now;
    if (own !== null && session !== own.session && group > 1 && !ended_groups.has(group)) {
      ended_groups.add(group);
      libc.call("kill", [-group, SIGKILL]);
    }
    libc.call("kill", [pid, SIGKILL]);
  }
}

function processes(libc: Libc): Process[] {
  const found: Process[] = [];
  for (const pid of list_ids(libc, "/proc")) {
    const process = look(libc, pid);
    if (process !== null) found.push(process);
  }
  return found;
}

/** `PID (NAME) STATE PPID PGRP SESSION …`, where NAME may hold anything; STARTTIME is field 22 (proc(5)). */
function look(libc: Libc, pid: number): Process | null {
  const line = read_start(libc, `/proc/${pid}/stat`);
  if (line === null) return null;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const number = (field: number) => Number(fields[field - 3]);
  return {
    pid,
    state: fields[0] ?? "",
    parent: number(4),
    group: number(5),
    session: number(6),
    started: number(22),
  };
}
