import { raw_files, type RawBuffer, type RawFiles } from "../sandbox/raw_files.ts";
import { buffer_of } from "../sandbox/libc.ts";
import { entries_in } from "../permission/paths.ts";
import type { Machine } from "./machine.ts";
import { hiding } from "./read_tree.ts";

/** A file larger than this is not searched: it is data, and bash has grep. */
export const SEARCH_FILE_BYTES = 4 * 1024 * 1024;
/** What is read before a file is asked how large it is: nearly all are smaller. */
const FIRST_BYTES = 256 * 1024;
/** Files are looked at in batches of this: looking at each by itself takes more than reading it. */
const BATCH_BYTES = 1024 * 1024;
/** Room for a batch, one more file that is just not too large, and the line end behind it. */
const BUFFER_BYTES = BATCH_BYTES + SEARCH_FILE_BYTES + 2;
/** A file whose beginning has a NUL byte is not text (as git decides it). */
const SNIFF_BYTES = 8000;
const NEWLINE = 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** The type in a mode, and those of a regular file and a folder. */
const TYPE = 0o170000, REGULAR = 0o100000, FOLDER = 0o040000;

/** So long a search goes on before others have their turn: what is asked meanwhile, an interrupt too, waits that long at most. */
const TURN_MS = 100;

/** Who wants to know of the files. */
export interface Searcher {
  /** Asked before it begins, and after each turn of others; false ends the search. */
  goes_on(): boolean;
  /** Whether a text is worth a look; it may be that of many files. */
  wants(text: string): boolean;
  /** The content of a file that is text, and may be shown. */
  take(path: string, text: string): void;
  /** A file that was too large to be looked at. */
  large(): void;
}

/** Reads all files below a path, those of a folder before those of its folders, in the order of their names. No link is followed. */
export async function search_files(
  full: string,
  machine: Machine,
  searcher: Searcher,
): Promise<void> {
  const opened = machine.files.open(full);
  const raw = raw_files();
  const batch = new Batch(raw, machine, searcher);
  if (opened.kind === "file") {
    machine.files.close(opened);
    batch.add(opened.real, machine.files.peek(opened.real, SEARCH_FILE_BYTES));
  } else {
    const fd = raw?.open_folder(opened.real) ?? -1;
    if (raw === null) await in_turns(walk_by_path(opened.real, batch), searcher);
    else if (fd >= 0) await in_turns(new Walk(raw, batch).folder(fd, opened.real), searcher);
  }
  batch.look();
}

/** Goes through a walk, which stops at each file, with a turn for others now and then. */
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
class Batch {
  readonly #buffer: RawBuffer;
  readonly #files: { readonly path: string; readonly start: number; readonly end: number }[] = [];
  #filled = 0;

  constructor(
    private readonly raw: RawFiles | null,
    readonly machine: Machine,
    readonly searcher: Searcher,
  ) {
    this.#buffer = raw?.buffer(BUFFER_BYTES) ?? { bytes: buffer_of(BUFFER_BYTES), address: 0n };
  }

  /** A file as it was read elsewhere; null where it could not be. */
  add(path: string, bytes: Uint8Array | "large" | null): void {
    if (bytes === "large") return this.searcher.large();
    if (bytes === null) return;
    if (this.#filled > BATCH_BYTES) this.look();
    this.#buffer.bytes.set(bytes, this.#filled);
    this.#end(path, this.#filled + bytes.length);
  }

  /** Reads an open file. */
  read(path: string, fd: number): void {
    if (this.raw === null) return;
    if (this.#filled > BATCH_BYTES) this.look();
    let at = this.#filled;
    let got: number;
    while ((got = this.raw.read(fd, this.#buffer, at, FIRST_BYTES)) > 0) {
      at += got;
      const length = at - this.#filled;
      // A file may grow while it is read, so that its size alone does not tell.
      if (length > SEARCH_FILE_BYTES || (got === FIRST_BYTES && this.#is_large(fd))) {
        const head = this.#buffer.bytes.subarray(this.#filled, this.#filled + SNIFF_BYTES);
        if (!head.includes(0) && this.machine.files.shows(path)) this.searcher.large();
        return;
      }
    }
    this.#end(path, at);
  }

  /** Looks at what was added. */
  look(): void {
    const { bytes } = this.#buffer;
    const text = decoder.decode(bytes.subarray(0, this.#filled));
    if (this.searcher.wants(text)) {
      // Where all is ASCII, a place among the bytes is one in the text.
      const same = text.length === this.#filled;
      for (const { path, start, end } of this.#files) {
        const one = same ? text.slice(start, end) : decoder.decode(bytes.subarray(start, end));
        if (!this.searcher.wants(one) || !this.machine.files.shows(path)) continue;
        if (bytes.subarray(start, Math.min(end, start + SNIFF_BYTES)).includes(0)) continue;
        this.searcher.take(path, one);
      }
    }
    this.#files.length = 0;
    this.#filled = 0;
  }

  #is_large(fd: number): boolean {
    const stat = this.raw?.stat_open(fd);
    return typeof stat === "object" && stat.size > SEARCH_FILE_BYTES;
  }

  #end(path: string, end: number): void {
    const { bytes } = this.#buffer;
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

/** Goes through folders by their descriptors: none is exchanged for a link on the way. */
class Walk {
  constructor(private readonly raw: RawFiles, private readonly batch: Batch) {}

  /** All below an open folder, which is closed then. */
  *folder(fd: number, path: string): Generator<void> {
    const { raw, batch } = this;
    const { machine } = batch;
    try {
      const entries = raw.entries(fd).sort((a, b) => a.name < b.name ? -1 : 1);
      const inside = machine.files.inside(path);
      if (inside !== null) {
        machine.ignore.enter(
          inside === "." ? "" : `${inside}/`,
          entries.map(({ name }) => name),
        );
      }
      const hides = hiding(path, machine);
      const below: string[] = [];
      for (const entry of entries) {
        const { name } = entry;
        const kind = entry.kind === "unknown" ? this.#kind(fd, name) : entry.kind;
        if (kind === "folder") below.push(name);
        if (kind !== "file" || hides(name)) continue;
        yield;
        const file = raw.open_file(fd, name);
        if (file < 0) continue;
        batch.read(`${path === "/" ? "" : path}/${name}`, file);
        raw.close(file);
      }
      for (const name of below) {
        const full = `${path === "/" ? "" : path}/${name}`;
        if (hides(`${name}/`) || machine.files.is_kernel_view(full)) continue;
        const folder = raw.open_folder(name, fd);
        if (folder >= 0) yield* this.folder(folder, full);
      }
    } finally {
      raw.close(fd);
    }
  }

  #kind(fd: number, name: string): "file" | "folder" | "other" {
    const stat = this.raw.stat(fd, name);
    if (typeof stat === "string") return "other";
    const type = stat.mode & TYPE;
    return type === REGULAR ? "file" : type === FOLDER ? "folder" : "other";
  }
}

/** The same where there are no raw calls. */
function* walk_by_path(folder: string, batch: Batch): Generator<void> {
  const { machine } = batch;
  const hides = hiding(folder, machine);
  const entries = entries_in(folder).sort((a, b) => a.name < b.name ? -1 : 1);
  const path = (name: string) => `${folder === "/" ? "" : folder}/${name}`;
  for (const { name, isFile } of entries) {
    if (!isFile || hides(name)) continue;
    yield;
    batch.add(path(name), machine.files.peek(path(name), SEARCH_FILE_BYTES));
  }
  for (const { name, isDirectory } of entries) {
    const full = path(name);
    if (!isDirectory || hides(`${name}/`) || machine.files.is_kernel_view(full)) continue;
    yield* walk_by_path(full, batch);
  }
}
