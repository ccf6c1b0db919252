import { from_bytes } from "../../../config/encoding.ts";
import { is_kernel_view } from "../machine/files.ts";
import { type Folders, name_bytes } from "../../../changes/folders.ts";
import type { Machine } from "../machine/machine.ts";
import { hiding, is_covered } from "./read_tree.ts";

/** A file larger than this is not searched: it is data, and bash has grep. */
export const SEARCH_FILE_BYTES = 4 * 1024 * 1024;
/** Files are looked at in batches of this: looking at each by itself takes more than reading it. */
const BATCH_BYTES = 1024 * 1024;
/** Room for a batch, one more file that is just too large, and the line end behind it. */
const BUFFER_BYTES = BATCH_BYTES + SEARCH_FILE_BYTES + 2;
/** A file whose beginning has a NUL byte is not text (as git decides it). */
const SNIFF_BYTES = 8000;
const NEWLINE = 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Of a regular file: what is another kind of thing is not read. */
const REGULAR = 0o100000;
/** So long a search goes on before others have their turn: what is asked in the meantime, an interrupt too, waits that long at most. */
const TURN_MS = 100;

export interface Searcher {
  /** Asked before it begins, and after each turn of others; false ends the search. */
  goes_on(): boolean;
  /** Whether a text is worth a look; it may be that of many files. */
  wants(text: string): boolean;
  /** The content of a file that is text, and may be shown. */
  take(path: string, text: string): void;
  large(): void;
}

/** Reads all files below a path, those of a folder before those of its folders, in the order of their names. No link is followed. */
export async function search_files(
  full: string,
  machine: Machine,
  searcher: Searcher,
): Promise<void> {
  const opened = machine.files.open(full);
  const batch = new FileBatch(machine, searcher);
  const { real } = opened;
  // A file alone is read as one of its folder: by its name, and not through a link that has taken its place.
  const at = opened.kind === "file" ? real.lastIndexOf("/") : real.length;
  if (opened.kind === "file") machine.files.close(opened);
  const folder = machine.folders.open(null, name_bytes(real.slice(0, at) || "/"));
  if (folder < 0) return;
  try {
    if (opened.kind === "file") batch.read(real, folder, name_bytes(real.slice(at + 1)));
    else await in_turns(new Walk(batch, machine, real).all(folder, real), searcher);
  } finally {
    machine.folders.close(folder);
  }
  batch.look();
}

/** Goes through a walk, which stops at each file and each folder, with a turn for others now and then. */
async function in_turns(walk: Iterable<void>, searcher: Searcher): Promise<void> {
  let turn = performance.now();
  if (!searcher.goes_on()) return;
  for (const _ of walk) {
    if (performance.now() - turn < TURN_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (!searcher.goes_on()) return;
    turn = performance.now();
  }
}

/** The contents of some files, one behind the other, until they are looked at together. */
class FileBatch {
  readonly #bytes = new Uint8Array(BUFFER_BYTES);
  readonly #files: { readonly path: string; readonly start: number; readonly end: number }[] = [];
  #filled = 0;

  constructor(private readonly machine: Machine, private readonly searcher: Searcher) {}

  read(path: string, folder: number, name: Uint8Array<ArrayBuffer>): void {
    if (this.#filled > BATCH_BYTES) this.look();
    const start = this.#filled;
    let end = start;
    const take = (piece: Uint8Array) => {
      this.#bytes.set(piece, end);
      end += piece.length;
    };
    // One byte more than a file may have tells that it has more: it may grow while it is read.
    const how = { mode: REGULAR, size: SEARCH_FILE_BYTES + 1, take };
    if (!this.machine.folders.read(folder, name, how)) return;
    if (end - start > SEARCH_FILE_BYTES) this.#too_large(path, start);
    else this.#end(path, end);
  }

  look(): void {
    const bytes = this.#bytes;
    const text = decoder.decode(bytes.subarray(0, this.#filled));
    // What is not UTF-8 may have it all the same.
    const other = text.includes("\ufffd");
    if (this.searcher.wants(text) || other) {
      // Where all is ASCII, a place among the bytes is one in the text.
      const same = text.length === this.#filled && !other;
      for (const { path, start, end } of this.#files) {
        if (this.#is_binary(start, end)) continue;
        const part = bytes.subarray(start, end);
        const one = same ? text.slice(start, end) : from_bytes(part)?.text ?? decoder.decode(part);
        if (!this.searcher.wants(one) || !this.machine.files.shows(path)) continue;
        this.searcher.take(path, one);
      }
    }
    this.#files.length = 0;
    this.#filled = 0;
  }

  #too_large(path: string, start: number): void {
    if (this.#is_binary(start, BUFFER_BYTES) || !this.machine.files.shows(path)) return;
    this.searcher.large();
  }

  #is_binary(start: number, end: number): boolean {
    return this.#bytes.subarray(start, Math.min(end, start + SNIFF_BYTES)).includes(0);
  }

  #end(path: string, end: number): void {
    const bytes = this.#bytes;
    // The decoder leaves it out at its beginning only.
    const marked = BYTE_ORDER_MARK.every((byte, at) => bytes[this.#filled + at] === byte);
    const start = Math.min(end, this.#filled + (marked ? BYTE_ORDER_MARK.length : 0));
    if (end > start) this.#files.push({ path, start, end });
    // The next file begins with a new line, whatever this one ends with.
    bytes[end] = NEWLINE;
    this.#filled = end + 1;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

class Walk {
  readonly #folders: Folders;
  /** Whether ignored folders are searched: only where that was asked for. */
  readonly #all: boolean;

  constructor(private readonly batch: FileBatch, private readonly machine: Machine, top: string) {
    this.#folders = machine.folders;
    this.#all = is_covered(top, machine);
  }

  *all(folder: number, path: string): Generator<void> {
    const { files, ignore } = this.machine;
    const listing = this.#folders.list(folder);
    if (listing === null) return;
    const [own, below] = [sorted(listing.files), sorted(listing.folders)];
    const inside = files.inside(path);
    if (inside !== null) {
      ignore.enter(inside === "." ? "" : `${inside}/`, [...own, ...below].map(({ text }) => text));
    }
    const hides = hiding(path, this.machine, this.#all);
    const full = (name: string) => `${path === "/" ? "" : path}/${name}`;
    for (const { text, name } of own) {
      if (hides(text)) continue;
      yield;
      this.batch.read(full(text), folder, name);
    }
    for (const { text, name } of below) {
      if (hides(`${text}/`) || is_kernel_view(full(text))) continue;
      yield;
      const next = this.#folders.open(folder, name);
      if (next < 0) continue;
      try {
        yield* this.all(next, full(text));
      } finally {
        this.#folders.close(next);
      }
    }
  }
}

interface Name {
  readonly text: string;
  /** As the calls take it, for names that are no UTF-8, too. */
  readonly name: Uint8Array<ArrayBuffer>;
}

function sorted(block: Uint8Array<ArrayBuffer>): Name[] {
  const names: Name[] = [];
  for (let at = 0; at < block.length;) {
    const end = block.indexOf(0, at) + 1;
    names.push({
      text: decoder.decode(block.subarray(at, end - 1)),
      name: block.subarray(at, end),
    });
    at = end;
  }
  return names.sort((a, b) => a.text < b.text ? -1 : 1);
}
