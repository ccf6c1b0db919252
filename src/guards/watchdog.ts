import { plural } from "../config/text.ts";
import {
  GO_ON,
  reached,
  type Rule,
  type RunBounds,
  stateless,
  type StopReason,
  type Verdict,
  type View,
} from "./rule.ts";

/** Timers and this clock differ by some milliseconds; a limit counts as reached within this. */
const SLACK_MS = 20;

/** Ends a run at its limits and on an interrupt; calls beyond the limit of a reply are not run. */
export function watchdog(limits: RunBounds): Rule {
  return stateless("watchdog", (moment, view) => {
    if (moment.at === "request") return before_request(limits, view);
    if (moment.at !== "call" || !reached(view.calls, limits.max_tool_calls)) return GO_ON;
    const text = `not run: the limit of ${plural(limits.max_tool_calls, "tool call")} is reached`;
    return { kind: "answer", text };
  });
}

function before_request(limits: RunBounds, view: View): Verdict {
  if (view.interrupted) return stop("user_interrupt", "interrupted");
  if (is_over(view.elapsed_ms, limits.timeout_s)) {
    return stop("timeout", `the run took longer than ${limits.timeout_s} s (agent.timeout_s)`);
  }
  if (is_over(view.step_ms, limits.step_timeout_s)) {
    return stop(
      "timeout",
      `a step took longer than ${limits.step_timeout_s} s (agent.step_timeout_s)`,
    );
  }
  if (reached(view.run_steps, limits.max_steps)) {
    return stop(
      "max_steps",
      `the limit of ${plural(limits.max_steps, "step")} is reached (${
        limits.steps_setting ?? "agent.max_model_steps"
      })`,
    );
  }
  if (reached(view.calls, limits.max_tool_calls)) {
    return stop(
      "max_tool_calls",
      `the limit of ${
        plural(limits.max_tool_calls, "tool call")
      } is reached (agent.max_tool_calls)`,
    );
  }
  return GO_ON;
}

function is_over(ms: number, limit_s: number): boolean {
  return limit_s > 0 && ms >= limit_s * 1000 - SLACK_MS;
}

function stop(reason: StopReason, text: string): Verdict {
  return { kind: "stop", reason, text };
}
