/** What is remembered of the files of a workspace, so that a session can be undone. Plain data: it crosses a thread border. */

/** A file at one moment. */
export interface FileState {
  /** With its type: a link's content is its target. */
  readonly mode: number;
  /** SHA-256 of the content, hex; null where it is not known. */
  readonly hash: string | null;
}

/** Stands for a file of which nothing is known but that it was there, or may have been. */
export const SOMETHING: FileState = { mode: 0, hash: null };

/** What became of one file; null where there is none. */
export interface FileStep {
  /** Relative to the workspace; absolute for a file elsewhere, of which only this is known. */
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** Nobody looks at it but the tool that wrote it: it is ignored, or lies elsewhere. */
  readonly unwatched?: true;
}

/** One file of a workspace: its path, its mode, its hash, and the id of its content in git, where that has it. */
export type Listed = readonly [path: string, mode: number, hash: string | null, git?: string];

/** A workspace before the first change of a run. Stored as a content: an unchanged one takes no room twice. */
export interface Listing {
  readonly files: readonly Listed[];
  /** Folders with nothing in them, `/` at the end. */
  readonly empty: readonly string[];
}

/** The row of a run in `baselines`. */
export interface BaselineRow {
  /** Hash of its listing. */
  readonly listing: string;
  /** The workspace has more files than are watched. */
  readonly overflow: boolean;
  /** What commands may write besides the workspace. */
  readonly elsewhere: readonly string[] | "all";
}

/** A row of `changes`: what a step of a run did, or what was put back since. */
export interface ChangeRow {
  /** The number of the run's baseline. */
  readonly run: number;
  readonly files: readonly FileStep[];
  /** All that the run did has been told: it came to its end. */
  readonly last?: true;
  /** These were put back: what a step did, or all. */
  readonly undo?: number | "all";
}

/** Whether both are known to be the same. */
export function same_state(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mode === b.mode && a.hash === b.hash && a.hash !== null;
}
