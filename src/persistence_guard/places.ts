/** The places of what runs later outside the sandbox, by rule: Git's folders and `hamr`'s own. */
import { further_folders } from "../changes/further_folders.ts";
import { path } from "../config/path.ts";
import { folded } from "../config/folded.ts";
import { is_inside, real_or_null } from "../config/paths.ts";
import { file_text } from "../permission/paths.ts";
import { may_write, own_folders, type Policy } from "../sandbox/policy.ts";
import type { Role, Scope, WatchedPlace } from "./saved.ts";
import type { Holds } from "./nameless.ts";
import { type Lens, one_value, shared_file, type SharedFile, type Thing } from "./thing.ts";

/** More than this in one folder of hooks, or in `.hamr`, is something else; all of it is held in memory. */
const MOST_FILES = 2000;
const MOST_BYTES = 8 * 1024 * 1024;

/** What git reads of it: a branch, or a commit. */
const HEAD = /^(?:ref:[ \t\r\n]*refs\/|[\da-f]{40})/;
/** The owner's right to enter; root enters without it, and then more is looked at than need be. */
const ENTERED = 0o100;

/** Below a folder of git (`.git`, `x.git`). */
const IN_GIT = /\.git\//;
/** What others look at. */
const LOOKED_AT_APART: ReadonlySet<string> = new Set(
  ["hooks", "modules", "worktrees", "remotes", "branches"],
);
/** Holds data, which people keep on another disk; and the folders in there with files of a name that git writes. */
const DATA: ReadonlyMap<string, readonly string[] | "all"> = new Map<
  string,
  readonly string[] | "all"
>([["objects", ["info", "pack"]], ["refs", "all"], ["lfs", []], ["annex", []]]);
/** How far a rebase or an `am` is, and of which branch: git's own prompt script puts the first into the prompt as it is, many people's own the branch, and the shell runs it. */
const SHOWN_IN = ["rebase-merge", "rebase-apply"];
const SHOWN = ["msgnum", "end", "next", "last", "head-name"];
/** Linux follows no more links on one way. */
const MOST_LINKS = 40;

/** In a folder of git, what an editor of files has no business with. */
const GUARDED_NAMES = ["hooks", "config", "config.worktree", "commondir", "modules", "worktrees"]
  .concat(["remotes", "branches"]);

/** The guarded place that this path is in, which tools don't write; null if it is in none. The user can allow it by name. */
export function guarded_place(real: string, policy: Policy): string | null {
  const { workspace, git, given = [] } = policy;
  const tops = [workspace, ...(git === null ? [] : [git]), ...further_folders(policy)];
  if (allowed(policy).some((path) => is_inside(real, path))) return null;
  if (given.includes(real)) return real;
  if (!tops.some((top) => is_inside(real, top))) return null;
  if (is_shown(real)) return real;
  const own = `${workspace}/.hamr`;
  if (is_inside(real, own)) {
    return [policy.tmp, policy.spill, policy.cache].some((data) => is_inside(real, data))
      ? null
      : own;
  }
  const parts = real.split("/");
  const at = parts.findIndex((part, i) => {
    // File systems that do not tell `.GIT` from `.git` are common enough.
    const next = folded(parts[i + 1] ?? "");
    return folded(part) === ".git" && (next === "" || GUARDED_NAMES.includes(next));
  });
  return at < 0 ? null : parts.slice(0, at + 2).join("/");
}

function is_shown(real: string): boolean {
  const [name = "", folder = ""] = real.split("/").reverse().map(folded);
  return IN_GIT.test(real) &&
    (SHOWN_IN.includes(folder) ? SHOWN.includes(name) : name === "head" && folder.endsWith(".git"));
}

/** What the user has allowed to be written by naming it, or a folder of git or `.hamr` around it. */
export function allowed(policy: Policy): readonly string[] {
  if (policy.write === "all") return [];
  return policy.write.filter((path) =>
    /\.git(?:\/|$)/.test(path) || is_inside(path, `${policy.workspace}/.hamr`) ||
    policy.given?.includes(path)
  );
}

/** `.hamr`; where `hamr` keeps its own data in it, only the file that a run reads. */
export function own_place(policy: Policy): string {
  const folder = `${policy.workspace}/.hamr`;
  const [, ...data] = own_folders(policy);
  return data.some((path) => is_inside(path, folder)) ? `${folder}/config.toml` : folder;
}

export class WorkspaceScan {
  readonly found = new Map<string, WatchedPlace>();
  /** Files of git's that have another name as well. */
  readonly shared = new Map<string, SharedFile>();
  readonly #git_dirs = new Set<string>();
  /** Folders that may have an index, those of worktrees among them. */
  readonly #indexed = new Set<string>();
  /** Folders of submodules and worktrees, to which a `.git` may lead; with the repository's own folder that holds them. */
  readonly #inner_dirs = new Map<string, string>();
  /** Folders in which some name is not text. */
  readonly nameless = new Map<string, Holds>();
  /** Places with too much in them to be watched. */
  readonly too_large: string[] = [];

  #files_left = 0;
  #bytes_left = 0;

  /** `known`: what was there before; of what is new only the top is looked at. Null: everything is to be known. */
  constructor(
    scope: Scope,
    private readonly by: {
      readonly lens: Lens;
      readonly known: ReadonlyMap<string, unknown> | null;
      readonly policy: Policy;
    },
  ) {
    const skipped = (path: string) => scope.skipped.some((other) => is_inside(path, other));
    for (const dotgit of scope.dotgits) {
      if (skipped(dotgit)) continue;
      if (this.#one(dotgit, "pointer")?.kind === "folder") this.#git_dir(dotgit);
    }
    for (const folder of scope.git_dirs) {
      if (!skipped(folder) && this.#one(folder, "inner")?.kind === "folder") this.#git_dir(folder);
    }
    for (const own of [scope.own, ...scope.given ?? []]) this.#tree(own);
    for (const all of [this.found, this.shared]) {
      for (const path of all.keys()) if (skipped(path)) all.delete(path);
    }
  }

  /** Folders of git with an index, each with the folders from which paths in it are counted, none if these are elsewhere. `git`: the workspace's own. */
  heads(git: string | null): ReadonlyMap<string, ReadonlySet<string>> {
    const heads = new Map<string, Set<string>>();
    for (const [full, { role, thing }] of this.found) {
      if (role !== "pointer") continue;
      const git_dir = thing.kind === "folder" ? full : dotgit_target(full, thing);
      if (git_dir !== null) {
        heads.set(git_dir, (heads.get(git_dir) ?? new Set()).add(path.dirname(full)));
      }
    }
    if (git !== null && path.basename(git) === ".git") heads.set(git, new Set([path.dirname(git)]));
    for (const folder of this.#indexed) if (!heads.has(folder)) heads.set(folder, new Set());
    return heads;
  }

  /** Whether a `.git` is what git makes of it for a submodule or a worktree. */
  leads_inside(dotgit: string, thing: Thing, git: string | null): boolean {
    const target = thing.kind === "file" ? dotgit_target(dotgit, thing) : null;
    const holder = target === null ? undefined : this.#inner_dirs.get(target);
    return holder !== undefined && target !== null &&
      (holder === git || is_inside(dotgit, path.dirname(holder)) || leads_back(target, dotgit));
  }

  /** `whole`: git can use it as it is; of any other folder in `modules` each one in it may be a submodule's. */
  #git_dir(folder: string, { top = folder, whole = true } = {}): void {
    if (this.#git_dirs.has(folder)) return;
    this.#git_dirs.add(folder);
    if (whole) this.#indexed.add(folder);
    const config = folder === top ? "config" : "module_config";
    // Most of it is not there in most repositories, and to ask for each takes longer than to see the list.
    for (const listed of this.by.lens.entries(folder).names) {
      // Where it is another name to the file system, there is nothing.
      const name = folded(listed);
      const full = `${folder}/${name}`;
      // Git never runs samples.
      if (name === "hooks") this.#hooks(full, (inner) => !inner.endsWith(".sample"));
      // Remotes as git once kept them, by name; it still reads them.
      else if (name === "remotes" || name === "branches") this.#hooks(full, () => true);
      else if (name === "config" || name === "config.worktree") this.#one(full, config);
      else if (name === "commondir") this.#one(full, "common");
      else if (SHOWN_IN.includes(name)) this.#shown(full);
      else if (name === "head") this.#one(`${folder}/HEAD`, "shown");
      else if (!whole) continue;
      else if (name === "modules") this.#modules(full, top);
      else if (name === "worktrees") this.#worktrees(full, top);
    }
    if (whole) this.#links(folder);
    else for (const file of this.by.lens.shared_in(folder)) this.shared.set(file.path, file);
  }

  #shown(folder: string): void {
    if (this.#one(folder, "inner")?.kind !== "folder") return;
    for (const name of SHOWN) this.#one(`${folder}/${name}`, "shown");
  }

  /** Links that lead out of git's folders. Reflogs, `COMMIT_EDITMSG`, `FETCH_HEAD`, ... are written to where they lead. */
  #links(folder: string, is_top = true): void {
    const { lens } = this.by;
    const { links, folders } = this.#entries(folder);
    const apart = (name: string) => is_top && LOOKED_AT_APART.has(folded(name));
    for (const name of links.filter((name) => !apart(name))) {
      this.#link(`${folder}/${name}`, { of_data: is_top && DATA.has(folded(name)) });
    }
    for (const file of lens.shared_in(folder)) this.shared.set(file.path, file);
    for (const name of folders.filter((name) => !apart(name))) {
      const inner = is_top ? DATA.get(folded(name)) : undefined;
      if (inner === undefined) this.#links(`${folder}/${name}`, false);
      else this.#data(`${folder}/${name}`, inner);
    }
  }

  /** One that can't be listed is to be opened: git enters it all the same. */
  #entries(folder: string) {
    const entries = this.by.lens.entries(folder);
    if (entries.nameless) this.nameless.set(folder, this.nameless.get(folder) ?? "files");
    if (entries.closed && !this.found.has(folder)) this.#one(folder, "closed");
    return entries;
  }

  /** Git gives what it writes here a file of its own, but lists and graphs where a link leads (`commit-graph`, `multi-pack-index`). */
  #data(folder: string, inner: readonly string[] | "all"): void {
    const { links, folders } = this.#entries(folder);
    for (const name of links) this.#link(`${folder}/${name}`, { of_data: inner !== "all" });
    for (const name of folders) {
      if (inner === "all" || inner.includes(folded(name))) this.#data(`${folder}/${name}`, "all");
    }
  }

  /** `of_data`: what commands may write may lie there. Git removes what it does not need, also from where another repository has it. */
  #link(full: string, { of_data }: { of_data: boolean }): void {
    if (this.found.has(full)) return;
    const to = of_data ? end_of(full) : null;
    const leads_out = of_data
      ? to === null || !may_write(this.by.policy, to)
      : this.#leads_out(full);
    if (leads_out) this.#one(full, "link");
  }

  /** Also to what is put back: through a link, git's next message could become its settings. */
  #leads_out(link: string): boolean {
    const { policy } = this.by;
    const to = end_of(link);
    return to === null || !may_write(policy, to) || !IN_GIT.test(to) ||
      guarded_place(to, policy) !== null;
  }

  /** However deep: a submodule called `libs/a` lies one folder deeper, and git itself puts none into what it takes for another's. */
  #modules(folder: string, top: string): void {
    for (const inner of this.#inner(folder)) {
      this.#inner_dirs.set(inner, top);
      const whole = is_whole(inner, this.by.lens);
      this.#git_dir(inner, { top, whole });
      if (!whole) this.#modules(inner, top);
    }
  }

  #worktrees(folder: string, top: string): void {
    for (const inner of this.#inner(folder)) {
      this.#inner_dirs.set(inner, top);
      this.#indexed.add(inner);
      this.#one(`${inner}/config.worktree`, "config");
      this.#one(`${inner}/commondir`, "worktree_common");
      // Without that file it is a repository by itself.
      this.#one(`${inner}/config`, "config");
      this.#hooks(`${inner}/hooks`, (name) => !name.endsWith(".sample"));
      for (const name of SHOWN_IN) this.#shown(`${inner}/${name}`);
      this.#one(`${inner}/HEAD`, "shown");
      this.#links(inner);
      // A worktree has its own of each submodule.
      this.#modules(`${inner}/modules`, top);
    }
  }

  /** The folders in a folder. Links among them are noted: what they lead to is not looked at. */
  #inner(folder: string): string[] {
    const { lens } = this.by;
    if (this.#one(folder, "inner")?.kind !== "folder") return [];
    const { names, nameless } = lens.entries(folder);
    if (nameless) this.nameless.set(folder, "repositories");
    return names.map((name) => `${folder}/${name}`).filter((inner) => {
      const kind = lens.kind(inner);
      if (kind === "link" || kind === "folder") this.#one(inner, "inner");
      return kind === "folder";
    });
  }

  #hooks(folder: string, counts: (name: string) => boolean): void {
    if (this.#one(folder, "hooks")?.kind !== "folder") return;
    this.#limited(folder, () => {
      for (const name of this.by.lens.entries(folder).names) {
        if (counts(name)) this.#whole(`${folder}/${name}`);
      }
    });
  }

  #tree(top: string): void {
    this.#limited(top, () => this.#whole(top));
  }

  #whole(full: string): void {
    const { lens, known } = this.by;
    if (known === null && this.#is_too_much()) return;
    const thing = this.#one(full, "whole");
    this.#files_left--;
    if (thing?.kind === "file") this.#bytes_left -= thing.bytes.length;
    if (thing?.kind !== "folder" || known?.has(full) === false) return;
    for (const name of lens.entries(full).names) this.#whole(`${full}/${name}`);
  }

  #limited(top: string, work: () => void): void {
    this.#files_left = MOST_FILES;
    this.#bytes_left = MOST_BYTES;
    work();
    if (this.#is_too_much()) this.too_large.push(top);
  }

  #is_too_much(): boolean {
    return this.#files_left < 0 || this.#bytes_left < 0;
  }

  #one(full: string, role: Role): Thing | null {
    const thing = this.by.lens.thing(full);
    if (thing !== null) this.found.set(full, { role, thing });
    const other = thing?.kind === "file" || thing?.kind === "unkept" ? shared_file(full) : null;
    if (other !== null) this.shared.set(full, other);
    return thing;
  }
}

/** Folders of git in a folder of submodules or worktrees, and those that may be; a submodule called `libs/a` lies one folder deeper. */
export function* git_dirs_in(folder: string, lens: Lens): Iterable<string> {
  for (const name of lens.entries(folder).folders) {
    const inner = `${folder}/${name}`;
    yield inner;
    if (!is_whole(inner, lens)) yield* git_dirs_in(inner, lens);
  }
}

/** Whether git takes a folder for one of its own (`is_git_directory`). */
function is_whole(folder: string, lens: Lens): boolean {
  const head = lens.thing(`${folder}/HEAD`);
  const is_head = head?.kind === "link"
    ? head.to.startsWith("refs/")
    : head?.kind === "file" && HEAD.test(one_value(head.bytes) ?? "");
  return is_head && ["objects", "refs"].every((name) => {
    const inner = lens.thing(`${folder}/${name}`);
    return inner?.kind === "folder" && (inner.mode & ENTERED) !== 0;
  });
}

/** Whether a worktree's folder of git says that this is its `.git`: people make worktrees beside the repository. */
function leads_back(git_dir: string, dotgit: string): boolean {
  const named = file_text(`${git_dir}/gitdir`).trim();
  // Relative from git 2.48 on, where that is asked for.
  return named !== "" && from_folder(git_dir, named) === dotgit;
}

/** Where a link leads in the end, whether anything is there or not; null if that can't be told. */
function end_of(link: string): string | null {
  let place = link;
  for (let left = MOST_LINKS; left > 0; left--) {
    const real = real_or_null(place);
    if (real !== null) return real;
    const folder = real_or_null(path.dirname(place));
    if (folder === null) return null;
    place = `${folder}/${path.basename(place)}`;
    let to: string;
    try {
      to = Deno.readLinkSync(place);
    } catch {
      return place; // Nothing is there, and the next who writes there makes it.
    }
    const next = from_folder(folder, to);
    if (next === null) return null;
    place = next;
  }
  return null;
}

/** A path from a folder, without `..`, following links before them as git does, but not Deno without full read rights. Null if unknown. */
export function from_folder(folder: string, to: string): string | null {
  let place = to.startsWith("/") ? "" : folder;
  for (const part of to.split("/").filter((part) => part !== "" && part !== ".")) {
    const real = part === ".." ? real_or_null(place || "/") : null;
    if (part === ".." && real === null) return null;
    place = real === null ? `${place}/${part}` : real.slice(0, real.lastIndexOf("/"));
  }
  return place || "/";
}

/** The folder that a `.git` file or link leads to, links followed; null if it leads nowhere. */
export function dotgit_target(dotgit: string, thing: Thing | null): string | null {
  const named = thing?.kind === "link"
    ? thing.to
    : thing?.kind === "file"
    ? /^gitdir: ([^]+)$/.exec(one_value(thing.bytes) ?? "")?.[1]
    : undefined;
  const place = named === undefined ? null : from_folder(path.dirname(dotgit), named);
  return place === null ? null : real_or_null(place);
}
