/** What a look at a folder takes and returns. */

/** Which files are not looked at. Paths are relative to the folder, that of a folder ends in `/`. */
export interface Ignoring {
  ignores(path: string): boolean;
  /** Reads the rules of a folder now, unless that was done before. */
  enter(folder: string, names: readonly string[]): void;
}

/** Hears the names in each folder that has come or changed, then of each file in it, ignored or not: relative to the workspace, or absolute. */
export interface FolderListener {
  enter(folder: string, names: readonly string[]): void;
  file?(path: string, mode: number): void;
  leave(folder: string): void;
}

/** What is known of a file's content: its hash, its entry in git's index, its place in the stash, or nothing. */
export type Knowledge =
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "git"; readonly entry: number }
  | { readonly kind: "stashed"; readonly nth: number }
  | { readonly kind: "nothing" };

/** Where a content lies: in which pack (its hash), from which byte on, and how many bytes. */
export type InPack = readonly [pack: string, from: number, length: number];

export interface Was {
  readonly mode: number;
  readonly size: number;
  readonly known: Knowledge;
}

/** A file that does not look as it did. */
export interface Different {
  /** Relative to the folder that is looked at. */
  readonly path: string;
  readonly was: Was | null;
  readonly mode: number | null;
  readonly size: number;
  /** It has not been seen to look differently, but may be another one all the same. */
  readonly only_young: boolean;
  /** It has come into sight, and may have been there all along: nobody has changed it. */
  readonly learned: boolean;
  /** It is older than the first look, and not from where that looked: it was moved here. */
  readonly older: boolean;
  /** When it was made, in milliseconds since 1970; null where it has not come, or nothing tells. */
  readonly born: number | null;
  /** For {@link Look.know}. */
  readonly place: FileSlot;
}

export interface FileSlot {
  readonly looks: Uint32Array;
  readonly at: number;
}

export interface Folder {
  names: Uint8Array<ArrayBuffer>;
  folders: Uint8Array<ArrayBuffer>;
  /** `WORDS` (folders.ts) a file; the last one is its entry in git's index, a number of what else is known of it, or 0. */
  looks: Uint32Array;
  readonly own: Uint32Array;
  /** It may have changed within the tick in which it was listed. */
  young: boolean;
  readonly ignored: string[];
}

export interface Gaps {
  /** Whether there are more files than are watched. */
  readonly overflow: boolean;
  /** Places that can't be looked at, and could be before, or should be. */
  readonly closed: readonly string[];
  /** Changed files of which nobody knows what they held. */
  readonly lost: readonly string[];
  /** What calls changed under names that are not UTF-8, U+FFFD for what is not text. */
  readonly unnamed: readonly string[];
}
