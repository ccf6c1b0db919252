import { type Action, GO_ON, only_answers, reached, type Rule, rule, type View } from "./rule.ts";

/** Reads since a file last changed; from `[guards]`, 0 is no limit (seed 000: 32 and 64). */
export interface ReadLimits {
  readonly read_warning: number;
  readonly read_limit: number;
}

/**
 * Enough of reading: a warning, then refusals, until a file changes. Where an answer is asked for and nothing was changed, only
 * repeated reads count: a question may be about eighty files. The memory is how many changes there were at the warning.
 */
export function reads(limits: ReadLimits): Rule {
  return rule<number | null>({
    name: "reads",
    start: null,
    check(moment, view, warned) {
      const reading = moment.at === "call" && moment.call.name === "read";
      const due = moment.at === "request" && warned !== view.changes;
      const count = reading || due ? count_of(view) : 0;
      if (reading && reached(count, limits.read_limit)) {
        const text = `Not run: you have read ${count} times and changed nothing. ` +
          "You have enough context: act with edit, write or bash, or give your final answer.";
        return { verdict: { kind: "answer", text }, memory: warned };
      }
      if (!due || !reached(count, limits.read_warning)) return { verdict: GO_ON, memory: warned };
      const text =
        `STOP READING. You have read ${count} times and changed nothing; you have enough context. ` +
        "Act now, or give your final answer.";
      return { verdict: { kind: "nudge", text }, memory: view.changes };
    },
  });
}

function count_of({ actions, changes, mode }: View): number {
  const since = actions.filter((action) =>
    action.name === "read" && action.ran && action.changes === changes
  );
  const answering = (mode === "auto" || only_answers(mode)) && changes === 0;
  return answering ? since.length - distinct(since) : since.length;
}

function distinct(actions: readonly Action[]): number {
  return new Set(actions.map(({ args }) => args)).size;
}
