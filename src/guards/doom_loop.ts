import {
  type CallBatch,
  latest,
  not_run_again,
  repeat_limit,
  same_again,
  signature_of,
} from "./actions.ts";
import { GO_ON, type Rule, rule } from "./rule.ts";

/** The same calls and results in a row: after `threshold` (twice that for looks) answered, then the run ends (seeds 003, 004). */
export function doom_loop(options: { readonly threshold: number }): Rule {
  return rule<string | null>({
    name: "doom_loop",
    start: null,
    check(moment, view, answered) {
      if (moment.at !== "calls" || options.threshold === 0) {
        return { verdict: GO_ON, memory: answered };
      }
      if (view.background) return { verdict: GO_ON, memory: null };
      const asked = signature_of(moment.calls);
      const done = latest(view);
      const last = done.next().value;
      if (answered === asked && last?.signature === asked) {
        const text =
          "the same calls were made over and over with the same result, and again after the model " +
          "was told";
        return { verdict: { kind: "stop", reason: "loop_detected", text }, memory: answered };
      }
      const same = last?.signature === asked && last.changes === view.changes &&
        last.outcome !== null && !last.waited;
      const times = same ? times_in_a_row(last, done) : 0;
      if (times < repeat_limit(moment.calls, options.threshold)) {
        return { verdict: GO_ON, memory: null };
      }
      const recovers = { scenario: "infinite_loop", otherwise: "loop_detected" } as const;
      const text = not_run_again(moment.calls.length === 1 ? "same call" : "same calls", times);
      return { verdict: { kind: "answer", text, recovers }, memory: asked };
    },
  });
}

/** How often in a row, with the last step itself, the same was asked for and came out. */
function times_in_a_row(last: CallBatch, earlier: Iterable<CallBatch>): number {
  let times = 1;
  for (const step of earlier) {
    if (!same_again(last, step)) break;
    times++;
  }
  return times;
}
