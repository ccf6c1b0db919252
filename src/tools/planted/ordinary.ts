/** Which keys of git's settings a step may change: those that run nothing and lead nowhere. All others are put back. */

/** Values by key, as `git config -l` names keys: section and name in small letters. */
export type Keys = ReadonlyMap<string, readonly string[]>;

/** Keys without a part of their own in the middle. */
const PLAIN: ReadonlySet<string> = new Set([
  // What `git init` and `git clone` write.
  ...["repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase"]
    .concat(["precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf", "quotepath"])
    .concat(["abbrev", "whitespace", "untrackedcache", "preloadindex", "splitindex", "checkstat"])
    .concat(["trustctime", "longpaths", "compression", "commentchar", "commitgraph"])
    .concat(["multipackindex", "sparsecheckout", "sparsecheckoutcone", "bigfilethreshold"])
    .map((name) => `core.${name}`),
  ...["objectformat", "refstorage", "worktreeconfig", "relativeworktrees", "noop"]
    .map((name) => `extensions.${name}`),
  ...["user", "author", "committer"].flatMap((who) => [`${who}.name`, `${who}.email`]),
  ...["user.signingkey", "user.useconfigonly", "commit.gpgsign", "commit.verbose", "tag.gpgsign"],
  ...["tag.sort", "branch.sort", "branch.autosetupmerge", "branch.autosetuprebase"],
  ...["init.defaultbranch", "push.default", "push.autosetupremote", "push.followtags"],
  ...["pull.rebase", "pull.ff", "fetch.prune", "fetch.prunetags", "fetch.parallel"],
  ...["fetch.writecommitgraph", "merge.ff", "merge.conflictstyle", "merge.renames", "merge.stat"],
  ...["rebase.autosquash", "rebase.autostash", "rebase.updaterefs", "rebase.stat"],
  ...["diff.algorithm", "diff.renames", "diff.colormoved", "diff.mnemonicprefix", "diff.context"],
  ...["status.short", "status.branch", "status.showuntrackedfiles", "status.renames"],
  ...["log.date", "log.decorate", "log.follow", "log.showsignature", "index.sparse"],
  ...["index.version", "index.threads", "gc.auto", "gc.autodetach", "gc.writecommitgraph"],
  ...["maintenance.auto", "maintenance.strategy", "rerere.enabled", "rerere.autoupdate"],
  ...["feature.manyfiles", "feature.experimental", "pack.threads", "pack.windowmemory"],
  ...["lfs.repositoryformatversion", "submodule.active", "submodule.recurse", "help.autocorrect"],
]);

/** Sections that only say how things look. */
const LOOKS = /^(?:color|column|advice)\./;
/**
 * Of a branch; where it is pulled from and pushed to is among the branch's own business. The last ones are notes that VS Code
 * and GitHub's `gh` make beside a running agent.
 */
const BRANCH = new RegExp(
  "^branch\\..+\\.(?:remote|merge|rebase|pushremote|description|" +
    "vscode-merge-base|gh-merge-base|github-pr-owner-number|github-pr-base-branch)$",
  "s",
);
/** Of a remote or a submodule that was not there before. */
const NEW_REMOTE = /^(remote\..+)\.(?:url|pushurl|fetch|push|tagopt|mirror|prune)$/s;
const NEW_SUBMODULE = /^(submodule\..+)\.(?:url|active|branch)$/s;
const SUBMODULE_ACTIVE = /^submodule\..+\.active$/s;

/** A remote of the form `ext::COMMAND` runs a program; one that begins with a dash may be taken for an option. */
const RUNS = /^\s*-|^\s*[\w+.-]+::/;

/** Whether a step may have changed this key, given all keys before it and now. */
export function is_ordinary(
  key: string,
  { before, now }: { readonly before: Keys; readonly now: Keys },
): boolean {
  if (PLAIN.has(key) || LOOKS.test(key) || SUBMODULE_ACTIVE.test(key)) return true;
  if (BRANCH.test(key)) return !runs(now.get(key));
  const name = NEW_REMOTE.exec(key)?.[1] ?? NEW_SUBMODULE.exec(key)?.[1];
  if (name === undefined) return false;
  const of_it = (keys: Keys) => [...keys].filter(([other]) => other.startsWith(`${name}.`));
  return of_it(before).length === 0 && !of_it(now).some(([, values]) => runs(values));
}

function runs(values: readonly string[] = []): boolean {
  return values.some((value) => RUNS.test(value));
}
