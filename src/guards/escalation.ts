import { is_same_call } from "./actions.ts";
import { type Action, GO_ON, type Rule, rule, type View } from "./rule.ts";

/** Steps without a change after which the model is reminded once that one is asked for, whatever it found on the way. */
export const CALM_STEPS = 20;

/** What follows the count, a step of `escalation_steps` after the other. */
const LEVELS = [
  "Use what you have, or look at something you have not seen.",
  "If you know enough, make the change; if something keeps you from it, find out what.",
  "If you know enough, make the change. If it cannot be made, answer NOT DONE: and the reason.",
];

interface EscalationState {
  /** Steps when the turn began, or when a file last changed. */
  readonly since: number;
  readonly changes: number;
  /** The last step that was looked at, and how many since brought nothing new. */
  readonly looked: number;
  readonly stale: number;
  /** Whether the note on `CALM_STEPS` was given. */
  readonly told: boolean;
}

/** If a change is asked for: counts steps that brought nothing new, and tells the model at 8, 9 and 10 (`steps`). A change resets it. */
export function escalation(options: { readonly steps: readonly number[] }): Rule {
  const levels = options.steps.filter((step) => step > 0);
  return rule<EscalationState | null>({
    name: "escalation",
    start: null,
    check(moment, view, before) {
      const wants_change = view.mode === "patch" || view.mode === "verify";
      if (moment.at !== "request" || levels.length === 0 || !wants_change) {
        return { verdict: GO_ON, memory: before };
      }
      const { steps, changes } = view;
      if (before !== null && before.changes !== changes) {
        const memory = { since: steps, changes, looked: steps, stale: 0, told: false };
        return { verdict: GO_ON, memory };
      }
      const begun = before ?? beginning(view);
      const went_on = steps > begun.looked && is_stale(view);
      const stale = begun.stale + (went_on ? 1 : 0);
      const memory = { ...begun, looked: steps, stale };
      const level = went_on ? levels.indexOf(stale) : -1;
      if (level >= 0) {
        const text = `${stale} steps have shown you nothing new. ` +
          LEVELS[Math.min(level, LEVELS.length - 1)];
        return { verdict: { kind: "nudge", text }, memory };
      }
      if (begun.told || steps - begun.since < CALM_STEPS) return { verdict: GO_ON, memory };
      const text = `${steps - begun.since} steps without a change so far. That is fine while you ` +
        "learn something; once you know enough, make the change, and if it cannot be made, say why.";
      return { verdict: { kind: "nudge", text }, memory: { ...memory, told: true } };
    },
  });
}

/** The step before the first call of the turn. */
function beginning({ actions, steps, changes }: View): EscalationState {
  const first = actions[0];
  const since = first === undefined ? steps : first.step - 1;
  return { since, changes: first?.changes ?? changes, looked: since, stale: 0, told: false };
}

/** Whether the last step brought nothing: every call was made before, and all that came of it was seen before. */
function is_stale({ actions, steps, compactions }: View): boolean {
  const compacted = compactions.at(-1) ?? 0;
  const at = actions.findIndex(({ step }) => step === steps);
  if (at < 0) return false;
  const earlier = actions.slice(0, at).filter(({ step }) => step > compacted);
  return actions.slice(at).every((action) => brings_nothing(action, earlier));
}

function brings_nothing(action: Action, earlier: readonly Action[]): boolean {
  if (!action.ran && !action.refused) return true;
  return earlier.some((other) => is_same_call(other, action)) &&
    earlier.some(({ result }) => result === action.result);
}
