import { is_same_call, known_actions } from "./actions.ts";
import {
  type Action,
  GO_ON,
  type GuardLimits,
  reached,
  type Rule,
  rule,
  type View,
} from "./rule.ts";

/** Repeated reads: a note, then they are answered instead of run until a file changes. The memory is the changes at the note. */
export function reads(limits: Pick<GuardLimits, "read_warning" | "read_limit">): Rule {
  return rule<number | null>({
    name: "reads",
    start: null,
    check(moment, view, told) {
      if (moment.at === "call" && moment.call.name === "read") {
        const { asked } = moment;
        const again = known_actions(view).some((action) =>
          action.ran && is_same_call(action, asked)
        );
        const count = again ? repeated(view) : 0;
        if (!reached(count, limits.read_limit)) return { verdict: GO_ON, memory: told };
        const text = `Not run: you have read this before, and ${count} reads so far showed only ` +
          "what you already had. Read what you have not seen, act, or give your final answer.";
        return { verdict: { kind: "answer", text }, memory: told };
      }
      const count = moment.at === "request" && told !== view.changes ? repeated(view) : 0;
      if (!reached(count, limits.read_warning)) return { verdict: GO_ON, memory: told };
      const text = `${count} of your reads showed only what you had read before, unchanged. ` +
        "Use what you have, or look at something new.";
      return { verdict: { kind: "nudge", text }, memory: view.changes };
    },
  });
}

/** Reads that brought what an earlier one of the same range had brought. */
function repeated(view: View): number {
  const reads = known_actions(view).filter(({ name, ran }) => name === "read" && ran);
  return reads.length - new Set(reads.map(({ args, result }: Action) => `${args}\n${result}`)).size;
}
