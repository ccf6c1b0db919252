import { plural } from "../config/text.ts";
import { tokens_in } from "../context/estimate.ts";
import { RUBRIC_SHARE } from "../gates/judges/evidence.ts";
import type { Endpoint } from "../model/server/provider.ts";
import { StartError } from "../config/error.ts";

/** Throws `StartError` where a known window has no room for the rubric beside what is to be held against it. */
export function refuse_long_rubric(
  endpoint: Pick<Endpoint, "model" | "context_window" | "window_known" | "window_source">,
  rubric: string,
): void {
  const needed = tokens_in(rubric);
  const most = Math.floor(endpoint.context_window * RUBRIC_SHARE);
  if (!endpoint.window_known || needed <= most) return;
  throw new StartError(
    `--rubric: it takes about ${plural(needed, "token")}, but the window of ${endpoint.model} ` +
      `(${
        plural(endpoint.context_window, "token")
      }, ${endpoint.window_source}) has room for ${most} besides ` +
      "the work: shorten it, or load the model with a larger context",
  );
}
