import ignore, { type Ignore } from "ignore";

/** Counted as not the project's own where a workspace has no `.gitignore` (section 9 of the contract). */
const BUILT_IN = [
  "node_modules",
  "__pycache__",
  ".venv",
  "venv",
  "target",
  "dist",
  "build",
  ".next",
  ".cache",
  ".tox",
  ".mypy_cache",
  ".pytest_cache",
  ".gradle",
  ".idea",
  "*.pyc",
];

/** Never the project's own, whatever a `.gitignore` says. */
const ALWAYS = [".git"];

/**
 * Which files of the workspace are ignored. The rules of each folder are read once, when it is first seen, so
 * that a model cannot make a file appear or vanish from the evidence by editing a `.gitignore`.
 */
export class IgnoreRules {
  /** By folder, `/` at the end, relative to `#root`; null where it has no rules. */
  readonly #folders = new Map<string, Ignore | null>();
  readonly #root: string;
  /** The workspace below `#root`, `/` at the end; empty where they are the same. */
  readonly #offset: string;
  readonly #always = ignore().add(ALWAYS);
  readonly #built_in: Ignore | null;

  constructor(workspace: string) {
    this.#root = repository_root(workspace) ?? workspace;
    this.#offset = this.#root === workspace ? "" : `${workspace.slice(this.#root.length + 1)}/`;
    const own = read_rules(`${workspace}/.gitignore`) ?? read_rules(`${this.#root}/.gitignore`);
    this.#built_in = own === null ? ignore().add(BUILT_IN) : null;
    const exclude = read_rules(`${this.#root}/.git/info/exclude`);
    if (exclude !== null) this.#always.add(exclude);
  }

  /** Whether a path relative to the workspace is ignored, its parents not asked. A folder's ends in `/`. */
  ignores(relative: string): boolean {
    const path = this.#offset + relative;
    if (this.#always.ignores(path) || this.#built_in?.ignores(path)) return true;
    // The rules of the nearest folder win, and a later "!pattern" of it takes back.
    for (let at = path.lastIndexOf("/", path.length - 2);; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at + 1);
      const verdict = this.#of(folder)?.test(path.slice(folder.length));
      if (verdict?.ignored) return true;
      if (verdict?.unignored || at < 0) return false;
    }
  }

  /** Whether a file relative to the workspace is ignored by itself or by one of its folders. */
  covers(relative: string): boolean {
    for (let at = relative.indexOf("/"); at >= 0; at = relative.indexOf("/", at + 1)) {
      if (this.ignores(relative.slice(0, at + 1))) return true;
    }
    return this.ignores(relative);
  }

  #of(folder: string): Ignore | null {
    let rules = this.#folders.get(folder);
    if (rules === undefined) {
      const text = read_rules(`${this.#root}/${folder}.gitignore`);
      rules = text === null ? null : ignore().add(text);
      this.#folders.set(folder, rules);
    }
    return rules;
  }
}

/** The nearest folder upwards that holds `.git`; `git` is never started for it. */
function repository_root(workspace: string): string | null {
  for (let folder = workspace; folder !== "";) {
    try {
      Deno.lstatSync(`${folder}/.git`);
      return folder;
    } catch {
      folder = folder.slice(0, folder.lastIndexOf("/"));
    }
  }
  return null;
}

function read_rules(file: string): string | null {
  try {
    // Not a link or a device, and no larger than a person would write.
    const stat = Deno.lstatSync(file);
    return stat.isFile && stat.size < 1_000_000 ? Deno.readTextFileSync(file) : null;
  } catch {
    return null;
  }
}
