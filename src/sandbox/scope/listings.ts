/** Folder listings, each read once: a policy asks hundreds of questions about a few folders. */
import { folded } from "../../config/folded.ts";
import type { Libc } from "../kernel/libc.ts";
import { type FolderEntry, list_folder } from "../kernel/proc_fs.ts";
import { look_at } from "../kernel/statx.ts";

/** What a folder says of a name in it; `unsure`: only the kernel knows. */
type EntryKind = "folder" | "file" | "missing" | "unsure";

interface FolderView {
  readonly entries: readonly FolderEntry[];
  readonly by_name: ReadonlyMap<string, FolderEntry>;
  /** In lower case; null where it could not be listed, or where such a name may be spelled in yet other ways. */
  readonly names: ReadonlySet<string> | null;
}

/** Whether a name has letters of which some file systems take several for the same, besides upper and lower case. */
const IS_ODD = /[^\x20-\x7e]/;

/** View of a folder that is not there. */
const NOTHING: FolderView = { entries: [], by_name: new Map(), names: new Set() };
const DOTS = ["", ".", ".."];

export class Listings {
  readonly #known = new Map<string, FolderView>();
  readonly #spelled = new Map<string, string>();
  readonly #is_there: (path: string) => boolean;

  /** `is_there`: whether the kernel finds anything at a path. */
  constructor(
    private readonly libc: Libc,
    is_there: (path: string) => boolean = (path) => look_at(libc, path) !== null,
  ) {
    this.#is_there = is_there;
  }

  /** What is in a folder; [] where it can't be listed. */
  entries(folder: string): readonly FolderEntry[] {
    return this.#listing(folder).entries;
  }

  kind_of(folder: string, name: string): EntryKind {
    const { by_name, names } = this.#listing(folder);
    const entry = by_name.get(name);
    if (entry === undefined) {
      const is_missing = names !== null && !IS_ODD.test(name) && !DOTS.includes(name) &&
        !names.has(name.toLowerCase());
      return is_missing ? "missing" : "unsure";
    }
    return entry.is_folder ? "folder" : entry.is_file ? "file" : "unsure";
  }

  /** A path as its folders list it, where a file system takes `.SSH` for `.ssh`. What does not exist keeps its name. */
  spelled(path: string): string {
    const at = path.lastIndexOf("/");
    if (at < 0 || path === "/") return path;
    const before = this.#spelled.get(path);
    if (before !== undefined) return before;
    const above = this.spelled(path.slice(0, at) || "/");
    const full = (name: string) => `${above === "/" ? "" : above}/${name}`;
    const name = path.slice(at + 1);
    const listed = this.#listed_as(above, name);
    const found = full(listed !== null && this.#is_there(full(name)) ? listed : name);
    this.#spelled.set(path, found);
    return found;
  }

  /** The only name in a folder that a file system may find by this one; null if it is listed itself, or there is none. */
  #listed_as(folder: string, name: string): string | null {
    if (this.kind_of(folder, name) !== "unsure") return null;
    const { entries, by_name } = this.#listing(folder);
    if (by_name.has(name)) return null;
    const as_folded = folded(name);
    return entries.find((entry) => folded(entry.name) === as_folded)?.name ?? null;
  }

  #listing(folder: string): FolderView {
    const before = this.#known.get(folder);
    if (before !== undefined) return before;
    let odd = false;
    const entries = this.#is_missing(folder)
      ? null
      : list_folder(this.libc, folder, () => odd = true);
    if (entries === null) return this.#keep(folder, NOTHING);
    odd ||= entries.some(({ name }) => IS_ODD.test(name));
    return this.#keep(folder, {
      entries,
      by_name: new Map(entries.map((entry) => [entry.name, entry])),
      names: odd || entries.length === 0
        ? null
        : new Set(entries.map(({ name }) => name.toLowerCase())),
    });
  }

  #is_missing(folder: string): boolean {
    if (folder === "/") return false;
    const at = folder.lastIndexOf("/");
    return this.kind_of(folder.slice(0, at) || "/", folder.slice(at + 1)) === "missing";
  }

  #keep(folder: string, listing: FolderView): FolderView {
    this.#known.set(folder, listing);
    return listing;
  }
}
