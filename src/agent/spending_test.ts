import assert from "node:assert/strict";
import { tokens_in } from "../context/estimate.ts";
import type { Event } from "./events.ts";
import { charge } from "./spending.ts";
import { fresh_state } from "./state.ts";

const PRICE = { input: 1, cached: 1, output: 10 };
const HEARD = { sent: 100, heard: tokens_in("four chars a token, 1 for é"), conversation: true };
/** ASCII/4, rounded up, and one for the é. */
const HEARD_TOKENS = 8;

function account(options: { price?: typeof PRICE | null; token_budget?: number }) {
  const { price = null, token_budget = 0 } = options;
  const state = fresh_state("auto");
  const events: Event[] = [];
  const emit = (event: Event) => {
    events.push(event);
    if (event.type === "warning") state.notes.warnings.push(event.message);
  };
  const endpoint = { base_url: "http://127.0.0.1:8080/v1", model: "m", price };
  return { state, limits: { token_budget }, endpoint, emit, events };
}

function usage(input_tokens: number, output_tokens: number) {
  return { input_tokens, output_tokens, cached_tokens: 0, reasoning_tokens: 0 };
}

function sum(input_tokens: number, output_tokens: number) {
  return { ...usage(input_tokens, output_tokens), cache_lost_tokens: 0 };
}

Deno.test("charge() adds up tokens and dollars, those of questions beside the conversation too", () => {
  const run = account({ price: PRICE });
  charge(run, { ...HEARD, usage: usage(1000, 200) });
  assert.equal(run.state.spending.cost_usd, 0.003);
  charge(run, { ...HEARD, usage: usage(2000, 50), conversation: false });
  assert.deepEqual(run.state.spending.usage, sum(3000, 250));
  assert.equal(run.state.spending.cost_usd, 0.0055);
  assert.deepEqual(run.state.context.last, { ...usage(1000, 200), cost_usd: 0.003 });
  assert.deepEqual(run.events.map((event) => event.type === "usage" && event.cost_usd), [
    ...[0.003, 0.0025],
  ]);
});

Deno.test("charge() estimates what nobody counted where that matters, and says so once", () => {
  for (const options of [{ token_budget: 10 }, { price: PRICE }]) {
    const run = account(options);
    charge(run, { ...HEARD, usage: null });
    charge(run, { ...HEARD, usage: null });
    assert.deepEqual(run.state.spending.usage, sum(200, 2 * HEARD_TOKENS));
    assert.equal(run.state.notes.warnings.length, 1);
    assert.equal(run.state.spending.cost_usd, options.price === undefined ? null : 0.00036);
  }
  const run = account({});
  charge(run, { ...HEARD, usage: null });
  assert.deepEqual([run.state.spending.usage, run.events], [sum(0, 0), []]);
});

Deno.test("charge() takes no count for true that is nothing", () => {
  const cases: [counted: [number, number], charged: [number, number]][] = [
    [[0, 0], [100, HEARD_TOKENS]],
    [[0, 7], [100, 7]],
    [[90, 0], [90, HEARD_TOKENS]],
    [[90, 7], [90, 7]],
  ];
  for (const [counted, charged] of cases) {
    const run = account({ token_budget: 1000 });
    charge(run, { ...HEARD, usage: usage(...counted) });
    assert.deepEqual(run.state.spending.usage, sum(...charged));
    assert.equal(run.state.notes.warnings.length, counted.includes(0) ? 1 : 0);
  }
  const silent = account({ token_budget: 1000 });
  charge(silent, { ...HEARD, heard: 0, usage: usage(90, 0) });
  assert.deepEqual([silent.state.spending.usage, silent.state.notes.warnings], [sum(90, 0), []]);
  const unlimited = account({});
  charge(unlimited, { ...HEARD, usage: usage(0, 7) });
  assert.deepEqual(unlimited.state.spending.usage, sum(0, 7));
});

Deno.test("charge() no longer knows the cost of a run once a reply had no price", () => {
  const run = account({ price: PRICE });
  charge(run, { ...HEARD, usage: usage(10, 10) });
  charge({ ...run, endpoint: { ...run.endpoint, price: null } }, { ...HEARD, usage: usage(1, 1) });
  charge(run, { ...HEARD, usage: usage(10, 10) });
  assert.equal(run.state.spending.cost_usd, null);
});
