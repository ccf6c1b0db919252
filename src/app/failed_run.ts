/** The result of a task that could not begin, or that failed because of the program around it. */
import type { Result, Stamped } from "../agent/events.ts";
import { why } from "../config/paths.ts";
import { CallbackError } from "./agent_events.ts";
import { exit_code } from "./exit_codes.ts";
import { result_of } from "./result.ts";
import { StartError } from "../config/error.ts";

/** Tells the result that an error leads to, once, and returns it. `began`: when the task did, as `performance.now()` has it. */
export function failed_run(error: unknown, { session_id, began, hear }: {
  session_id: string;
  began: number;
  hear: (event: Stamped) => void;
}): Result {
  const reason = error instanceof StartError
    ? error.reason
    : error instanceof CallbackError
    ? "internal_error"
    : "config_error";
  const failed = result_of(null, {
    ending: { reason, output: "", error: { kind: reason, message: why(error) } },
    ...{ files: [], code: exit_code(reason), session_id, began },
    cost_usd: null,
  });
  const told = { ...failed, t: Math.round(performance.now() - began), step: 0 };
  try {
    hear(told);
  } catch (thrown) {
    if (!(thrown instanceof CallbackError)) throw thrown;
    // It threw at the state, before the result was reported; from now on none is called.
    hear(told);
  }
  return failed;
}
