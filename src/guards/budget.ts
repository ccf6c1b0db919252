import { GO_ON, type GuardLimits, type Rule, stateless, type View } from "./rule.ts";

type BudgetLimits = Pick<GuardLimits, "token_budget" | "max_cost_usd">;

/** Ends a run whose budget is used up: an answer still counts, calls do not run. No request begins that the rest can't pay. */
export function budget(limits: BudgetLimits): Rule {
  return stateless("budget", (moment, view) => {
    let text: string | null = null;
    if (moment.at === "calls" || moment.at === "aside") text = used_up(limits, view);
    if (moment.at === "request") text = used_up(limits, view) ?? too_little(limits, view);
    return text === null ? GO_ON : { kind: "stop", reason: "budget_exceeded", text };
  });
}

function used_up({ token_budget, max_cost_usd }: BudgetLimits, view: View): string | null {
  const { cost_usd } = view;
  if (max_cost_usd > 0 && cost_usd !== null && cost_usd >= max_cost_usd) {
    return `the budget of $${max_cost_usd} is used up (budget.max_cost_usd)`;
  }
  return token_budget > 0 && tokens_left(token_budget, view) <= 0
    ? `the budget of ${token_budget} tokens is used up (budget.token_budget)`
    : null;
}

function too_little({ token_budget }: BudgetLimits, view: View): string | null {
  const next = view.last?.input_tokens ?? 0;
  const left = tokens_left(token_budget, view);
  if (token_budget === 0 || left >= next) return null;
  return `${left} tokens are left of the budget of ${token_budget} (budget.token_budget), ` +
    `and another request takes ${next} or more`;
}

/** Negative where the last reply took more than there was. */
export function tokens_left(token_budget: number, { usage }: View): number {
  return token_budget - usage.input_tokens - usage.output_tokens;
}
