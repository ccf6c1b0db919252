import type { Settings } from "../config/keys.ts";
import { add_cost, dollars } from "../model/pricing.ts";
import { tokens_left } from "./budget.ts";
import { GO_ON, type Rule, rule, type View } from "./rule.ts";

/** Limits of the run that the model hears about shortly before they are reached. */
type NoticeLimits = Settings["budget"] & {
  readonly max_steps: number;
  readonly timeout_s: number;
};

export const STEPS_LEFT = 3;
/** The part of the time that is over when it does (hermes). */
export const TIME_SHARE = 0.8;

type NoticeState = Readonly<Record<"steps" | "time" | "budget", boolean>>;

/** Says once each in a run that steps, time or the budget run out, so that the model can bring its work to an end. */
export function notices(limits: NoticeLimits): Rule {
  return rule<NoticeState>({
    name: "notices",
    start: { steps: false, time: false, budget: false },
    lasting: true,
    check(moment, view, told) {
      if (moment.at !== "request") return { verdict: GO_ON, memory: told };
      const { timeout_s, max_steps } = limits;
      if (!told.time && timeout_s > 0 && view.elapsed_ms >= timeout_s * 1000 * TIME_SHARE) {
        const left = Math.max(0, Math.round(timeout_s - view.elapsed_ms / 1000));
        return say(`About ${left} s are left.`, { ...told, time: true });
      }
      // Not where the limit is so low that it would be the first thing said.
      if (!told.steps && max_steps > STEPS_LEFT && view.run_steps === max_steps - STEPS_LEFT) {
        return say(`${STEPS_LEFT} steps are left.`, { ...told, steps: true });
      }
      const rest = told.budget ? null : near_budget(limits, view);
      if (rest !== null) return say(`${rest} left of the budget.`, { ...told, budget: true });
      return { verdict: GO_ON, memory: told };
    },
  });
}

function say(what: string, memory: NoticeState) {
  const text = `${what} Finish what matters most, then give your final answer.`;
  return { verdict: { kind: "nudge", text } as const, memory };
}

/** What is left of a budget, in words, once it is below the reserve or not enough for one more reply. Null if there is enough. */
function near_budget(limits: NoticeLimits, view: View): string | null {
  const { token_budget, max_cost_usd, reserve_tokens, reserve_cost_fraction } = limits;
  const { cost_usd, last } = view;
  if (last === null) return null;
  if (token_budget > 0 && reserve_tokens > 0) {
    const left = tokens_left(token_budget, view);
    const then = left - last.input_tokens - last.output_tokens;
    if (left <= reserve_tokens || then < last.input_tokens) return `About ${left} tokens are`;
  }
  const left = add_cost(max_cost_usd, cost_usd === null ? null : -cost_usd);
  if (max_cost_usd > 0 && reserve_cost_fraction > 0 && left !== null) {
    const near = left <= max_cost_usd * reserve_cost_fraction || left <= (last.cost_usd ?? 0);
    if (near) return `About ${dollars(left)} is`;
  }
  return null;
}
