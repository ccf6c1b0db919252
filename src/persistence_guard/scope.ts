/** Which places a run looks at. */
import { git_names_in } from "../changes/folders.ts";
import { further_folders } from "../changes/further_folders.ts";
import { path } from "../config/path.ts";
import { is_inside, real_or_null } from "../config/paths.ts";
import { is_in_reach, type Policy } from "../sandbox/policy.ts";
import type { Gitlinks } from "./gitlinks.ts";
import { allowed, dotgit_target, own_place, type WorkspaceScan } from "./places.ts";
import type { Baseline, Scope, WatchedPlace } from "./saved.ts";
import { type FolderScan, is_git_dir } from "./folder_scan.ts";
import { Lens, same } from "./thing.ts";

/** Where a run looks: what a walk through the workspace has come across. */
export function watched_scope(policy: Policy, sights: FolderScan): Scope {
  const { workspace, git, given } = policy;
  const further = further_folders(policy);
  const at = (place: string) => path.resolve(workspace, place);
  const tops = [workspace, ...further].map((top) => `${top}/.git`);
  const dotgits = [...new Set([...tops, ...sights.dotgits.map(at)])].filter((one) => one !== git);
  const bares = sights.bares.map(at).filter((bare) => is_git_dir(git_names_in(`${bare}/`)));
  const lens = new Lens();
  const reach = (folder: string) =>
    [workspace, ...further].some((top) => is_inside(folder, top)) ||
    (git !== null && is_inside(folder, git));
  const targets = dotgits.map((dotgit) => dotgit_target(dotgit, lens.thing(dotgit)))
    .filter((target) => target !== null).filter(reach)
    // Those of submodules and worktrees are found in the folder that holds them.
    .filter((target) => !/\/\.git\/(?:modules|worktrees)\//.test(target));
  const git_dirs = [...new Set([...(git === null ? [] : [git]), ...bares, ...targets])];
  return {
    ...{ dotgits, git_dirs, own: own_place(policy), skipped: allowed(policy) },
    ...(given === undefined ? {} : { given }),
  };
}

/** The repositories that git enters by itself and that are not in scope. */
export function repositories_beyond(
  { dotgits, skipped }: Scope,
  { look, links, policy }: { look: WorkspaceScan; links: Gitlinks; policy: Policy },
): readonly string[] {
  const known = new Set(dotgits);
  return links.dotgits(look.heads(policy.git)).filter((dotgit) =>
    !known.has(dotgit) && !skipped.some((place) => is_inside(dotgit, place))
  );
}

/** Two runs look at the same places, and leave the same alone. */
export function common_scope(scope: Scope, live: Scope): Scope {
  const more = live.git_dirs.filter((folder) => !scope.dotgits.includes(folder));
  return {
    ...scope,
    dotgits: [...new Set([...scope.dotgits, ...live.dotgits])],
    git_dirs: [...new Set([...scope.git_dirs, ...more])],
    skipped: [...new Set([...scope.skipped, ...live.skipped])],
  };
}

/** Where a live run watches, what it found at its start counts: this one must not keep a hook that was planted since. */
export function agreed(found: Baseline, live: Baseline): Map<string, WatchedPlace> {
  const { dotgits, git_dirs, own, given = [] } = live.scope;
  // The settings of another workspace are not looked at.
  const ours = [found.scope.own, ...found.scope.given ?? []];
  const places = [...dotgits, ...git_dirs, ...[own, ...given].filter((one) => ours.includes(one))];
  const theirs = ([full]: readonly [string, unknown]) =>
    places.some((place) => is_inside(full, place));
  const rest = [...found.things].filter((one) => !theirs(one));
  return new Map([...rest, ...[...live.things].filter(theirs)]);
}

/** The folder that an address names for git, which starts at the top of the working tree; null if that is not plain. */
export function folder_of(
  config: string,
  { address, policy }: { address: string; policy: Policy },
): string | null {
  const named = address.startsWith("file:///") ? address.slice("file://".length) : address;
  // Git decodes a URL.
  if (named.startsWith("file:") || named.startsWith("~")) return null;
  if (named !== address && named.includes("%")) return null;
  const git_dir = path.dirname(config);
  let place = named.startsWith("/")
    ? "/"
    : path.basename(git_dir) === ".git"
    ? path.dirname(git_dir)
    : git_dir;
  let went_down = false;
  for (const part of named.split("/").filter((part) => part !== "" && part !== ".")) {
    // Behind a name that is a link, or can become one, `..` leads elsewhere.
    if (part === ".." && went_down && !is_steady(place, policy)) return null;
    went_down ||= part !== "..";
    place = path.resolve(place, part);
  }
  return place;
}

/** Whether a folder is where its name says, and stays there whatever a command does. */
function is_steady(folder: string, policy: Policy): boolean {
  return (folder === policy.workspace || !is_in_reach(policy, folder)) &&
    real_or_null(folder) === folder;
}

export function same_things(a: Baseline["things"], b: Baseline["things"]): boolean {
  if (a.size !== b.size) return false;
  for (const [full, { thing }] of a) {
    const other = b.get(full);
    if (other === undefined || !same(thing, other.thing)) return false;
  }
  return true;
}
