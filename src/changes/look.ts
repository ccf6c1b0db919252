/** A folder with all in it as it was last looked at, and what has become another since. */
import type { GitIndex } from "./git_index.ts";
import type { Different, Folder, Ignoring, Known, Listener, Place, Was } from "./known.ts";
import {
  changed_at,
  EMPTY,
  filtered,
  type Folders,
  has_content,
  is_closed,
  MODE,
  MODE_BITS,
  name_of,
  names_in,
  OWN,
  same_looks,
  size_of,
  text_of,
  WORDS,
} from "./folders.ts";

/** More files than this in one folder are not all watched; a run says so. */
const MOST_FILES = 200_000;
/** Behind it lie places in the stash; an index of git is never so large. */
const STASHED = 2 ** 31;
/** They are named, and nobody reads more. */
const MOST_UNNAMED = 1000;
/** Stands for bytes that are no UTF-8. */
const NO_TEXT = "\ufffd";
/** Each open folder on the way down is an open file, and a process may have 1024. */
const DEEPEST = 500;

/** One folder, all that is below it, and what is known of it. */
export class Look {
  readonly #folders = new Map<string, Folder>();
  /** Hashes of files that git does not have. */
  readonly #hashes = new Map<string, string>();
  /** Files that could change once more and look the same. */
  #young = new Set<string>();
  #different: Different[] = [];
  /** Folders that have come since the last look. */
  readonly #came = new Set<string>();
  #files = 0;
  #first = true;
  #young_from = 0;
  readonly #name = new Uint8Array(256);
  readonly #words = new Uint32Array(WORDS);
  #open_folder: { readonly path: string; readonly fd: number } | null = null;
  /** Whether there are more files than are watched. */
  overflow = false;
  /** Files and folders that have come since the last look, and whose names are no text. */
  unnamed: readonly string[] = [];
  readonly #unnamed_ones = new Set<string>();

  /** `top`: absolute. `index`: null where git has nothing of it. */
  constructor(
    readonly top: string,
    private readonly by: {
      readonly raw: Folders;
      readonly ignoring: Ignoring;
      readonly listener: Listener | null;
    },
    private index: GitIndex | null,
  ) {}

  /** Looks at everything, and gives what looks other than the last time; the first time, all that git does not have. */
  look(): readonly Different[] {
    const young = this.#young;
    this.#young = new Set();
    this.#different = [];
    this.#came.clear();
    this.#files = 0;
    const unnamed = this.#unnamed_ones.size;
    this.#young_from = Date.now() - this.by.raw.tick_ms;
    const fd = this.by.raw.open(null, name_of(this.top));
    if (fd >= 0) this.#enter("", fd, 0);
    const different = this.#different;
    if (!this.#first) {
      const seen = new Set(different.map(({ path }) => path));
      for (const path of young) {
        const place = seen.has(path) ? null : this.#place(path);
        if (place === null) continue;
        const was = this.#was(path, place.looks, place.at);
        const { mode, size } = was;
        different.push({ path, was, mode, size, only_young: true, place });
      }
    }
    this.unnamed = this.#first ? [] : [...this.#unnamed_ones].slice(unnamed);
    this.#first = false;
    return different;
  }

  /** What a file holds now, as the caller has found out; null where nothing is known. */
  know(path: string, hash: string | null): void {
    if (hash === null) this.#hashes.delete(path);
    else this.#hashes.set(path, hash);
  }

  /** What a file held is in the stash, at this place. */
  stashed({ looks, at }: Place, nth: number): void {
    looks[at + OWN] = STASHED + nth;
  }

  /** Nothing else is known of a file but its hash. */
  forget({ looks, at }: Place): void {
    looks[at + OWN] = 0;
  }

  /** Reads a file as it was seen to be; false where it cannot be read. Its folder stays open until `release`. */
  read(path: string, how: Parameters<Folders["read"]>[2]): boolean {
    const slash = path.lastIndexOf("/") + 1;
    const folder = path.slice(0, slash);
    if (this.#open_folder?.path !== folder) {
      this.release();
      this.#open_folder = { path: folder, fd: this.#open(folder) };
    }
    const { fd } = this.#open_folder;
    return fd >= 0 && this.by.raw.read(fd, name_of(path.slice(slash)), how);
  }

  /** What was read last has been read. */
  release(): void {
    if (this.#open_folder !== null && this.#open_folder.fd >= 0) {
      this.by.raw.close(this.#open_folder.fd);
    }
    this.#open_folder = null;
  }

  /** The uppermost of the folders of a file that have come with it, `/` at the end; null where all were there. */
  made(path: string): string | null {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      if (this.#came.has(path.slice(0, at + 1))) return path.slice(0, at + 1);
    }
    return null;
  }

  /** What ignore rules cover, a folder standing for all in it, with `/` at its end. */
  *ignored(): Generator<string> {
    for (const [path, { ignored }] of this.#folders) for (const name of ignored) yield path + name;
  }

  /** Every file, and what is known of it; in the folders that are `covered` only those that git has no content for. */
  *files(covered: (folder: string) => boolean): Generator<[path: string, was: Was]> {
    for (const [path, folder] of this.#folders) {
      const { names, looks } = folder;
      const is_covered = covered(path);
      let own = 0;
      for (let at = OWN; at < looks.length; at += WORDS) if (!is_in_git(looks[at]!)) own++;
      if (is_covered && own === 0) continue;
      for (const [nth, name] of names_in(names).entries()) {
        if (is_covered && is_in_git(looks[nth * WORDS + OWN]!)) continue;
        yield [path + name, this.#was(path + name, looks, nth * WORDS)];
      }
    }
  }

  /** Every file, and whether it may have come or changed since, in milliseconds since 1970: it, or a folder that it lies in. */
  *changed_since(ms: number): Generator<[path: string, changed: boolean]> {
    for (const [path, folder] of this.#folders) {
      let moved = false;
      for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
        const above = this.#folders.get(path.slice(0, at + 1));
        moved ||= above !== undefined && changed_at(above.own) >= ms;
      }
      for (const [nth, name] of names_in(folder.names).entries()) {
        yield [path + name, moved || changed_at(folder.looks, nth * WORDS) >= ms];
      }
    }
  }

  /** Closes `fd`. */
  #enter(path: string, fd: number, depth: number): void {
    const { raw } = this.by;
    try {
      const own = this.#words.slice();
      if (!raw.stat(fd, EMPTY, own, 0)) return;
      const old = this.#folders.get(path);
      const same = old !== undefined && !old.young && same_looks(old.own, 0, own, 0);
      const folder = same ? old : this.#list(path, fd, own);
      if (folder === null) return;
      if (same) this.#compare(path, fd, folder);
      if (depth === DEEPEST) return;
      const { folders } = folder;
      for (let at = 0; at < folders.length;) {
        const end = folders.indexOf(0, at) + 1;
        const name = folders.slice(at, end);
        at = end;
        const below = `${path}${names_in(name)[0]}/`;
        const inner = raw.open(fd, name);
        if (inner >= 0) this.#enter(below, inner, depth + 1);
        else if (!is_closed(`${this.top}/${below}`)) this.#gone(below);
      }
    } finally {
      raw.close(fd);
    }
  }

  /** A folder in which nothing has come or gone: only its files are looked at. */
  #compare(path: string, fd: number, { names, looks }: Folder): void {
    const { raw } = this.by;
    const words = this.#words, name = this.#name;
    let nth = 0;
    for (let at = 0; at < names.length; nth++) {
      for (let to = 0;; to++) {
        const byte = names[at++]!;
        name[to] = byte;
        if (byte === 0) break;
      }
      const place = nth * WORDS;
      if (++this.#files > MOST_FILES) this.overflow = true;
      if (raw.same(fd, name, looks, place)) {
        if (this.#is_young(looks, place)) this.#young.add(path + text_of(name));
        continue;
      }
      if (!raw.stat(fd, name, words, 0) || !has_content(words)) {
        // It goes at this very moment; the next look lists the folder.
        const folder = this.#folders.get(path);
        if (folder !== undefined) folder.young = true;
        continue;
      }
      const full = path + text_of(name);
      const was = this.#was(full, looks, place);
      words[OWN] = 0;
      looks.set(words, place);
      this.#add(full, was, { looks, at: place });
    }
  }

  /** A folder that has come, or in which something has come or gone. Null where it cannot be read. */
  #list(path: string, fd: number, own: Uint32Array): Folder | null {
    const { raw, ignoring, listener } = this.by;
    const listing = raw.list(fd);
    if (listing === null) return null;
    const old = this.#folders.get(path);
    const names = names_in(listing.files);
    const below = names_in(listing.folders);
    const all = below.length === 0 ? names : names.concat(below);
    ignoring.enter(path, all);
    listener?.enter(path, all);
    const before = old === undefined
      ? null
      : new Map(names_in(old.names).map((name, nth) => [name, nth]));
    const passed = new Set(old?.ignored);
    const ignored: string[] = [];
    const folder: Folder = {
      names: listing.files,
      folders: listing.folders,
      looks: new Uint32Array(names.length * WORDS),
      own,
      young: this.#is_young(own),
      ignored,
    };
    this.#folders.set(path, folder);
    if (old === undefined && !this.#first) this.#came.add(path);
    const folders = filtered(listing.folders, below, (name) => {
      const own = `${path}${name}/`;
      if (name.includes(NO_TEXT)) return this.#unnamed(path + name);
      if (this.#folders.has(own)) return true;
      if (name !== ".git" && this.index?.folders.has(own)) return true;
      if (!passed.has(`${name}/`) && !ignoring.ignores(own)) return true;
      ignored.push(`${name}/`);
      return false;
    });
    if (old !== undefined) {
      const left = new Set(names_in(folders));
      for (const name of names_in(old.folders)) {
        if (!left.has(name)) this.#gone(`${path}${name}/`);
      }
    }
    folder.folders = folders;
    const bytes = new TextEncoder().encode(path);
    const git = this.index === null ? null : { bytes, hash: this.index.hash_of(bytes) };
    const words = this.#words;
    let to = 0;
    folder.names = filtered(listing.files, names, (name, from, at) => {
      if (name.includes(NO_TEXT)) return this.#unnamed(path + name);
      const nth = before?.get(name);
      before?.delete(name);
      if (++this.#files > MOST_FILES) {
        this.overflow = true;
        if (nth === undefined) return false;
      }
      for (let byte = from; byte < at; byte++) this.#name[byte - from] = listing.files[byte]!;
      if (!raw.stat(fd, this.#name, words, 0) || !has_content(words)) {
        folder.young = true;
        if (nth !== undefined && old !== undefined) this.#gone_file(path + name, old.looks, nth);
        return false;
      }
      const place = to * WORDS;
      if (nth !== undefined && old !== undefined) {
        const is_same = same_looks(old.looks, nth * WORDS, words, 0);
        words[OWN] = is_same ? old.looks[nth * WORDS + OWN]! : 0;
        folder.looks.set(words, place);
        if (is_same && this.#is_young(words)) this.#young.add(path + name);
        if (!is_same) {
          const was = this.#was(path + name, old.looks, nth * WORDS);
          this.#add(path + name, was, { looks: folder.looks, at: place });
        }
        to++;
        return true;
      }
      const young = this.#is_young(words);
      const entry = git === null || !this.#first || young
        ? 0
        : this.index!.find(git, { names: listing.files, at: from, end: at - 1 }, words);
      if (entry === 0 && (passed.has(name) || ignoring.ignores(path + name))) {
        ignored.push(name);
        return false;
      }
      words[OWN] = entry;
      folder.looks.set(words, place);
      if (entry === 0) this.#add(path + name, null, { looks: folder.looks, at: place });
      to++;
      return true;
    });
    if (to < names.length) folder.looks = folder.looks.subarray(0, to * WORDS);
    for (const [name, nth] of before ?? []) {
      if (old !== undefined) this.#gone_file(path + name, old.looks, nth);
    }
    return folder;
  }

  #add(path: string, was: Was | null, place: Place): void {
    const { looks, at } = place;
    if (this.#is_young(looks, at)) this.#young.add(path);
    const mode = looks[at + MODE]! & MODE_BITS;
    this.#different.push({ path, was, mode, size: size_of(looks, at), only_young: false, place });
  }

  #gone_file(path: string, looks: Uint32Array, nth: number): void {
    const was = this.#was(path, looks, nth * WORDS);
    const place = { looks, at: nth * WORDS };
    this.#different.push({ path, was, mode: null, size: 0, only_young: false, place });
    this.#hashes.delete(path);
  }

  /** A folder that is not there any more, with all that was in it. */
  #gone(path: string): void {
    const folder = this.#folders.get(path);
    if (folder === undefined) return;
    for (const [nth, name] of names_in(folder.names).entries()) {
      this.#gone_file(path + name, folder.looks, nth);
    }
    for (const name of names_in(folder.folders)) this.#gone(`${path}${name}/`);
    this.#folders.delete(path);
    this.by.listener?.leave(path);
  }

  #was(path: string, looks: Uint32Array, at: number): Was {
    const entry = looks[at + OWN]!;
    const hash = this.#hashes.get(path);
    const known: Known = entry >= STASHED
      ? { kind: "stashed", nth: entry - STASHED }
      : entry !== 0
      ? { kind: "git", entry }
      : hash === undefined
      ? { kind: "nothing" }
      : { kind: "hash", hash };
    return { mode: looks[at + MODE]! & MODE_BITS, size: size_of(looks, at), known };
  }

  #place(path: string): Place | null {
    const slash = path.lastIndexOf("/") + 1;
    const folder = this.#folders.get(path.slice(0, slash));
    const nth = folder === undefined ? -1 : names_in(folder.names).indexOf(path.slice(slash));
    return folder === undefined || nth < 0 ? null : { looks: folder.looks, at: nth * WORDS };
  }

  /** Name by name: none of the folders above may be a link. */
  #open(folder: string): number {
    const { raw } = this.by;
    let fd = raw.open(null, name_of(this.top));
    for (const name of folder.split("/").slice(0, -1)) {
      if (fd < 0) return fd;
      const inner = raw.open(fd, name_of(name));
      raw.close(fd);
      fd = inner;
    }
    return fd;
  }

  #is_young(words: Uint32Array, at = 0): boolean {
    return changed_at(words, at) >= this.#young_from;
  }

  #unnamed(path: string): false {
    if (this.#unnamed_ones.size < MOST_UNNAMED) this.#unnamed_ones.add(path);
    return false;
  }
}

/** Whether what is known of a file is that git has it. */
function is_in_git(own: number): boolean {
  return own !== 0 && own < STASHED;
}
