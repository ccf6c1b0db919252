/** Files that hamr itself writes during a run: no call changed them, though they are in the workspace. */
import { is_inside, real_or, real_or_null } from "../config/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Flags } from "./flags.ts";

export const ARTIFACTS = [
  ...["result.json", "events.jsonl", "changes.patch", "transcript.md", "report.html"] as const,
] as const;

/** Standard output and error, where a shell leads them into a file. Nothing on a system without these names. */
const STREAMS = ["/proc/self/fd/1", "/proc/self/fd/2"];

/** In the data folder. Not among them: settings, and what is trusted, which the user writes. */
const DATA = [
  ...["hamr.db", "hamr.db-wal", "hamr.db-shm", "hamr.db-journal"] as const,
  ...["cache", "journal", "locks", "memory_index", "tool-output"] as const,
] as const;

/** Real paths of the data folder, if it is in a workspace that is watched, as in a CI job. Mostly none, as each file is compared with them. */
export function own_data(
  data_dir: string | null,
  { workspace, write }: Pick<Policy, "workspace" | "write">,
): readonly string[] {
  if (data_dir === null) return [];
  const looked_at = [workspace, ...write === "all" ? [] : write];
  return DATA.map((name) => `${real_or(data_dir)}/${name}`)
    .filter((path) => looked_at.some((folder) => is_inside(path, folder)));
}

/** Real paths of the files that the flags name, and of the streams. They are open by then. */
export function own_output(
  { log_file, junit, code_quality, answer_file, artifacts }: Pick<
    Flags,
    "log_file" | "junit" | "code_quality" | "answer_file" | "artifacts"
  >,
): readonly string[] {
  const named = [log_file, junit, code_quality, answer_file].filter((path) => path !== undefined);
  const kept = artifacts === undefined ? [] : ARTIFACTS.map((name) => `${artifacts}/${name}`);
  return [...named, ...kept, ...STREAMS].map(real_or_null).filter((path) =>
    path !== null && !path.startsWith("/dev/")
  ) as string[];
}
