/** What Git's index says about repositories and sparse folders, and whether Git would follow it out of the working tree. Names are bytes. */
import { folded } from "../config/folded.ts";

type Bytes = Uint8Array<ArrayBuffer>;

// gitformat-index(5)
const SIGNATURE = 0x44495243; // DIRC
const HEADER_BYTES = 12, STAT_BYTES = 40, EXTENDED = 0x4000, NAME_LENGTH = 0xfff;
/** The kind in a mode: git looks at no other bit of it, so 160644 is a repository, too. In the upper half of the second last byte. */
const MODE_AT = 26, KIND = 0xf0, GITLINK = 0xe0, FOLDER = 0x40;
/** SHA-1, and SHA-256. */
const ID_BYTES = [20, 32];
/** The extension of a split index, whose other part is beside it. */
const SPLIT = "link";
/** Extensions by which several threads of git read the entries: it believes them, so they have to say what one thread finds. */
const ENTRIES_END = "EOIE", OFFSETS = "IEOT";
/** Bytes of a path in an index: no longer one can be opened by its name. And of all paths kept, each with what it takes besides. */
const MOST_NAME = 4096, MOST_TAKEN = 64 * 1024 * 1024, BESIDES = 400;
/** Of an index that lists neither repositories nor sparse folders. */
export const NO_LINKS: Indexed = { links: [], sparse: [], astray: null, rest: null };
const TWO_FACED: Indexed = { ...NO_LINKS, astray: "" };
const SLASH = 0x2f, DOT = 0x2e, TILDE = 0x7e, SMALL_G = 0x67, LOWER = 0x20, BEYOND_ASCII = 0x80;

export interface Indexed {
  /** Paths of mode 160000, and folders that a sparse index does not take apart. */
  readonly links: readonly Bytes[];
  readonly sparse: readonly Bytes[];
  /** The first file that git would write outside the working tree or into a `.git`; empty if git may read other entries; null if none. */
  readonly astray: string | null;
  /** The file that holds the rest, a name; null if there is none. */
  readonly rest: string | null;
}

/** Takes an index apart; null if it is none, is damaged, is of a newer kind, or lists more than can be watched. */
export function links_of(bytes: Bytes): Indexed | null {
  const read: Indexed[] = [];
  for (const id_bytes of ID_BYTES) {
    try {
      read.push(take_apart(bytes, id_bytes));
    } catch (error) {
      if (error instanceof OtherEntries) return TWO_FACED;
      if (!(error instanceof RangeError)) throw error;
    }
  }
  // With ids of both kinds: which one git reads, its settings say.
  return read.length > 1 ? TWO_FACED : read[0] ?? null;
}

/** Git's threads would read others. */
class OtherEntries extends RangeError {}

/** Where git's threads begin to read entries, and how many each reads; empty if one reads all. `end`: of the entries. */
function blocks_of(
  bytes: Bytes,
  id_bytes: number,
): { readonly end: number | null; readonly blocks: readonly (readonly [number, number])[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const named = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  const last = bytes.length - id_bytes - (8 + 4 + id_bytes);
  if (last < HEADER_BYTES || named(last) !== ENTRIES_END) return { end: null, blocks: [] };
  const end = view.getUint32(last + 8);
  const blocks: (readonly [number, number])[] = [];
  for (let at = end; at < last; at += 8 + view.getUint32(at + 4)) {
    if (named(at) !== OFFSETS) continue;
    for (let one = at + 12; one + 8 <= at + 8 + view.getUint32(at + 4); one += 8) {
      blocks.push([view.getUint32(one), view.getUint32(one + 4)]);
    }
    break;
  }
  return { end, blocks };
}

function take_apart(bytes: Bytes, id_bytes: number): Indexed {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) throw new RangeError("kind");
  const links: Bytes[] = [], sparse: Bytes[] = [];
  // Only of version 4: there a name is told from the one before, and a small file may have a long name for each of its entries.
  const last = new Uint8Array(MOST_NAME);
  let astray: string | null = null;
  // Where the name under way is: a view of each would take as long as all the rest.
  let names = bytes, from = 0, length = 0;
  let at = HEADER_BYTES, taken = 0;
  const { end: end_of_entries, blocks } = blocks_of(bytes, id_bytes);
  let block = 0, left_in_block = 0;
  for (let left = view.getUint32(8); left > 0; left--) {
    const was_in = block;
    while (left_in_block === 0 && block < blocks.length) {
      const [begins, entries] = blocks[block++]!;
      if (begins !== at) throw new OtherEntries();
      left_in_block = entries;
    }
    left_in_block--;
    // By bytes, and no name becomes text that is not needed: a listing may have 100,000 entries.
    const start = at;
    at += STAT_BYTES + id_bytes;
    if (at + 2 > bytes.length) throw new RangeError("end");
    const kind = (bytes[start + MODE_AT] as number) & KIND;
    const flags = (bytes[at] as number) << 8 | (bytes[at + 1] as number);
    at += (flags & EXTENDED) === 0 ? 2 : 4;
    if (version === 4) {
      let byte = view.getUint8(at++), cut = byte & 127;
      while (byte & 128) {
        byte = view.getUint8(at++);
        cut = ((cut + 1) << 7) + (byte & 127);
      }
      const end = bytes.indexOf(0, at), kept = length - cut;
      if (kept !== 0 && block !== was_in) throw new OtherEntries();
      if (end < 0 || kept < 0 || kept + end - at > MOST_NAME) throw new RangeError("path");
      last.set(bytes.subarray(at, end), kept);
      length = kept + end - at;
      names = last;
      at = end + 1;
    } else {
      const short = flags & NAME_LENGTH;
      const end = short < NAME_LENGTH ? at + short : bytes.indexOf(0, at + short);
      if (end < at || bytes[end] !== 0) throw new RangeError("path");
      length = end - at;
      from = at;
      at = end + 8 - ((end - start) % 8);
    }
    if ((flags & NAME_LENGTH) !== Math.min(length, NAME_LENGTH)) throw new RangeError("path");
    if (kind !== GITLINK && astray === null && is_astray(names, from, from + length)) {
      astray = new TextDecoder().decode(names.subarray(from, from + length));
    }
    if (kind !== GITLINK && kind !== FOLDER) continue;
    // In a split index an entry without a name is another's, with the mode changed.
    if (length === 0) throw new RangeError("an entry without a name");
    if ((taken += length + BESIDES) > MOST_TAKEN) throw new RangeError("more than is kept");
    (kind === GITLINK ? links : sparse).push(names.slice(from, from + length));
  }
  if (blocks.length > 0 && (block < blocks.length || left_in_block !== 0)) throw new OtherEntries();
  if (end_of_entries !== null && end_of_entries !== at) throw new OtherEntries();
  return { links, sparse, astray, rest: shared_index_in(view, at, id_bytes) };
}

/** The name of the file with the other entries of a split index, from behind its entries on; null where there is none. */
function shared_index_in(view: DataView, from: number, id_bytes: number): string | null {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const end = bytes.length - id_bytes;
  let id: string | null = null;
  let at = from;
  for (; at + 8 <= end; at += 8 + view.getUint32(at + 4)) {
    const kind = String.fromCharCode(...bytes.subarray(at, at + 4));
    if (kind === SPLIT) id = bytes.subarray(at + 8, at + 8 + id_bytes).toHex();
  }
  if (at !== end) throw new RangeError("end");
  return id === null || /^0+$/.test(id) ? null : `sharedindex.${id}`;
}

/** Whether a path is absolute or has `.`, `..` or `.git` in it (FAT and NTFS: also its short name): git writes none, but believes an index. */
function is_astray(names: Bytes, from: number, end: number): boolean {
  if (end > from && names[from] === SLASH) return true;
  let begins = true;
  for (let at = from; at < end; at++) {
    const byte = names[at]!;
    const may_be = begins &&
      (byte === DOT || byte >= BEYOND_ASCII ||
        ((byte | LOWER) === SMALL_G && names[at + 3] === TILDE));
    begins = byte === SLASH;
    if (may_be && is_git_or_up(names.subarray(at, end))) return true;
  }
  return false;
}

/** Whether the first part of a path is one of these. */
function is_git_or_up(path: Bytes): boolean {
  const end = path.indexOf(SLASH);
  const part = new TextDecoder().decode(end < 0 ? path : path.subarray(0, end));
  return /^(?:\.|\.\.|\.git|git~1)$/.test(folded(part));
}
