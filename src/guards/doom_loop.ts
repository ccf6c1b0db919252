import { type Batch, latest, same_again, signature_of } from "./actions.ts";
import { GO_ON, type Rule, rule } from "./rule.ts";

const FEEDBACK =
  "Not run: you have made exactly this call before, more than once, and its result was the same. " +
  "It will be the same again. Do something else: look elsewhere, change something, or give your final answer.";

/**
 * The same calls again and again, with the same results: the `threshold`-th time in a row they are answered instead of run,
 * and if they come once more the run ends (seeds 003, 004). The memory is the signature that was answered last.
 */
export function doom_loop(options: { readonly threshold: number }): Rule {
  return rule<string | null>({
    name: "doom_loop",
    start: null,
    check(moment, view, answered) {
      if (moment.at !== "calls" || options.threshold === 0) {
        return { verdict: GO_ON, memory: answered };
      }
      const asked = signature_of(moment.calls);
      if (view.background) return { verdict: GO_ON, memory: null };
      const done = latest(view.actions);
      const last = done.next().value;
      if (answered === asked && last?.signature === asked) {
        const text =
          "the model made the same call again after it was told that nothing comes of it";
        return { verdict: { kind: "stop", reason: "loop_detected", text }, memory: answered };
      }
      const same = last?.signature === asked && last.changes === view.changes &&
        last.outcome !== null && !last.waited;
      if (!same || 1 + times_in_a_row(last, done) < options.threshold) {
        return { verdict: GO_ON, memory: null };
      }
      const recovers = { scenario: "infinite_loop", otherwise: "loop_detected" } as const;
      return { verdict: { kind: "answer", text: FEEDBACK, recovers }, memory: asked };
    },
  });
}

/** How often in a row, with the last step itself, the same was asked for and came of it. */
function times_in_a_row(last: Batch, earlier: Iterable<Batch>): number {
  let times = 1;
  for (const step of earlier) {
    if (!same_again(last, step)) break;
    times++;
  }
  return times;
}
