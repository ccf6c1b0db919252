/** What a run found at its start, as data. The main thread saves it, so nothing else is loaded with it. */
import { is_inside } from "../config/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Thing } from "./thing.ts";

/** What a path is to those who will run it, and so what may change about it. */
export const ROLES = [
  // `.git`: a folder, or a file or link that leads to one.
  "pointer",
  // Stays exactly as it was: hooks, `.hamr`, and all in them.
  "whole",
  // The folder of hooks itself.
  "hooks",
  // Settings of git.
  "config",
  // Settings of a submodule, which name its folder.
  "module_config",
  // Names the folder whose settings count.
  "common",
  // The same in the folder of a worktree, where git writes it.
  "worktree_common",
  // Holds further folders of git, or is one.
  "inner",
  // A folder among git's own files that can't be listed.
  "closed",
  // A link among git's own files that leads out of them: git writes through it.
  "link",
  // What a shell's prompt shows: the branch, how far a rebase is.
  "shown",
] as const;

export type Role = (typeof ROLES)[number];

export interface WatchedPlace {
  readonly role: Role;
  readonly thing: Thing;
}

/** Everything there is to look at, by absolute path. */
export interface Scope {
  readonly dotgits: readonly string[];
  /** Folders of git that no `.git` here holds. */
  readonly git_dirs: readonly string[];
  /** `.hamr`, or the one file of it that counts where `hamr` keeps its data there. */
  readonly own: string;
  /** As in the policy. */
  readonly given?: readonly string[];
  readonly skipped: readonly string[];
}

/** What was where at the start. Plain data: it crosses a thread border and is written into the journal. */
export interface Baseline {
  readonly scope: Scope;
  readonly things: ReadonlyMap<string, WatchedPlace>;
  /** What is only named; absent before anything could change it. */
  readonly named?: NamedBefore;
}

/** What a file runs, and whether it is the only name of it: another may be written to later. */
export interface Digest {
  readonly of: string;
  readonly inode: number | null;
  readonly is_shared: boolean;
}

/** Paths as a run calls them, from its workspace. */
export interface NamedBefore {
  /** Files that run later; null for one that was not there. */
  readonly files: ReadonlyMap<string, Digest | null>;
  /** What makes git show other content than was committed. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Links out of the workspace. */
  readonly led_out: ReadonlyMap<string, string>;
  /** No command has run: only what tools were about to write is known, and nothing else has changed. */
  readonly unseen?: true;
}

/** What another run found: all that is in this one's reach, and the rest. */
export function split_by_reach(
  { scope, things, named }: Baseline,
  policy: Policy,
): { readonly within: Baseline; readonly beyond: Baseline } {
  const { workspace, git, cache, write } = policy;
  const tops = [workspace, git ?? cache, cache, ...(write === "all" ? [] : write)];
  const ours = (full: string) => tops.some((top) => is_inside(full, top));
  const part = (wanted: boolean): Baseline => {
    const is_wanted = (full: string) => ours(full) === wanted;
    const { dotgits, git_dirs, skipped, own } = scope;
    return {
      scope: {
        ...scope,
        skipped: is_wanted(own) ? skipped : [...skipped, own],
        dotgits: dotgits.filter(is_wanted),
        git_dirs: git_dirs.filter(is_wanted),
      },
      things: new Map([...things].filter(([full]) => is_wanted(full))),
    };
  };
  return { within: part(true), beyond: { ...part(false), named } };
}
