import { GO_ON, type Rule, rule } from "./rule.ts";

/** Two compactions within so many steps: what is read goes faster than it is used. */
export const STEPS = 8;

const ADVICE = `The context has filled up and was compacted twice within ${STEPS} steps. ` +
  "Read less at a time: search instead of reading whole files, and act on what you find before you look further.";

/** A context that fills up again as soon as it is emptied. The memory is the step of the last compaction that was reported. */
export function context_exhaustion(): Rule {
  return rule<number>({
    name: "context_exhaustion",
    start: 0,
    check(moment, view, told) {
      const [last = 0, before = -Infinity] = view.compactions.toReversed();
      if (moment.at !== "request" || last === told || last - before > STEPS) {
        return { verdict: GO_ON, memory: told };
      }
      return { verdict: { kind: "nudge", text: ADVICE }, memory: last };
    },
  });
}
