/** How the files of a run are named: relative to the workspace if they are in it. */
import { is_inside } from "../config/paths.ts";
import type { Policy } from "../sandbox/policy.ts";

export function name_in({ workspace }: Policy, real: string): string {
  return is_inside(real, workspace) ? real.slice(workspace.length).replace(/^\//, "") : real;
}

export function full_path({ workspace }: Policy, name: string): string {
  return name.startsWith("/") ? name : `${workspace === "/" ? "" : workspace}/${name}`;
}

/** Whether `hamr` itself writes the file: `-o`, `--junit` and the like, and its data. */
export function is_own_output(policy: Policy, name: string): boolean {
  const full = full_path(policy, name);
  return policy.outputs?.some((own) => is_inside(full, own)) ?? false;
}
