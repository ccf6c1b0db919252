import type { Usage } from "../model/message.ts";
import { add_cost, cost_of, price_of, type Priced } from "../model/pricing.ts";
import type { Event } from "./events.ts";
import type { CountedExchange, RunLimits } from "./session.ts";
import { add_usage, NO_USAGE, type State } from "./state.ts";

const ESTIMATED =
  "the server did not count the tokens of every reply: tokens, cost and the remaining budget are partly estimates";

interface Account {
  readonly state: Pick<State, "spending" | "context" | "notes">;
  readonly limits: Pick<RunLimits, "token_budget">;
  readonly endpoint: Priced;
  readonly emit: (event: Event) => void;
}

/** Counts an exchange. If the server does not say, it is estimated where a budget or price depends on it; otherwise nothing is counted. */
export function charge(session: Account, exchange: CountedExchange): void {
  const { state, limits, endpoint, emit } = session;
  const price = price_of(endpoint);
  const matters = limits.token_budget > 0 || price !== null;
  const usage = matters ? complete(exchange) : exchange.usage;
  if (usage === null) return;
  if (usage !== exchange.usage && !state.notes.warnings.includes(ESTIMATED)) {
    emit({ type: "warning", message: ESTIMATED });
  }
  const cost_usd = price === null ? null : cost_of(usage, price);
  // One reply without a price, and nobody knows what the run costs.
  const first = state.spending.usage.input_tokens + state.spending.usage.output_tokens === 0;
  state.spending.cost_usd = add_cost(first ? 0 : state.spending.cost_usd, cost_usd);
  state.spending.usage = add_usage(state.spending.usage, usage);
  if (exchange.conversation) state.context.last = { ...usage, cost_usd };
  const { input_tokens, output_tokens, cached_tokens } = usage;
  emit({ type: "usage", input_tokens, output_tokens, cached_tokens, cost_usd });
}

/** Adds what a part of the run took since `before`, which was counted apart. */
export function add_spending(
  all: State["spending"],
  part: State["spending"],
  before: Pick<State["spending"], "calls" | "refused" | "recoveries">,
): void {
  all.calls += part.calls - before.calls;
  all.refused += part.refused - before.refused;
  all.recoveries = Math.max(0, all.recoveries + part.recoveries - before.recoveries);
  if (part.usage.input_tokens + part.usage.output_tokens === 0) return;
  const first = all.usage.input_tokens + all.usage.output_tokens === 0;
  all.cost_usd = add_cost(first ? 0 : all.cost_usd, part.cost_usd);
  all.usage = add_usage(all.usage, part.usage);
}

/** Dollars of all runs of the session; null if a price is not known. */
export function cost_so_far({ before, spending: { cost_usd, usage } }: State): number | null {
  if (before.steps === 0) return cost_usd;
  const used = usage.input_tokens + usage.output_tokens > 0;
  return used ? add_cost(before.cost_usd, cost_usd) : before.cost_usd;
}

/** What the server counted, and an estimate of what it did not: no request is of nothing, and no answer. */
function complete({ sent, heard, usage }: CountedExchange): Usage {
  const { input_tokens, output_tokens } = usage ?? NO_USAGE;
  const said = output_tokens > 0 || heard === 0;
  if (usage !== null && input_tokens > 0 && said) return usage;
  return {
    ...(usage ?? NO_USAGE),
    input_tokens: input_tokens || sent,
    output_tokens: said ? output_tokens : heard,
  };
}
