/** What crosses the hatch where files are put back. Plain data. */
import type { FileState, Listing } from "../store/file_state.ts";
import type { Passed } from "./passed.ts";

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
  /** What it shall be; null: nothing. */
  readonly to: { readonly state: FileState; readonly bytes: Uint8Array } | null;
}

/** What became of it. */
export type Put =
  /** `was`: how it was before that. */
  | { readonly kind: "done"; readonly was: FileState | null }
  /** It was so already. */
  | { readonly kind: "so_already" }
  /** It is not as expected. */
  | { readonly kind: "changed" }
  | { readonly kind: "failed"; readonly why: string };

/** What is asked of the tools worker. */
export type UndoRequest =
  /** How are these files now? */
  | { readonly kind: "look"; readonly paths: readonly string[] }
  /** How is all of the workspace, and what is not looked at? */
  | { readonly kind: "survey" }
  /** What do these hold now? */
  | { readonly kind: "contents"; readonly paths: readonly string[] }
  /** What has git under these ids? */
  | { readonly kind: "blobs"; readonly ids: readonly string[] }
  | { readonly kind: "put"; readonly files: readonly PutBack[] }
  /** Removes these folders, the first first, where they are empty. */
  | { readonly kind: "remove_empty"; readonly folders: readonly string[] }
  /** What is not looked at? */
  | { readonly kind: "passed" };

/** Answers, by the kind of the request. */
export interface UndoAnswers {
  readonly look: readonly Sight[];
  readonly survey: Listing;
  /** Null where it is too large, or cannot be read. */
  readonly contents: readonly (Uint8Array | null)[];
  /** Null where git does not have it, or cannot be asked. */
  readonly blobs: readonly (Uint8Array | null)[];
  readonly put: readonly Put[];
  readonly remove_empty: null;
  readonly passed: Omit<Passed, "empty">;
}
