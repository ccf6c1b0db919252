/** What a session did to files, from its rows. */
import { content_of } from "../store/contents.ts";
import type { DatabaseSync } from "../store/database.ts";
import {
  type ChangeRow,
  type FileState,
  type FileStep,
  type Listed,
  type Listing,
  same_state,
  SOMETHING,
  type UndoneSteps,
} from "../store/file_state.ts";
import { session_rows } from "../store/sessions.ts";
import type { InPack } from "./look_types.ts";

export type ChangeEvent = ChangeRow & { readonly step: number };

export interface FileEvent extends FileStep {
  readonly step: number;
  /** `unknown`: it was found afterwards, where a command was cut off; it may have been anybody. */
  readonly by: "session" | "undo" | "unknown";
  /** For an undo: what was put back. */
  readonly undo?: UndoneSteps;
  /** It brought back what an undo took away. */
  readonly redo?: true;
  /** What was at work at the same time and has seen it as well, or put the file back so: nobody knows whose it is. */
  readonly seen_by?: "run" | "undo";
}

/** How the files of a workspace were when a command began that never ended, and what is known of them later. */
export interface Cut {
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null: that could not be saved. */
  readonly then: FilesAt | null;
  /** How they were when the next run looked; null if none did. */
  readonly next: FilesAt | null;
  /** Files that were written later, or found to be others: how they were just before the first time, and after the last. */
  readonly later: ReadonlyMap<string, Pick<FileStep, "before" | "after">>;
  /** Behind which of the rows it stands. */
  readonly row: number;
}

export interface FilesAt {
  readonly files: ReadonlyMap<string, Then>;
  /** Folders whose files only git has. */
  readonly trees: Listing["trees"];
  readonly overflow: boolean;
}

/** A file then, and where its content is, where its hash is not known. */
export type Then = (FileState & { readonly at?: ContentSource }) | null;

/** Where a content is: in git, by its id there, or in a pack. */
export type ContentSource = string | InPack;

export interface FoundFile extends Pick<FileStep, "path" | "before" | "after"> {
  /** As it is now, where that is another state: it was changed again, or put back. */
  readonly now?: FileState | null;
}

/** The rows of a session. Rejects where the file is damaged. */
export async function rows_of(db: DatabaseSync, session: number): Promise<readonly ChangeEvent[]> {
  const rows: ChangeEvent[] = [];
  for (const { nth, step, body } of await session_rows(db, { session, table: "changes" })) {
    const row = JSON.parse(body) as ChangeRow;
    if (!Array.isArray(row.files)) throw new Error(`row ${nth} of changes: it is not a change`);
    rows.push({ ...row, step });
  }
  return rows;
}

export function has_changes(rows: readonly ChangeEvent[]): boolean {
  return rows.some((row, at) =>
    row.kind === "begin" ? !has_ended(rows, at) : row.kind !== "undo" && row.files.length > 0
  );
}

/** The commands that never ended. Rejects where the file is damaged. */
export async function cuts_of(
  db: DatabaseSync,
  rows: readonly ChangeEvent[],
): Promise<readonly Cut[]> {
  const cuts: Cut[] = [];
  for (const [row, begin] of rows.entries()) {
    if (begin.kind !== "begin" || has_ended(rows, row)) continue;
    const from = rows.findLastIndex((one, at) => at <= row && listing_of(one) !== null);
    const listed = await files_of(db, rows[from]);
    const files = new Map(listed?.files);
    for (const { files: steps } of rows.slice(from + 1, row + 1)) put(steps, files);
    const rest = rows.slice(row + 1);
    const next = rest.find((one) => listing_of(one) !== null);
    const later = new Map<string, Pick<FileStep, "before" | "after">>();
    for (const { path, before, after } of rest.flatMap(({ files }) => files)) {
      const known = later.get(path);
      later.set(path, { before: known === undefined ? before : known.before, after });
    }
    const { step, at } = begin;
    cuts.push({
      ...{ step, at, row, later, then: listed && { ...listed, files } },
      next: next === undefined ? null : await files_of(db, next),
    });
  }
  return cuts;
}

function put(steps: readonly FileStep[], files: Map<string, Then>): void {
  for (const { path, after } of steps) if (!path.startsWith("/")) files.set(path, after);
}

/** The files of a listing, and what its row says of others, which it does not cover; null where the disk was too full to save it. */
async function files_of(db: DatabaseSync, row: ChangeEvent | undefined): Promise<FilesAt | null> {
  const bytes = await content_of(db, listing_of(row) ?? "");
  if (bytes === null) return null;
  const { files, trees, packs, overflow = false } = JSON.parse(
    new TextDecoder().decode(bytes),
  ) as Listing;
  const then = (mode: number, content: Listed[2]): Then => {
    if (mode === 0) return null;
    if (content === null || typeof content === "string") {
      return { mode, hash: null, ...(content === null ? {} : { at: content }) };
    }
    const [pack, from, length] = content;
    return { mode, hash: null, at: [packs[pack] ?? "", from, length] };
  };
  const all = files.map(([path, mode, content]): [string, Then] => [path, then(mode, content)]);
  const listed = new Map(all);
  put(row?.files ?? [], listed);
  return { files: listed, trees, overflow };
}

/** What other sessions did to the same workspace. */
export interface Beside {
  /** Rows of runs at the same time. */
  readonly runs: readonly ChangeEvent[];
  /** Rows of undos at the same time, of runs that had ended before. */
  readonly undos: readonly ChangeEvent[];
}

/** All that is known of each file, in order. `found`: by commands that were cut off, or others. */
export function file_events(
  rows: readonly ChangeEvent[],
  cuts: readonly (Pick<Cut, "step" | "row"> & { readonly found: readonly FoundFile[] })[],
  { runs, undos }: Beside = { runs: [], undos: [] },
): Map<string, FileEvent[]> {
  const theirs = new Set<string>();
  for (const { kind, files } of runs) {
    // What it found when a command began was another's: perhaps this session's.
    if (kind === "begin") continue;
    for (const { path, before, after } of files) {
      if (kind === "undo") theirs.delete(made_of(path, before));
      else theirs.add(made_of(path, after));
    }
  }
  const put_back = put_back_by([...runs, ...undos]);
  const all = rows.flatMap((row, at): readonly FileEvent[] => {
    const { step, files } = row;
    const found = cuts.flatMap((cut) => cut.row === at ? cut.found : [])
      .map((file) => ({ ...file, step, by: "unknown" as const }));
    if (row.kind === "begin") return found;
    if (row.kind === "undo") {
      return [
        ...files.map((file) => ({ ...file, step, by: "undo" as const, undo: row.of })),
        ...found,
      ];
    }
    // What a tool writes is known to be its own.
    const seen_by = ({ path, after }: FileStep): Pick<FileEvent, "seen_by"> => {
      if (row.kind !== "done") return {};
      const made = made_of(path, after);
      if (theirs.has(made)) return { seen_by: "run" };
      return is_during(put_back.get(made) ?? [], { rows, at }) ? { seen_by: "undo" } : {};
    };
    const own = files.map((file) => ({
      ...{ ...file, step, by: "session" as const },
      ...(row.kind === "redo" ? { redo: true as const } : {}),
      ...seen_by(file),
    }));
    return [...own, ...found];
  });
  const by_path = Map.groupBy(all, ({ path }) => path);
  return new Map([...by_path].map(([path, events]) => [path, but_redone(events)]));
}

type FromTo = readonly [from: number, to: number];

/** When undos, and what took them back, made which state of a file. */
function put_back_by(rows: readonly ChangeEvent[]): ReadonlyMap<string, readonly FromTo[]> {
  const found = new Map<string, FromTo[]>();
  for (const row of rows) {
    if ((row.kind !== "undo" && row.kind !== "redo") || row.from_to === undefined) continue;
    for (const { path, before, after } of row.files) {
      if (same_state(before, after)) continue;
      const made = made_of(path, after);
      found.set(made, [...found.get(made) ?? [], row.from_to]);
    }
  }
  return found;
}

/** Whether one of `times` meets the command that has ended with row `at`. */
function is_during(
  times: readonly FromTo[],
  { rows, at }: { rows: readonly ChangeEvent[]; at: number },
): boolean {
  if (times.length === 0) return false;
  const begun = (row: ChangeEvent | undefined) => row?.kind === "begin" ? row.at : null;
  const began = begun(rows.findLast((row, nth) => nth < at && row.kind === "begin")) ?? 0;
  const next = begun(rows.find((row, nth) => nth > at && row.kind === "begin")) ?? Infinity;
  return times.some(([from, to]) => from <= next && to >= began);
}

/** Without each undo that was taken back, and what took it back: the file is again as its own steps left it. */
function but_redone(events: readonly FileEvent[]): FileEvent[] {
  const kept: FileEvent[] = [];
  for (const event of events) {
    const last = kept.at(-1);
    const is_back = event.redo === true && last?.by === "undo" &&
      same_state(last.before, event.after) && same_state(last.after, event.before);
    if (is_back) kept.pop();
    else kept.push(event);
  }
  return kept;
}

/** What was made of which file, to compare. What it was before says nothing: one command may see several steps of another run. */
function made_of(path: string, after: FileState | null): string {
  return JSON.stringify([path, after?.hash, after?.mode]);
}

/** What is certain of the changes found: files that came into sight may always have been there. */
export function as_far_as_known(
  all: readonly FoundFile[],
  overflow: boolean,
): readonly FoundFile[] {
  const found = all.filter(({ before, after }) => !same_state(before, after));
  // What such rules no longer cover comes into sight, and has always been there: keys, downloaded packages.
  const other_rules = found.filter(({ path, before, after, now = after }) =>
    /(^|\/)\.gitignore$/.test(path) && !same_state(before, now)
  )
    .map(({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
  return found.flatMap((one) => {
    const { path, before, after } = one;
    // Where not all files are watched, none is known to be new or gone.
    if (overflow && (before === null || after === null)) return [];
    const is_uncovered = before === null && other_rules.some((folder) => path.startsWith(folder));
    return [{ ...one, before: is_uncovered ? SOMETHING : before }];
  });
}

function listing_of(row: ChangeEvent | undefined): string | null {
  return row?.kind === "begin" ? row.listing ?? null : null;
}

/** Commands run one after the other. */
function has_ended(rows: readonly ChangeEvent[], begin: number): boolean {
  const next = rows.slice(begin + 1).find(({ kind }) => kind === "begin" || kind === "done");
  return next?.kind === "done";
}
