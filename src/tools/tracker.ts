import { entries_in } from "../permission/paths.ts";
import type { Baseline } from "./baseline.ts";
import { hash } from "./files.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import type { Fact } from "./ledger.ts";
import { Latest } from "./latest.ts";
import { count_lines } from "./line_count.ts";
import { Pack } from "./pack.ts";
import { has_no_name, note, type Passed } from "./passed.ts";
import {
  content_of,
  type First,
  hash_of,
  is_gone,
  Keeper,
  type Looks,
  looks_of,
  TICK_MS,
} from "./snapshot.ts";
import { Sights } from "./planted/sights.ts";
import type { Sides, Version } from "./unified_diff.ts";

/** How a file of the workspace differs from the start of the run. */
export interface FileChange {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Lines; 0 where a side is binary or was too large to keep. */
  readonly added: number;
  readonly removed: number;
}

/** What became of a file between two moments. */
export interface Changed extends Sides {
  readonly path: string;
  /** The same, absolute. */
  readonly full: string;
  readonly status: FileChange["status"];
  /** Of what it holds now; null where there is no file, or nothing is known of its content. */
  readonly hash: string | null;
}

/** What a file was when it was last looked at. */
interface Entry {
  readonly looks: Looks;
  /**
   * Whether it had changed only just before: a further change within the same tick of the file system's clock
   * would leave it looking the same, so its looks are not trusted (git calls such an entry racy).
   */
  readonly young: boolean;
  /** Null until it is needed. */
  hash: string | null;
}

/** More files than this in one workspace are not all watched; a run says so. */
const MOST_FILES = 200_000;
/** Contents of a larger file are not compared after each step. */
const COMPARE_BYTES = 2 * 1024 * 1024;
/** Read after one step at most, to be compared and kept for the next time: 3,000 files of 24 MB take 0.4 s. */
const STEP_BYTES = 32 * 1024 * 1024;
/** Where a content is not known. That such a file changed is seen by its looks alone. */
const UNKNOWN = "not kept";

/**
 * What changed in the workspace, found by looking, whichever tool did it. The first content of each file is
 * kept in a nameless file that no child can reach.
 */
export class Tracker {
  readonly #first = new Map<string, Entry>();
  readonly #contents = new Map<string, First>();
  readonly #keeper: Keeper;
  /** Files whose first content is still to be taken, the next one last. */
  #to_keep: string[] = [];
  #now = new Map<string, Entry>();
  /** What has changed since `take_changes` was last asked, as it was then. */
  #changed = new Map<string, Entry | undefined>();
  readonly #started = Date.now();
  /** What the last look came across that others will run. */
  readonly sights: Sights;
  /** Whether the workspace has more files than are watched. */
  overflow = false;
  /** What the first look passed by. */
  readonly passed: Passed = { ignored: [], empty: [], unnamed: [] };
  #starting = true;

  private constructor(
    private readonly workspace: string,
    private readonly ignore: IgnoreRules,
    private readonly pack: Pack,
    private readonly latest: Latest,
    baseline: Baseline | null,
  ) {
    this.#keeper = new Keeper(pack, baseline);
    this.sights = new Sights((path) => ignore.covers(path));
  }

  /**
   * Looks at the workspace as it is at the start. `folder` is where a nameless file can be made. Contents are
   * taken later, by `keep`: that must have come to its end before anything can change a file. `baseline` lists them.
   */
  static start(
    workspace: string,
    ignore: IgnoreRules,
    { folder, baseline = null }: {
      readonly folder: string;
      readonly baseline?: Baseline | null;
    },
  ): Tracker {
    const latest = new Latest(Pack.open(folder));
    const tracker = new Tracker(workspace, ignore, Pack.open(folder), latest, baseline);
    for (const [path, looks] of tracker.#walk()) {
      tracker.#first.set(path, tracker.#entry(looks, tracker.#started));
    }
    tracker.#starting = false;
    tracker.#now = new Map(tracker.#first);
    tracker.#to_keep = [...tracker.#first.keys()].reverse();
    return tracker;
  }

  /** Takes contents of the start for at most `ms`; true once it has them all. Without a limit it always has. */
  keep(ms = Infinity): boolean {
    if (this.#to_keep.length === 0) return true;
    const deadline = performance.now() + ms;
    for (let path = this.#to_keep.pop(); path !== undefined; path = this.#to_keep.pop()) {
      const looks = this.#first.get(path)?.looks ?? { size: 0, mode: 0 };
      this.#contents.set(path, this.#keeper.keep(path, this.#full(path), looks));
      if (performance.now() > deadline && this.#to_keep.length > 0) return false;
    }
    this.pack.finish();
    return true;
  }

  /** What has changed since the last look. */
  scan(): Fact[] {
    this.keep();
    const time = Date.now();
    const then = this.#now;
    const now = new Map<string, Entry>();
    const facts: Fact[] = [];
    for (const [path, looks] of this.#walk()) {
      const old = then.get(path);
      const entry = this.#look(path, looks, { old, time });
      now.set(path, entry);
      // Where not all are watched, another one may come into sight that has always been there.
      if (old === undefined && this.overflow && looks.ctime < this.#started - TICK_MS) continue;
      const fact = this.#changed_from(path, old, entry);
      if (fact !== null) facts.push(fact);
    }
    for (const [path, old] of then) {
      if (now.has(path)) continue;
      if (is_gone(this.#full(path))) {
        facts.push({ kind: "file", path, before: this.#hash(path, old), after: null });
        this.#mark(path, old);
      } else now.set(path, old);
    }
    this.#now = now;
    return facts.sort((a, b) => path_of(a) < path_of(b) ? -1 : 1);
  }

  /** What a tool has just done to one file; null if nothing, or where the file is ignored or lies elsewhere. */
  note(path: string): Fact | null {
    this.keep();
    if (path.startsWith("/") || this.ignore.covers(path)) return null;
    const looks = looks_of(this.#full(path));
    if (looks === null) return null;
    const old = this.#now.get(path);
    const entry = this.#look(path, looks, { old, time: Date.now() });
    this.#now.set(path, entry);
    return this.#changed_from(path, old, entry);
  }

  /**
   * Every file that was found to have changed since this was last asked, as it was then and as it is now, by its
   * path. Reads one after the other; it must be gone through to its end.
   */
  *take_changes(): Generator<Changed> {
    const changed = [...this.#changed].sort(([a], [b]) => a < b ? -1 : 1);
    this.#changed = new Map();
    let room = STEP_BYTES;
    for (const [path, old] of changed) {
      const now = this.#now.get(path);
      if (old === now) continue;
      if (old !== undefined && now !== undefined && this.#compare(path, old, now) === null) {
        continue;
      }
      const before = old === undefined
        ? null
        : { mode: old.looks.mode, bytes: this.#latest_bytes(path) };
      const after = now === undefined ? null : this.#version(path, now, room);
      room -= after?.bytes?.length ?? 0;
      if (after === null) this.latest.drop(path);
      else this.latest.put(path, after.bytes);
      if (is_same(before, after)) continue;
      const hash = now === undefined ? null : known_hash(this.#hash(path, now));
      yield { path, full: this.#full(path), status: status_of(old, now), before, after, hash };
    }
  }

  /** What differs from the start of the run, as of the last look. */
  async changes(): Promise<FileChange[]> {
    this.keep();
    const changes: FileChange[] = [];
    for (const path of [...new Set([...this.#first.keys(), ...this.#now.keys()])].sort()) {
      const first = this.#first.get(path);
      const now = this.#now.get(path);
      if (first === now) continue;
      if (first !== undefined && now !== undefined && this.#compare(path, first, now) === null) {
        continue;
      }
      const status = status_of(first, now);
      const before = first === undefined ? "" : text_of(this.#first_bytes(path));
      const after = now === undefined ? "" : text_of(content_of(this.#full(path), now.looks));
      changes.push({ path, status, ...await count_lines(before, after) });
    }
    return changes;
  }

  /** A file at the start of the run and now, as of the last look. */
  sides(path: string): Sides {
    const now = this.#now.get(path);
    return {
      before: this.first(path),
      after: now === undefined
        ? null
        : { mode: now.looks.mode, bytes: content_of(this.#full(path), now.looks) },
    };
  }

  /** A file at the start of the run; null where there was none. */
  first(path: string): Version | null {
    const first = this.#first.get(path);
    return first === undefined ? null : { mode: first.looks.mode, bytes: this.#first_bytes(path) };
  }

  /** The hash of a file's content at the start of the run; null where there was none, or nothing is known of it. */
  first_hash(path: string): string | null {
    const first = this.#first.get(path);
    return first === undefined ? null : known_hash(this.#hash(path, first));
  }

  /** Where the first contents are. */
  get contents(): Pick<Pack, "read"> {
    return this.pack;
  }

  /** Every file, as of the last look. */
  *files(): Generator<[path: string, looks: Looks]> {
    for (const [path, { looks }] of this.#now) yield [path, looks];
  }

  /** Lets go of the first contents; nothing can be asked afterwards. */
  [Symbol.dispose](): void {
    this.pack.close();
    this.latest.close();
  }

  *#walk(): Generator<[string, Looks]> {
    const folders = [""];
    let files = 0;
    this.sights.begin();
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      // Of a folder that is gone, or not to be read, nothing can be watched.
      const entries = entries_in(this.#full(folder));
      this.ignore.enter(folder, entries);
      this.sights.enter(folder, entries);
      if (this.#starting && entries.length === 0) note(this.passed.empty, folder);
      for (const entry of entries) {
        const path = folder + entry.name;
        if (this.#starting && has_no_name(this.#full(path))) note(this.passed.unnamed, path);
        if (entry.isDirectory) {
          if (!this.ignore.ignores(`${path}/`)) folders.push(`${path}/`);
          else if (this.#starting) note(this.passed.ignored, `${path}/`);
          continue;
        }
        // What was watched before still is; asking the rules takes longer than looking at the file.
        if (!this.#now.has(path) && this.ignore.ignores(path)) {
          if (this.#starting) note(this.passed.ignored, path);
          continue;
        }
        const looks = looks_of(this.#full(path));
        if (looks === null) continue;
        if (++files > MOST_FILES) {
          this.overflow = true;
          return;
        }
        yield [path, looks];
      }
    }
  }

  #full(path: string): string {
    return this.workspace === "/" ? `/${path}` : `${this.workspace}/${path}`;
  }

  #entry(looks: Looks, time: number, hash: string | null = null): Entry {
    return { looks, young: looks.ctime > time - TICK_MS, hash };
  }

  /** The entry for a file as it is now; the old one where nothing is different. */
  #look(
    path: string,
    looks: Looks,
    { old, time }: { readonly old: Entry | undefined; readonly time: number },
  ): Entry {
    const same_looks = old?.looks.looks === looks.looks;
    if (old !== undefined && same_looks && !old.young) return old;
    const now = hash_of(this.#full(path), looks) ?? UNKNOWN;
    const before = old === undefined ? null : this.#hash(path, old);
    // Seen twice to look the same, with contents that could not both be read: taken for the same.
    const hash = same_looks && (before === UNKNOWN || now === UNKNOWN) ? before : now;
    return this.#entry(looks, time, hash);
  }

  #compare(path: string, old: Entry | undefined, now: Entry): Fact | null {
    if (old === now) return null;
    const before = old === undefined ? null : this.#hash(path, old);
    const after = this.#hash(path, now);
    const same = before === after && old?.looks.mode === now.looks.mode &&
      (after !== UNKNOWN || old.looks.looks === now.looks.looks);
    return same ? null : { kind: "file", path, before, after };
  }

  /** The same of a file that was looked at; a change is remembered. */
  #changed_from(path: string, old: Entry | undefined, now: Entry): Fact | null {
    const fact = this.#compare(path, old, now);
    if (fact !== null) this.#mark(path, old);
    return fact;
  }

  #mark(path: string, old: Entry | undefined): void {
    if (!this.#changed.has(path)) this.#changed.set(path, old);
  }

  #version(path: string, { looks }: Entry, room: number): Version {
    const known = looks.size <= Math.min(COMPARE_BYTES, room);
    return { mode: looks.mode, bytes: known ? content_of(this.#full(path), looks) : null };
  }

  /** What a file held when its last change was told; for the first, at the start. */
  #latest_bytes(path: string): Uint8Array | null {
    if (this.latest.has(path)) return this.latest.get(path);
    const first = this.#contents.get(path);
    return first?.kind === "kept" && first.at.length <= COMPARE_BYTES
      ? this.pack.read(first.at)
      : null;
  }

  /** The hash of an entry; one that has none yet is of the start. */
  #hash(path: string, entry: Entry): string {
    return entry.hash ??= this.#first_hash(path);
  }

  #first_hash(path: string): string {
    const content = this.#contents.get(path);
    if (content?.kind === "hashed") return content.hash;
    const bytes = this.#first_bytes(path);
    return bytes === null ? UNKNOWN : hash(bytes);
  }

  #first_bytes(path: string): Uint8Array | null {
    const content = this.#contents.get(path);
    return content?.kind === "kept" ? this.pack.read(content.at) : null;
  }
}

function known_hash(hash: string): string | null {
  return hash === UNKNOWN ? null : hash;
}

function text_of(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.includes(0)) return null;
  return new TextDecoder().decode(bytes);
}

function status_of(before: Entry | undefined, after: Entry | undefined): FileChange["status"] {
  return before === undefined ? "added" : after === undefined ? "deleted" : "modified";
}

/** Whether both are known to be the same: what a background process did between two looks may be known already. */
function is_same(before: Version | null, after: Version | null): boolean {
  if (before === null || after === null || before.mode !== after.mode) return false;
  const [old, now] = [before.bytes, after.bytes];
  if (old === null || now === null || old.length !== now.length) return false;
  return old.every((byte, at) => byte === now[at]);
}

function path_of(fact: Fact): string {
  return fact.kind === "file" ? fact.path : "";
}
