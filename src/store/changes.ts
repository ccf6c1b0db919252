/** What a session has done to the files of its workspace, out of its rows. */
import { content_of } from "./contents.ts";
import type { DatabaseSync } from "./database.ts";
import {
  type BaselineRow,
  type ChangeRow,
  type FileState,
  type FileStep,
  type Listing,
  same_state,
  SOMETHING,
} from "./file_state.ts";
import { rows_in } from "./sessions.ts";

/** One run of a session, as far as it may have changed files. */
export interface Run {
  /** The number of its baseline. */
  readonly run: number;
  /** Of the session, when it began. */
  readonly step: number;
  readonly baseline: BaselineRow;
  /** How the workspace was then. */
  readonly listing: Listing;
  readonly changes: readonly (ChangeRow & { readonly step: number })[];
  /** It came to its end: all that it did has been told. */
  readonly ended: boolean;
}

/** Something that happened to one file. */
export interface FileEvent extends FileStep {
  readonly run: number;
  readonly step: number;
  /** `unknown`: it was found afterwards, where a run was cut off; it may have been anybody. */
  readonly by: "session" | "undo" | "unknown";
  /** Of an undo: which step was put back, or all. */
  readonly undo?: number | "all";
}

/** The runs of a session, in their order. Rejects where the file is damaged. */
export async function runs_of(db: DatabaseSync, session: number): Promise<readonly Run[]> {
  const changes = (await rows_in(db, { session, table: "changes" }))
    .map(({ step, body }) => ({ ...JSON.parse(body) as ChangeRow, step }));
  const runs: Run[] = [];
  for (const { nth, step, body } of await rows_in(db, { session, table: "baselines" })) {
    const baseline = JSON.parse(body) as BaselineRow;
    const own = changes.filter(({ run }) => run === nth);
    const listing = await listing_of(db, baseline.listing);
    const ended = own.some(({ last }) => last);
    runs.push({ run: nth, step, baseline, listing, changes: own, ended });
  }
  const lost = changes.find((change) => runs.every(({ run }) => run !== change.run));
  if (lost !== undefined) throw new Error(`row ${lost.run} of baselines is missing`);
  return runs;
}

/** All that is known of each file, in its order. `now`: how the workspace is, where the last run was cut off. */
export function events_of(runs: readonly Run[], now: Listing | null): Map<string, FileEvent[]> {
  const events = new Map<string, FileEvent[]>();
  const add = (event: FileEvent) =>
    events.set(event.path, [...events.get(event.path) ?? [], event]);
  for (const [at, one] of runs.entries()) {
    const { run, changes } = one;
    for (const { files, step, undo } of changes) {
      const by = undo === undefined ? { by: "session" as const } : { by: "undo" as const, undo };
      for (const file of files) add({ ...file, run, step, ...by });
    }
    const next = runs[at + 1]?.listing ?? now;
    if (one.ended || next === null) continue;
    const step = changes.at(-1)?.step ?? one.step;
    for (const file of untold(one, next)) add({ ...file, run, step, by: "unknown" });
  }
  return events;
}

/** How files differ, after a run that was cut off, from what it had told. */
function untold({ baseline, listing, changes }: Run, next: Listing): readonly FileStep[] {
  const told = states_of(listing);
  for (const { files } of changes) {
    for (const { path, after, unwatched } of files) if (!unwatched) told.set(path, after);
  }
  const found = states_of(next);
  const paths = [...new Set([...told.keys(), ...found.keys()])].sort();
  // What such rules no longer cover comes into sight, and has always been there: keys, downloaded packages.
  const other_rules = paths.filter((path) =>
    /(^|\/)\.gitignore$/.test(path) &&
    !same_state(told.get(path) ?? null, found.get(path) ?? null)
  ).map((path) => path.slice(0, path.lastIndexOf("/") + 1));
  return paths.flatMap((path) => {
    const [before, after] = [told.get(path) ?? null, found.get(path) ?? null];
    // Where not all files are watched, none is known to be new or gone.
    if (baseline.overflow && (before === null || after === null)) return [];
    const same = same_state(before, after) ||
      before !== null && after !== null && before.hash === null && before.mode === after.mode;
    if (same) return [];
    const is_uncovered = before === null && other_rules.some((folder) => path.startsWith(folder));
    return [{ path, before: is_uncovered ? SOMETHING : before, after }];
  });
}

function states_of({ files }: Listing): Map<string, FileState | null> {
  return new Map(files.map(([path, mode, hash]) => [path, { mode, hash }]));
}

async function listing_of(db: DatabaseSync, hash: string): Promise<Listing> {
  const bytes = await content_of(db, hash);
  if (bytes === null) throw new Error("the listing of a workspace is missing in the store");
  return JSON.parse(new TextDecoder().decode(bytes)) as Listing;
}
