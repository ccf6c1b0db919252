/** Folders besides the workspace in which the user lets the run work. */
import { is_inside } from "../config/paths.ts";
import { stat_or_null } from "../permission/paths.ts";
import { is_shared_folder } from "../permission/untrusted_links.ts";
import type { Policy } from "../sandbox/policy.ts";

/** `/tmp`, `/var/tmp`, `/dev/shm`. */
const NEAR = 3;

/** What `--add-dir` and `--allow-write` name outside the workspace, but for a folder like `/tmp`: the repositories in there are of other programs. */
export function further_folders(
  { workspace, write, tmp }: Pick<Policy, "workspace" | "write" | "tmp">,
): readonly string[] {
  return write === "all" ? [] : write.filter((place) => {
    const stat = is_inside(place, workspace) ? null : stat_or_null(place);
    return stat?.isDirectory === true &&
      !(is_shared_folder(stat) && is_of_system(place, stat, tmp));
  });
}

/** Whether others have made a folder; root's own lie near the top. A command may open one of the user's to all, and then it is still to be watched. `tmp`: the run's. */
function is_of_system(place: string, { uid }: Deno.FileInfo, tmp: string): boolean {
  return uid !== stat_or_null(tmp)?.uid || (uid === 0 && place.split("/").length <= NEAR);
}
