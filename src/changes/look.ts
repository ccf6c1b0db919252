/** Compares a folder tree with the last look at it. */
import type { GitIndex } from "./git_index.ts";
import { Unreadable } from "./unreadable.ts";
import { unknown } from "./known_contents.ts";
import { file_places, WatchedTree } from "./watched_tree.ts";
import { TreeReader } from "./tree_reader.ts";
import { NonTextNames } from "./non_text_names.ts";
import type { Different, FileSlot, Folder, FolderListener, Ignoring } from "./look_types.ts";
import {
  changed_at,
  changed_since,
  EMPTY,
  existed_at,
  filtered,
  type Folders,
  git_names_in,
  INODE,
  MODE,
  MODE_BITS,
  name_bytes,
  names_in_block,
  NO_TEXT,
  OWN,
  type ReadPlan,
  same_looks,
  size_of,
  stat_has_content,
  STAT_WORDS,
  text_of_name,
} from "./folders.ts";

/** More files than this in one folder are not all watched; a run says so. */
const MOST_FILES = 500_000;
const AS_IT_WAS = { only_young: false, learned: false, older: false, born: null };
/** Each open folder on the way down is an open file, and a process may have 1024. */
const DEEPEST = 500;

export class Look {
  readonly tree = new WatchedTree();
  /** Files that could change once more and look the same. */
  #young = new Set<string>();
  #different: Different[] = [];
  /** Folders that have come since the last look. */
  readonly #came = new Set<string>();
  #files = 0;
  readonly #most: number;
  #first = true;
  /** What comes into sight has been there all along: at the first look, and in a folder that could not be looked at. */
  #learns = true;
  #young_from = 0;
  /** When the first look began, and the latest change of a folder that any has listed, in milliseconds since 1970. The clock of its file system, a server's perhaps, is not before that. */
  #began = 0;
  latest = 0;
  readonly #name = new Uint8Array(256);
  readonly #words = new Uint32Array(STAT_WORDS);
  /** The folder that is being listed; its file under way is in `#name`. -1: none is. */
  #listed = -1;
  readonly #reader: TreeReader;
  overflow = false;
  /** What else has come, changed or gone since the last look: its name is not text, or it was closed or opened. */
  unnamed: readonly string[] = [];
  readonly #non_text = new NonTextNames();
  readonly unreadable: Unreadable;
  /** Inodes of files that are not where they were at the last look. */
  #left: number[] = [];

  /** `top`: absolute. `index`: null if git has nothing of it. */
  constructor(
    readonly top: string,
    private readonly by: {
      readonly raw: Folders;
      readonly ignoring: Ignoring;
      readonly listener: FolderListener | null;
      /** Told at the first look of each file that git does not have; absent: they are given like others. */
      readonly first?: (file: Different, look: Look) => void;
      /** Default: 500,000. */
      readonly most_files?: number;
    },
    private index: GitIndex | null,
  ) {
    this.unreadable = new Unreadable(top);
    this.#most = by.most_files ?? MOST_FILES;
    this.#reader = new TreeReader(top, by.raw);
  }

  /** Looks at everything, and gives what looks other than the last time; the first time, all that git does not have. */
  look(): readonly Different[] {
    const young = this.#young;
    this.#young = new Set();
    this.#different = [];
    this.#came.clear();
    this.#files = 0;
    this.#young_from = Date.now() - this.by.raw.tick_ms;
    this.#learns = this.#first;
    if (this.#first) this.#began = Date.now();
    const fd = this.by.raw.open(null, name_bytes(this.top));
    if (fd >= 0) this.#enter("", fd, 0);
    else this.unreadable.add("", this.#first);
    const different = this.#different;
    if (!this.#first) {
      const seen = new Set(different.map(({ path }) => path));
      const near = { places: new Map<string, FileSlot>() };
      for (const path of young) {
        const is_closed = this.unreadable.covers(path);
        if (is_closed) this.#young.add(path);
        const place = is_closed || seen.has(path) ? null : this.tree.place(path, near);
        if (place === null) continue;
        const was = this.tree.known.was(place);
        different.push({ path, was, ...was, ...AS_IT_WAS, only_young: true, place });
      }
    }
    const told = [...this.#non_text.take(), ...this.unreadable.take()];
    this.unnamed = this.#first ? [] : told;
    this.#first = false;
    return different;
  }

  /** What a file holds, as the caller has found out: its hash, or its place in the stash; null if nothing is known. */
  know(place: FileSlot, known: string | number | null): void {
    this.tree.known.set(place, known);
  }

  /** Inodes of files that are no longer where they were, since this was last asked. */
  left(): readonly number[] {
    return this.#left.splice(0);
  }

  /** Reads a file as it was seen to be; false if it cannot be read. Its folder stays open until `release`. */
  read(path: string, how: ReadPlan): boolean {
    if (this.#listed >= 0) return this.by.raw.read(this.#listed, this.#name, how);
    return this.#reader.read(path, how);
  }

  /** Closes the folder that `read` has opened last. */
  release(): void {
    this.#reader.release();
  }

  /** The uppermost of the folders of a file that have come with it, `/` at the end; null if all were there. */
  made(path: string): string | null {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      if (this.#came.has(path.slice(0, at + 1))) return path.slice(0, at + 1);
    }
    return null;
  }

  /** Closes `fd`. */
  #enter(path: string, fd: number, depth: number): void {
    const raw = this.by.raw, learns = this.#learns;
    try {
      const own = this.#words.slice();
      const is_there = raw.stat(fd, EMPTY, own);
      const old = this.tree.folders.get(path);
      const same = old !== undefined && !old.young && same_looks(old.own, 0, own);
      this.#learns ||= old === undefined && this.unreadable.has(path);
      const listed = is_there && !same ? this.#list(path, fd, own) : null;
      const folder = listed ?? old;
      if (!same && listed === null) this.#shut(path);
      else if (depth < DEEPEST) this.unreadable.open(path);
      if (!is_there || folder === undefined) return;
      if (listed === null) this.#compare(path, fd, folder);
      this.#non_text.look(path, (name, words) => raw.stat(fd, name, words));
      const { folders } = folder;
      if (depth === DEEPEST && folders.length > 0) {
        this.unreadable.add(path, this.#learns, "failed");
      }
      if (depth === DEEPEST) return;
      let at = 0;
      for (const text of names_in_block(folders)) {
        const end = folders.indexOf(0, at) + 1;
        const below = `${path}${text}/`;
        const inner = raw.open(fd, folders.slice(at, end));
        at = end;
        if (inner >= 0) this.#enter(below, inner, depth + 1);
        else if (!this.#shut(below)) this.#gone(below);
      }
    } finally {
      this.#learns = learns;
      raw.close(fd);
    }
  }

  /** A folder could not be looked at. False if it is gone. */
  #shut(path: string): boolean {
    if (!this.unreadable.add(path, this.#learns)) return false;
    // Git enters a folder that can't be listed.
    this.by.listener?.enter(path, git_names_in(`${this.top}/${path}`));
    return true;
  }

  /** A folder in which nothing has come or gone: only its files are looked at. */
  #compare(path: string, fd: number, { names, looks }: Folder): void {
    const raw = this.by.raw, words = this.#words, name = this.#name;
    let nth = 0;
    for (let at = 0; at < names.length; nth++) {
      for (let to = 0;; to++) {
        const byte = names[at++]!;
        name[to] = byte;
        if (byte === 0) break;
      }
      const place = nth * STAT_WORDS;
      if (++this.#files > this.#most) this.overflow = true;
      const is_there = raw.stat(fd, name, words);
      if (is_there && same_looks(looks, place, words)) {
        if (this.#is_young(words)) this.#young.add(path + text_of_name(name));
        continue;
      }
      if (!is_there || !stat_has_content(words)) {
        // It goes at this very moment; the next look lists the folder.
        const folder = this.tree.folders.get(path);
        if (folder !== undefined) folder.young = true;
        continue;
      }
      const full = path + text_of_name(name);
      const then = { looks: looks.slice(place, place + STAT_WORDS), at: 0 };
      words[OWN] = unknown(looks[place + OWN]!);
      looks.set(words, place);
      this.#add(full, then, { looks, at: place });
    }
  }

  /** A folder that has come, or in which something has come or gone. Null if it cannot be read. */
  #list(path: string, fd: number, own: Uint32Array): Folder | null {
    const { ignoring, listener } = this.by;
    const listing = this.by.raw.list(fd);
    if (listing === null) return null;
    this.latest = Math.max(this.latest, changed_at(own));
    const old = this.tree.folders.get(path);
    const names = names_in_block(listing.files), below = names_in_block(listing.folders);
    const all = below.length === 0 ? names : names.concat(below);
    ignoring.enter(path, all);
    listener?.enter(path, all);
    const folder: Folder = {
      names: listing.files,
      folders: listing.folders,
      looks: new Uint32Array(names.length * STAT_WORDS),
      own,
      young: this.#is_young(own),
      ignored: [],
    };
    this.tree.folders.set(path, folder);
    if (old === undefined && !this.#learns) this.#came.add(path);
    this.#list_folders(path, folder, { old, below });
    this.#listed = fd;
    this.#list_files(path, folder, { old, names });
    this.#listed = -1;
    return folder;
  }

  /** Keeps those that are looked into, and lets go of all that is no longer there. */
  #list_folders(
    path: string,
    folder: Folder,
    { old, below }: { old: Folder | undefined; below: readonly string[] },
  ): void {
    const passed = new Set(old?.ignored);
    folder.folders = filtered(folder.folders, below, (name) => {
      const own = `${path}${name}/`;
      if (name.includes(NO_TEXT)) return this.#non_text.folder(path + name);
      if (this.tree.folders.has(own)) return true;
      if (name !== ".git" && this.index?.folders.has(own)) return true;
      if (!passed.has(`${name}/`) && !this.by.ignoring.ignores(own)) return true;
      folder.ignored.push(`${name}/`);
      return false;
    });
    if (old === undefined) return;
    const left = new Set(names_in_block(folder.folders));
    for (const name of names_in_block(old.folders)) {
      if (!left.has(name)) this.#gone(`${path}${name}/`);
    }
  }

  /** Keeps the files that are watched, with their looks, and tells which are others than before. */
  #list_files(
    path: string,
    folder: Folder,
    { old, names }: { old: Folder | undefined; names: readonly string[] },
  ): void {
    const files = folder.names;
    const before = new Map(old === undefined ? [] : file_places(old));
    const had_files = before.size > 0;
    const passed = new Set(old?.ignored);
    const bytes = new TextEncoder().encode(path);
    const git = this.index === null ? null : { bytes, hash: this.index.hash_of(bytes) };
    const words = this.#words;
    // One file more that can't be looked at, in the same folder, is so for the same reason.
    let to = 0, why_shut: "closed" | undefined;
    folder.names = filtered(files, names, (name, from, at) => {
      if (name.includes(NO_TEXT)) return this.#non_text.file(path, files.slice(from, at));
      const then = (had_files && before.get(name)) || null;
      if (then !== null) before.delete(name);
      if (++this.#files > this.#most) {
        this.overflow = true;
        if (then === null) return false;
      }
      for (let byte = from; byte < at; byte++) this.#name[byte - from] = files[byte]!;
      const full = path + name;
      const is_there = this.by.raw.stat(this.#listed, this.#name, words);
      if (is_there) this.by.listener?.file?.(full, words[MODE]!);
      if (!is_there || !stat_has_content(words)) {
        // It goes at this very moment, or nothing can be known of it.
        folder.young = true;
        const is_shut = !is_there && this.unreadable.add(full, this.#learns, why_shut);
        if (is_shut) why_shut = "closed";
        if (then === null) return false;
        if (!is_shut) {
          this.#gone_file(full, then);
          return false;
        }
        words.set(then.looks.subarray(then.at, then.at + STAT_WORDS));
      }
      const was_shut = is_there && this.unreadable.open(full);
      const learned = this.#learns ||
        (then === null && (was_shut || (this.overflow && this.#is_from_before(this.#born()))));
      const place = to++ * STAT_WORDS;
      let is_same: boolean;
      if (then !== null) {
        is_same = same_looks(then.looks, then.at, words);
        const own = then.looks[then.at + OWN]!;
        words[OWN] = is_same ? own : unknown(own);
      } else {
        const may_be_so = git !== null && learned && !this.#is_young(words);
        words[OWN] = may_be_so ? this.index!.find(git, this.#name, words) : 0;
        is_same = words[OWN] !== 0;
        if (!is_same && (passed.has(name) || this.by.ignoring.ignores(full))) {
          folder.ignored.push(name);
          to--;
          return false;
        }
      }
      folder.looks.set(words, place);
      if (!is_same) this.#add(full, then, { looks: folder.looks, at: place }, learned);
      else if (this.#is_young(words)) this.#young.add(full);
      return true;
    });
    if (to < names.length) folder.looks = folder.looks.subarray(0, to * STAT_WORDS);
    for (const [name, then] of before) this.#gone_file(path + name, then);
  }

  #add(path: string, then: FileSlot | null, place: FileSlot, learned = false): void {
    const { looks, at } = place;
    const was = then && this.tree.known.was(then);
    if (this.#is_young(looks, at)) this.#young.add(path);
    const inode = looks[at + INODE]!;
    const replaced = then?.looks[then.at + INODE] ?? null;
    const born = learned || inode === replaced ? null : this.#born();
    const file: Different = {
      path,
      was,
      mode: looks[at + MODE]! & MODE_BITS,
      size: size_of(looks, at),
      only_young: false,
      place,
      learned,
      older: born !== null && this.#is_from_before(born),
      born,
    };
    // Many, the first time: they are reported one by one.
    if (this.#first && this.by.first !== undefined) this.by.first(file, this);
    else this.#different.push(file);
    if (replaced !== null && replaced !== inode) this.#left.push(replaced);
  }

  /** When the file under way was made, in milliseconds since 1970; null where nothing tells. */
  #born(): number | null {
    return this.#listed < 0 ? null : this.by.raw.born(this.#listed, this.#name);
  }

  /** Whether what was made then was there when the first look began; where nothing tells, it may have been. */
  #is_from_before(born: number | null): boolean {
    const times = { began: this.#began, latest: this.latest };
    return born === null || existed_at(born, times, this.by.raw);
  }

  #gone_file(path: string, place: FileSlot): void {
    const was = this.tree.known.was(place);
    this.#different.push({ path, was, mode: null, size: 0, ...AS_IT_WAS, place });
    this.unreadable.gone(path);
    this.#left.push(place.looks[place.at + INODE]!);
    this.tree.known.free(place);
  }

  /** A folder that is gone, with all that was in it. */
  #gone(path: string): void {
    this.unreadable.gone(path);
    const folder = this.tree.folders.get(path);
    if (folder === undefined) return;
    for (const [name, place] of file_places(folder)) this.#gone_file(path + name, place);
    for (const name of names_in_block(folder.folders)) this.#gone(`${path}${name}/`);
    this.tree.folders.delete(path);
    this.#non_text.look(path, () => false);
    this.by.listener?.leave(path);
  }

  #is_young(words: Uint32Array, at = 0): boolean {
    return changed_since(words, at, this.#young_from);
  }
}
