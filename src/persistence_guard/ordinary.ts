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
  ...["objectformat", "worktreeconfig", "relativeworktrees", "noop"]
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
  ...["core.excludesfile", "core.fscache", "core.hidedotfiles"],
  ...["core.packedgitlimit", "core.packedgitwindowsize", "core.deltabasecachelimit"],
  ...["http.postbuffer", "http.version", "http.lowspeedlimit", "http.lowspeedtime"],
  // Of what is pushed to, as tests and deployments set it up: the repository's own hooks are put back.
  ...["receive.denycurrentbranch", "receive.denynonfastforwards", "receive.denydeletes"],
  ...["receive.denydeletecurrent", "receive.fsckobjects", "receive.advertisepushoptions"],
  ...["transfer.fsckobjects", "fetch.fsckobjects", "fetch.recursesubmodules"],
  ...["uploadpack.allowfilter", "uploadpack.allowanysha1inwant", "uploadpack.allowtipsha1inwant"],
  ...["uploadpack.allowreachablesha1inwant", "push.recursesubmodules"],
  ...["push.useforceifincludes", "gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"],
  ...["pack.packsizelimit", "pack.window", "pack.depth", "pack.deltacachesize", "merge.log"],
  ...["diff.noprefix", "diff.submodule", "diff.ignoresubmodules", "diff.wserrorhighlight"],
  ...["diff.indentheuristic", "diff.renamelimit", "merge.renamelimit", "commit.cleanup"],
  ...[
    "commit.status",
    "log.abbrevcommit",
    "log.graphcolors",
    "grep.linenumber",
    "grep.patterntype",
  ],
  ...["blame.date", "blame.ignorerevsfile", "stash.showpatch", "stash.showincludeuntracked"],
  ...["status.submodulesummary", "status.aheadbehind", "status.relativepaths", "format.signoff"],
  ...["rebase.missingcommitscheck", "rebase.forkpoint", "versionsort.suffix", "am.threeway"],
  ...["submodule.fetchjobs", "checkout.workers", "worktree.guessremote"],
  ...["lfs.repositoryformatversion", "submodule.active", "submodule.recurse", "help.autocorrect"],
]);

/** How refs are kept. From git 2.55 on behind the format may be a folder (`files:///home/me`), into which git writes refs and reflogs. */
const REF_STORAGE = "extensions.refstorage";
const REF_FORMATS: readonly string[] = ["files", "reftable"];

/** Sections that only say how things look. */
const LOOKS = /^(?:color|column|advice)\./;
/** Of a branch. One with a hyphen is not git's own: a note that an editor, GitLens or `gh` makes beside a running agent. */
const BRANCH = /^branch\..+\.(?:merge|rebase|description|[a-z0-9]+(?:-[a-z0-9]+)+)$/s;
/** Where a branch is pulled from and pushed to: the name of a remote, or an address, which may be a folder with hooks. */
const BRANCH_REMOTE = /^branch\..+\.(?:remote|pushremote)$/s;
const THIS_REPOSITORY = ".";
const REMOTE_URL = /^remote\..+\.url$/s;

const TO_ITS_UPSTREAM = "pushes a branch to the one that it tracks, whatever that is called";
const SUBMODULES = "pushes submodules, too, each to its own remote";
/**
 * What these keys have `git push` do besides. Of git's defaults none pushes to another branch than the one of the same name, or another
 * branch or repository (git-config(1)).
 */
const WIDER_PUSH: ReadonlyMap<string, (value: string) => string | undefined> = new Map<
  string,
  (value: string) => string | undefined
>([
  [
    "push.default",
    (value: string) =>
      /^(?:upstream|tracking)$/.test(value)
        ? TO_ITS_UPSTREAM
        : value === "matching"
        ? "pushes all branches that the remote has, too"
        : undefined,
  ],
  [
    "push.recursesubmodules",
    (value: string) => /^(?:on-demand|only)$/.test(value) ? SUBMODULES : undefined,
  ],
  ["submodule.recurse", (value: string) => is_off(value) ? undefined : SUBMODULES],
  // A service may make a release of one.
  ["push.followtags", (value: string) => is_off(value) ? undefined : "pushes tags, too"],
]);

/** As git takes a value for no. */
function is_off(value: string): boolean {
  return /^(?:|false|no|off|0+)$/i.test(value);
}

/** Of a remote or a submodule that was not there before. */
const NEW_REMOTE = /^(remote\..+)\.(?:url|pushurl|fetch|push|tagopt|mirror|prune)$/s;
/** Of a partial clone's: what is not there yet is fetched from it, by any command of git that comes across. */
const PROMISOR = /^(remote\..+)\.(?:promisor|partialclonefilter)$/s;
const PARTIAL = "extensions.partialclone";
const NEW_SUBMODULE = /^(submodule\..+)\.(?:url|active|branch)$/s;
const SUBMODULE_ACTIVE = /^submodule\..+\.active$/s;

const ADDRESS = /\.(?:url|pushurl)$/;
/**
 * Addresses on other machines: by protocol, or `host:path`. All others are folders here, or run a program (`ext::COMMAND`, or
 * `git-remote-X` for a protocol X); one that begins with a dash may be taken for an option.
 */
const ELSEWHERE = [
  /^(?:https?|ftps?|git|ssh|git\+ssh|ssh\+git):\/\//,
  /^(?!file:)[\w.@[][^/:]*:(?!:|\/\/)/,
];

/** What there is to judge a key by. */
export interface Settings {
  readonly before: Keys;
  readonly now: Keys;
  /** Whether an address is a repository here whose hooks are put back, too: a push runs them. */
  readonly is_watched: (address: string) => boolean;
  /** Whether commands may send to other machines. If not, git shall not ask there for them, either: what it asks for may be said by them. */
  readonly may_send: boolean;
}

/** Whether a step may have changed this key, given all keys before it and now. */
export function is_ordinary(key: string, settings: Settings): boolean {
  const { before, now, is_watched, may_send } = settings;
  if (PLAIN.has(key) || LOOKS.test(key) || SUBMODULE_ACTIVE.test(key)) return true;
  if (BRANCH.test(key)) return true;
  if (key === REF_STORAGE) return (now.get(key) ?? []).every((name) => REF_FORMATS.includes(name));
  if (BRANCH_REMOTE.test(key)) {
    return (now.get(key) ?? []).every((name) =>
      name === THIS_REPOSITORY || is_remote(name, settings)
    );
  }
  if (key === PARTIAL) {
    return (now.get(key) ?? []).every((name) => is_ordinary(`remote.${name}.promisor`, settings));
  }
  const promisor = PROMISOR.exec(key)?.[1];
  const name = promisor ?? NEW_REMOTE.exec(key)?.[1] ?? NEW_SUBMODULE.exec(key)?.[1];
  if (name === undefined) return false;
  const of_it = (keys: Keys) => [...keys].filter(([other]) => other.startsWith(`${name}.`));
  const addresses = of_it(now).filter(([other]) => ADDRESS.test(other)).flatMap(([, all]) => all);
  // Without an address git takes the name of a remote for one.
  return of_it(before).length === 0 && addresses.length > 0 &&
    addresses.every((address) =>
      (is_elsewhere(address) && (promisor === undefined || may_send)) || is_watched(address)
    );
}

/**
 * Where the next `git push` goes if this key now names a remote that was not there before, for a branch or as the first of
 * all, or pushes to another branch or repository besides, in words; else null. `is_near`: an address that is not on another machine is one in the workspace, which nothing leaves.
 */
export function new_destination(
  key: string,
  { before, now, is_near }: Omit<Settings, "is_watched" | "may_send"> & {
    readonly is_near: (address: string) => boolean;
  },
): string | null {
  const wider = WIDER_PUSH.get(key)?.(now.get(key)?.at(-1) ?? "");
  if (wider !== undefined) return `git push now ${wider}: a command has set ${key}`;
  const is_first = key === "remote.origin.url" &&
    ![...before.keys()].some((key) => REMOTE_URL.test(key));
  const names = is_first ? ["origin"] : BRANCH_REMOTE.test(key) ? now.get(key) ?? [] : [];
  const is_new = (name: string) => !before.has(`remote.${name}.url`);
  const branch = key.slice(key.indexOf(".") + 1, key.lastIndexOf("."));
  const goes_to = names.find((name) =>
    name !== THIS_REPOSITORY && (is_new(name) || is_led_away(key, { before, now, to: name }))
  );
  if (goes_to === undefined) return null;
  const addresses = now.get(`remote.${goes_to}.pushurl`) ?? now.get(`remote.${goes_to}.url`) ?? [];
  if (addresses.every((address) => !is_elsewhere(address) && is_near(address))) return null;
  const from = is_first ? "" : ` from branch ${branch}`;
  const why = is_new(goes_to) ? "a remote that a command added" : `as a command has set ${key}`;
  return `git push${from} now goes to ${goes_to}, ${why}: ${addresses.join(", ")}`;
}

/** Whether this key has a branch that was pushed to another remote, or was to none, pushed to this one. One that now tracks its first is not. */
function is_led_away(
  key: string,
  { before, now, to }: { readonly before: Keys; readonly now: Keys; readonly to: string },
): boolean {
  const branch = key.slice(0, key.lastIndexOf("."));
  const deciding = (keys: Keys) =>
    [`${branch}.pushremote`, "remote.pushdefault", `${branch}.remote`].find((one) => keys.has(one));
  const was = deciding(before);
  return deciding(now) === key &&
    (was === undefined ? key.endsWith(".pushremote") : before.get(was)?.at(-1) !== to);
}

function is_elsewhere(address: string): boolean {
  return ELSEWHERE.some((form) => form.test(address));
}

/** Whether there is one of this name in the end. */
function is_remote(name: string, settings: Settings): boolean {
  const key = `remote.${name}.url`;
  if (settings.before.has(key)) return true;
  return settings.now.has(key) && is_ordinary(key, settings);
}
