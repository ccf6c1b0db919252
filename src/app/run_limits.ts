import type { RunLimits } from "../agent/session.ts";
import { type Endpoint, limits_of } from "../model/server/provider.ts";
import { type RunSettings, verify_judged } from "./settings.ts";

/** What a run is asked to keep to, out of its settings. */
export function run_limits(
  place: RunSettings,
  endpoint: Endpoint,
): Omit<RunLimits, "rubric" | "output_schema" | "only_tools" | "web" | "read_only" | "dry_run"> {
  const { agent, verify, context, budget, memory, guards: { recoveries } } = place.settings;
  return {
    ...agent,
    ...budget,
    verify_command: verify.command,
    verify_judged: verify_judged(place),
    verify_timeout_s: verify.timeout_s,
    recoveries,
    self_eval: verify.self_eval,
    self_eval_retries: verify.self_eval_retries,
    rubric_rounds: verify.rubric_rounds,
    extract: memory.extract,
    context: { ...context, context_budget_tokens: agent.context_budget_tokens },
    http: limits_of(endpoint, agent.idle_timeout_s * 1000),
    retry: place.settings.retry,
  };
}
