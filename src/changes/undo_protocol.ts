/** What crosses the hatch where files are put back. Plain data. */
import type { FileState } from "../store/file_state.ts";

/** How a path is now. */
export interface Sight {
  readonly state: FileState | null;
  /** What else stands there, or above it; null where nothing does. */
  readonly obstacle: string | null;
}

/** A file that is to be as it was. */
export interface PutBack {
  readonly path: string;
  /** As it has to be now; `"whatever"`: anything may go. */
  readonly expected: FileState | null | "whatever";
  /** As the session left it: of that there is a copy. */
  readonly known: FileState | null;
  /** What it shall be; null: nothing. */
  readonly to: { readonly state: FileState; readonly bytes: Uint8Array } | null;
}

/** What became of it. */
export type Put =
  | {
    readonly kind: "done";
    /** How it was before that. */
    readonly was: FileState | null;
    /** Where a copy of that is; null where it was as expected. */
    readonly copy: string | null;
  }
  /** It was so already. */
  | { readonly kind: "so_already" }
  /** It is not as expected. */
  | { readonly kind: "changed" }
  | { readonly kind: "failed"; readonly why: string };

/** A file of the workspace: its path, and its state where it may have changed since a moment. */
export type Surveyed = readonly [path: string, state: FileState | null];

/** What is asked of the tools worker. */
export type UndoRequest =
  /** How are these files now? */
  | { readonly kind: "look"; readonly paths: readonly string[] }
  /** Which files are there, and how are those that may have changed since `since`, in milliseconds since 1970? */
  | { readonly kind: "survey"; readonly since: number }
  /** What do these hold now? */
  | { readonly kind: "contents"; readonly paths: readonly string[] }
  /** What has git under these ids? */
  | { readonly kind: "blobs"; readonly ids: readonly string[] }
  /** Which files has git in these trees: paths in the tree, modes and ids? */
  | { readonly kind: "trees"; readonly ids: readonly string[] }
  | { readonly kind: "put"; readonly files: readonly PutBack[] }
  /** Removes these folders, the first first, where they are empty. */
  | { readonly kind: "remove_empty"; readonly folders: readonly string[] };

/** Answers, by the kind of the request. */
export interface UndoAnswers {
  readonly look: readonly Sight[];
  readonly survey: readonly Surveyed[];
  /** Null where it is too large, or cannot be read. */
  readonly contents: readonly (Uint8Array | null)[];
  /** Null where git does not have it, or cannot be asked. */
  readonly blobs: readonly (Uint8Array | null)[];
  /** Null where git does not have it, or cannot be asked. */
  readonly trees:
    readonly (readonly (readonly [path: string, mode: number, id: string])[] | null)[];
  readonly put: readonly Put[];
  readonly remove_empty: null;
}
