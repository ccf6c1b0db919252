/** Decides for each path that changed since the start of the run whether it may stay or is put back. */
import { further_folders } from "../changes/further_folders.ts";
import { path } from "../config/path.ts";
import { is_inside, real_or_null } from "../config/paths.ts";
import { lstat_or_null } from "../permission/paths.ts";
import { is_in_reach, type Policy } from "../sandbox/policy.ts";
import { type FolderScan, is_git_dir } from "./folder_scan.ts";
import { GitConfig } from "./git_config.ts";
import { dotgit_target, from_folder, type WorkspaceScan } from "./places.ts";
import type { Scope, WatchedPlace } from "./saved.ts";
import { folder_of } from "./scope.ts";
import { type Lens, one_value, OPEN_MODE, same, type Thing } from "./thing.ts";
import { shell_quoted } from "../config/text.ts";
import { workspace_path } from "./words.ts";

/** A path as it is now, and as it was. */
interface Sighting {
  readonly known: WatchedPlace | undefined;
  readonly found: WatchedPlace | undefined;
  readonly last: WatchedPlace | undefined;
  readonly look: WorkspaceScan;
}

export class PersistenceJudge {
  readonly #git: GitConfig;

  constructor(
    private readonly by: {
      readonly policy: Policy;
      readonly lens: Lens;
      /** Null after a run that was cut off. */
      readonly sights: FolderScan | null;
      /** Hears what may stay and is to be said. */
      note(text: string): void;
      /** Watches these places, too, from now on. */
      watch(places: Pick<Scope, "dotgits" | "git_dirs">): void;
    },
  ) {
    this.#git = new GitConfig(by.policy);
  }

  has_other_trees(git_dir: string): Promise<boolean | null> {
    return this.#git.has_other_trees(git_dir);
  }

  async judge(full: string, { known, found, last, look }: Sighting): Promise<GuardVerdict> {
    const before = known?.thing ?? null;
    const now = found?.thing ?? null;
    if (same(before, now)) return FINE;
    const role = (found ?? known)?.role ?? "whole";
    if ((role === "pointer" || role === "inner") && is_opened(before, now)) this.#say_opened(full);
    const back: GuardVerdict = { kind: "back", thing: before };
    const closed_to_us = before?.kind === "folder" && now?.kind === "folder";
    switch (role) {
      case "hooks":
      case "closed":
        if (now === null) return FINE;
        return now.kind === "folder" && !closed_to_us ? of_folder(now) : back;
      case "pointer":
      case "inner":
        if (now === null) return this.#gone(full, before);
        if (now.kind === "folder") return closed_to_us ? back : of_folder(now);
        if (role === "pointer" && look.leads_inside(full, now, this.by.policy.git)) {
          return { kind: "gone" };
        }
        // A folder that was moved away can't be made again; without it nothing runs.
        return before?.kind === "folder" ? { kind: "back", thing: null } : back;
      case "worktree_common":
        // One that leads to the repository that it is in.
        return before === null && now?.kind === "file" &&
            one_value(now.bytes) === COMMON_OF_WORKTREE
          ? FINE
          : back;
      case "link":
        return now === null ? { kind: "gone" } : back;
      case "shown":
        return now === null || is_plain(now) ? FINE : back;
      case "common":
      case "whole":
        return back;
      case "config":
      case "module_config":
        return await this.#judge_config(full, {
          ...{ before, now, last: last?.thing ?? null },
          of_module: role === "module_config",
        });
    }
  }

  async #judge_config(
    full: string,
    { before, now, last, of_module }:
      & Readonly<Record<"before" | "now" | "last", Thing | null>>
      & { of_module: boolean },
  ): Promise<GuardVerdict> {
    if (now?.kind !== "file" || (before !== null && before.kind !== "file")) {
      return { kind: "back", thing: before };
    }
    if (same(last, now)) return FINE;
    const is_fine = (key: string, values: readonly string[]) =>
      of_module && key === "core.worktree" &&
      values.every((value) => this.#is_tree_of(path.dirname(full), value));
    const { bytes, undone, noted } = await this.#git.merge(before?.bytes ?? null, now.bytes, {
      is_fine,
      git_dir: path.dirname(full),
      is_watched: (address) => this.#is_watched(full, address),
      is_near: (address) => {
        const place = folder_of(full, { address, policy: this.by.policy });
        return place !== null && this.#top_of(place) !== null;
      },
    });
    for (const text of noted) this.by.note(text);
    if (undone.length === 0 && !is_opened(before, now)) return FINE;
    return {
      kind: "back",
      thing: bytes === null ? null : { ...(before ?? now), bytes },
      keys: undone,
    };
  }

  /** The folder is closed again, and what is in it is not: an index or a reflog that others write is as good as a hook. */
  #say_opened(full: string): void {
    const folder = full.replace(/(\/\.git)\/.*$/s, "$1");
    const name = workspace_path(folder, this.by.policy.workspace);
    this.by.note(
      `a command has let everybody on this machine write git's files in ${name}: ` +
        `\`chmod -R o-w ${shell_quoted(name)}\` before you use git here`,
    );
  }

  /** Says so where that was a repository, and the files around it are still there. */
  #gone(full: string, before: Thing | null): GuardVerdict {
    const [top, name] = [path.dirname(full), workspace_path(full, this.by.policy.workspace)];
    if (
      before?.kind === "folder" && path.basename(full) === ".git" && lstat_or_null(top) !== null
    ) {
      this.by.note(`${name} is gone, with the history in it: hamr has no copy of that`);
    }
    return { kind: "gone" };
  }

  /** Whether the working tree that a submodule's settings name leads back to them: what git enters there is known by that. */
  #is_tree_of(git_dir: string, named: string): boolean {
    const place = from_folder(git_dir, named);
    const folder = place === null ? null : real_or_null(place);
    const dotgit = `${folder}/.git`;
    return folder !== null && this.#top_of(folder) !== null &&
      dotgit_target(dotgit, this.by.lens.thing(dotgit)) === git_dir;
  }

  /** Whether an address in this file of settings is a folder that no command can write, or a repository that is watched from now on. */
  #is_watched(config: string, address: string): boolean {
    const place = folder_of(config, { address, policy: this.by.policy });
    if (place === null || place !== real_or_null(place)) return false;
    const scope = {
      dotgits: this.by.lens.kind(`${place}/.git`) === null ? [] : [`${place}/.git`],
      git_dirs: is_git_dir(this.by.lens.entries(place).names) ? [place] : [],
    };
    if (scope.dotgits.length + scope.git_dirs.length === 0) return false;
    if (!is_in_reach(this.by.policy, place)) return true;
    // Git looks for `up` as `up.git`, too, once there is no `up`.
    const top = this.#top_of(place);
    const free = top !== null && !/\/\.git(?:\/|$)/i.test(place) &&
      [`${place}/`, `${place}.git/`].every((folder) => {
        const name = workspace_path(folder, this.by.policy.workspace);
        // After a run that was cut off it is not known whether anybody watches it.
        return place === top || this.by.sights?.is_ignored(name) === false;
      });
    if (free) this.by.watch(scope);
    return free;
  }

  /** The workspace, or what else the run works in, that a folder is in; null if it is in none. */
  #top_of(folder: string): string | null {
    const { policy } = this.by;
    const tops = [policy.workspace, ...further_folders(policy)];
    return tops.find((top) => is_inside(folder, top)) ?? null;
  }
}

/** Others, whoever they are, may write. */
const EVERYBODY = 0o002;

/** Whether everybody may write what only some could. */
function is_opened(before: Thing | null, now: Thing | null): boolean {
  return before !== null && "mode" in before && now !== null && "mode" in now &&
    (now.mode & ~before.mode & EVERYBODY) !== 0;
}

type GuardVerdict =
  | { readonly kind: "fine" }
  /** It is gone, or is not a folder, so nobody looks for what was in it. */
  | { readonly kind: "gone" }
  | { readonly kind: "back"; readonly thing: Thing | null; readonly keys?: readonly string[] };

const FINE: GuardVerdict = { kind: "fine" };

/** Judges a new folder of git's: git enters one that can't be listed, so it is opened, to be looked into. */
function of_folder(now: Extract<Thing, { kind: "folder" }>): GuardVerdict {
  return (now.mode & OPEN_MODE) === OPEN_MODE
    ? FINE
    : { kind: "back", thing: { ...now, mode: now.mode | OPEN_MODE } };
}

/** Whether a shell that has it in its prompt neither runs it nor lets it control the terminal. A link is a branch, as git once kept `HEAD`. */
function is_plain(thing: Thing): boolean {
  const text = thing.kind === "file"
    ? new TextDecoder().decode(thing.bytes)
    : thing.kind === "link" && thing.to.startsWith("refs/")
    ? thing.to
    : "`";
  return !/\$\(|`|[\0-\x08\v-\x1f\x7f]/.test(text);
}

/** The folder of a worktree lies two below git's own (git-worktree(1)). */
const COMMON_OF_WORKTREE = "../..";
