import { test_policy } from "../sandbox/_testing.ts";
import { hints } from "./hints.ts";

/** The policy that hints are tested under. */
export const POLICY = test_policy({
  workspace: "/ws",
  tmp: "/tmp/run",
  spill: "/data/spill",
  write: ["/srv/shared"],
  env: { HOME: "/home/me" },
});

/** The hints for what a command has printed. */
export function said(
  output: string,
  options: { command?: string; code?: number | null; policy?: Partial<typeof POLICY> } = {},
): string[] {
  const { command = "./program", code = 1, policy } = options;
  return hints({ command, exit_code: code, output }, { ...POLICY, ...policy });
}
