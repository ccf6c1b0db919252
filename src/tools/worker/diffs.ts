import { type FileChange, whole_diff } from "../../changes/turn_diff.ts";
import type { Machine } from "../work/machine.ts";

/** Whether the model may be shown what is in a file. */
export function shows({ files, policy: { workspace } }: Machine): (path: string) => boolean {
  return (path) =>
    files.shows(path.startsWith("/") ? path : `${workspace === "/" ? "" : workspace}/${path}`);
}

/** The unified diff of these files, as far as it may be shown. */
export function diff(files: readonly FileChange[], chars: number, on: Machine): Promise<string> {
  return whole_diff(files, { chars, shown: shows(on), sides: (path) => on.changes.sides(path) });
}
