import { plural } from "../config/text.ts";
import {
  GO_ON,
  reached,
  type Rule,
  rule,
  type RunBounds,
  type StopReason,
  type Verdict,
  type View,
} from "./rule.ts";

/** Timers and this clock differ by some milliseconds; a limit counts as reached within this. */
const SLACK_MS = 20;

/**
 * Ends a run at its limits and on an interrupt. Calls beyond the limit are not run, and only then does the next request close:
 * a run that needed all of its calls can still answer. It remembers that such a call was made.
 */
export function watchdog(limits: RunBounds): Rule {
  const { max_tool_calls } = limits;
  return rule<boolean>({
    name: "watchdog",
    start: false,
    check(moment, view, asked_more) {
      const used_up = reached(view.calls, max_tool_calls);
      if (moment.at === "call" && used_up) {
        const text = `not run: the limit of ${plural(max_tool_calls, "tool call")} is reached`;
        return { verdict: { kind: "answer", text }, memory: true };
      }
      if (moment.at === "calls") {
        const more = max_tool_calls > 0 && view.calls + moment.calls.length > max_tool_calls;
        return { verdict: GO_ON, memory: more };
      }
      if (moment.at !== "request") return { verdict: GO_ON, memory: asked_more };
      const beyond = used_up && asked_more;
      return { verdict: before_request(limits, view, beyond), memory: beyond };
    },
  });
}

function before_request(limits: RunBounds, view: View, beyond: boolean): Verdict {
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
  if (beyond) {
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
