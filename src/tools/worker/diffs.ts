import { git_place, object_format } from "../../changes/git_index.ts";
import type { Patch } from "../../changes/patch.ts";
import { type FileChange, whole_diff } from "../../changes/turn_diff.ts";
import type { Machine } from "../work/machine.ts";

/** Whether the model may be shown what is in a file. */
export function shows({ files, policy: { workspace } }: Machine): (path: string) => boolean {
  return (path) =>
    files.shows(path.startsWith("/") ? path : `${workspace === "/" ? "" : workspace}/${path}`);
}

/** The unified diff of these files, as far as it may be shown. */
export function diff_of_files(
  files: readonly FileChange[],
  chars: number,
  on: Machine,
): Promise<string> {
  return whole_diff(files, { chars, shown: shows(on), sides: (path) => on.changes.sides(path) });
}

/** What makes the same of these files elsewhere. */
export async function shown_patch(
  files: readonly FileChange[],
  chars: number,
  on: Machine,
): Promise<Patch> {
  const { patch_of_files } = await import("../../changes/patch.ts");
  const sides = (path: string) => on.changes.sides(path, Infinity);
  const ids = object_format(git_place(on.policy));
  return patch_of_files(files, { chars, shown: shows(on), sides, object_format: ids });
}
