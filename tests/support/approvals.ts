/** What tests of approvals and of dry runs share. */
import type { Outcome } from "./hamr.ts";
import { type Reply, say } from "./model_server.ts";
import { inside_stage, type Stage, type StageOptions } from "./stage.ts";

export const ANSWER = say("The remote has what it has.");

/** A model that makes these calls, one a step, and then answers. */
export function play(
  options: { replies: readonly Reply[] } & StageOptions,
  body: (s: Stage) => Promise<void>,
) {
  const { replies, ...rest } = options;
  return inside_stage({ ...rest, script: (_, n) => replies[n] ?? ANSWER }, body);
}

export const results = (run: Outcome) => run.events.filter((event) => event.type === "tool_result");
export const refusals = (run: Outcome) => results(run).map((event) => event["refused"]);
