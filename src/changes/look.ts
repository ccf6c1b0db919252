/** A folder with all in it as it was last looked at, and what has become another since. */
import type { GitIndex } from "./git_index.ts";
import { Unnamed } from "./unnamed.ts";
import type { Different, FileSlot, Folder, Ignoring, Knowledge, Listener, Was } from "./known.ts";
import {
  changed_at,
  EMPTY,
  filtered,
  type Folders,
  git_names_in,
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
/** From here on a number stands for what is known besides git's entries; an index of git is never so large. */
const OTHERS = 2 ** 31;
/** Stands for bytes that are no UTF-8. */
const NO_TEXT = "\ufffd";
/** Each open folder on the way down is an open file, and a process may have 1024. */
const DEEPEST = 500;

/** One folder, all that is below it, and what is known of it. */
export class Look {
  readonly #folders = new Map<string, Folder>();
  /** Of files that git does not have as they are: their hashes, or their places in the stash. */
  readonly #known: (string | number | null)[] = [];
  /** Numbers of it that nobody needs anymore. */
  readonly #free: number[] = [];
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
  /** The folder that is being listed; its file under way is in `#name`. -1: none is. */
  #listed = -1;
  #open_folder: { readonly path: string; readonly fd: number } | null = null;
  /** Whether there are more files than are watched. */
  overflow = false;
  /** What has come, changed or gone since the last look and has a name that is not text. */
  unnamed: readonly string[] = [];
  readonly #unnamed = new Unnamed();

  /** `top`: absolute. `index`: null if git has nothing of it. */
  constructor(
    readonly top: string,
    private readonly by: {
      readonly raw: Folders;
      readonly ignoring: Ignoring;
      readonly listener: Listener | null;
      /** Told at the first look of each file that git does not have; absent: they are given like others. */
      readonly first?: (file: Different, look: Look) => void;
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
    this.#young_from = Date.now() - this.by.raw.tick_ms;
    const fd = this.by.raw.open(null, name_of(this.top));
    if (fd >= 0) this.#enter("", fd, 0);
    const different = this.#different;
    if (!this.#first) {
      const seen = new Set(different.map(({ path }) => path));
      const near = { places: new Map<string, FileSlot>() };
      for (const path of young) {
        const place = seen.has(path) ? null : this.#place(path, near);
        if (place === null) continue;
        const was = this.#was(place);
        different.push({ path, was, ...was, only_young: true, place });
      }
    }
    const told = this.#unnamed.take();
    this.unnamed = this.#first ? [] : told;
    this.#first = false;
    return different;
  }

  /** What a file holds, as the caller has found out: its hash, or its place in the stash; null if nothing is known. */
  know({ looks, at }: FileSlot, known: string | number | null): void {
    let own = looks[at + OWN]!;
    if (own < OTHERS) own = this.#free.pop() ?? OTHERS + this.#known.length;
    this.#known[own - OTHERS] = known;
    looks[at + OWN] = own;
  }

  /** Reads a file as it was seen to be; false if it cannot be read. Its folder stays open until `release`. */
  read(path: string, how: Parameters<Folders["read"]>[2]): boolean {
    if (this.#listed >= 0) return this.by.raw.read(this.#listed, this.#name, how);
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
    const { fd } = this.#open_folder ?? { fd: -1 };
    if (fd >= 0) this.by.raw.close(fd);
    this.#open_folder = null;
  }

  /** The uppermost of the folders of a file that have come with it, `/` at the end; null if all were there. */
  made(path: string): string | null {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      if (this.#came.has(path.slice(0, at + 1))) return path.slice(0, at + 1);
    }
    return null;
  }

  /** What ignore rules cover, a folder standing for all in it, with `/` at its end. */
  ignored(): readonly string[] {
    return [...this.#folders].flatMap(([path, { ignored }]) => ignored.map((name) => path + name));
  }

  /** Every file, and what is known of it; in the folders that are `covered` only those that git has no content for. */
  *files(covered: (folder: string) => boolean): Generator<[path: string, was: Was]> {
    for (const [path, { names, looks }] of this.#folders) {
      const is_covered = covered(path);
      let all_in_git = is_covered;
      for (let at = OWN; at < looks.length; at += WORDS) all_in_git &&= is_in_git(looks[at]!);
      if (all_in_git) continue;
      for (const [nth, name] of names_in(names).entries()) {
        if (is_covered && is_in_git(looks[nth * WORDS + OWN]!)) continue;
        yield [path + name, this.#was({ looks, at: nth * WORDS })];
      }
    }
  }

  /** Every file, and whether it may have come or changed since, in milliseconds since 1970: it, or a folder that it is in. */
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
      if (!raw.stat(fd, EMPTY, own)) return;
      const old = this.#folders.get(path);
      const same = old !== undefined && !old.young && same_looks(old.own, 0, own);
      const folder = same ? old : this.#list(path, fd, own);
      if (folder === null) return;
      if (same) this.#compare(path, fd, folder);
      this.#unnamed.look(path, (name, words) => raw.stat(fd, name, words));
      if (depth === DEEPEST) return;
      const { folders } = folder;
      let at = 0;
      for (const text of names_in(folders)) {
        const end = folders.indexOf(0, at) + 1;
        const below = `${path}${text}/`;
        const inner = raw.open(fd, folders.slice(at, end));
        at = end;
        if (inner >= 0) this.#enter(below, inner, depth + 1);
        else if (!is_closed(`${this.top}/${below}`)) this.#gone(below);
        // Git enters a folder that can't be listed.
        else this.by.listener?.enter(below, git_names_in(`${this.top}/${below}`));
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
      const is_there = raw.stat(fd, name, words);
      if (is_there && same_looks(looks, place, words)) {
        if (this.#is_young(words)) this.#young.add(path + text_of(name));
        continue;
      }
      if (!is_there || !has_content(words)) {
        // It goes at this very moment; the next look lists the folder.
        const folder = this.#folders.get(path);
        if (folder !== undefined) folder.young = true;
        continue;
      }
      const full = path + text_of(name);
      const then = { looks: looks.slice(place, place + WORDS), at: 0 };
      words[OWN] = unknown(looks[place + OWN]!);
      looks.set(words, place);
      this.#add(full, then, { looks, at: place });
    }
  }

  /** A folder that has come, or in which something has come or gone. Null if it cannot be read. */
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
    const before = new Map(old === undefined ? [] : places_of(old));
    const had_files = before.size > 0;
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
      if (name.includes(NO_TEXT)) return this.#unnamed.folder(path + name);
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
    this.#listed = fd;
    folder.names = filtered(listing.files, names, (name, from, at) => {
      if (name.includes(NO_TEXT)) return this.#unnamed.file(path, listing.files.slice(from, at));
      const then = (had_files && before.get(name)) || null;
      if (then !== null) before.delete(name);
      if (++this.#files > MOST_FILES) {
        this.overflow = true;
        if (then === null) return false;
      }
      for (let byte = from; byte < at; byte++) this.#name[byte - from] = listing.files[byte]!;
      if (!raw.stat(fd, this.#name, words) || !has_content(words)) {
        folder.young = true;
        if (then !== null) this.#gone_file(path + name, then);
        return false;
      }
      const place = to++ * WORDS;
      let is_same: boolean;
      if (then !== null) {
        is_same = same_looks(then.looks, then.at, words);
        const own = then.looks[then.at + OWN]!;
        words[OWN] = is_same ? own : unknown(own);
      } else {
        const may_be_so = git !== null && this.#first && !this.#is_young(words);
        words[OWN] = may_be_so ? this.index!.find(git, this.#name, words) : 0;
        is_same = words[OWN] !== 0;
        if (!is_same && (passed.has(name) || ignoring.ignores(path + name))) {
          ignored.push(name);
          to--;
          return false;
        }
      }
      folder.looks.set(words, place);
      if (!is_same) this.#add(path + name, then, { looks: folder.looks, at: place });
      else if (this.#is_young(words)) this.#young.add(path + name);
      return true;
    });
    this.#listed = -1;
    if (to < names.length) folder.looks = folder.looks.subarray(0, to * WORDS);
    for (const [name, then] of before) this.#gone_file(path + name, then);
    return folder;
  }

  #add(path: string, then: FileSlot | null, place: FileSlot): void {
    const { looks, at } = place;
    const was = then && this.#was(then);
    if (this.#is_young(looks, at)) this.#young.add(path);
    const mode = looks[at + MODE]! & MODE_BITS;
    const file = { path, was, mode, size: size_of(looks, at), only_young: false, place };
    // Many, the first time: they are told one by one.
    if (this.#first && this.by.first !== undefined) this.by.first(file, this);
    else this.#different.push(file);
  }

  #gone_file(path: string, place: FileSlot): void {
    const own = place.looks[place.at + OWN]!;
    const was = this.#was(place);
    this.#different.push({ path, was, mode: null, size: 0, only_young: false, place });
    if (own >= OTHERS) this.#free.push(own);
  }

  /** A folder that is not there anymore, with all that was in it. */
  #gone(path: string): void {
    const folder = this.#folders.get(path);
    if (folder === undefined) return;
    for (const [name, place] of places_of(folder)) this.#gone_file(path + name, place);
    for (const name of names_in(folder.folders)) this.#gone(`${path}${name}/`);
    this.#folders.delete(path);
    this.#unnamed.look(path, () => false);
    this.by.listener?.leave(path);
  }

  #was({ looks, at }: FileSlot): Was {
    const own = looks[at + OWN]!;
    const other = this.#known[own - OTHERS] ?? null;
    const known: Knowledge = typeof other === "number"
      ? { kind: "stashed", nth: other }
      : other !== null
      ? { kind: "hash", hash: other }
      : is_in_git(own)
      ? { kind: "git", entry: own }
      : { kind: "nothing" };
    return { mode: looks[at + MODE]! & MODE_BITS, size: size_of(looks, at), known };
  }

  /** `near`: the folder of the last one that was asked for; most are in the same. */
  #place(path: string, near: { folder?: Folder; places: Map<string, FileSlot> }): FileSlot | null {
    const slash = path.lastIndexOf("/") + 1;
    const folder = this.#folders.get(path.slice(0, slash));
    if (folder === undefined) return null;
    if (folder !== near.folder) Object.assign(near, { folder, places: new Map(places_of(folder)) });
    return near.places.get(path.slice(slash)) ?? null;
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
}

/** The names of a folder's files, and where what is known of each stands. */
function places_of({ names, looks }: Folder): [name: string, place: FileSlot][] {
  return names_in(names).map((name, nth) => [name, { looks, at: nth * WORDS }]);
}

/** Whether what is known of a file is that git has it. */
function is_in_git(own: number): boolean {
  return own !== 0 && own < OTHERS;
}

/** Of a file that has become another: its number stays its own. */
function unknown(own: number): number {
  return own < OTHERS ? 0 : own;
}
