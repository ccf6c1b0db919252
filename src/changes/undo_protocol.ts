/** Messages to the tools worker for putting files back. Plain data. */
import type { FileState } from "../store/file_state.ts";

export interface PathState {
  readonly state: FileState | null;
  /** What else is there, or above it; null if nothing does. */
  readonly obstacle: string | null;
}

export interface PutBack {
  readonly path: string;
  /** As it has to be now; `"whatever"`: anything may go. */
  readonly expected: FileState | null | "whatever";
  /** As the session left it: of that there is a copy. */
  readonly known: FileState | null;
  /** What it shall be; null: nothing. */
  readonly to: { readonly state: FileState; readonly bytes: Uint8Array } | null;
}

export type Put =
  | {
    readonly kind: "done";
    readonly was: FileState | null;
    /** Where a copy of that is; null if it was as expected. */
    readonly copy: string | null;
  }
  | { readonly kind: "so_already" }
  | { readonly kind: "changed" }
  | { readonly kind: "failed"; readonly why: string };

/** A file of the workspace: its path, and its state where it may have changed since a moment. */
type Surveyed = readonly [path: string, state: FileState | null];

/** A file in a tree of git: its path there, mode and id. */
export type InTree = readonly [path: string, mode: number, id: string];

/** What the tools worker does where files are put back. */
export interface Undoing {
  look(paths: readonly string[]): readonly PathState[];
  /** Which files are there, and how are those that may have changed since then, in milliseconds since 1970? */
  survey(since: number): readonly Surveyed[];
  /** What do these hold now? Null if it is too large, or cannot be read. */
  contents(paths: readonly string[]): readonly (Uint8Array | null)[];
  /** What has git under these ids? Null if it has nothing, or cannot be asked. */
  blobs(ids: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
  /** Which files has git in these trees? Null if it does not have one, or cannot be asked. */
  trees(ids: readonly string[]): Promise<readonly (readonly InTree[] | null)[]>;
  put(files: readonly PutBack[]): readonly Put[];
  /** Removes these folders, the first first, where they are empty. */
  remove_empty(folders: readonly string[]): void;
}

export interface UndoRequest<K extends keyof Undoing = keyof Undoing> {
  readonly kind: K;
  readonly given: Parameters<Undoing[K]>[0];
}

export type UndoAnswer<K extends keyof Undoing = keyof Undoing> = Awaited<ReturnType<Undoing[K]>>;

/** Asks the tools worker, which alone touches the workspace. */
export type Ask = <K extends keyof Undoing>(
  kind: K,
  given: UndoRequest<K>["given"],
) => Promise<UndoAnswer<K>>;
