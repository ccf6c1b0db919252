/** Keeps what files held, each content once: in a nameless file that no command can reach, in memory if the disk is full, on disk if the run is saved. */
import { attempt } from "../config/attempt.ts";
import { sha256 } from "../permission/content_hash.ts";
import { new_content, type NewContent } from "../store/content.ts";
import type { RecordAnswer, RecordRequest } from "../store/recorder.ts";
import type { ChangeRow } from "../store/file_state.ts";

// The limits of the undo store in the issue on sessions.
/** A larger file is not kept, only hashed. */
export const KEEP_FILE_BYTES = 10 * 1024 * 1024;
/** All files that are kept before anything changed them, and as much again of what they became. */
const KEEP_ALL_BYTES = 400 * 1024 * 1024;
/** How much of what is kept is in memory: of a usual run it is all that it changes. */
const HOLD_BYTES = 16 * 1024 * 1024;
/** Sent at once to be stored. */
const BATCH_BYTES = 1024 * 1024;
/** So many rows wait for a content that can't be stored, as in the recorder. */
const MOST_ROWS = 1000;

/** Has the main thread write something down, and gives its answer. Never rejects. */
export type WriteDown = (request: RecordRequest) => Promise<RecordAnswer>;

export class KeptContents {
  readonly #places = new Map<string, { readonly at: number; readonly length: number }>();
  readonly #file: Deno.FsFile | null;
  #end = 0;
  readonly #held = new Map<string, Uint8Array<ArrayBuffer>>();
  #room = HOLD_BYTES;
  #batch: NewContent[] = [];
  #batch_bytes = 0;
  #write_down: WriteDown | null;
  /** What could not be stored so far: the rows, which may name it, wait until it is, or until the run ends. */
  readonly #missing = new Set<string>();
  readonly #rows: ChangeRow[] = [];
  /** On the disk, for this run alone. */
  readonly #packs: string[] = [];
  #lacks_packs = false;

  /** `folder` is where a file can be made for a moment. */
  constructor(folder: string, write_down: WriteDown | null) {
    this.#file = nameless(folder);
    this.#write_down = write_down;
  }

  /** Keeps a content, and stores it with the next row; gives its hash. */
  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const hash = this.keep(bytes);
    await this.#store(hash, bytes);
    return hash;
  }

  /** Keeps a content for as long as the run goes on, if there is room; gives its hash. */
  keep(bytes: Uint8Array): string {
    const hash = sha256(bytes);
    const { length } = bytes;
    const at = this.#end;
    if (this.#places.has(hash) || this.#held.has(hash) || at + length > KEEP_ALL_BYTES) return hash;
    if (this.#file === null) return this.#hold(hash, bytes);
    try {
      this.#file.seekSync(at, Deno.SeekMode.Start);
      for (let to = 0; to < length;) to += this.#file.writeSync(bytes.subarray(to));
    } catch {
      return this.#hold(hash, bytes); // The disk is full.
    }
    this.#end += length;
    this.#places.set(hash, { at, length });
    return hash;
  }

  #hold(hash: string, bytes: Uint8Array): string {
    if (bytes.length > this.#room) return hash;
    this.#room -= bytes.length;
    this.#held.set(hash, bytes.slice() as Uint8Array<ArrayBuffer>);
    return hash;
  }

  /** A content, or a part of it; null if it is not kept. */
  get(hash: string | null, from = 0, length?: number): Uint8Array<ArrayBuffer> | null {
    const held = this.#held.get(hash ?? "");
    if (held !== undefined) {
      return held.slice(from, length === undefined ? undefined : from + length);
    }
    const place = this.#places.get(hash ?? "");
    if (place === undefined || this.#file === null) return null;
    const bytes = new Uint8Array(length ?? place.length);
    this.#file.seekSync(place.at + from, Deno.SeekMode.Start);
    for (let got = 0; got < bytes.length;) {
      const more = this.#file.readSync(bytes.subarray(got));
      if (more === null) return null;
      got += more;
    }
    return bytes;
  }

  /** Stores what is kept until the run has ended, as it is: to deflate it would take longer than all the rest of a look. */
  async store_packs(hashes: readonly string[]): Promise<void> {
    if (this.#write_down === null) return;
    const { unknown } = await this.#write_down({ kind: "unknown", hashes });
    for (const hash of unknown) {
      const body = this.get(hash);
      if (body !== null) this.#packs.push(hash);
      const contents = body === null ? [] : [{ hash, size: body.length, body }];
      const { ok } = await this.#write_down({ kind: "contents", contents });
      this.#lacks_packs ||= !ok || body === null;
    }
  }

  /** The run has ended, and all that it did is reported. */
  async end(): Promise<void> {
    if (this.#packs.length === 0) return;
    await this.#write_down?.({ kind: "release", hashes: this.#packs.splice(0) });
  }

  /** Adds a row that names no new content: it is written down with the next one, or by whoever takes `rows`. */
  add(row: ChangeRow): void {
    if (this.#write_down !== null) this.#rows.push(row);
  }

  /** A step has ended: what waits is its own. */
  mark(step: number): void {
    for (const row of this.#rows) row.step ??= step;
  }

  rows(): readonly ChangeRow[] {
    return this.#missing.size === 0 ? this.#rows.splice(0) : [];
  }

  /** Writes a row down, once all that it names is stored; what can't be is tried again with the next. */
  async row(row: ChangeRow): Promise<void> {
    this.add(row);
    await this.write();
  }

  /** Writes down what is not yet. With `last` also rows whose content is not stored, but not the end of a command known only by packs. */
  async write({ last } = { last: false }): Promise<void> {
    if (this.#write_down === null) return;
    for (const hash of [...this.#missing]) {
      const bytes = this.get(hash);
      if (bytes === null) continue;
      this.#missing.delete(hash);
      await this.#store(hash, bytes);
      // Alone: there may be room for this one.
      await this.#flush();
    }
    await this.#flush();
    const rows = last || this.#rows.length > MOST_ROWS
      ? this.#rows.splice(0).filter((row) => !this.#is_in_packs(row))
      : this.rows();
    if (rows.length > 0) await this.#write_down({ kind: "changes", rows });
  }

  #is_in_packs({ kind, files }: ChangeRow): boolean {
    return kind === "done" && !this.#lacks_packs &&
      files.some(({ before }) => this.#missing.has(before?.hash ?? ""));
  }

  get is_recorded(): boolean {
    return this.#write_down !== null;
  }

  [Symbol.dispose](): void {
    this.#write_down = null;
    this.#places.clear();
    this.#held.clear();
    this.#file?.close();
  }

  async #store(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#write_down === null || bytes.length > KEEP_FILE_BYTES) return;
    const content = await new_content(hash, bytes);
    const { length } = content.body;
    // Where there is no room for a large one, there may be for those before it.
    if (this.#batch_bytes + length > BATCH_BYTES) await this.#flush();
    this.#batch.push(content);
    this.#batch_bytes += length;
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const contents = this.#batch.splice(0);
    this.#batch_bytes = 0;
    // A body is given away with the request.
    const hashes = contents.map(({ hash }) => hash);
    if (this.#write_down === null || (await this.#write_down({ kind: "contents", contents })).ok) {
      return;
    }
    for (const hash of hashes) this.#missing.add(hash);
  }
}

function nameless(folder: string): Deno.FsFile | null {
  const name = `${folder}/kept-${crypto.randomUUID()}`;
  return attempt(() => {
    const file = Deno.openSync(name, { read: true, write: true, createNew: true, mode: 0o600 });
    Deno.removeSync(name);
    return file;
  }, null);
}
