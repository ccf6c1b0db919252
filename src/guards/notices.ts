import { GO_ON, type Rule, rule, type View } from "./rule.ts";

/** Limits of the run that the model is told of shortly before they are reached; 0 is none. */
export interface NoticeLimits {
  readonly max_steps: number;
  readonly timeout_s: number;
}

/** Steps that are left when the model is told so, and the part of the time that is over (hermes). */
const STEPS_LEFT = 3;
const TIME_SHARE = 0.8;

interface Memory {
  readonly steps: boolean;
  readonly time: boolean;
}

/** Says once each that steps or time run out, so that the model can bring its work to an end. */
export function notices(limits: NoticeLimits): Rule {
  return rule<Memory>({
    name: "notices",
    start: { steps: false, time: false },
    check(moment, view, told) {
      if (moment.at !== "request") return { verdict: GO_ON, memory: told };
      if (!told.time && time_is_near(limits, view)) {
        const left = Math.max(0, Math.round(limits.timeout_s - view.elapsed_ms / 1000));
        return say(`About ${left} s are left.`, { ...told, time: true });
      }
      if (!told.steps && steps_are_near(limits, view)) {
        return say(`${limits.max_steps - view.steps} steps are left.`, { ...told, steps: true });
      }
      return { verdict: GO_ON, memory: told };
    },
  });
}

function say(what: string, memory: Memory) {
  const text = `${what} Finish what matters most, then give your final answer.`;
  return { verdict: { kind: "nudge", text } as const, memory };
}

function time_is_near({ timeout_s }: NoticeLimits, { elapsed_ms }: View): boolean {
  return timeout_s > 0 && elapsed_ms >= timeout_s * 1000 * TIME_SHARE;
}

/** Not where the limit is so low that it would be the first thing said. */
function steps_are_near({ max_steps }: NoticeLimits, { steps }: View): boolean {
  return max_steps > STEPS_LEFT && steps === max_steps - STEPS_LEFT;
}
