/**
 * What git lists of the workspace: `index`, read by ourselves, because a repository's settings can make git run programs. Never
 * one object an entry: a listing of 100,000 files is 10 MB, and stays so.
 */
import { createHash } from "node:crypto";
import { look, text_of } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { CTIME, CTIME_NS, INODE, MTIME, MTIME_NS, SIZE, size_of } from "./folders.ts";

// gitformat-index(5)
const SIGNATURE = 0x44495243; // DIRC
const HEADER_BYTES = 12;
/** What `stat` told of a file, before its id. */
const STAT_BYTES = 40;
const ID_BYTES = 20;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
/** `git add -N`: listed, but git has no content for it. */
const INTENT_TO_ADD = 0x2000;
/** The extension that names trees. */
const TREE = 0x54524545;
/** An entry is no shorter. */
const LEAST_BYTES = 64;

/** Listings of 200,000 files; what is larger is not read, and contents are copied. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Linux takes no longer path (PATH_MAX); here each begins with the one before. */
const PATH_BYTES = 4096;

/**
 * Settings and attributes by which a file is another one in git than on the disk. Line ends that git finds by itself (`text=auto`)
 * are no reason: where these differ, so does the size, and that is compared before a content is taken from git.
 */
const CONVERTS = /filter\s*=|eol\s*=\s*crlf|\bident\b|working-tree-encoding|autocrlf\s*=\s*true/i;
/** Ids of another length. */
const SHA256 = /objectformat\s*=\s*sha256/i;

/** Where git keeps what it knows of a workspace. */
export interface GitPlace {
  /** The folder with `HEAD` and `index`. */
  readonly own: string;
  /** The folder with `refs` and the settings; another one in a worktree. */
  readonly common: string;
  /** Where the workspace lies in it, `/` at the end; empty at the top. */
  readonly below: string;
}

/** The ids of the contents that git has, by path relative to the workspace. */
export class GitIndex {
  /** Open addressing: where each entry begins, and where its path is. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  /** Which slots have been found. */
  readonly #seen: Uint8Array;
  /** Where the extensions begin. */
  #end = 0;
  /** Folders with entries in them, relative to the workspace, `/` at the end. */
  readonly folders = new Set<string>([""]);
  readonly #view: DataView;
  #paths: Uint8Array;

  private constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    /** When it was written, in seconds and nanoseconds: what changed no earlier may be another one. */
    private readonly written: readonly [number, number],
    private readonly below: string,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const count = this.#count();
    this.#mask = 2 ** Math.ceil(Math.log2(count * 2 + 2)) - 1;
    this.#slots = new Uint32Array((this.#mask + 1) * 3);
    this.#seen = new Uint8Array(this.#mask + 1);
    this.#paths = bytes;
    this.#fill(count, new TextEncoder().encode(below));
  }

  /**
   * Reads the one of a workspace; null where there is none, or none that can be read. `any`: files may be others on the disk
   * than in git.
   */
  static of(place: GitPlace | null, any = false): GitIndex | null {
    if (place === null) return null;
    const file = `${place.own}/index`;
    try {
      const settings = text_of(`${place.common}/config`);
      if (SHA256.test(settings) || (!any && CONVERTS.test(settings))) return null;
      if (!any && CONVERTS.test(text_of(`${place.common}/info/attributes`))) return null;
      const { isFile, size, mtime } = Deno.lstatSync(file);
      if (!isFile || size > MOST_BYTES) return null;
      const ms = mtime?.getTime() ?? 0;
      const written = [Math.floor(ms / 1000), (ms % 1000) * 1e6] as const;
      return GitIndex.read(Deno.readFileSync(file), { ...place, written });
    } catch {
      return null;
    }
  }

  /** Takes one apart. `below`: only paths that begin with it, without it. Null where it is none, or of a newer kind. */
  static read(
    bytes: Uint8Array<ArrayBuffer>,
    { below, written }: { readonly below: string; readonly written: readonly [number, number] },
  ): GitIndex | null {
    try {
      return new GitIndex(bytes, written, below);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** Whether attributes of a folder make its files others in git. */
  static converts(attributes: string): boolean {
    return CONVERTS.test(attributes);
  }

  /** A seed for {@link find}: the hash of a folder's path, `/` at its end. */
  hash_of(folder: Uint8Array): number {
    return fnv(SEED, folder, 0, folder.length);
  }

  /**
   * The entry of a file that looks as git has seen it, so that its content is what git has; 0 where there is none. `names` from
   * `at` on is the file's name, with a NUL at its end.
   */
  find(
    folder: { readonly bytes: Uint8Array; readonly hash: number },
    { names, at, end }: { readonly names: Uint8Array; readonly at: number; readonly end: number },
    looks: Uint32Array,
  ): number {
    const hash = fnv(folder.hash, names, at, end);
    for (let slot = hash & this.#mask;; slot = (slot + 1) & this.#mask) {
      const entry = this.#slots[slot * 3]!;
      if (entry === 0) return 0;
      const from = this.#slots[slot * 3 + 1]!;
      const { bytes } = folder;
      const is_path = this.#slots[slot * 3 + 2] === bytes.length + end - at &&
        equal(names, at, end, this.#paths, from + bytes.length) &&
        equal(bytes, 0, bytes.length, this.#paths, from);
      if (!is_path) continue;
      this.#seen[slot] = 1;
      return this.#looks_so(entry, looks) ? entry : 0;
    }
  }

  /** The id of an entry, hex. */
  id(entry: number): string {
    return this.bytes.subarray(entry + STAT_BYTES, entry + STAT_BYTES + ID_BYTES).toHex();
  }

  /** Whether an entry has this content. */
  has(entry: number, content: Uint8Array): boolean {
    return blob_id(content) === this.id(entry);
  }

  /**
   * Folders of which git has a tree with all that is staged, none inside another; `/` at the end. In a subfolder of the repository
   * there are none: its tree has other paths.
   */
  trees(): readonly (readonly [folder: string, id: string])[] {
    const { bytes } = this;
    const decoder = new TextDecoder();
    const trees: [string, string][] = [];
    let at = this.#end;
    while (at + 8 < bytes.length && this.#view.getUint32(at) !== TREE) {
      at += 8 + this.#view.getUint32(at + 4);
    }
    if (at + 8 >= bytes.length || this.below !== "") return [];
    at += 8;
    const node = (above: string, covered: boolean): void => {
      const name = bytes.indexOf(0, at);
      const line = bytes.indexOf(10, name);
      const folder = name === at ? above : `${above}${decoder.decode(bytes.subarray(at, name))}/`;
      const [count = -1, inner = 0] = decoder.decode(bytes.subarray(name + 1, line)).split(" ")
        .map(Number);
      at = line + 1;
      if (count >= 0) {
        if (!covered) trees.push([folder, bytes.subarray(at, at + ID_BYTES).toHex()]);
        at += ID_BYTES;
      }
      for (let left = inner; left > 0; left--) node(folder, covered || count >= 0);
    };
    node("", false);
    return trees;
  }

  /** Paths that nobody has looked for: the files are gone. */
  unseen(): readonly string[] {
    const decoder = new TextDecoder();
    const paths: string[] = [];
    for (let slot = 0; slot <= this.#mask; slot++) {
      if (this.#seen[slot] === 1 || this.#slots[slot * 3] === 0) continue;
      const from = this.#slots[slot * 3 + 1]!;
      paths.push(decoder.decode(this.#paths.subarray(from, from + this.#slots[slot * 3 + 2]!)));
    }
    return paths;
  }

  /** The hash at its end. */
  get trailer(): string {
    return this.bytes.subarray(-ID_BYTES).toHex();
  }

  /** Whether the same is staged in both: paths, modes and ids, but not what `git status` notes of files. */
  same_staged(other: GitIndex): boolean {
    const [a, b] = [this.#staged(), other.#staged()];
    return a.length === b.length && equal(a, 0, a.length, b, 0);
  }

  /** Mode, id and path of each entry. */
  #staged(): Uint8Array {
    const { bytes } = this;
    const all = new Uint8Array(2 * bytes.length);
    let at = 0;
    const add = (from: Uint8Array, start: number, end: number) => {
      for (let next = start; next < end; next++) all[at++] = from[next]!;
    };
    this.#each(this.#count(), new Uint8Array(), (entry, from, length) => {
      add(bytes, entry + 24, entry + 28);
      add(bytes, entry + STAT_BYTES, entry + STAT_BYTES + ID_BYTES + 2);
      add(this.#paths, from, from + length);
    });
    return all.subarray(0, at);
  }

  #count(): number {
    const view = this.#view;
    const version = view.getUint32(4);
    if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) throw new RangeError("kind");
    const count = view.getUint32(8);
    if (count * LEAST_BYTES > this.bytes.length + LEAST_BYTES * count / 2) {
      throw new RangeError("more entries than bytes");
    }
    return count;
  }

  #fill(count: number, below: Uint8Array): void {
    const decoder = new TextDecoder();
    const slots = this.#slots, mask = this.#mask;
    let folder = 0, of_folder = 0;
    this.#each(count, below, (entry, from, length, counts) => {
      if (!counts) return;
      const paths = this.#paths, end = from + length;
      let slot = (fnv(SEED, paths, from, end) & mask) * 3;
      while (slots[slot] !== 0) slot = slot === mask * 3 ? 0 : slot + 3;
      slots[slot] = entry;
      slots[slot + 1] = from;
      slots[slot + 2] = length;
      let slash = end;
      while (slash > from && paths[slash - 1] !== SLASH) slash--;
      // Most lie in the same folder as the one before.
      const inside = slash - from === of_folder &&
        equal(paths, from, slash, paths, folder);
      folder = from;
      of_folder = slash - from;
      if (inside) return;
      const text = decoder.decode(paths.subarray(from, slash));
      for (let at = text.length; at > 0; at = text.lastIndexOf("/", at - 2) + 1) {
        if (this.folders.has(text.slice(0, at))) break;
        this.folders.add(text.slice(0, at));
      }
    });
  }

  /** Visits each entry below `below`: where it begins, where the rest of its path is, and whether git has a content for it. */
  #each(
    count: number,
    below: Uint8Array,
    visit: (entry: number, from: number, length: number, counts: boolean) => void,
  ): void {
    const { bytes } = this;
    const view = this.#view;
    const packed = view.getUint32(4) === 4;
    // Of packed paths a copy is needed; it is as long as the file, or longer where that would not do.
    if (packed) this.#paths = new Uint8Array(bytes.length);
    let at = HEADER_BYTES, used = 0, length = 0;
    for (let left = count; left > 0; left--) {
      const entry = at;
      const flags = view.getUint16(entry + STAT_BYTES + ID_BYTES);
      const extended = (flags & EXTENDED) !== 0;
      let from = entry + STAT_BYTES + ID_BYTES + (extended ? 4 : 2);
      const more = extended ? view.getUint16(from - 2) : 0;
      if (packed) {
        let byte = bytes[from++] ?? 0;
        let cut = byte & 127;
        while (byte & 128) {
          byte = bytes[from++] ?? 0;
          cut = ((cut + 1) << 7) + (byte & 127);
        }
        const end = bytes.indexOf(0, from);
        if (end < 0 || cut < 0 || cut > length || length > PATH_BYTES) {
          throw new RangeError("a path has no beginning, or no end");
        }
        const kept = length - cut;
        const whole = kept + end - from;
        if (used + length + whole > this.#paths.length) {
          const larger = new Uint8Array(2 * this.#paths.length + whole);
          larger.set(this.#paths);
          this.#paths = larger;
        }
        const start = used + length;
        this.#paths.copyWithin(start, used, used + kept);
        this.#paths.set(bytes.subarray(from, end), start + kept);
        used = start;
        length = whole;
        at = end + 1;
        from = start;
      } else {
        const end = bytes.indexOf(0, from);
        if (end < 0) throw new RangeError("a path has no end");
        length = end - from;
        // One to eight zeros, so that the next one begins at a multiple of eight.
        at = end + 8 - ((end - entry) % 8);
      }
      if (!equal(below, 0, below.length, this.#paths, from)) continue;
      // Of a conflict git lists several.
      const counts = (flags & STAGE) === 0 && (more & INTENT_TO_ADD) === 0;
      visit(entry, from + below.length, length - below.length, counts);
    }
    this.#end = at;
  }

  #looks_so(entry: number, looks: Uint32Array): boolean {
    const word = (at: number) => this.#view.getUint32(entry + at);
    const [seconds, nanoseconds] = this.written;
    const mtime = looks[MTIME]!;
    const is_older = mtime < seconds ||
      (mtime === seconds && looks[MTIME_NS]! < nanoseconds);
    return is_older && word(0) === looks[CTIME] && word(4) === looks[CTIME_NS] &&
      word(8) === mtime && word(12) === looks[MTIME_NS] &&
      word(20) === looks[INODE] && word(36) === looks[SIZE] &&
      size_of(looks) > 0;
  }
}

const SLASH = 47;
const SEED = 0x811c9dc5;

/** Fowler, Noll and Vo's hash, 1a. */
function fnv(hash: number, bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}

/** Whether bytes of `a` stand in `b`, too, from a place on. */
function equal(a: Uint8Array, at: number, end: number, b: Uint8Array, from: number): boolean {
  for (; at < end; at++, from++) if (a[at] !== b[from]) return false;
  return true;
}

/** The id under which git has a content, hex. */
export function blob_id(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Where git keeps what it knows of a workspace; null where there is no repository. */
export function git_place({ workspace, git }: Pick<Policy, "workspace" | "git">): GitPlace | null {
  const dotgit = `${workspace}/.git`;
  const own = look(dotgit);
  if (own?.isDirectory) return { own: dotgit, common: dotgit, below: "" };
  // Whether what a file says may be believed has been found out.
  if (git === null) return null;
  if (own?.isFile) {
    const named = /^gitdir: (.+)$/m.exec(text_of(dotgit))?.[1];
    if (named === undefined) return null;
    const folder = named.startsWith("/") ? named : `${workspace}/${named}`;
    return { own: folder, common: git, below: "" };
  }
  const top = git.slice(0, git.lastIndexOf("/"));
  return { own: git, common: git, below: `${workspace.slice(top.length + 1)}/` };
}
