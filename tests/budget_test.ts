/** Budgets of tokens and of dollars: `--token-budget`, `--max-cost`, prices, and what the model is told. */
import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, type Recorded, type Reply, say } from "./support/model_server.ts";
import { open_stage, type Stage, stage, type StageOptions } from "./support/stage.ts";

const CLOSING = "Two numbers were counted, the others were not.";
const USER = ".config/hamr/config.toml";
const usage = { prompt_tokens: 1000, completion_tokens: 200, cached_tokens: 0 };
/** What a reply with this usage costs at 1 and 10 dollars per million tokens: 0.001 + 0.002. */
const PRICES = "price_in = 1\nprice_out = 10\n";

/** Counts forever, 1200 tokens a reply; says what is done when it is asked to close. */
function count({ body }: Recorded, n: number): Reply {
  const reply = body.tool_choice === "none" ? say(CLOSING) : bash(`echo ${n} >> log`);
  return { ...reply, usage };
}

const COUNT: StageOptions = { script: count };

/** A section of the user's own file for the server of the stage. */
function price(s: Stage, keys: string): void {
  s.home.write(USER, `[providers.mine]\nbase_url = "${s.server.url}"\n${keys}`);
}

/** The last message of each request, to find what was said to the model. */
function told(s: Stage): string[] {
  return s.server.requests.map(({ body }) => body.messages.at(-1)?.content ?? "");
}

Deno.test("a token budget ends the run in 2: the calls that crossed it are not run, one call closes", async () => {
  await open_stage(COUNT, async (s) => {
    const { code, result, events } = await s.events("Count.", "--token-budget", "3500");
    assert.deepEqual([code, result.stop_reason, result.steps], [2, "budget_exceeded", 3]);
    assert.equal(result.final_output, CLOSING);
    assert.match(result.error?.message ?? "", /budget of 3500 tokens is used up/);
    assert.equal(s.ws.read("log"), "0\n1\n");
    const closing = s.server.requests.at(-1)!;
    assert.equal(closing.n, 3);
    assert.equal(closing.body.tool_choice, "none");
    assert.deepEqual(closing.body.tools, s.server.requests[0]!.body.tools);
    assert.match(told(s)[3]!, /^Not run: the budget of 3500 tokens/);
    assert.match(told(s)[3]!, /<hamr>\nThe budget is used up\. No more tools can be called\./);
    assert.equal((JSON.parse(closing.raw) as { max_tokens: number }).max_tokens, 512);
    assert.deepEqual(result.usage.input_tokens + result.usage.output_tokens, 4800);
    const guards = events.filter((event) => event.type === "guard");
    assert.deepEqual(guards.map(({ name, action }) => [name, action]), [["budget", "stopped"]]);
    assert.equal(result.cost_usd, null, "nobody knows a price");
  });
});

Deno.test("a request that the rest of the budget cannot pay is not begun", async () => {
  await open_stage(COUNT, async (s) => {
    const { code, result } = await s.run("Count.", "--token-budget", "3000");
    assert.deepEqual([code, result.stop_reason, result.steps], [2, "budget_exceeded", 2]);
    assert.match(result.error?.message ?? "", /600 tokens are left of the budget of 3000/);
    assert.equal(s.ws.read("log"), "0\n1\n");
    assert.equal(result.final_output, CLOSING);
  });
});

Deno.test("an answer that crosses the line is an answer", async () => {
  await open_stage({ script: [{ ...say(ANSWER), usage }] }, async (s) => {
    const { code, result } = await s.run("What is it?", "--token-budget", "10");
    assert.deepEqual([code, result.final_output], [0, ANSWER]);
  });
});

Deno.test("the budget is the run's: a repair turn gets no new one", async () => {
  const script = ({ body }: Recorded): Reply => ({
    ...say(body.tool_choice === "none" ? CLOSING : ANSWER),
    usage,
  });
  await open_stage({ script }, async (s) => {
    const { code, result } = await s.run("Mend it.", "--verify", "false", "--token-budget", "1100");
    assert.deepEqual([code, result.stop_reason, result.steps], [2, "budget_exceeded", 1]);
    assert.equal(result.final_output, CLOSING);
  });
});

Deno.test("a limit in dollars ends the run in 2, and every event says what its reply cost", async () => {
  await open_stage(COUNT, async (s) => {
    price(s, PRICES);
    const { code, result, events, stderr } = await s.events("Count.", "--max-cost", "0.009");
    assert.deepEqual([code, result.stop_reason, result.steps], [2, "budget_exceeded", 3]);
    assert.match(result.error?.message ?? "", /budget of \$0\.009 is used up/);
    assert.equal(s.ws.read("log"), "0\n1\n");
    const costs = events.filter(({ type }) => type === "usage").map(({ cost_usd }) => cost_usd);
    assert.deepEqual(costs, [0.003, 0.003, 0.003, 0.003]);
    assert.equal(result.cost_usd, 0.012);
    assert.match(stderr, /4\.8k tokens, \$0\.0120/);
  });
});

Deno.test("a named section gives its price to whatever address it is sent to", async () => {
  await open_stage({ script: [{ ...say(ANSWER), usage }] }, async (s) => {
    s.home.write(USER, `[providers.mine]\nbase_url = "http://127.0.0.1:9/v1"\n${PRICES}`);
    const { result } = await s.run("What is it?", "--provider", "mine", "--max-cost", "1");
    assert.deepEqual([result.exit_code, result.cost_usd], [0, 0.003]);
  });
});

Deno.test("what costs nothing has a price: 0", async () => {
  await open_stage({ script: [{ ...say(ANSWER), usage }] }, async (s) => {
    price(s, "price_in = 0\nprice_out = 0.0\n");
    const { result } = await s.run("What is it?", "--max-cost", "0.01");
    assert.deepEqual([result.exit_code, result.cost_usd], [0, 0]);
  });
});

Deno.test("cached input is counted at the price of input", async () => {
  const cached = { ...usage, cached_tokens: 900 };
  await open_stage({ script: [{ ...say(ANSWER), usage: cached }] }, async (s) => {
    price(s, PRICES);
    assert.equal((await s.run("What is it?")).result.cost_usd, 0.003);
  });
});

Deno.test("a limit in dollars without a price is refused before any request, and says what to set", async () => {
  const cases: readonly (readonly [keys: string, flags: readonly string[], RegExp])[] = [
    ["", [], /a section \[providers\.NAME\] with base_url = "http:\/\/127\.0\.0\.1:\d+\/v1"/],
    ["price_in = 1\n", [], /give price_in and price_out/],
    ["", ["--provider", "mine"], /give price_in and price_out in \[providers\.mine\]/],
  ];
  await each(cases, ([keys, flags, words]) =>
    stage({}, async (s) => {
      price(s, keys);
      const { code, result, stderr } = await s.run("What?", "--max-cost", "1", ...flags);
      assert.deepEqual([code, result.stop_reason], [3, "config_error"]);
      assert.match(stderr, /^hamr: --max-cost: the price of scripted at http.*\n$/);
      assert.match(result.error?.message ?? "", words);
      assert.equal(s.server.requests.length, 0);
    }));
});

Deno.test("a workspace that nobody trusts sets no price", async () => {
  await stage({}, async (s) => {
    s.ws.write(".hamr/config.toml", `[providers.mine]\nbase_url = "${s.server.url}"\n${PRICES}`);
    assert.equal((await s.run("What is it?", "--max-cost", "1")).code, 3);
  });
});

Deno.test("a server that counts no tokens dodges no budget: they are estimated, and that is said once", async () => {
  const script = (request: Recorded, n: number) => ({ ...count(request, n), usage: null });
  await open_stage({ script }, async (s) => {
    price(s, PRICES);
    const { code, result, events } = await s.events("Count.", "--token-budget", "3000");
    assert.deepEqual([code, result.stop_reason], [2, "budget_exceeded"]);
    assert.ok(result.steps >= 2 && result.steps < 8, `${result.steps} steps`);
    assert.equal(result.warnings.filter((words) => /estimate/.test(words)).length, 1);
    const counted = events.filter(({ type }) => type === "usage");
    assert.equal(counted.length, s.server.requests.length);
    const sum = counted.reduce((total, { cost_usd }) => total + Number(cost_usd), 0);
    assert.ok(sum > 0.001 && Math.abs(sum - result.cost_usd!) < 1e-9, `${sum}`);
  });
});

Deno.test("a reply that was cut has been paid for", async () => {
  const cut: Reply = { text: "word ".repeat(400), fragment: 20, usage: null, cut_after: 9000 };
  await open_stage({ script: [cut, { ...say(ANSWER), usage }] }, async (s) => {
    price(s, PRICES);
    const { result, events } = await s.events("What is it?");
    assert.equal(result.exit_code, 0);
    const costs = events.filter(({ type }) => type === "usage").map(({ cost_usd }) => cost_usd);
    assert.equal(costs.length, 2);
    assert.equal(costs[1], 0.003);
    assert.ok(result.cost_usd! > 0.004, String(result.cost_usd));
  });
});

Deno.test("the model is told exactly once that a budget comes to its end", async () => {
  const flags = [
    ["--token-budget", "6200"],
    ["--max-cost", "0.015"],
  ];
  await each(flags, (limit) =>
    open_stage(COUNT, async (s) => {
      price(s, PRICES);
      const { result } = await s.run("Count.", ...limit);
      assert.equal(result.stop_reason, "budget_exceeded");
      const which = told(s).flatMap((text, at) =>
        /left of the budget\. Finish/.test(text) ? [at] : []
      );
      assert.equal(which.length, 1, String(which));
      assert.ok(which[0]! >= 3 && which[0]! < result.steps, "while there is time to heed it");
    }));
});

Deno.test("a repair turn is not told again", async () => {
  const env = { HAMR_BUDGET_RESERVE_TOKENS: "9000" };
  const script = [bash("true"), say(ANSWER), say(ANSWER)].map((reply) => ({ ...reply, usage }));
  await open_stage({ script, env }, async (s) => {
    const { result } = await s.run("Mend it.", "--verify", "false", "--token-budget", "9000");
    assert.deepEqual([result.stop_reason, result.steps], ["verification_failed", 3]);
    const which = told(s).flatMap((text, at) => /are left of the budget/.test(text) ? [at] : []);
    assert.deepEqual(which, [1]);
  });
});

Deno.test("settings of the budget come from files and the environment too", async () => {
  const env = { HAMR_BUDGET_TOKEN_BUDGET: "3500" };
  await open_stage({ ...COUNT, env }, async (s) => {
    s.home.write(USER, "[budget]\nreserve_tokens = 99\nmax_cost_usd = 0.0\n");
    const { result } = await s.run("Count.");
    assert.deepEqual([result.stop_reason, result.steps], ["budget_exceeded", 3]);
    const { max_tokens } = JSON.parse(s.server.requests.at(-1)!.raw) as { max_tokens: number };
    assert.equal(max_tokens, 99);
    const show = await s.hamr(["config", "show", "--max-cost", "2.5"]);
    assert.match(show.stdout, /max_cost_usd = 2\.5 +# flag --max-cost/);
    assert.match(show.stdout, /token_budget = 3500 +# env HAMR_BUDGET_TOKEN_BUDGET/);
    assert.match(show.stdout, /reserve_cost_fraction = 0\.1 +# default/);
  });
});
