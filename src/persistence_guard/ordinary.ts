/** Keys of Git's settings that a step may change: those that run nothing and lead nowhere. All others are put back. */

/** Values by key, as `git config -l` names keys: section and name in small letters. */
export type Keys = ReadonlyMap<string, readonly string[]>;

/** Keys without a part of their own in the middle, by section. Of a server (`receive`, `uploadpack`) as tests and deployments set it up: its hooks are put back. */
const PLAIN_OF: Readonly<Record<string, string>> = {
  am: "threeway",
  author: "name email",
  blame: "date ignorerevsfile",
  branch: "sort autosetupmerge autosetuprebase",
  checkout: "workers",
  commit: "gpgsign verbose cleanup status",
  committer: "name email",
  core:
    `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks
    autocrlf eol safecrlf quotepath abbrev whitespace untrackedcache preloadindex splitindex
    checkstat trustctime longpaths compression commentchar commitgraph multipackindex
    sparsecheckout sparsecheckoutcone bigfilethreshold excludesfile fscache hidedotfiles
    packedgitlimit packedgitwindowsize deltabasecachelimit`,
  diff: `algorithm renames colormoved mnemonicprefix context noprefix submodule ignoresubmodules
    wserrorhighlight indentheuristic renamelimit`,
  extensions: "objectformat worktreeconfig relativeworktrees noop",
  feature: "manyfiles experimental",
  fetch: "prune prunetags parallel writecommitgraph fsckobjects recursesubmodules",
  format: "signoff subjectprefix",
  gc: "auto autodetach writecommitgraph pruneexpire reflogexpire reflogexpireunreachable",
  grep: "linenumber patterntype",
  help: "autocorrect",
  http: "postbuffer version lowspeedlimit lowspeedtime",
  index: "sparse version threads",
  init: "defaultbranch",
  lfs: "repositoryformatversion",
  log: "date decorate follow abbrevcommit graphcolors",
  maintenance: "auto strategy",
  merge: "ff conflictstyle renames stat log renamelimit autostash",
  pack: "threads windowmemory packsizelimit window depth deltacachesize",
  pull: "rebase ff",
  push: "default autosetupremote followtags recursesubmodules useforceifincludes",
  rebase: "autosquash autostash updaterefs stat missingcommitscheck forkpoint",
  receive: `denycurrentbranch denynonfastforwards denydeletes denydeletecurrent fsckobjects
    advertisepushoptions`,
  rerere: "enabled autoupdate",
  stash: "showpatch showincludeuntracked",
  status: "short branch showuntrackedfiles renames submodulesummary aheadbehind relativepaths",
  submodule: "fetchjobs active recurse",
  tag: "gpgsign sort",
  transfer: "fsckobjects",
  uploadpack: "allowfilter allowanysha1inwant allowtipsha1inwant allowreachablesha1inwant",
  user: "name email signingkey useconfigonly",
  versionsort: "suffix",
  worktree: "guessremote",
};
const OFF = /^(?:|false|no|off|0+)$/i;
const PLAIN: ReadonlySet<string> = new Set(
  Object.entries(PLAIN_OF).flatMap(([section, names]) =>
    names.split(/\s+/).map((name) => `${section}.${name}`)
  ),
);

/** Keys that run nothing and lead nowhere with such values. */
const WITH_VALUES: readonly (readonly [key: RegExp, value: RegExp])[] = [
  // From git 2.55 on behind the format may be a folder (`files:///home/me`), into which git writes refs and reflogs.
  [/^extensions\.refstorage$/, /^(?:files|reftable)$/],
  // A line of a rebase's list that begins with it is none: with `f`, git drops each fixup.
  [/^core\.commentchar$/, /^(?:auto$|(?![a-z]))/i],
  // Else `git log` starts what checks a signature: that of X.509 asks addresses that a forged commit names.
  [/^log\.showsignature$/, OFF],
  // As `git submodule init` takes it over; else a command.
  [/^submodule\..+\.update$/s, /^(?:none|checkout|rebase|merge)$/],
  // As gitattributes(5) has it, for files of which one's own stays.
  [/^merge\..+\.driver$/s, /^true$/],
  // In the working tree.
  [/^commit\.template$/, /^(?!.*\.\.\/)[\w.][^%]*$/],
  // Notes that git-lfs makes of a server: how it is asked, and whether it knows locks.
  [/^lfs\.https?:\/\/.+\.(?:access|locksverify)$/s, /^\w+$/],
];

/** What only says how things look; not of which color a single thing is: black on black, an added line is not seen. */
const LOOKS = /^(?:(?:column|advice)\.|color\.[^.]+$)/;
/** Keys of a branch. One with a hyphen is not git's own: a note that an editor, GitLens or `gh` makes beside a running agent. */
const BRANCH = /^branch\..+\.(?:merge|rebase|description|[a-z0-9]+(?:-[a-z0-9]+)+)$/s;
/** Where a branch is pulled from and pushed to: the name of a remote, or an address, which may be a folder with hooks. */
const BRANCH_REMOTE = /^branch\..+\.(?:remote|pushremote)$/s;
const THIS_REPOSITORY = ".";
const REMOTE_URL = /^remote\..+\.url$/s;

const PUSHES_SUBMODULES = "git push now pushes submodules, too, each to its own remote";
const DELETES_AT_ONCE = "git gc now deletes at once what no branch holds";
/** When git forgets: at once (git-gc(1)). */
const AT_ONCE = /^(?:now|all)$/;
/** Values by which git does later what it did not do before; none of its defaults pushes elsewhere or deletes a tag (git-config(1)). */
const LATER: ReadonlyMap<string, (is: string, was: string) => string | undefined> = new Map<
  string,
  (is: string, was: string) => string | undefined
>([
  [
    "push.default",
    (is) =>
      /^(?:upstream|tracking)$/.test(is)
        ? "git push now pushes a branch to the one that it tracks, whatever that is called"
        : is === "matching"
        ? "git push now pushes all branches that the remote has, too"
        : undefined,
  ],
  [
    "push.recursesubmodules",
    (is) => /^(?:on-demand|only)$/.test(is) ? PUSHES_SUBMODULES : undefined,
  ],
  ["submodule.recurse", (is) => is_off(is) ? undefined : PUSHES_SUBMODULES],
  [
    "fetch.recursesubmodules",
    (is) =>
      is_off(is) || is === "on-demand"
        ? undefined
        : "git fetch now asks the remote of each submodule, too",
  ],
  // A service may make a release of one.
  ["push.followtags", (is) => is_off(is) ? undefined : "git push now pushes tags, too"],
  [
    "fetch.prunetags",
    (is) => is_off(is) ? undefined : "git fetch now deletes tags that the remote does not have",
  ],
  ...["gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"].map((key) =>
    [key, (is: string) => AT_ONCE.test(is) ? DELETES_AT_ONCE : undefined] as const
  ),
  ...["commit", "tag"].map((what) =>
    [
      `${what}.gpgsign`,
      (is: string, was: string) =>
        !is_off(was) && is_off(is) ? `git ${what} no longer signs` : undefined,
    ] as const
  ),
  ...Object.entries({
    "user.email": "git commit here is now by",
    "user.signingkey": "git commit here now signs with",
    "core.excludesfile": "git add now takes in what your own settings ignore, but for",
  }).map(([key, words]) =>
    [
      key,
      (is: string, was: string) => was !== "" && is !== was ? `${words} ${is}` : undefined,
    ] as const
  ),
  // These come before `user.email`.
  ...["author.email", "committer.email"].map((key) =>
    [key, (is: string) => is === "" ? undefined : `git commit here is now by ${is}`] as const
  ),
]);

/** Where a fetch from a remote puts what it gets, if not below the remote's own name: a name without `refs/` is a branch. */
const REMOTE_FETCH = /^remote\.(.+)\.fetch$/s;

/** Whether a fetch from a remote writes over refs that are not that remote's. */
function writes_over(key: string, refspecs: readonly string[]): boolean {
  const name = REMOTE_FETCH.exec(key)?.[1];
  return name !== undefined &&
    refspecs.some((refs) => refs.includes(":") && !refs.includes(`:refs/remotes/${name}/`));
}

/** Whether a fetch from a remote brings its branches as before, or more of them, and what strangers propose (`refs/pull/7/head`) only into a folder below its name. */
function fetches_its_own(key: string, { before, now }: Pick<KeySettings, "before" | "now">) {
  const [name, was] = [REMOTE_FETCH.exec(key)?.[1], before.get(key) ?? []];
  const to = `:refs/remotes/${name}/`, refspecs = now.get(key) ?? [];
  const is_its_own = (refs: string) => {
    const [from = "", into = ""] = refs.split(to);
    return from === `+refs/heads/${into}` ||
      (/^\+?refs\/(?!heads\/)[^:]*\*/.test(from) && /^\w[^*]*\/\*$/.test(into));
  };
  return was.length > 0 && refspecs.every((refs) => was.includes(refs) || is_its_own(refs)) &&
    (refspecs.includes(`+refs/heads/*${to}*`) || was.every((refs) => refspecs.includes(refs)));
}

/** What a branch is pulled from. A service keeps what strangers propose beside the branches (`refs/pull/7/head`). */
const BRANCH_MERGE = /^branch\.(.+)\.merge$/s;

/** What `git pull` now brings into a branch that was to get something else, or that is no branch; null if it is neither. */
function pulled_anew(key: string, { before, now }: Pick<KeySettings, "before" | "now">) {
  const branch = BRANCH_MERGE.exec(key)?.[1];
  const was = before.get(key)?.at(-1), is = now.get(key)?.at(-1);
  if (branch === undefined || is === undefined) return null;
  return was === undefined && is.startsWith("refs/heads/")
    ? null
    : `git pull on branch ${branch} now takes ${is}`;
}

function is_off(value: string): boolean {
  return OFF.test(value);
}

/** Of a remote that was there: what is deleted of what it no longer has, and whether its tags come along. */
const OF_REMOTE = /^(remote\..+)\.(?:prune|tagopt)$/s;
/** Keys of a remote or a submodule that was not there before. */
const NEW_REMOTE = /^(remote\..+)\.(?:url|pushurl|fetch|push|tagopt|mirror|prune)$/s;
/** Of a partial clone's: what is not there yet is fetched from it, by any command of git that comes across. */
const PROMISOR = /^(remote\..+)\.(?:promisor|partialclonefilter)$/s;
const PARTIAL = "extensions.partialclone";
const NEW_SUBMODULE = /^(submodule\..+)\.(?:url|active|branch)$/s;
const SUBMODULE_ACTIVE = /^submodule\..+\.active$/s;

const ADDRESS = /\.(?:url|pushurl)$/;
/** Addresses on other machines, by protocol or `host:path`. Others are folders here or run a program (`ext::COMMAND`, `git-remote-X`). */
const ELSEWHERE = [
  /^(?:https?|ftps?|git|ssh|git\+ssh|ssh\+git):\/\//,
  /^(?!file:)[\w.@[][^/:]*:(?!:|\/\/)/,
];

export interface KeySettings {
  readonly before: Keys;
  readonly now: Keys;
  /** Whether an address is a repository here whose hooks are put back, too: a push runs them. */
  readonly is_watched: (address: string) => boolean;
  /** Whether commands may send to other machines. If not, git shall not ask there for them, either: what it asks for may be said by them. */
  readonly may_send: boolean;
}

/** Whether a step may have changed this key, given all keys before it and now. */
export function is_ordinary(key: string, settings: KeySettings): boolean {
  const { before, now, is_watched, may_send } = settings;
  const values = now.get(key) ?? [];
  const allowed = WITH_VALUES.find(([form]) => form.test(key))?.[1];
  if (allowed !== undefined) return values.every((value) => allowed.test(value));
  if (PLAIN.has(key) || LOOKS.test(key) || SUBMODULE_ACTIVE.test(key)) return true;
  if (
    BRANCH.test(key) || before.has(`${OF_REMOTE.exec(key)?.[1]}.url`) ||
    fetches_its_own(key, settings)
  ) return true;
  if (BRANCH_REMOTE.test(key)) {
    return values.every((name) => name === THIS_REPOSITORY || is_remote(name, settings));
  }
  if (key === PARTIAL) {
    return values.every((name) => is_ordinary(`remote.${name}.promisor`, settings));
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

/** Whether the user's own settings have a say in what this key changes. */
export function is_of_user(key: string): boolean {
  return LATER.has(key) || REMOTE_URL.test(key);
}

/** A new remote on another machine, where the user's own settings have git ask all: at each fetch, or every hour (git-maintenance(1)). */
function asked_anyway(
  key: string,
  { before, now, users }: Pick<KeySettings, "before" | "now"> & { users: Keys },
): string | null {
  const asks_all = users.has("maintenance.repo") || !is_off(users.get("fetch.all")?.at(-1) ?? "");
  const [address] = (now.get(key) ?? []).filter(is_elsewhere);
  return REMOTE_URL.test(key) && !before.has(key) && asks_all && address !== undefined
    ? `git now asks ${address}, too, as your own settings have it ask all remotes`
    : null;
}

/**
 * What git does later, as this key has changed, that the user should know of, in words; else null: where the next `git push` goes if it
 * now names a remote that was not there before, for a branch or as the first of all, or what git does besides. `users`: the user's own
 * settings. `is_near`: an address that is not on another machine is one in the workspace, which nothing leaves.
 */
export function later_effect(
  key: string,
  { before, now, users, is_near }: Omit<KeySettings, "is_watched" | "may_send"> & {
    users: Keys;
    is_near: (address: string) => boolean;
  },
): string | null {
  const in_force = (keys: Keys) => (keys.get(key) ?? users.get(key))?.at(-1) ?? "";
  const more = writes_over(key, now.get(key) ?? [])
    ? `git fetch --all now writes over refs of this repository that are not that remote's`
    : pulled_anew(key, { before, now }) ?? LATER.get(key)?.(in_force(now), in_force(before));
  if (more !== undefined) return `${more}: a command has set ${key}`;
  const is_first = key === "remote.origin.url" &&
    ![...before.keys()].some((key) => REMOTE_URL.test(key));
  const names = is_first ? ["origin"] : BRANCH_REMOTE.test(key) ? now.get(key) ?? [] : [];
  const is_new = (name: string) => !before.has(`remote.${name}.url`);
  const branch = key.slice(key.indexOf(".") + 1, key.lastIndexOf("."));
  const goes_to = names.find((name) =>
    name !== THIS_REPOSITORY && (is_new(name) || is_led_away(key, { before, now, to: name }))
  );
  if (goes_to === undefined) return asked_anyway(key, { before, now, users });
  const addresses = now.get(`remote.${goes_to}.pushurl`) ?? now.get(`remote.${goes_to}.url`) ?? [];
  if (addresses.every((address) => !is_elsewhere(address) && is_near(address))) return null;
  const from = is_first ? "" : ` from branch ${branch}`;
  const why = is_new(goes_to) ? "a remote that a command added" : `as a command has set ${key}`;
  return `git push${from} now goes to ${goes_to}, ${why}: ${addresses.join(", ")}`;
}

/** Whether this key has a branch that was pushed to another remote, or was to none, pushed to this one. One that now tracks its first is not. */
function is_led_away(
  key: string,
  { before, now, to }: { before: Keys; now: Keys; to: string },
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

function is_remote(name: string, settings: KeySettings): boolean {
  const key = `remote.${name}.url`;
  if (settings.before.has(key)) return true;
  return settings.now.has(key) && is_ordinary(key, settings);
}
