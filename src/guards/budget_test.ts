import assert from "node:assert/strict";
import { VIEW } from "./_testing.ts";
import { budget } from "./budget.ts";
import { notices } from "./notices.ts";
import type { Moment, SpentReply, Verdict, View } from "./rule.ts";

const NO_USAGE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 };
const REQUEST: Moment = { at: "request" };
const CALLS: Moment = { at: "calls", calls: [{ name: "bash", args: "{}" }] };

/** A run that has taken so many tokens and dollars, the last reply these. */
function view(taken: { tokens?: number; cost?: number | null; last?: Partial<SpentReply> }): View {
  const { tokens = 0, cost = null, last } = taken;
  return {
    ...VIEW,
    usage: { ...NO_USAGE, input_tokens: tokens, cached_tokens: tokens },
    cost_usd: cost,
    last: last === undefined ? null : { ...NO_USAGE, cost_usd: null, ...last },
  };
}

Deno.test("budget() stops where the budget is used up, or cannot pay another request", () => {
  const limits = { token_budget: 1000, max_cost_usd: 0.5 };
  const cases: readonly (readonly [Parameters<typeof view>[0], RegExp | null])[] = [
    [{}, null],
    [{ tokens: 999, cost: 0.499 }, null],
    [{ tokens: 1000 }, /budget of 1000 tokens is used up/],
    [{ tokens: 5000 }, /budget of 1000 tokens is used up/],
    [{ cost: 0.5 }, /budget of \$0\.5 is used up/],
    [{ cost: 0.51, tokens: 1 }, /budget of \$0\.5 is used up/],
    [{ tokens: 700, last: { input_tokens: 300, output_tokens: 99 } }, null],
    [{ tokens: 700, last: { input_tokens: 301 } }, /300 tokens are left .* takes 301 or more/],
  ];
  for (const [taken, text] of cases) {
    // Calls are run as long as they are paid for, whether or not a request can follow.
    const moments = /are left/.test(text?.source ?? "") ? [REQUEST] : [REQUEST, CALLS];
    for (const moment of moments) {
      const { verdict } = budget(limits).check(moment, view(taken), null);
      const said = verdict.kind === "stop" ? `${verdict.reason}: ${verdict.text}` : null;
      if (text === null) assert.equal(said, null, JSON.stringify(taken));
      else assert.match(said ?? "nothing", new RegExp(`^budget_exceeded: .*${text.source}`));
    }
    if (moments.length === 1) {
      assert.equal(budget(limits).check(CALLS, view(taken), null).verdict.kind, "go_on");
    }
    const none = budget({ token_budget: 0, max_cost_usd: 0 });
    assert.equal(none.check(REQUEST, view(taken), null).verdict.kind, "go_on");
  }
});

Deno.test("budget() lets an answer that crossed the line be one", () => {
  const limits = { token_budget: 10, max_cost_usd: 0 };
  for (const moment of [{ at: "ending", text: "It is 42." }, { at: "contract" }] as const) {
    const { verdict } = budget(limits).check(moment, view({ tokens: 11 }), null);
    assert.equal(verdict.kind, "go_on", moment.at);
  }
});

Deno.test("notices() tells once that a budget comes to its end", () => {
  const limits = {
    max_steps: 0,
    timeout_s: 0,
    token_budget: 10_000,
    max_cost_usd: 0.2,
    reserve_tokens: 512,
    reserve_cost_fraction: 0.1,
  };
  const small = { input_tokens: 10, output_tokens: 5, cost_usd: 0.001 };
  const large = { input_tokens: 3000, output_tokens: 500, cost_usd: 0.001 };
  const cases: readonly (readonly [Parameters<typeof view>[0], RegExp | null])[] = [
    [{}, null],
    [{ tokens: 9487, cost: 0.179, last: small }, null],
    [{ tokens: 9488, cost: 0.1, last: small }, /^About 512 tokens are left of the budget\./],
    [{ tokens: 9487, cost: 0.18, last: small }, /^About \$0\.0200 is left of the budget\./],
    // The next reply would be the last that can be paid.
    [{ tokens: 3500, last: large }, null],
    [{ tokens: 3501, last: large }, /^About 6499 tokens are left/],
    [{ tokens: 100, cost: 0.12, last: { ...small, cost_usd: 0.08 } }, /^About \$0\.0800 is left/],
    [{ tokens: 100, cost: 0.11, last: { ...small, cost_usd: 0.08 } }, null],
  ];
  const words = ({ verdict }: { verdict: Verdict }) =>
    verdict.kind === "nudge" ? verdict.text : "nothing";
  for (const [taken, text] of cases) {
    const guard = notices(limits);
    const first = guard.check(REQUEST, view(taken), guard.start);
    assert.match(words(first), text ?? /^nothing$/, JSON.stringify(taken));
    const again = guard.check(REQUEST, view(taken), first.memory);
    assert.equal(words(again), "nothing");
    const off = notices({ ...limits, reserve_tokens: 0, reserve_cost_fraction: 0 });
    assert.equal(words(off.check(REQUEST, view(taken), off.start)), "nothing");
  }
  assert.equal(notices(limits).lasting, true, "a repair turn is not told again");
});
