import type { Libc } from "../kernel/libc.ts";
import { list_ids, read_text } from "../kernel/proc_fs.ts";

/** A line of /proc/PID/stat, as far as it is needed. */
export interface Process {
  readonly pid: number;
  /** It has ended, all its threads have, and it only waits for its parent to notice. */
  readonly ended: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The number of the terminal that controls it; 0 for none. */
  readonly terminal: number;
  /** In clock ticks since boot: tells a process from a later one with the same id. */
  readonly started: number;
}

export function read_process(libc: Libc, pid: number): Process | null {
  // `PID (NAME) STATE PPID PGRP SESSION …`, where NAME may hold anything; STARTTIME is field 22 (proc(5)).
  const line = read_text(libc, `/proc/${pid}/stat`);
  if (line === null || line === "") return null;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const number = (field: number) => Number(fields[field - 3]);
  return {
    pid,
    // Its first thread may be gone before others, which the kernel does not let go of yet.
    ended: (fields[0] === "Z" || fields[0] === "X") && number(20) <= 1,
    parent: number(4),
    group: number(5),
    session: number(6),
    terminal: number(7),
    started: number(22),
  };
}

/** The processes whose parent is `pid`, ended ones included. */
export function children_of(libc: Libc, pid: number): Process[] {
  return child_ids(libc, pid).flatMap((child) => read_process(libc, child) ?? []);
}

/** Every living process below `pid`, by its children: 0.03 ms each. One that changes its parent meanwhile can be missed. */
export function tree_below(libc: Libc, pid: number): Process[] {
  return follow(pid, (parent) => children_of(libc, parent));
}

/** As {@link tree_below}, by reading all of /proc first: nothing is missed for changing its parent, but it takes longer (3 ms for 80 processes). */
export function scan_below(libc: Libc, pid: number): Process[] {
  const all = list_ids(libc, "/proc").flatMap((id) => read_process(libc, id) ?? []);
  const by_parent = Map.groupBy(all, ({ parent }) => parent);
  return follow(pid, (parent) => by_parent.get(parent) ?? []);
}

function follow(top: number, children: (pid: number) => readonly Process[]): Process[] {
  const found: Process[] = [];
  const seen = new Set<number>();
  const queue = [top];
  for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
    for (const child of children(parent)) {
      if (seen.has(child.pid)) continue;
      seen.add(child.pid);
      queue.push(child.pid);
      if (!child.ended) found.push(child);
    }
  }
  return found;
}

/** The ids of the processes whose parent is `pid`, ended ones included. Each of its threads has a list of those it started or was given. */
export function child_ids(libc: Libc, pid: number): number[] {
  const ids: number[] = [];
  for (const tid of list_ids(libc, `/proc/${pid}/task`)) {
    const list = started_by(libc, pid, tid);
    // A kernel built without CONFIG_PROC_CHILDREN has no such list.
    if (list === null && tid === pid) {
      return list_ids(libc, "/proc").filter((id) => read_process(libc, id)?.parent === pid);
    }
    ids.push(...list ?? []);
  }
  return ids;
}

function started_by(libc: Libc, pid: number, tid: number): number[] | null {
  const list = read_text(libc, `/proc/${pid}/task/${tid}/children`);
  return list === null ? null : list.split(" ").filter((id) => id !== "").map(Number);
}

/** Children of this process that another of its threads has started, for a sandbox of its own; the first thread gets those that lose their parent. */
export function started_beside(libc: Libc): ReadonlySet<number> {
  const own = libc.call("gettid", []);
  const beside = list_ids(libc, "/proc/self/task").filter((tid) => tid !== Deno.pid && tid !== own);
  return new Set(beside.flatMap((tid) => started_by(libc, Deno.pid, tid) ?? []));
}
