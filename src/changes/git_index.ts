/** Reads Git's index without Git, since settings can make Git run programs. 100,000 files stay at 10 MB: entries are not objects. */
import { attempt } from "../config/attempt.ts";
import { git_id } from "../permission/content_hash.ts";
import { git_dir_named_in } from "../permission/git_folder.ts";
import { file_text, lstat_or_null } from "../permission/paths.ts";
import { read_regular } from "../sandbox/kernel/read_inside.ts";
import type { Policy } from "../sandbox/policy.ts";
import { CTIME, CTIME_NS, doubled, INODE, MTIME, MTIME_NS, SIZE, size_of } from "./folders.ts";

// gitformat-index(5)
const SIGNATURE = 0x44495243; // DIRC
const HEADER_BYTES = 12;
/** Where these are in an entry; before its mode, at 24, is what `stat` said of the file. */
const MODE = 24, ID = 40, FLAGS = 60, MORE_FLAGS = 62;
const ID_BYTES = 20;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
/** `git add -N`: listed, but git has no content for it. */
const INTENT_TO_ADD = 0x2000;
/** Left out by a sparse checkout: a partial clone does not even have it. */
const SKIP_WORKTREE = 0x4000;
/** Another repository, by the kind that its mode begins with. */
const GITLINK = 0o16;
/** The extension that names trees. */
const TREE = 0x54524545;
const LEAST_BYTES = 64;

/** Listings of 500,000 files; what is larger is not read, and contents are copied. */
const MOST_BYTES = 80 * 1024 * 1024;
/** Written out, a listing of version 4 takes less than twice as much; a hostile one would take a hundred times. */
const MOST_GROWTH = 4;
/** A tree of 100,000 files has some 10,000. A path of 4 kB may name 2,000 of them. */
const MOST_FOLDERS = 300_000;
/** Linux takes no longer path (PATH_MAX); here each begins with the one before. */
const PATH_BYTES = 4096;

/** Settings and attributes by which git's content differs from the disk; not automatic line ends, which also change the size. */
const CONVERTS = /filter\s*=|eol\s*=\s*crlf|\bident\b|working-tree-encoding|autocrlf\s*=\s*true/i;
const SHA256 = /objectformat\s*=\s*sha256/i;

/** Where git keeps what it knows of a workspace. */
export interface GitPlace {
  /** The folder with `HEAD` and `index`. */
  readonly own: string;
  /** The folder with `refs` and the settings; another one in a worktree. */
  readonly common: string;
  /** Where the workspace is in it, `/` at the end; empty at the top. */
  readonly below: string;
}

/** By which hash git names its contents there. */
export function object_format(place: GitPlace | null): "sha1" | "sha256" {
  return attempt(
    () => place !== null && SHA256.test(file_text(`${place.common}/config`)) ? "sha256" : "sha1",
    "sha1",
  );
}

/** The ids of the contents that git has, by path relative to the workspace. */
export class GitIndex {
  readonly #view: DataView;
  readonly #entries: Uint8Array;
  readonly #starts: Uint32Array;
  /** Open addressing: where each entry begins, 0 for none; and which have been found. */
  readonly #slots: Uint32Array;
  readonly #seen: Uint8Array;
  readonly #end: number;
  /** Length of what is above the workspace, bytes. */
  readonly #above: number;
  /** Folders with entries in them, relative to the workspace, `/` at the end. */
  readonly folders = new Set<string>([""]);
  /** The `.gitattributes` that are listed, relative to the workspace. */
  readonly attributes: string[] = [];
  /** Folders in which files may differ from what git has of them, `/` at the end. */
  #distrusted: readonly Uint8Array[] = [];

  private constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    /** When it was written, in seconds and nanoseconds: what changed no earlier may be another one. */
    private readonly written: readonly [number, number],
    private readonly below: string,
  ) {
    const { entries, starts, end } = written_out(bytes);
    this.#entries = entries;
    this.#starts = starts;
    this.#end = end;
    this.#view = new DataView(entries.buffer);
    const size = 2 ** Math.ceil(Math.log2(starts.length * 2 + 2));
    this.#slots = new Uint32Array(size);
    this.#seen = new Uint8Array(size);
    const above = new TextEncoder().encode(below);
    this.#above = above.length;
    this.#fill(above);
  }

  /** The index of a workspace; null if none can be read. `any`: files on the disk may differ from git. */
  static of(place: GitPlace | null, any = false): GitIndex | null {
    if (place === null) return null;
    const file = `${place.own}/index`;
    return attempt(() => {
      const settings = file_text(`${place.common}/config`);
      if (SHA256.test(settings) || (!any && CONVERTS.test(settings))) return null;
      if (!any && CONVERTS.test(file_text(`${place.common}/info/attributes`))) return null;
      const { isFile, size, mtime } = Deno.lstatSync(file);
      if (!isFile || size > MOST_BYTES) return null;
      const ms = mtime?.getTime() ?? 0;
      const written = [Math.floor(ms / 1000), (ms % 1000) * 1e6] as const;
      return GitIndex.read(read_regular(file, MOST_BYTES), { ...place, written });
    }, null);
  }

  /** Takes one apart. `below`: only paths that begin with it, without it. Null if it is none, or of a newer kind. */
  static read(
    bytes: Uint8Array<ArrayBuffer>,
    { below, written }: { below: string; written: readonly [number, number] },
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

  /** In these folders, relative to the workspace and with `/` at the end, no file is taken to be as git has it. */
  distrust(folders: readonly string[]): void {
    this.#distrusted = folders.map((folder) => new TextEncoder().encode(folder));
  }

  /** A seed for {@link find}: the hash of a folder's path, `/` at its end. */
  hash_of(folder: Uint8Array): number {
    return fnv(SEED, folder, 0, folder.length);
  }

  /** The entry of a file that looks as git saw it, so that git has its content; 0 if there is none. `name` ends in NUL. */
  find(
    folder: { readonly bytes: Uint8Array; readonly hash: number },
    name: Uint8Array,
    looks: Uint32Array,
  ): number {
    const { bytes, hash } = folder;
    const slots = this.#slots, entries = this.#entries, mask = slots.length - 1;
    let length = 0, whole = hash;
    for (let byte; (byte = name[length]!) !== 0; length++) whole = Math.imul(whole ^ byte, PRIME);
    for (let slot = whole & mask;; slot = (slot + 1) & mask) {
      const entry = slots[slot]!;
      if (entry === 0) return 0;
      const path = this.#path(entry);
      const is_it = equal(name, 0, length + 1, entries, path + bytes.length) &&
        equal(bytes, 0, bytes.length, entries, path);
      if (!is_it) continue;
      this.#seen[slot] = 1;
      const is_distrusted = this.#distrusted.some((above) =>
        above.length <= bytes.length && equal(above, 0, above.length, bytes, 0)
      );
      return !is_distrusted && this.#looks_so(entry, looks) ? entry : 0;
    }
  }

  id(entry: number): string {
    return this.#entries.subarray(entry + ID, entry + ID + ID_BYTES).toHex();
  }

  /** The ids of some contents, at most so many, from all over; none of what is not a file, or what git was told to leave out. */
  some(most: number): readonly string[] {
    const slots = this.#slots, view = this.#view;
    const files = new Uint32Array(this.#starts.length);
    let count = 0;
    for (let slot = 0; slot < slots.length; slot++) {
      const entry = slots[slot]!;
      if (entry === 0 || view.getUint32(entry + MODE) >>> 12 === GITLINK) continue;
      if ((this.#more_flags(entry) & SKIP_WORKTREE) === 0) files[count++] = entry;
    }
    const every = Math.ceil(count / most);
    const ids: string[] = [];
    for (let nth = 0; nth < count; nth += every) ids.push(this.id(files[nth]!));
    return ids;
  }

  has(entry: number, content: Uint8Array): boolean {
    return git_id(content, "sha1") === this.id(entry);
  }

  /** Folders whose staged content git has as a tree, with `/` at the end, none inside another. None in a subfolder of the repository. */
  trees(): readonly (readonly [folder: string, id: string])[] {
    const { bytes } = this;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const decoder = new TextDecoder();
    const trees: [string, string][] = [];
    let at = this.#end;
    while (at + 8 < bytes.length && view.getUint32(at) !== TREE) at += 8 + view.getUint32(at + 4);
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
    const paths: string[] = [];
    const decoder = new TextDecoder();
    this.#slots.forEach((entry, slot) => {
      if (entry === 0 || this.#seen[slot] !== 0) return;
      const path = this.#path(entry);
      paths.push(decoder.decode(this.#entries.subarray(path, this.#path_end(path))));
    });
    return paths;
  }

  get trailer(): string {
    return this.bytes.subarray(-ID_BYTES).toHex();
  }

  /** Whether the same is staged in both: paths, modes and ids, but not what `git status` notes of files. */
  same_staged(other: GitIndex): boolean {
    const a = this.#entries, b = other.#entries;
    return this.#starts.length === other.#starts.length && this.#starts.every((at, nth) => {
      const from = other.#starts[nth]!;
      return equal(a, at + MODE, at + MODE + 4, b, from + MODE) &&
        equal(a, at + ID, this.#path_end(this.#path(at)) + 1, b, from + ID);
    });
  }

  #fill(below: Uint8Array): void {
    const decoder = new TextDecoder();
    const slots = this.#slots, entries = this.#entries, mask = slots.length - 1;
    let folder = 0, of_folder = 0;
    for (const entry of this.#starts) {
      const flags = this.#view.getUint16(entry + FLAGS);
      // Git lists several for a conflict.
      if ((flags & STAGE) !== 0 || (this.#more_flags(entry) & INTENT_TO_ADD) !== 0) continue;
      const path = this.#path(entry), end = this.#path_end(path);
      if (!equal(below, 0, below.length, entries, path - below.length)) continue;
      let slot = fnv(SEED, entries, path, end) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry;
      let slash = end;
      while (slash > path && entries[slash - 1] !== SLASH) slash--;
      if (
        end - slash === ATTRIBUTES.length && equal(ATTRIBUTES, 0, ATTRIBUTES.length, entries, slash)
      ) {
        this.attributes.push(decoder.decode(entries.subarray(path, end)));
      }
      // Most are in the same folder as the one before.
      const inside = slash - path === of_folder && equal(entries, path, slash, entries, folder);
      folder = path;
      of_folder = slash - path;
      if (inside) continue;
      const text = decoder.decode(entries.subarray(path, slash));
      for (let at = text.length; at > 0; at = text.lastIndexOf("/", at - 2) + 1) {
        if (this.folders.has(text.slice(0, at))) break;
        this.folders.add(text.slice(0, at));
        if (this.folders.size > MOST_FOLDERS) {
          throw new RangeError("more folders than are looked at");
        }
      }
    }
  }

  #more_flags(entry: number): number {
    const has_more = (this.#view.getUint16(entry + FLAGS) & EXTENDED) !== 0;
    return has_more ? this.#view.getUint16(entry + MORE_FLAGS) : 0;
  }

  /** Where the path of an entry begins, without what is above the workspace. */
  #path(entry: number): number {
    const more = (this.#view.getUint16(entry + FLAGS) & EXTENDED) === 0 ? 0 : 2;
    return entry + MORE_FLAGS + more + this.#above;
  }

  #path_end(path: number): number {
    return this.#entries.indexOf(0, path);
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

/** The entries with whole paths and where each begins: version 4 stores only how a path differs from the last. Throws `RangeError` if damaged. */
function written_out(
  bytes: Uint8Array<ArrayBuffer>,
): {
  readonly entries: Uint8Array<ArrayBuffer>;
  readonly starts: Uint32Array;
  readonly end: number;
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(4), count = view.getUint32(8);
  const is_index = view.getUint32(0) === SIGNATURE && version >= 2 && version <= 4;
  if (!is_index || count * LEAST_BYTES > bytes.length) throw new RangeError("no index, or cut");
  const packed = version === 4;
  const starts = new Uint32Array(count);
  let entries = packed ? new Uint8Array(2 * bytes.length) : bytes;
  let at = HEADER_BYTES, to = at, path = 0, length = 0;
  for (let nth = 0; nth < count; nth++) {
    const start = at;
    const head = (view.getUint16(start + FLAGS) & EXTENDED) === 0 ? MORE_FLAGS : MORE_FLAGS + 2;
    let from = start + head, kept = 0;
    if (packed) {
      let byte = bytes[from++] ?? 0;
      let cut = byte & 127;
      while (byte & 128) {
        byte = bytes[from++] ?? 0;
        cut = ((cut + 1) << 7) + (byte & 127);
      }
      kept = length - cut;
    }
    const end = bytes.indexOf(0, from);
    if (end < 0 || kept < 0 || kept > Math.min(length, PATH_BYTES)) {
      throw new RangeError("a path has no beginning, or no end");
    }
    starts[nth] = packed ? to : start;
    // One to eight zeros, so that the next one begins at a multiple of eight.
    at = packed ? end + 1 : end + 8 - ((end - start) % 8);
    if (!packed) continue;
    length = kept + end - from;
    if (to > MOST_GROWTH * bytes.length) {
      throw new RangeError("paths that are far longer than the file");
    }
    while (to + head + length >= entries.length) entries = doubled(entries);
    entries.set(bytes.subarray(start, start + head), to);
    entries.copyWithin(to + head, path, path + kept);
    entries.set(bytes.subarray(from, end), to + head + kept);
    path = to + head;
    to = path + length + 1;
  }
  return { entries, starts, end: at };
}

const SLASH = 47;
const ATTRIBUTES = new TextEncoder().encode(".gitattributes");
const SEED = 0x811c9dc5, PRIME = 0x01000193;

/** Fowler, Noll and Vo's hash, 1a. */
function fnv(hash: number, bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
  return hash >>> 0;
}

/** Whether bytes of `a` are in `b`, too, from a place on. */
function equal(a: Uint8Array, at: number, end: number, b: Uint8Array, from: number): boolean {
  for (; at < end; at++, from++) if (a[at] !== b[from]) return false;
  return true;
}

/** Where git keeps what it knows of a workspace; null if there is no repository. */
export function git_place({ workspace, git }: Pick<Policy, "workspace" | "git">): GitPlace | null {
  const dotgit = `${workspace}/.git`;
  const own = lstat_or_null(dotgit);
  if (own?.isDirectory) return { own: dotgit, common: dotgit, below: "" };
  // Whether what a file says may be believed has been found out.
  if (git === null) return null;
  if (own?.isFile) {
    const named = git_dir_named_in(dotgit);
    return named === null ? null : { own: named, common: git, below: "" };
  }
  const top = git.slice(0, git.lastIndexOf("/"));
  return { own: git, common: git, below: `${workspace.slice(top.length + 1)}/` };
}
