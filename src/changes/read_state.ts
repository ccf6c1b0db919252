/** The state of one file, read by raw calls. */
import { hasher } from "../permission/content_hash.ts";
import type { FileState } from "../store/file_state.ts";
import { KEEP_FILE_BYTES } from "./content_keeper.ts";
import {
  type Folders,
  MODE,
  MODE_BITS,
  name_bytes,
  type ReadPlan,
  size_of,
  stat_has_content,
  STAT_WORDS,
} from "./folders.ts";

interface FileReader {
  read(name: string, how: ReadPlan): boolean;
}

type SizeAndMode = Pick<ReadPlan, "mode" | "size">;

/** A content as long as it looked; null if it cannot be read. */
export function read_whole(
  from: FileReader,
  name: string,
  { mode, size }: SizeAndMode,
): Uint8Array<ArrayBuffer> | null {
  const bytes = new Uint8Array(size);
  let at = 0;
  const whole = from.read(name, {
    mode,
    size,
    take(piece) {
      bytes.set(piece, at);
      at += piece.length;
    },
  });
  return whole ? bytes.subarray(0, at) : null;
}

/** The hash of a content, without holding it; null if it cannot be read. */
export function hash_of(
  from: FileReader,
  name: string,
  { mode, size }: SizeAndMode,
): string | null {
  const hash = hasher("sha256", size);
  const whole = from.read(name, { mode, size, take: (piece) => hash.update(piece) });
  return whole ? hash.digest() : null;
}

/** Content of a larger file is not known: reading it takes a second for each of so many bytes. A disk image of 10 GiB took 17 s. */
const HASHED_BYTES = 512 * 1024 * 1024;

/** A file as it is now, its path absolute; null if there is none. No link is followed but those above its folder. */
export function file_state(raw: Folders, full: string): FileState | null {
  return in_folder(raw, full, (reader, how) => ({
    mode: how.mode,
    hash: how.size > HASHED_BYTES ? null : hash_of(reader, full, how),
  }));
}

/** The content of a file as it is now; null if there is none, it cannot be read, or it is too large to be kept. */
export function content_now(raw: Folders, full: string): Uint8Array<ArrayBuffer> | null {
  return in_folder(
    raw,
    full,
    (reader, how) => how.size > KEEP_FILE_BYTES ? null : read_whole(reader, full, how),
  );
}

function in_folder<T>(
  raw: Folders,
  full: string,
  work: (file: FileReader, how: SizeAndMode) => T,
): T | null {
  const slash = full.lastIndexOf("/");
  const folder = open_folder(raw, full.slice(0, slash) || "/");
  if (folder < 0) return null;
  try {
    const name = name_bytes(full.slice(slash + 1));
    const words = new Uint32Array(STAT_WORDS);
    if (!raw.stat(folder, name, words) || !stat_has_content(words)) return null;
    const how = { mode: words[MODE]! & MODE_BITS, size: size_of(words) };
    return work({ read: (_, reading) => raw.read(folder, name, reading) }, how);
  } finally {
    raw.close(folder);
  }
}

/** UTF-16 units of a path that the system takes at once: it has room for 4,096 bytes, and each may be three. */
const PIECE_CHARS = 1300;

/** Opens what may be too long for one call, a part after the other. Negative where that fails. */
function open_folder(raw: Folders, folder: string, above: number | null = null): number {
  const slash = folder.length > PIECE_CHARS ? folder.lastIndexOf("/", PIECE_CHARS) : 0;
  if (slash <= 0) return raw.open(above, name_bytes(folder));
  const top = raw.open(above, name_bytes(folder.slice(0, slash)));
  if (top < 0) return top;
  try {
    return open_folder(raw, folder.slice(slash + 1), top);
  } finally {
    raw.close(top);
  }
}
