/** The folders that are compared: the workspace, and what else the user lets commands write. */
import { is_inside } from "../config/paths.ts";
import { file_text, lstat_or_null as stat_of, stat_or_null } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { further_folders } from "./further_folders.ts";
import { git_gives } from "./git_blobs.ts";
import { git_place, GitIndex } from "./git_index.ts";
import type { Different, FolderListener, Ignoring } from "./look_types.ts";
import { Look } from "./look.ts";
import type { Folders } from "./folders.ts";

/** Kernel views, not files: `/proc/self/environ` holds the keys of `hamr` itself. */
export const KERNEL_VIEWS = ["/proc", "/sys", "/dev"];

/** One folder that is looked at; what is in it is called by its path behind `prefix`. */
export interface Root {
  readonly look: Look;
  readonly prefix: string;
}

/** The folders of a run, the workspace first. `index`: what git has of that. */
export function roots_of(
  { policy, raw, ignoring, first, ...of }: {
    policy: Policy;
    raw: Folders;
    ignoring: (folder: string) => Ignoring;
    listener?: FolderListener;
    first: (file: Different, look: Look) => void;
  },
  index: GitIndex | null,
): readonly Root[] {
  const { workspace, write } = policy;
  const { tmp, spill, cache, outputs = [] } = policy;
  const own = [tmp, spill, cache, ...outputs, ...KERNEL_VIEWS];
  const but_own = (top: string, rules: Ignoring): Ignoring => ({
    enter: (folder, names) => rules.enter(folder, names),
    ignores: (path) => {
      const full = `${top === "/" ? "" : top}/${path}`.replace(/\/$/, "");
      return own.includes(full) || (top !== workspace && full === workspace) ||
        rules.ignores(path);
    },
  });
  const rules = but_own(workspace, ignoring(workspace));
  const listener = of.listener ?? null;
  const own_look = new Look(workspace, { raw, ignoring: rules, listener, first }, index);
  const roots = [{ look: own_look, prefix: "" }];
  const further = further_folders(policy);
  for (const place of write === "all" ? [] : write) {
    const stat = stat_of(place);
    if (is_inside(place, workspace) || stat === null) continue;
    const slash = place.lastIndexOf("/");
    const name = place.slice(slash + 1);
    const top = stat.isDirectory ? place : place.slice(0, slash) || "/";
    const rules = stat.isDirectory
      ? but_own(place, ignoring(place))
      : { enter() {}, ignores: (path: string) => path !== name };
    const prefix = top === "/" ? "/" : `${top}/`;
    const heard = further.includes(place) && listener !== null ? behind(prefix, listener) : null;
    const look = new Look(top, { raw, ignoring: rules, listener: heard, first }, null);
    roots.push({ look, prefix });
  }
  return roots;
}

function behind(prefix: string, listener: FolderListener): FolderListener {
  return {
    enter: (folder, names) => listener.enter(prefix + folder, names),
    file: (path, mode) => listener.file?.(prefix + path, mode),
    leave: (folder) => listener.leave(prefix + folder),
  };
}

/** Contents of a repository that git is asked for, to see whether it gives them. */
const SAMPLE = 64;

/** What git lists, if it can be asked for contents; not if it is broken, too old for the repository, or its objects can't be read. */
export async function trusted_index(policy: Policy): Promise<GitIndex | null> {
  const { env, workspace } = policy;
  const folders = (env["PATH"] ?? "").split(":");
  if (!folders.some((folder) => stat_or_null(`${folder}/git`)?.isFile)) return null;
  const place = git_place(policy);
  const attributes = (folder: string) => file_text(`${folder}/.gitattributes`);
  // Those of a folder hold below it, too.
  for (let at = workspace, left = place?.below ?? "";; at = at.slice(0, at.lastIndexOf("/"))) {
    if (GitIndex.converts(attributes(at))) return null;
    if (left === "") break;
    left = left.slice(0, left.lastIndexOf("/", left.length - 2) + 1);
  }
  const index = GitIndex.of(place);
  if (index === null || !(await git_gives(policy, index.some(SAMPLE)))) return null;
  const below = index.attributes.map((file) => file.slice(0, file.lastIndexOf("/") + 1));
  index.distrust(below.filter((folder) => GitIndex.converts(attributes(`${workspace}/${folder}`))));
  return index;
}
