/** What a walk through the workspace comes across and somebody else will run: repositories, and files that tools start by themselves. */

/** Names of files that run something later: at a `cd`, at the next install, commit or push. */
const NAMED_FILES: ReadonlySet<string> = new Set([
  ...[".gitmodules", ".gitattributes", ".lfsconfig", ".envrc", "mise.toml", ".mise.toml"],
  ...["package.json", ".npmrc", ".yarnrc.yml", ".pre-commit-config.yaml"],
  ...["lefthook.yml", ".lefthook.yml", ".mcp.json"],
]);
/** Folders in which everything does, or what matters in them. */
const NAMED_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  [".vscode", ["tasks.json", "settings.json", "launch.json"]],
  [".husky", []],
  [".github", ["workflows"]],
  [".devcontainer", []],
  [".cargo", ["config.toml", "config"]],
  [".hamr", []],
  [".hg", ["hgrc"]],
  [".claude", ["settings.json", "settings.local.json"]],
  [".cursor", ["mcp.json"]],
]);
/** Git takes a folder for one of its own if it has `HEAD` and these, or `HEAD` and a file that names the folder with these. */
const OF_GIT = ["objects", "refs"];
const COMMON = "commondir";

/** More of either are not watched; a workspace of hundreds of packages has fewer. */
const MOST = 2000;

/** Gathered from the listings that the tracker makes anyway; paths relative to the workspace. */
export class Sights {
  /** Every `.git`. */
  dotgits: string[] = [];
  /** Repositories without a working tree. */
  bares: string[] = [];
  /** Files and folders that run later. */
  named: string[] = [];

  /** `is_ignored`: whether the walk does not come to a path, relative to the workspace; a folder's ends in `/`. */
  constructor(readonly is_ignored: (relative: string) => boolean) {}

  /** A new walk begins. */
  begin(): void {
    this.dotgits = [];
    this.bares = [];
    this.named = [];
  }

  /** A folder (empty, or with a slash at its end) and what is in it. */
  enter(folder: string, entries: readonly { readonly name: string }[]): void {
    if (is_git_dir(new Set(entries.map(({ name }) => name)))) {
      add(this.bares, folder.replace(/\/$/, ""));
    }
    for (const { name } of entries) {
      if (name === ".git") add(this.dotgits, folder + name);
      else if (NAMED_FILES.has(name)) add(this.named, folder + name);
      else if (NAMED_FOLDERS.has(name)) {
        const inner = NAMED_FOLDERS.get(name) ?? [];
        if (inner.length === 0) add(this.named, folder + name);
        for (const file of inner) add(this.named, `${folder}${name}/${file}`);
      }
    }
  }
}

/** Whether a folder with these names in it is one of git's. */
export function is_git_dir(names: ReadonlySet<string>): boolean {
  return names.has("HEAD") && (names.has(COMMON) || OF_GIT.every((name) => names.has(name)));
}

function add(list: string[], path: string): void {
  if (list.length < MOST) list.push(path);
}
