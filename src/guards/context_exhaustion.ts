import { GO_ON, type Rule, rule, type View } from "./rule.ts";

/** Two compactions within so many steps: what is read goes faster than it is used. */
export const STEPS = 8;

const ADVICE = "The context has filled up again and was compacted again. " +
  "Stop reading files; what you need is in the summary. Take action now, or give your final answer.";

/** A context that fills up again as soon as it is emptied. The memory is the step of the compaction that was told. */
export function context_exhaustion(): Rule {
  return rule<number>({
    name: "context_exhaustion",
    start: 0,
    check(moment, view, told) {
      const last = view.compactions.at(-1) ?? 0;
      if (moment.at !== "request" || last === told || !soon_again(view)) {
        return { verdict: GO_ON, memory: told };
      }
      const recovers = { scenario: "context_exhaustion", otherwise: null } as const;
      return { verdict: { kind: "nudge", text: ADVICE, recovers }, memory: last };
    },
  });
}

function soon_again({ compactions }: View): boolean {
  const [before, last] = compactions.slice(-2);
  return before !== undefined && last !== undefined && last - before <= STEPS;
}
