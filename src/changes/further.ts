/** Folders besides the workspace that the user has the run work in. */
import { is_inside } from "../config/paths.ts";
import { follow } from "../permission/paths.ts";
import { is_shared_folder } from "../permission/way.ts";
import type { Policy } from "../sandbox/policy.ts";

/** What `--add-dir` and `--allow-write` name outside the workspace, but for a folder like `/tmp`: the repositories in there are of other programs. */
export function further_folders(
  { workspace, write }: Pick<Policy, "workspace" | "write">,
): readonly string[] {
  return write === "all" ? [] : write.filter((place) => {
    const stat = is_inside(place, workspace) ? null : follow(place);
    return stat?.isDirectory === true && !is_shared_folder(stat);
  });
}
