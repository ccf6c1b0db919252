/** What is stored about files that a session changed, to undo it. Plain data: it crosses threads. */

export interface FileState {
  /** With its type: a link's content is its target. */
  readonly mode: number;
  /** SHA-256 of the content, hex; null if it is not known. */
  readonly hash: string | null;
}

/** Stands for a file of which nothing is known but that it was there, or may have been. */
export const SOMETHING: FileState = { mode: 0, hash: null };

/** What became of one file; null if there is none. */
export interface FileStep {
  /** Relative to the workspace; absolute for a file elsewhere. */
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** The uppermost folder that came with it, `/` at the end. */
  readonly made?: string;
  /** What is there after it was there before the run, in a place that hamr did not look at. */
  readonly moved?: true;
}

/** One file of a workspace: path, mode (0: absent), and where its content is: its id in git, its place in a pack, or null for nowhere. */
export type Listed = readonly [
  path: string,
  mode: number,
  content: string | null | readonly [pack: number, from: number, length: number],
];

/** A workspace before the first command of a run. Stored as a content: an unchanged one takes no room twice. */
export interface Listing {
  /** What is not as git has it in `trees`. */
  readonly files: readonly Listed[];
  /** Folders, `/` at the end, and the id of the tree that git has for each. */
  readonly trees: readonly (readonly [path: string, id: string])[];
  /** Contents with what many files held, by their hashes. They are only there as long as a command is under way, or was cut off. */
  readonly packs: readonly string[];
  /** There are more than are watched. */
  readonly overflow?: true;
}

/** A row of `changes`, in the order in which things happened; `step`: its own, where it is written down in a later one. */
export type ChangeRow =
  & { step?: number }
  & (
    /** A command is about to run. */
    | {
      readonly kind: "begin";
      readonly call: string;
      /** Milliseconds since 1970. */
      readonly at: number;
      /** What has changed since the last look: by whomever, but not by the run. */
      readonly files: readonly FileStep[];
      /** With the first command of a run: the hash of the {@link Listing}. */
      readonly listing?: string;
    }
    /** What a command has changed that has ended, or (`wrote`) what a tool is about to write. */
    | {
      readonly kind: "done" | "wrote";
      readonly call: string;
      readonly files: readonly FileStep[];
      /** What it changed besides, that nobody can put back. */
      readonly beyond?: readonly string[];
      /** There are more files than are watched. */
      readonly overflow?: true;
    }
    /** An undo: these were put back. */
    | {
      readonly kind: "undo";
      readonly of: UndoneSteps;
      readonly files: readonly FileStep[];
      /** It only begins: unless another row follows, it was killed. */
      readonly begun?: true;
      /** Milliseconds since 1970; absent in rows of before this was noted. */
      readonly from_to?: readonly [from: number, to: number];
    }
    /** What the last of those took away was brought back. */
    | {
      readonly kind: "redo";
      readonly files: readonly FileStep[];
      readonly begun?: true;
      readonly from_to?: readonly [from: number, to: number];
    }
  );

/** What one step did, it and all later ones, or all. */
export type UndoneSteps = number | { readonly since: number } | "all";

/** Whether what a step did was put back with that. */
export function is_undone(step: number, of: UndoneSteps): boolean {
  return of === "all" || (typeof of === "number" ? step === of : step >= of.since);
}

export function same_state(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mode === b.mode && a.hash === b.hash && a.hash !== null;
}
