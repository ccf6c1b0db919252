import fs from "node:fs";
import { hash } from "./files.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import type { Fact } from "./ledger.ts";

/** How a file of the workspace differs from the start of the run. */
export interface FileChange {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Lines; 0 where a side is binary or was too large to keep. */
  readonly added: number;
  readonly removed: number;
}

/** What a file was when it was last looked at. */
interface Entry {
  /** Size, times, inode and mode: while these are the same, so is the content. `ctime` cannot be set back. */
  readonly looks: string;
  readonly mode: number;
  /** Null until it is needed. */
  hash: string | null;
}

type Looks = { readonly looks: string; readonly mode: number; readonly size: number };

/** Where a file's first content lies in the pack. */
interface Kept {
  readonly offset: number;
  readonly length: number;
}

// Copies of files at the start: the limits of the undo store in the issue on sessions, so that both agree.
const KEEP_FILE_BYTES = 10 * 1024 * 1024;
const KEEP_ALL_BYTES = 200 * 1024 * 1024;
/** More files than this in one workspace are not all watched; a run says so. */
const MOST_FILES = 200_000;
/** Given as `before` where a file was too large to keep and has changed: that it changed is certain, its hash is not. */
const NOT_KEPT = "not kept";

/**
 * What changed in the workspace, found by looking, whichever tool did it. The first content of each file is
 * kept in a nameless file that was opened before the sandbox closed: no child can reach it.
 */
export class Tracker {
  readonly #first = new Map<string, Entry>();
  readonly #kept = new Map<string, Kept>();
  #now = new Map<string, Entry>();
  #pack_length = 0;
  /** Whether the workspace has more files than are watched. */
  overflow = false;

  private constructor(
    private readonly workspace: string,
    private readonly ignore: IgnoreRules,
    private readonly pack: number,
  ) {}

  /** Looks at the workspace as it is at the start. `folder` is where a nameless file can be made. */
  static start(workspace: string, ignore: IgnoreRules, folder: string): Tracker {
    const name = `${folder}/pack`;
    const pack = fs.openSync(name, "wx+", 0o600);
    fs.unlinkSync(name);
    const tracker = new Tracker(workspace, ignore, pack);
    for (const [path, looks] of tracker.#walk()) {
      const entry: Entry = { looks: looks.looks, mode: looks.mode, hash: null };
      tracker.#first.set(path, entry);
      tracker.#now.set(path, entry);
      if (looks.size <= KEEP_FILE_BYTES) tracker.#keep(path);
    }
    return tracker;
  }

  /** What has changed since the last look. */
  scan(): Fact[] {
    const then = this.#now;
    const now = new Map<string, Entry>();
    const facts: Fact[] = [];
    for (const [path, looks] of this.#walk()) {
      const old = then.get(path);
      const entry = old?.looks === looks.looks ? old : this.#look(path, looks);
      now.set(path, entry);
      const fact = this.#compare(path, old, entry);
      if (fact !== null) facts.push(fact);
    }
    for (const [path, old] of then) {
      if (!now.has(path)) {
        facts.push({ kind: "file", path, before: this.#hash_of(path, old), after: null });
      }
    }
    this.#now = now;
    return facts;
  }

  /** What a tool has just done to one file, which may be ignored or lie elsewhere; null if nothing. */
  note(path: string): Fact | null {
    const stat = lstat(`${this.workspace}/${path}`);
    const old = this.#now.get(path);
    if (stat === null || this.ignore.covers(path)) return null;
    const entry = this.#look(path, looks_of(stat));
    this.#now.set(path, entry);
    return this.#compare(path, old, entry);
  }

  /** What differs from the start of the run, as of the last look. */
  async changes(): Promise<FileChange[]> {
    const changes: FileChange[] = [];
    for (const path of [...new Set([...this.#first.keys(), ...this.#now.keys()])].sort()) {
      const first = this.#first.get(path);
      const now = this.#now.get(path);
      if (first === now) continue;
      if (first !== undefined && now !== undefined && this.#compare(path, first, now) === null) {
        continue;
      }
      const status = first === undefined ? "added" : now === undefined ? "deleted" : "modified";
      const lines = await count_lines(this.#first_text(path), now ? this.#text_now(path) : "");
      changes.push({ path, status, ...lines });
    }
    return changes;
  }

  *#walk(): Generator<[string, Looks]> {
    const folders = [""];
    let files = 0;
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      let entries: Deno.DirEntry[];
      try {
        entries = [...Deno.readDirSync(`${this.workspace}/${folder}`)];
      } catch {
        continue; // Gone, or not to be read: then nothing of it can be watched.
      }
      for (const entry of entries) {
        const path = folder + entry.name;
        if (entry.isDirectory) {
          if (!this.ignore.ignores(`${path}/`)) folders.push(`${path}/`);
          continue;
        }
        if (this.ignore.ignores(path)) continue;
        const stat = lstat(`${this.workspace}/${path}`);
        if (stat === null || !(stat.isFile || stat.isSymlink)) continue;
        if (++files > MOST_FILES) {
          this.overflow = true;
          return;
        }
        const mode = (stat.mode ?? 0) & 0o777;
        const looks =
          `${stat.size}:${stat.mtime?.getTime()}:${stat.ctime?.getTime()}:${stat.ino}:${mode}`;
        yield [path, { looks, mode, size: stat.size }];
      }
    }
  }

  #look(path: string, looks: Looks): Entry {
    return { looks: looks.looks, mode: looks.mode, hash: this.#hash_now(path) };
  }

  #compare(path: string, old: Entry | undefined, now: Entry): Fact | null {
    if (old === now) return null;
    const before = old === undefined ? null : this.#hash_of(path, old);
    const after = this.#hash_of(path, now);
    const same = before === after && after !== NOT_KEPT && old?.mode === now.mode;
    return same ? null : { kind: "file", path, before, after };
  }

  #keep(path: string): void {
    if (this.#pack_length >= KEEP_ALL_BYTES) return;
    const bytes = this.#bytes_now(path);
    if (bytes === null) return;
    let at = 0;
    while (at < bytes.length) {
      at += fs.writeSync(this.pack, bytes, at, bytes.length - at, this.#pack_length + at);
    }
    this.#kept.set(path, { offset: this.#pack_length, length: bytes.length });
    this.#pack_length += bytes.length;
  }

  #first_bytes(path: string): Uint8Array | null {
    const kept = this.#kept.get(path);
    if (kept === undefined) return null;
    const bytes = new Uint8Array(kept.length);
    fs.readSync(this.pack, bytes, 0, kept.length, kept.offset);
    return bytes;
  }

  #hash_of(path: string, entry: Entry): string {
    if (entry.hash === null) {
      const bytes = this.#first_bytes(path);
      entry.hash = bytes === null ? NOT_KEPT : hash(bytes);
    }
    return entry.hash;
  }

  #hash_now(path: string): string {
    const bytes = this.#bytes_now(path);
    return bytes === null ? NOT_KEPT : hash(bytes);
  }

  /** Content of a file, target of a link; null where it is too large, gone or not to be read. */
  #bytes_now(path: string): Uint8Array | null {
    const full = `${this.workspace}/${path}`;
    try {
      const stat = fs.lstatSync(full);
      if (stat.isSymbolicLink()) return new TextEncoder().encode(fs.readlinkSync(full));
      if (!stat.isFile() || stat.size > KEEP_FILE_BYTES) return null;
      const fd = fs.openSync(full, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
      try {
        return fs.fstatSync(fd).isFile() ? new Uint8Array(fs.readFileSync(fd)) : null;
      } finally {
        fs.closeSync(fd);
      }
    } catch {
      return null;
    }
  }

  #first_text(path: string): string | null {
    return this.#first.has(path) ? text_of(this.#first_bytes(path)) : "";
  }

  #text_now(path: string): string | null {
    return text_of(this.#bytes_now(path));
  }
}

function looks_of(stat: Deno.FileInfo): Looks {
  const mode = (stat.mode ?? 0) & 0o777;
  const times = `${stat.mtime?.getTime()}:${stat.ctime?.getTime()}`;
  return { looks: `${stat.size}:${times}:${stat.ino}:${mode}`, mode, size: stat.size };
}

function lstat(path: string): Deno.FileInfo | null {
  try {
    return Deno.lstatSync(path);
  } catch {
    return null;
  }
}

function text_of(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.includes(0)) return null;
  return new TextDecoder().decode(bytes);
}

/** A diff that needs more edits than this is a rewrite; all lines then count on both sides. */
const MOST_EDITS = 5000;

async function count_lines(before: string | null, after: string | null) {
  if (before === null || after === null) return { added: 0, removed: 0 };
  const { diffLines } = await import("diff");
  const parts = diffLines(before, after, { maxEditLength: MOST_EDITS });
  if (parts === undefined) return { added: lines_in(after), removed: lines_in(before) };
  let added = 0;
  let removed = 0;
  for (const part of parts) {
    if (part.added) added += part.count;
    if (part.removed) removed += part.count;
  }
  return { added, removed };
}

function lines_in(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
