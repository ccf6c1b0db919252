/** Access to folders: each name is looked up in a folder that is already open. */
import { exists } from "../permission/paths.ts";

/** Words of {@link Folders.stat}: mode, inode, size, ctime and mtime, and one of the caller's. Equal words mean equal content. */
export const STAT_WORDS = 8;
const COMPARED = 7;
export const MODE = 0, INODE = 1, SIZE = 2, CTIME = 3, CTIME_NS = 4, MTIME = 5, MTIME_NS = 6;
export const OWN = 7;

/** What a folder holds: names that end in NUL, one behind the other. */
export interface FolderListing {
  /** Regular files and links. */
  readonly files: Uint8Array<ArrayBuffer>;
  readonly folders: Uint8Array<ArrayBuffer>;
}

/** A system's way to look at folders. A folder is a number; names end in NUL. */
export interface Folders {
  /** Milliseconds: what changed within this time may change once more and look the same. */
  readonly tick_ms: number;
  /** -1 where there is none, it is a link, or it can't be entered. One that can't be listed may be open for names that are known. Without a parent the name is a path. */
  open(parent: number | null, name: Uint8Array<ArrayBuffer>): number;
  close(folder: number): void;
  list(folder: number): FolderListing | null;
  /** How a file looks, or with an empty name the folder itself; false if it is gone, or closed to us. */
  stat(folder: number | null, name: Uint8Array<ArrayBuffer>, into: Uint32Array): boolean;
  /** When a file was made, in milliseconds since 1970; null if that is not known, or it has other names. */
  born(folder: number | null, name: Uint8Array<ArrayBuffer>): number | null;
  /** Hands over the content of a file or the target of a link, piece by piece, up to `size`; false if it cannot be read. */
  read(folder: number, name: Uint8Array<ArrayBuffer>, how: ReadPlan): boolean;
  /** Removes a file or a link; whether that was done. */
  remove(folder: number, name: Uint8Array<ArrayBuffer>): boolean;
}

/** How much is read of what, and who takes it; a piece is only good until the next. */
export interface ReadPlan {
  readonly mode: number;
  readonly size: number;
  take(piece: Uint8Array<ArrayBuffer>): void;
}

export const FILE_TYPE = 0o170000;
export const LINK = 0o120000;
const REGULAR = 0o100000;
/** Type and permissions. */
export const MODE_BITS = 0xffff;
/** Some file systems keep whole seconds (ext3, ext4 made for it, NFS on one), FAT every other one. */
const COARSE_MS = 2000;
/** Deno tells `ctime` in whole seconds (measured with 2.6.10 and 2.9.6). */
export const DENO_TICK_MS = COARSE_MS + 20;

/** A name as these calls take it. */
export function name_bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Stands for bytes that are no UTF-8. */
export const NO_TEXT = "\ufffd";

/** The names of a block; a byte that is not text becomes U+FFFD. */
export function names_in_block(block: Uint8Array): string[] {
  if (block.length === 0) return [];
  return decoder.decode(block.subarray(0, -1)).split("\0");
}

/** The names of a block that are kept; `keeps` is told where a name begins and where the next one does. */
export function filtered(
  block: Uint8Array<ArrayBuffer>,
  names: readonly string[],
  keeps: (name: string, from: number, end: number) => boolean,
): Uint8Array<ArrayBuffer> {
  let from = 0, to = 0;
  for (const name of names) {
    let end = from;
    while (block[end++] !== 0);
    if (keeps(name, from, end)) {
      if (to !== from) block.copyWithin(to, from, end);
      to += end - from;
    }
    from = end;
  }
  return to === block.length ? block : block.slice(0, to);
}

/** One name, up to its NUL. */
export function text_of_name(name: Uint8Array): string {
  return names_in_block(name.subarray(0, name.indexOf(0) + 1))[0] ?? "";
}

export function size_of(words: Uint32Array, at = 0): number {
  return (words[at + MODE]! >>> 16) * 2 ** 32 + words[at + SIZE]!;
}

/** When it changed, in milliseconds. */
export function changed_at(words: Uint32Array, at = 0): number {
  return words[at + CTIME]! * 1000 + words[at + CTIME_NS]! / 1e6;
}

/** Whether it changed since then (milliseconds since 1970), as exactly as its file system tells: whole seconds may be all it keeps. */
export function changed_since(words: Uint32Array, at: number, since: number): boolean {
  return changed_at(words, at) >= since - (words[at + CTIME_NS] === 0 ? COARSE_MS : 0);
}

/** A file as no other one is, wherever it is moved: inodes are used again. `born`: milliseconds since 1970. */
export function identity(inode: number, born: number): string {
  return `${inode}:${Math.floor(born)}`;
}

/** Whether a file made at `born` was there at `began`, by the file system's clock (`latest` change). Milliseconds since 1970. */
export function existed_at(
  born: number,
  { began, latest }: { began: number; latest: number },
  { tick_ms }: Pick<Folders, "tick_ms">,
): boolean {
  const now = Date.now();
  const tick = tick_ms + (born % 1000 === 0 ? COARSE_MS : 0);
  return Math.min(latest, now) - born > now - began + tick;
}

export function same_looks(a: Uint32Array, at: number, b: Uint32Array): boolean {
  for (let word = 0; word < COMPARED; word++) if (a[at + word] !== b[word]) return false;
  return true;
}

/** The same numbers with room for as many more. */
export function doubled<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(full: T): T {
  const larger = new (full.constructor as new (length: number) => T)(2 * full.length);
  larger.set(full);
  return larger;
}

/** The name of a folder in itself. */
export const EMPTY = new Uint8Array(1);

export function stat_has_content(words: Uint32Array): boolean {
  const type = words[MODE]! & FILE_TYPE;
  return type === REGULAR || type === LINK;
}

/** What makes a folder a repository; and of that, what is in one that can't be listed. */
export function git_names_in(folder: string): readonly string[] {
  return [".git", "HEAD", "objects", "refs", "commondir"].filter((name) =>
    exists(`${folder}${name}`)
  );
}
