import { GO_ON, type Rule, stateless } from "./rule.ts";

/** Two compactions within so many steps: what is read goes faster than it is used. */
export const STEPS = 8;

const ADVICE = `The context has filled up and was compacted twice within ${STEPS} steps. ` +
  "Read less at a time: search instead of reading whole files, and act on what you find before you look further.";

/** A context that fills up again as soon as it is emptied; said in the step after, not in a later turn. */
export function context_exhaustion(): Rule {
  return stateless("context_exhaustion", (moment, { compactions, steps }) => {
    const [last = 0, before = -Infinity] = compactions.toReversed();
    const soon = last - before <= STEPS && steps === last + 1;
    return moment.at === "request" && soon ? { kind: "nudge", text: ADVICE } : GO_ON;
  });
}
