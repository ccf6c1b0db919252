import { attempt } from "../../../config/attempt.ts";
import type { Ignore } from "ignore";
import { is_git_dir } from "../../../persistence_guard/folder_scan.ts";
import { lstat_or_null, repository_root } from "../../../permission/paths.ts";
import { read_regular } from "../../../sandbox/kernel/read_inside.ts";
import { ignore } from "./ignore_library.ts";

/** git compares letters as they are on Linux, and not so where file systems do not tell them apart. */
const ignorecase = Deno.build.os !== "linux";

/** Not the project's own without a `.gitignore` (section 9 of the contract). Not by the library, which takes 5 µs for each of 30,000 paths. */
const BUILT_IN = new RegExp(
  [
    String.raw`(?:^|/)(?:node_modules|\.venv)(?:/|$)`,
    String.raw`(?:^|/)(?:__pycache__|venv|target|dist|build)/`,
    String.raw`(?:^|/)\.(?:next|cache|tox|mypy_cache|pytest_cache|gradle|idea)/`,
    String.raw`\.pyc(?:/|$)`,
  ].join("|"),
  ignorecase ? "i" : "",
);

/** Never the project's own, whatever a `.gitignore` says: where version control keeps its data, of which an undo can't put back a part. */
const ALWAYS = new RegExp(
  [
    String.raw`(?:^|/)\.git(?:/|$)`,
    String.raw`(?:^|/)(?:\.(?:hg|svn|jj|sl|bzr|pijul|repo)|_darcs|_MTN)/`,
    String.raw`(?:^|/)(?:\.(?:fslckout|fos)|_FOSSIL_)(?:-(?:journal|wal|shm))?$`,
    // What a run that was killed was about to give its name.
    String.raw`(?:^|/)\.hamr-[^/]{8}(?:-[^/]{4}){3}-[^/]{12}(?:/|$)`,
  ].join("|"),
  ignorecase ? "i" : "",
);

/** The library remembers every path that it is asked about; after this many it is made to forget. */
const REMEMBERED = 5000;

/** Which files are ignored. The rules of a folder are read once, so that a model can't hide evidence by editing a `.gitignore`. */
export class IgnoreRules {
  readonly #tree: Tree;
  /** The workspace below the top of the tree, `/` at the end; empty if they are the same. */
  readonly #offset: string;

  constructor(workspace: string) {
    const repository = repository_root(workspace) ?? workspace;
    const below = repository === workspace ? "" : `${workspace.slice(repository.length + 1)}/`;
    const tree = new Tree(repository, below);
    // A workspace that its repository ignores (a scratch folder) is a project of its own, or nothing would count.
    const alone = below !== "" && tree.covers(below);
    this.#tree = alone ? new Tree(workspace, "") : tree;
    this.#offset = alone ? "" : below;
  }

  /** Whether a path relative to the workspace is ignored. A folder's ends in `/`. */
  ignores(relative: string): boolean {
    return this.#tree.ignores(this.#offset + relative);
  }

  /** Whether a path relative to the workspace is ignored by itself or by one of its folders. */
  covers(relative: string): boolean {
    return this.#tree.covers(this.#offset + relative);
  }

  /** Reads the rules of a folder (relative to the workspace, `/` at the end) now, unless that was done before. */
  enter(relative: string, names: readonly string[]): void {
    this.#tree.enter(this.#offset + relative, names);
  }
}

class Tree {
  /** By folder, `/` at the end, relative to the top; null if it has no rules. */
  readonly #folders = new Map<string, Ignore | null>();
  /** Whether the built-in list is asked: there is no `.gitignore`. */
  readonly #built_in: boolean;
  /** `.git/info/exclude`, which is asked last; null if it says nothing. */
  #exclude: Ignore | null;
  #asked = 0;

  /** `below` is the workspace's place under `top`, `/` at the end. */
  constructor(private readonly top: string, below: string) {
    this.#built_in = this.#of(below) === null && this.#of("") === null;
    const exclude = read_rules(`${top}/.git/info/exclude`) ?? "";
    // As git makes it, it is comments and nothing else.
    this.#exclude = /^[^#\s]/m.test(exclude) ? rules_of([exclude]) : null;
  }

  ignores(path: string): boolean {
    if (++this.#asked > REMEMBERED) this.#forget();
    if (ALWAYS.test(path)) return true;
    // The rules of the nearest folder win, and a later "!pattern" of it takes back.
    for (let at = path.lastIndexOf("/", path.length - 2);; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at + 1);
      const verdict = this.#of(folder)?.test(path.slice(folder.length));
      if (verdict?.ignored) return true;
      if (verdict?.unignored) return false;
      if (at <= 0) break;
    }
    if (this.#exclude === null) return this.#built_in && BUILT_IN.test(path);
    const verdict = this.#exclude.test(path);
    return verdict.ignored || (!verdict.unignored && this.#built_in && BUILT_IN.test(path));
  }

  covers(path: string): boolean {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      if (this.ignores(path.slice(0, at + 1))) return true;
    }
    return !path.endsWith("/") && this.ignores(path);
  }

  enter(folder: string, names: readonly string[]): void {
    if (this.#folders.has(folder)) return;
    // Git's own, whatever it is called (`.bare`, `server.git`).
    if (is_git_dir(names)) this.#folders.set(folder, rules_of(["*"]));
    // Most folders have no rules; looking for them by name would cost an error each.
    else if (names.includes(".gitignore")) this.#of(folder);
    else this.#folders.set(folder, null);
  }

  #of(folder: string): Ignore | null {
    let rules = this.#folders.get(folder);
    if (rules === undefined) {
      const text = read_rules(`${this.top}/${folder}.gitignore`);
      rules = text === null ? null : rules_of([text]);
      this.#folders.set(folder, rules);
    }
    return rules;
  }

  #forget(): void {
    this.#asked = 0;
    if (this.#exclude !== null) this.#exclude = rules_of(this.#exclude);
    for (const [folder, rules] of this.#folders) {
      if (rules !== null) this.#folders.set(folder, rules_of(rules));
    }
  }
}

function rules_of(patterns: readonly string[] | Ignore): Ignore {
  const rules = ignore({ ignorecase });
  if ("ignores" in patterns) return rules.add(patterns);
  for (const pattern of patterns) rules.add(pattern);
  return rules;
}

function read_rules(file: string): string | null {
  // Not a link or a device, and no larger than a person would write.
  if (!lstat_or_null(file)?.isFile) return null;
  return attempt(() => new TextDecoder().decode(read_regular(file, 1_000_000)), null);
}
