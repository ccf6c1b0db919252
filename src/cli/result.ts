/** The result of a run that never began. */
import { json_line } from "../config/json.ts";
import type { Result } from "../agent/events.ts";
import { exit_code } from "../app/exit_codes.ts";
import { result_of } from "../app/result.ts";
import type { EarlyReason } from "../app/start_error.ts";

/** Why it did not. */
interface Never {
  readonly message: string;
  readonly reason: EarlyReason;
}

/** The result object, all its counts zero. */
export function result_never_begun({ message, reason }: Never): Result {
  return result_of(null, {
    ending: { reason, output: "", error: { kind: reason, message } },
    files: [],
    code: exit_code(reason),
    session_id: crypto.randomUUID(),
    began: performance.now(),
    cost_usd: null,
  });
}

/** One line of JSON, for those who asked for it. */
export function early_result(
  { format, ...why }: Never & { readonly format: "json" | "jsonl" },
): string {
  const stamps = format === "jsonl" ? { t: 0, step: 0 } : {};
  return json_line({ ...result_never_begun(why), ...stamps });
}
