/** What files held: in a nameless file that no command can reach, each content once, and on the disk where the run is saved. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { new_content, type NewContent } from "../store/content.ts";
import type { RecordAnswer, RecordRequest } from "../store/recorder.ts";
import type { ChangeRow } from "../store/file_state.ts";
import type { InPack } from "./known.ts";

// The limits of the undo store in the issue on sessions.
/** A larger file is not kept, only hashed. */
export const KEEP_FILE_BYTES = 10 * 1024 * 1024;
/** All files that are kept before anything changed them, and as much again of what they became. */
const KEEP_ALL_BYTES = 400 * 1024 * 1024;
/** Gathered before it is written: thousands of small files are thousands of calls otherwise. */
const STAGED_BYTES = 1024 * 1024;
/** Sent at once to be stored. */
const BATCH_BYTES = 1024 * 1024;

/** Rows that wait for a disk that takes them; a run of so many commands that were not written down is none to be undone. */
const MOST_ROWS = 1000;

/** Asks the main thread to write something down. */
export type Ask = (request: RecordRequest) => Promise<RecordAnswer>;

/** Content hash as the ledger has it. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The contents of one run. */
export class Kept {
  readonly #places = new Map<string, { readonly at: number; readonly length: number }>();
  readonly #fd: number | null;
  readonly #staged = new Uint8Array(STAGED_BYTES);
  #staged_bytes = 0;
  #written = 0;
  /** The disk has no room: what is added from then on would lie behind a gap. */
  #full = false;
  #batch: NewContent[] = [];
  #batch_bytes = 0;
  /** Null where nobody writes down what changes, or that has failed too often. */
  #ask: Ask | null;
  /** What could not be written down so far. */
  readonly #missing = new Set<string>();
  readonly #rows: ChangeRow[] = [];
  /** On the disk, for this run alone. */
  readonly #packs: string[] = [];

  /** `folder` is where a file can be made for a moment; where that fails, nothing can be shown or put back. */
  constructor(folder: string, ask: Ask | null) {
    this.#fd = nameless(folder);
    this.#ask = ask;
  }

  /** Keeps a content, if there is room; gives its hash. `store`: on the disk, too, with the next row. */
  async put(bytes: Uint8Array, { store }: { readonly store: boolean }): Promise<string> {
    const hash = sha256(bytes);
    this.#keep(hash, bytes);
    if (store) await this.#store(hash, bytes);
    return hash;
  }

  /**
   * Keeps contents that are only needed until the run has ended; gives the hash of all of them. They are stored as they are: to
   * deflate them would take longer than all the rest of a look.
   */
  async put_pack(bytes: Uint8Array): Promise<string> {
    const hash = sha256(bytes);
    this.#keep(hash, bytes);
    if (this.#ask === null) return hash;
    const { unknown } = await this.#ask({ kind: "unknown", hashes: [hash] });
    if (unknown.length === 0) return hash;
    this.#packs.push(hash);
    const content = { hash, size: bytes.length, body: bytes.slice() };
    await this.#ask({ kind: "contents", contents: [content] });
    return hash;
  }

  /** The run has ended, and all that it did is told. */
  async end(): Promise<void> {
    if (this.#packs.length === 0) return;
    await this.#ask?.({ kind: "release", hashes: this.#packs.splice(0) });
  }

  /** Null where it is not kept. */
  get(hash: string | null): Uint8Array<ArrayBuffer> | null {
    const place = hash === null ? undefined : this.#places.get(hash);
    return place === undefined ? null : this.#read(place.at, place.length);
  }

  /** Of a pack; null where it is not kept. */
  part([pack, from, length]: InPack): Uint8Array<ArrayBuffer> | null {
    const place = this.#places.get(pack);
    return place === undefined ? null : this.#read(place.at + from, length);
  }

  #read(at: number, length: number): Uint8Array<ArrayBuffer> | null {
    if (this.#fd === null) return null;
    if (at >= this.#written) {
      return this.#staged.slice(at - this.#written, at - this.#written + length);
    }
    const bytes = new Uint8Array(length);
    for (let got = 0; got < length;) {
      const more = fs.readSync(this.#fd, bytes, got, length - got, at + got);
      if (more === 0) return null;
      got += more;
    }
    return bytes;
  }

  /** Stores those of these contents that are kept and not on the disk yet. */
  async store(hashes: Iterable<string>): Promise<void> {
    const asked = [...hashes];
    if (this.#ask === null || asked.length === 0) return;
    const { ok, unknown } = await this.#ask({ kind: "unknown", hashes: asked });
    if (!ok) { for (const hash of asked) this.#missing.add(hash); }
    for (const hash of unknown) {
      const bytes = this.get(hash);
      if (bytes !== null) await this.#store(hash, bytes);
    }
  }

  /** Writes a row down, once all that was to be stored is on the disk. What cannot be written is tried again with the next. */
  async row(row: ChangeRow): Promise<void> {
    if (this.#ask === null) return;
    this.#rows.push(row);
    const missing = [...this.#missing];
    this.#missing.clear();
    await this.store(missing);
    await this.#flush();
    while (this.#missing.size === 0 && this.#rows.length > 0) {
      if (!(await this.#ask({ kind: "changes", row: this.#rows[0]! })).ok) break;
      this.#rows.shift();
    }
    if (this.#rows.length > MOST_ROWS) this.#ask = null;
  }

  /** Whether rows are still written down. */
  get is_recorded(): boolean {
    return this.#ask !== null;
  }

  /** Lets go of everything. */
  [Symbol.dispose](): void {
    this.#ask = null;
    this.#places.clear();
    if (this.#fd !== null) fs.closeSync(this.#fd);
  }

  #keep(hash: string, bytes: Uint8Array): void {
    const { length } = bytes;
    const at = this.#written + this.#staged_bytes;
    if (this.#fd === null || this.#full || this.#places.has(hash)) return;
    if (at + length > KEEP_ALL_BYTES) return;
    if (this.#staged_bytes + length > STAGED_BYTES && !this.#write_staged()) return;
    if (length > STAGED_BYTES) {
      if (!this.#write(bytes)) return;
    } else {
      this.#staged.set(bytes, this.#staged_bytes);
      this.#staged_bytes += length;
    }
    this.#places.set(hash, { at, length });
  }

  #write_staged(): boolean {
    const done = this.#write(this.#staged.subarray(0, this.#staged_bytes));
    this.#staged_bytes = 0;
    return done;
  }

  /** False where the disk is full. */
  #write(bytes: Uint8Array): boolean {
    if (this.#fd === null) return false;
    try {
      for (let at = 0; at < bytes.length;) {
        at += fs.writeSync(this.#fd, bytes, at, bytes.length - at, this.#written + at);
      }
      this.#written += bytes.length;
      return true;
    } catch {
      this.#full = true;
      this.#written += bytes.length;
      return false;
    }
  }

  async #store(hash: string, bytes: Uint8Array): Promise<void> {
    if (this.#ask === null || bytes.length > KEEP_FILE_BYTES) return;
    // Nobody shares memory here.
    const content = await new_content(hash, bytes as Uint8Array<ArrayBuffer>);
    this.#batch.push(content);
    this.#batch_bytes += content.body.length;
    if (this.#batch_bytes >= BATCH_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const contents = this.#batch.splice(0);
    this.#batch_bytes = 0;
    if (this.#ask === null || contents.length === 0) return;
    const hashes = contents.map(({ hash }) => hash);
    if ((await this.#ask({ kind: "contents", contents })).ok) return;
    for (const hash of hashes) this.#missing.add(hash);
  }
}

function nameless(folder: string): number | null {
  const name = `${folder}/kept-${crypto.randomUUID()}`;
  try {
    const fd = fs.openSync(name, "wx+", 0o600);
    fs.unlinkSync(name);
    return fd;
  } catch {
    return null;
  }
}
