/** What remains of a session: the files that differ from before it and have not been put back. */
import {
  type FileState,
  type FileStep,
  is_undone,
  same_state,
  type UndoneSteps,
} from "../store/file_state.ts";
import type { ChangeEvent, FileEvent } from "./events.ts";

export interface Left {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** The uppermost folder that came with it, `/` at the end; null if all were there. */
  readonly made: string | null;
  /** Why it is not simply put back; null if it is. */
  readonly doubt: string | null;
  /** An undo has found it as before: of a branch that was checked out, perhaps, which another one has replaced since. */
  readonly was_back?: boolean;
}

/** A file on the way through its events; `step`: the last one that changed it. */
type Open = Left & { readonly step: number };

/** What one event of a file after the other leaves of it. */
export class Chain {
  readonly #left = new Map<string, Open>();

  /** Of an event without a step: that of a call in the run under way. */
  add(event: FileStep & Partial<FileEvent>): void {
    const { path } = event;
    const old = this.#left.get(path);
    const whole = { step: 0, by: "session", ...event } as const;
    const left = old === undefined ? begun(whole) : gone_on(old, whole);
    // A file that was put back, or changed back, is as it was.
    if (left === null || same_state(left.before, left.after)) this.#left.delete(path);
    else this.#left.set(path, left);
  }

  get(path: string): Left | undefined {
    return this.#left.get(path);
  }

  /** The files that are not as before, in the order of their paths. */
  left(): readonly Left[] {
    return in_order([...this.#left.values()]);
  }
}

/** What all of the session has left, or a step and all later ones, by the events of each file. */
export function left_by_all(
  events: ReadonlyMap<string, readonly FileEvent[]>,
  since = 0,
): readonly Left[] {
  const chain = new Chain();
  for (const own of events.values()) {
    for (const event of standing(own)) if (event.step >= since) chain.add(event);
  }
  return chain.left();
}

/** Without what was put back as if it had never been: a file that a later step removed was an earlier one's. */
function standing(events: readonly FileEvent[]): readonly FileEvent[] {
  let kept: FileEvent[] = [];
  for (const event of events) {
    const { undo, after } = event;
    const left = undo === undefined ? kept : kept.filter(({ step }) => !is_undone(step, undo));
    const last = left.at(-1), [first = event] = kept;
    const is_back = same_state(last === undefined ? first.before : last.after, after);
    // What later steps made of an earlier one's is not what they would have made without it.
    const is_last = left.every((one, at) => one === kept[at]);
    const is_all_back = left.length === 0 && is_noop(event);
    if (undo !== undefined && is_back && is_last && !is_all_back) kept = left;
    else kept.push(event);
  }
  return kept;
}

/** Whether an undo has only found a file as before. */
function is_noop({ by, before, after }: FileEvent): boolean {
  return by === "undo" && same_state(before, after);
}

export function left_by_step(
  events: ReadonlyMap<string, readonly FileEvent[]>,
  step: number,
): readonly Left[] {
  const left = [...events.values()].map((own) => left_by_one(own, step));
  return in_order(left.filter((one) => one !== null));
}

/** What an undo took away; `before` is as it was until then. */
export function left_by_undo({ files }: LastUndo): readonly Left[] {
  return in_order(files.map((file) => ({ made: null, ...file, doubt: null })));
}

type LastUndo = Extract<ChangeEvent, { readonly kind: "undo" }>;

/** The last undo, with the files that were not brought back since; null if there is none. */
export function last_undo(rows: readonly ChangeEvent[]): LastUndo | null {
  const undone: LastUndo[] = [];
  for (const row of rows) {
    if (row.kind !== "undo" && row.kind !== "redo") continue;
    const last = row.kind === "undo" ? row : undone.pop();
    const back = new Set(row.kind === "undo" ? [] : row.files.map(({ path }) => path));
    const files = last?.files.filter(({ path }) => !back.has(path)) ?? [];
    if (last !== undefined && files.length > 0) undone.push({ ...last, files });
  }
  return undone.at(-1) ?? null;
}

/**
 * The last of `begins`, the first steps of tasks, with a change to take back. A file that the undo of a later task has left alone is
 * none, or it would hold up all undos before it; `again`: it is one.
 */
export function last_to_undo(rows: readonly ChangeEvent[], { events, begins, again }: {
  readonly events: ReadonlyMap<string, readonly FileEvent[]>;
  readonly begins: readonly number[];
  readonly again: boolean;
}): number | undefined {
  const tried = again ? [] : undone_from(rows);
  const left = (since: number) => left_by_all(events, since).map(({ path }) => path);
  return begins.findLast((since) => {
    const stays = new Set(tried.filter((one) => one > since).flatMap(left));
    return !tried.includes(since) && left(since).some((path) => !stays.has(path));
  });
}

/** From which steps on there were undos, without those that were brought back since. */
function undone_from(rows: readonly ChangeEvent[]): readonly number[] {
  const all: UndoneSteps[] = [];
  for (const row of rows) {
    if (row.kind === "undo" && row.begun !== true) all.push(row.of);
    if (row.kind === "redo" && row.begun !== true) all.pop();
  }
  return all.flatMap((of) => typeof of === "object" ? [of.since] : []);
}

function in_order(left: readonly Left[]): readonly Left[] {
  return left.toSorted((a, b) => a.path < b.path ? -1 : 1);
}

function begun(event: FileEvent): Open | null {
  const { path, before, after, made = null, step, by } = event;
  // What was put back without anybody being known to have changed it is as it was, too.
  if (by === "undo") return null;
  return { path, before, after, made, step, doubt: doubt_on(event) };
}

function gone_on(left: Open, event: FileEvent): Open | null {
  const { before, after, step, by } = event;
  if (is_noop(event)) return same_state(left.before, before) ? { ...left, was_back: true } : left;
  // Someone else has put it back: what the session does from here on begins there.
  if (same_state(left.before, before) && left.doubt === null) return begun(event);
  const between = step === left.step
    ? `in step ${step}`
    : `after step ${left.step}, before step ${step}`;
  const meanwhile = by === "session" && !same_state(left.after, before)
    ? `changed by someone else ${between}`
    : null;
  return {
    ...left,
    after,
    step,
    was_back: false,
    doubt: left.doubt ?? doubt_on(event) ?? meanwhile,
  };
}

function left_by_one(events: readonly FileEvent[], step: number): Left | null {
  const at = events.findIndex((event) => event.by === "session" && event.step === step);
  const last = events.findLastIndex((event) => event.by === "session" && event.step === step);
  const [begun, ended] = [events[at], events[last]];
  if (begun === undefined || ended === undefined) return null;
  const since = events.slice(last + 1);
  const undone = since.filter(({ undo }) => undo !== undefined && is_undone(step, undo));
  if (!undone.every(is_noop)) return null;
  const later = since.filter((event) => !undone.includes(event));
  const was_back = undone.length > 0;
  const { path, before, made = null } = begun;
  const { after } = ended;
  if (same_state(before, after)) return null;
  const newest = later.at(-1);
  if (newest === undefined || same_state(newest.after, after)) {
    const doubts = events.slice(at, last + 1).map(doubt_on).filter((doubt) => doubt !== null);
    return { path, before, after, made, was_back, doubt: doubts[0] ?? null };
  }
  const again = later.find(({ by }) => by !== "undo") ?? newest;
  const doubt = again.by === "unknown" ? untold(again.step) : `changed again in step ${again.step}`;
  return { path, before, after, made, was_back, doubt };
}

/** Why what one event says of a file is not simply taken back; null if it is. */
function doubt_on({ by, step, moved, seen_by }: FileEvent): string | null {
  if (by === "unknown") return untold(step);
  if (moved) return MOVED;
  return seen_by === undefined ? null : SEEN_BY[seen_by];
}

const SEEN_BY = {
  run: "it may be the change of another run, which was at work at the same time",
  undo: "it may be what an undo of another run put back at the same time",
};
const MOVED = "it is older than the run, which moved it here";

function untold(step: number): string {
  return `it changed in a command of step ${step} whose end was not saved: by the run or by someone else`;
}
