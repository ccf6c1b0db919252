/** What a walk through the workspace finds that someone else will run: repositories, and files that tools start by themselves. */
import { FILE_TYPE, LINK } from "../changes/folders.ts";
import { folded } from "../config/folded.ts";
import {
  is_list_of_options,
  is_named,
  loaded_first,
  NAMED_FOLDERS,
  NO_FOLDER,
  OF_ANY_AGENT,
  SPELLED,
} from "./names_that_run.ts";

/** Git takes a folder for one of its own if it has `HEAD` and these, or `HEAD` and a file that names the folder with these. */
const HEAD = "head", OF_GIT = ["objects", "refs"];
const COMMON = "commondir";
/** Other programs of version control enter one of git's in a folder of their own, which git ignores (jj writes the `.gitignore` for that). */
const ENTERED = ["jj/repo/store/git", "hg/git", "sl/store/git"].map((place) => `.${place}`);

/** More repositories are not watched. Each costs every look 0.1 ms, and no project has as many. */
export const MOST_REPOSITORIES = 10_000;

interface FolderContents {
  readonly dotgits: readonly string[];
  readonly bares: readonly string[];
  readonly named: readonly string[];
}

/** Gathered from the listings that a look makes anyway; paths relative to the workspace, or absolute. */
export class FolderScan {
  readonly #found = new Map<string, FolderContents>();
  readonly #links = new Map<string, string[]>();

  /** `is_ignored`: whether a look does not come to a path, relative to the workspace or absolute; a folder's ends in `/`. */
  constructor(readonly is_ignored: (relative: string) => boolean) {}

  get dotgits(): readonly string[] {
    return this.#all("dotgits", MOST_REPOSITORIES);
  }

  get bares(): readonly string[] {
    return this.#all("bares", MOST_REPOSITORIES);
  }

  get has_more_repositories(): boolean {
    const count = (kind: "dotgits" | "bares") =>
      this.#found.values().reduce((sum, found) => sum + found[kind].length, 0);
    return Math.max(count("dotgits"), count("bares")) > MOST_REPOSITORIES;
  }

  get named(): readonly string[] {
    return this.#all("named");
  }

  /** Links, ignored or not. */
  get links(): readonly string[] {
    return [...this.#links.values()].flat();
  }

  /** A folder (empty or ending in a slash) and its content, also found by other spellings that the file system takes for the same. */
  enter(folder: string, names: readonly string[]): void {
    this.#links.delete(folder);
    const dotgits = new Set<string>(), named = new Set<string>();
    let all: ReadonlySet<string> | null = null;
    const are_there = () => all ??= new Set(names);
    const note = (name: string): boolean => {
      const inner = NAMED_FOLDERS.get(name);
      if (name === ".git") dotgits.add(folder + name);
      else if (is_named(name) || inner?.length === 0) named.add(folder + name);
      else if (is_list_of_options(name) && are_there().has(name.slice(1))) {
        named.add(folder + NO_FOLDER + name);
      } else if (inner === undefined) return false;
      else for (const file of inner) named.add(`${folder}${name}/${file}`);
      return true;
    };
    let has_head = false;
    for (const name of names) {
      const as_folded = folded(name);
      has_head ||= as_folded === HEAD;
      const is_noted = note(name);
      const is_agents = folder === "" && name.startsWith(".") &&
        (!is_noted || (NAMED_FOLDERS.get(name)?.length ?? 0) > 0);
      if (is_noted && !is_agents) continue;
      // From where they are started, before their own, Erlang (and so mix and rebar3) takes compiled modules, Python some, and Neovim what it lacks.
      if (folder === "") {
        const module = name.endsWith(".beam") ? name : loaded_first(name);
        if (module !== null) named.add(module);
      }
      const other = SPELLED.get(as_folded) ?? as_folded;
      if ((other === name || !note(other)) && is_agents) {
        for (const file of OF_ANY_AGENT) named.add(`${name}/${file}`);
      }
    }
    const bares = ENTERED.filter((place) => names.includes(place.split("/", 1)[0] ?? ""))
      .map((place) => folder + place);
    if (has_head && is_git_dir(names)) bares.push(folder.replace(/\/$/, ""));
    if (dotgits.size + bares.length + named.size === 0) this.#found.delete(folder);
    else this.#found.set(folder, { dotgits: [...dotgits], bares, named: [...named] });
  }

  /** A file in the folder that was entered last. */
  file(path: string, mode: number): void {
    if ((mode & FILE_TYPE) !== LINK) return;
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const links = this.#links.get(folder);
    if (links === undefined) this.#links.set(folder, [path]);
    else links.push(path);
  }

  leave(folder: string): void {
    this.#found.delete(folder);
    this.#links.delete(folder);
  }

  #all(kind: keyof FolderContents, most = Infinity): readonly string[] {
    return [...this.#found.values()].flatMap((found) => found[kind]).slice(0, most);
  }
}

/** Whether a folder with these names in it may be one of git's: some file systems find `HEAD` where `Head` is. */
export function is_git_dir(names: readonly string[]): boolean {
  const all = new Set(names.map(folded));
  return all.has(HEAD) && (all.has(COMMON) || OF_GIT.every((name) => all.has(name)));
}
