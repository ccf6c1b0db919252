/** What commands change outside the files compared: Git's refs, ignored files, and the run's own folders. */
import { is_inside } from "../config/paths.ts";
import { git_dir_named_in } from "../permission/git_folder.ts";
import { lstat_or_null as stat_of, resolved } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type PathFact, UncountedPaths } from "./uncounted_paths.ts";
import { type Folders, name_bytes, STAT_WORDS } from "./folders.ts";
import { git_place, type GitIndex, type GitPlace } from "./git_index.ts";
import { full_path, is_own_output, name_in } from "./file_names.ts";
import { type RefFact, Refs } from "./refs.ts";
import type { Root } from "./roots.ts";

export class OtherChanges {
  readonly #refs: Refs;
  readonly #beyond: UncountedPaths;
  /** Apart from the others: caches are large, and nobody works there. */
  readonly #cached: UncountedPaths;
  readonly #words = new Uint32Array(STAT_WORDS);
  /** The `.git` of each repository in the workspace but its own, and what it was: a folder, or a file that names one. */
  #dotgits: ReadonlyMap<string, "folder" | "file"> | null = null;

  constructor(
    private readonly options: {
      readonly policy: Policy;
      readonly raw: Folders;
      /** Knows the `.git` of the repositories in the workspace. */
      readonly listener?: { readonly dotgits: readonly string[] };
    },
  ) {
    this.#refs = new Refs(options.raw);
    this.#beyond = new UncountedPaths(options.raw);
    this.#cached = new UncountedPaths(options.raw);
  }

  /** What has changed since the last time. Ignored files that `command` names are looked at however deep they lie. */
  look(
    roots: readonly Root[],
    index: GitIndex | null,
    command: string,
  ): readonly (RefFact | PathFact)[] {
    return [
      ...this.#refs.look(this.#repositories(), index),
      ...this.#dotgits_moved(),
      ...this.#paths(roots, command),
    ];
  }

  /** Whether there is more in ignored folders than was looked at. */
  get is_cut(): boolean {
    return this.#beyond.is_cut;
  }

  /** Ignored files that came with the last command and were made since it had `begun`. */
  made(begun: number): readonly string[] {
    return this.#beyond.made(begun);
  }

  /** Ignored files and folders; absolute, a folder's with `/` at the end. */
  ignored(roots: readonly Root[]): readonly string[] {
    return roots.flatMap(({ look, prefix }) =>
      look.tree.ignored().filter((path) => !/(^|\/)\.git\/?$/.test(path))
        .map((path) => full_path(this.options.policy, prefix + path))
    );
  }

  /** By the prefix of their refs: "" for the workspace's own. */
  #repositories(): ReadonlyMap<string, GitPlace> {
    const { policy, raw, listener } = this.options;
    const places = new Map<string, GitPlace>();
    // Asked by a raw call: Deno's own makes an error with its stack where there is none.
    const has_git = policy.git !== null ||
      raw.stat(null, name_bytes(full_path(policy, ".git")), this.#words);
    const own = has_git ? git_place(policy) : null;
    if (own !== null) places.set("", own);
    for (const dotgit of listener?.dotgits ?? []) {
      const git_dir = dotgit === ".git" ? null : this.#git_dir(full_path(policy, dotgit));
      if (git_dir === null) continue;
      const place = { own: git_dir, common: git_dir, below: "" };
      places.set(`${dotgit.slice(0, -".git".length)}`, place);
    }
    return places;
  }

  /** Those that are gone, with what git knew of the files around them; and new files that name one: what is in a new folder is told by its refs. */
  #dotgits_moved(): readonly PathFact[] {
    const { policy, listener } = this.options;
    const then = this.#dotgits;
    const now = new Map<string, "folder" | "file">();
    const found: PathFact[] = [];
    for (const dotgit of listener?.dotgits ?? []) {
      if (dotgit === ".git") continue;
      const kind = then?.get(dotgit) ??
        (stat_of(full_path(policy, dotgit))?.isFile ? "file" : "folder");
      now.set(dotgit, kind);
      if (then !== null && !then.has(dotgit) && kind === "file") {
        found.push({ kind: "path", path: dotgit, became: "added" });
      }
    }
    for (const [dotgit, kind] of then ?? []) {
      if (now.has(dotgit) || stat_of(full_path(policy, dotgit)) !== null) continue;
      const path = kind === "folder" ? `${dotgit}/` : dotgit;
      found.push({ kind: "path", path, became: "deleted" });
    }
    this.#dotgits = now;
    return found;
  }

  /** A `.git` itself, or where that of a submodule leads. What is committed in a worktree is in its repository's refs. */
  #git_dir(dotgit: string): string | null {
    const stat = stat_of(dotgit);
    if (stat?.isDirectory) return dotgit;
    const named = stat?.isFile ? git_dir_named_in(dotgit) : null;
    if (named === null) return null;
    const { workspace, git } = this.options.policy;
    const folder = resolved("/", named);
    const is_near = is_inside(folder, workspace) || (git !== null && is_inside(folder, git));
    return is_near && stat_of(`${folder}/commondir`) === null ? folder : null;
  }

  #paths(roots: readonly Root[], command: string): readonly PathFact[] {
    const { policy } = this.options;
    const [tmp, cache] = [`${policy.tmp}/`, `${policy.cache}/`];
    const ignored = this.ignored(roots);
    const folders = ignored.filter((path) => path.endsWith("/"));
    const named = folders.length === 0
      ? []
      : paths_in(command, policy.workspace).filter((path) =>
        folders.some((folder) => path.startsWith(folder))
      );
    return [...this.#beyond.look([...ignored, tmp], named), ...this.#cached.look([cache])]
      .filter(({ path }) => path !== tmp && path !== cache && !is_own_output(policy, path))
      .map((fact) => ({ ...fact, path: name_in(policy, fact.path) }));
  }
}

/** Folders that a command goes to, of which paths are taken to begin: what goes to more is a text. */
const MOST_FOLDERS = 16;

/** What the words of a command can be as paths, from the workspace or from a folder that it goes to. */
function paths_in(command: string, workspace: string): readonly string[] {
  const words = command.split(/[\s"'`;|&()<>=]+/).filter((word) => word !== "");
  const gone_to = words.filter((_, at) => words[at - 1] === "cd");
  const from = new Set([workspace, ...gone_to.map((folder) => resolved(workspace, folder))]);
  const each = [...new Set(words)];
  return [...from].slice(0, MOST_FOLDERS)
    .flatMap((folder) => each.map((word) => resolved(folder, word)));
}
