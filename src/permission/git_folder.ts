import { real_or_null } from "../config/paths.ts";
import { file_text, lstat_or_null } from "./paths.ts";

/**
 * Git's common folder (objects, refs, hooks, config), where the workspace is a subfolder or a worktree of a repository and so
 * does not hold it itself; null if it does, or where there is no repository. A `.git` file belongs to the workspace, and so
 * to a stranger: where it leads is believed only if that place points back, or belongs to a repository around the workspace.
 */
export function git_folder(workspace: string): string | null {
  const own = lstat_or_null(`${workspace}/.git`);
  if (own?.isDirectory) return null;
  if (own?.isFile) return led_to(workspace);
  for (let at = workspace; at !== "";) {
    at = at.slice(0, at.lastIndexOf("/"));
    const found = lstat_or_null(`${at}/.git`);
    if (found === null) continue;
    return found.isDirectory && found.uid === lstat_or_null(workspace)?.uid ? `${at}/.git` : null;
  }
  return null;
}

/** Where a `.git` file says that git's folder is, absolute; null if it says nothing. Nobody knows whether that may be believed. */
export function git_dir_named_in(dotgit: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(file_text(dotgit))?.[1];
  if (named === undefined) return null;
  return named.startsWith("/") ? named : `${dotgit.slice(0, -"/.git".length)}/${named}`;
}

/** The common folder that a worktree's or a submodule's `.git` file names. */
function led_to(workspace: string): string | null {
  const named = git_dir_named_in(`${workspace}/.git`);
  const folder = named === null ? null : real_or_null(named);
  if (folder === null) return null;
  const common = /^(.*\.git)\/worktrees\/[^/]+$/.exec(folder)?.[1];
  if (common !== undefined) {
    const back = real_or_null(file_text(`${folder}/gitdir`).trim());
    return back === `${workspace}/.git` ? common : null;
  }
  const around = /^(.*)\/\.git\/modules\/.+$/s.exec(folder)?.[1];
  return around !== undefined && workspace.startsWith(`${around}/`) ? folder : null;
}
