import { GO_ON, type Rule, rule, type View } from "./rule.ts";

/** What the model is told, the louder the longer nothing changes (seed 000). */
const LEVELS = [
  "You have enough context. Use bash, edit or write to take action.",
  "STOP reading. You MUST use write, edit or bash now.",
  "EMERGENCY: no file has changed. This is the last chance to act: make the change now.",
];

interface Memory {
  /** Steps when the turn began, or when a file last changed. */
  readonly since: number;
  /** Changes seen so far. */
  readonly changes: number;
}

/**
 * Steps without a changed file, in modes that ask for one: at each of `steps` (settings: 8, 9, 10) the model is told to act. A
 * changed file starts the count anew.
 */
export function escalation(options: { readonly steps: readonly number[] }): Rule {
  return rule<Memory | null>({
    name: "escalation",
    start: null,
    check(moment, view, before) {
      if (moment.at !== "request" || !wants_change(view)) return { verdict: GO_ON, memory: before };
      const memory = before ?? beginning(view);
      if (memory.changes !== view.changes) {
        return { verdict: GO_ON, memory: { since: view.steps, changes: view.changes } };
      }
      const idle = view.steps - memory.since;
      const level = options.steps.filter((step) => step > 0).indexOf(idle);
      const text = LEVELS[Math.min(level, LEVELS.length - 1)];
      const verdict = level < 0 || text === undefined ? GO_ON : { kind: "nudge", text } as const;
      return { verdict, memory };
    },
  });
}

/** The step before the first call of the turn. */
function beginning({ actions, steps, changes }: View): Memory {
  const first = actions[0];
  return first === undefined
    ? { since: steps, changes }
    : { since: first.step - 1, changes: first.changes };
}

function wants_change({ mode }: View): boolean {
  return mode === "patch" || mode === "verify";
}
