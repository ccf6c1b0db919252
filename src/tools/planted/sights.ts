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
/** A folder with these is a repository without a working tree. */
const BARE = ["HEAD", "config", "objects", "refs"];

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

  /** A new walk begins. */
  begin(): void {
    this.dotgits = [];
    this.bares = [];
    this.named = [];
  }

  /** A folder (empty, or with a slash at its end) and what is in it. */
  enter(folder: string, entries: readonly { readonly name: string }[]): void {
    let parts = 0;
    for (const { name } of entries) {
      if (name === ".git") add(this.dotgits, folder + name);
      else if (NAMED_FILES.has(name)) add(this.named, folder + name);
      else if (NAMED_FOLDERS.has(name)) {
        const inner = NAMED_FOLDERS.get(name) ?? [];
        if (inner.length === 0) add(this.named, folder + name);
        for (const file of inner) add(this.named, `${folder}${name}/${file}`);
      } else if (BARE.includes(name)) parts++;
    }
    if (parts === BARE.length) add(this.bares, folder.replace(/\/$/, ""));
  }
}

function add(list: string[], path: string): void {
  if (list.length < MOST) list.push(path);
}
