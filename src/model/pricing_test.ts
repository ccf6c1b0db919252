import assert from "node:assert/strict";
import { PRESET } from "./_testing.ts";
import { add_cost, cost_of, dollars, price_of } from "./pricing.ts";
import { type Preset, resolve_endpoint, type Wish } from "./server/provider.ts";

const WISH: Wish = {
  api_mode: "",
  provider: "auto",
  model: "m",
  base_url: "",
  context_window: 4096,
  ollama: { task: "", max_output_tokens: 0, max_num_ctx: 0, keep_alive: "" },
  providers: {},
  base_url_untrusted: false,
};
const OPENAI = "https://api.openai.com/v1";

function known(model: string, base_url = OPENAI): readonly number[] | null {
  const price = price_of({ base_url, model, price: null });
  return price === null ? null : [price.input, price.cached, price.output];
}

Deno.test("price_of() knows some models, by name or by snapshot, at their makers' addresses only", () => {
  assert.deepEqual(known("gpt-5-mini"), [0.25, 0.025, 2]);
  assert.deepEqual(known("gpt-5-mini-2025-08-07"), [0.25, 0.025, 2]);
  const anthropic = "https://api.anthropic.com/v1";
  assert.deepEqual(known("claude-haiku-4-5-20251001", anthropic), [1, 0.1, 5]);
  for (const model of ["gpt-5-mini-next", "gpt-5-mini-2025", "GPT-5", "constructor", ""]) {
    assert.equal(known(model), null, model);
  }
  for (
    const base_url of [
      "http://127.0.0.1:8080/v1",
      "https://api.openai.com.example/v1",
      "http://api.openai.com/v1",
      "https://api.openai.com:8443/v1",
      anthropic,
    ]
  ) assert.equal(known("gpt-5-mini", base_url), null, base_url);
});

Deno.test("price_of() believes settings before its own table, and that nothing is a price", () => {
  const price = { input: 0, cached: 0, output: 0 };
  assert.equal(price_of({ base_url: OPENAI, model: "gpt-5", price }), price);
  assert.equal(price_of({ base_url: "http://127.0.0.1:8080/v1", model: "m", price }), price);
});

Deno.test("cost_of() counts cached input at its own price, and reasoning once", () => {
  const usage = {
    input_tokens: 1000,
    cached_tokens: 400,
    output_tokens: 100,
    reasoning_tokens: 50,
  };
  const cases: readonly (readonly [number, number, number, number])[] = [
    [1, 1, 1, 0.0011],
    [2, 0.5, 8, 0.0022],
    [0, 0, 0, 0],
  ];
  for (const [input, cached, output, cost] of cases) {
    assert.equal(cost_of(usage, { input, cached, output }), cost);
    // They are among the tokens of output.
    assert.equal(cost_of({ ...usage, reasoning_tokens: 0 }, { input, cached, output }), cost);
  }
});

Deno.test("cost_of() counts what was put into the cache with its extra charge", () => {
  const usage = { input_tokens: 1000, cached_tokens: 400, output_tokens: 0, reasoning_tokens: 0 };
  const price = { input: 10, cached: 1, output: 0 };
  assert.equal(cost_of(usage, price), 0.0064);
  assert.equal(cost_of({ ...usage, written_tokens: 600 }, price), 0.0079);
});

Deno.test("add_cost() is exact in decimals, and unknown where a part is", () => {
  const tenths = Array.from({ length: 10 }, () => 0.1);
  assert.equal(tenths.reduce<number | null>(add_cost, 0), 1);
  assert.equal(add_cost(5e-9, 5e-9), 1e-8);
  assert.equal(add_cost(null, 1), null);
  assert.equal(add_cost(1, null), null);
});

Deno.test("dollars() shows four decimals, and that less than that is not nothing", () => {
  assert.deepEqual([0, 0.00001, 0.01234, 12].map(dollars), [
    ...["$0.0000", "<$0.0001", "$0.0123", "$12.0000"],
  ]);
});

Deno.test("a price is that of the section that is asked for, else of one with this address", async () => {
  const at = (base_url: string, price_in?: number, price_out?: number): Preset => ({
    ...PRESET,
    ...{ base_url, price_in, price_out },
  });
  const providers = {
    plain: at("http://127.0.0.1:9/v1"),
    broken: at("http://", 7, 7),
    half: at("http://127.0.0.1:8/v1", 3),
    dear: at("http://127.0.0.1:9/", 5, 6),
    openai: at("", 1, 2),
  };
  const cases: readonly (readonly [Partial<Wish>, readonly [number, number] | null])[] = [
    [{ base_url: "http://127.0.0.1:9/v1" }, [5, 6]],
    [{ base_url: "http://127.0.0.1:9/v2" }, null],
    [{ base_url: "http://127.0.0.1:8/v1" }, null],
    [{ base_url: "https://api.openai.com/v1" }, [1, 2]],
    [{ provider: "dear" }, [5, 6]],
    [{ provider: "dear", base_url: "http://127.0.0.1:7/v1" }, [5, 6]],
    [{ provider: "plain" }, null],
    [{ provider: "openai" }, [1, 2]],
    [{ provider: "openrouter" }, null],
  ];
  for (const [wish, prices] of cases) {
    const { price } = await resolve_endpoint({ ...WISH, providers, ...wish }, {
      env: () => undefined,
    });
    assert.deepEqual(price && [price.input, price.output], prices, JSON.stringify(wish));
    if (price !== null) assert.equal(price.cached, price.input);
  }
});
