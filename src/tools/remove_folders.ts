import type { Policy } from "../sandbox/policy.ts";

/** Takes away the run's own folders: the temporary one with all that is in it, the others where they are empty. */
export function remove_folders(policy: Policy): void {
  const folders = [[policy.tmp, true], [policy.spill, false], [policy.cache, false]] as const;
  for (const [folder, recursive] of folders) {
    try {
      Deno.removeSync(folder, { recursive });
    } catch {
      // The spill and cache folders stay while something is in them; a temporary folder that resists is the system's to clear.
    }
  }
}
