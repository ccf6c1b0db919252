import type { CommandResult } from "./shell.ts";

export function ending(
  result: Pick<CommandResult, "exit_code" | "signal" | "ended_by">,
  timeout_s: number,
): string {
  switch (result.ended_by) {
    case "timeout":
      return `ended: it took longer than ${timeout_s} s`;
    case "cancel":
      return "ended: the run was stopped";
    case "itself":
      return result.exit_code === null
        ? `ended by signal ${result.signal}`
        : `exit code ${result.exit_code}`;
  }
}
