/** Results of what is not a run: it never began, or needs no model. */
import { json_line } from "../config/json.ts";
import type { Result } from "../agent/events.ts";
import { exit_code } from "../app/exit_codes.ts";
import type { Ending } from "../agent/state.ts";
import { result_of } from "../app/result.ts";
import type { EarlyReason } from "../config/error.ts";

interface Never {
  readonly message: string;
  readonly reason: EarlyReason;
}

const ASKED_ID = /(?:^|\n)--session-id[=\n]([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\n|$)/i;
/** One for the process, as such a result is on standard output and in files: the one asked for, even where arguments can't be parsed. */
const SESSION_ID = ASKED_ID.exec(Deno.args.join("\n"))?.[1]?.toLowerCase() ?? crypto.randomUUID();

export function result_without_run(ending: Ending): Result {
  const result = result_of(null, {
    ending,
    files: [],
    code: exit_code(ending.reason),
    session_id: SESSION_ID,
    began: 0,
    cost_usd: null,
  });
  return { ...result, duration_ms: 0 };
}

export function result_never_begun({ message, reason }: Never): Result {
  return result_without_run({ reason, output: "", error: { kind: reason, message } });
}

export function early_result({ format, ...why }: Never & { format: "json" | "jsonl" }): string {
  const stamps = format === "jsonl" ? { t: 0, step: 0 } : {};
  return json_line({ ...result_never_begun(why), ...stamps });
}
