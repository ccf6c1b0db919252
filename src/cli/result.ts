/** The result of a run that never began, for those who asked for JSON. */
import { exit_code } from "../app/exit_codes.ts";
import { result_of } from "../app/result.ts";

/** One line of JSON: the result object, all its counts zero. */
export function early_result(
  { format, message, reason }: {
    readonly format: "json" | "jsonl";
    readonly message: string;
    readonly reason: "config_error" | "auth_error";
  },
): string {
  const result = result_of(null, {
    ending: { reason, output: "", error: { kind: reason, message } },
    files: [],
    code: exit_code(reason),
    session_id: crypto.randomUUID(),
    began: performance.now(),
    cost_usd: null,
  });
  const stamps = format === "jsonl" ? { t: 0, step: 0 } : {};
  return `${JSON.stringify({ ...result, ...stamps })}\n`;
}
