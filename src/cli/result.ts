/** The result of a run that never began, for those who asked for JSON. */
import type { Result } from "../agent/events.ts";
import { NO_USAGE } from "../agent/state.ts";
import { exit_code, status } from "./exit_codes.ts";

/** One line of JSON: the result object, all its counts zero. */
export function early_result(
  { format, message, reason }: {
    readonly format: "json" | "jsonl";
    readonly message: string;
    readonly reason: "config_error" | "auth_error";
  },
): string {
  const result: Result = {
    type: "result",
    schema: 1,
    session_id: crypto.randomUUID(),
    status: status(reason),
    stop_reason: reason,
    exit_code: exit_code(reason),
    final_output: "",
    model: "",
    provider: "",
    steps: 0,
    tool_calls: 0,
    usage: NO_USAGE,
    cost_usd: null,
    duration_ms: 0,
    files_changed: [],
    verification: null,
    evidence: { mutations: 0, commands: 0, verified: false, refused: 0 },
    warnings: [],
    error: { kind: reason, message },
  };
  const stamps = format === "jsonl" ? { t: 0, step: 0 } : {};
  return `${JSON.stringify({ ...result, ...stamps })}\n`;
}
