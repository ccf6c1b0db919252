/** Servers on this machine that go away in the middle of a run, and come back. */
import assert from "node:assert/strict";
import { type Outcome, until } from "./support/hamr.ts";
import {
  ANSWER,
  bash,
  type ModelServer,
  type Recorded,
  say,
  serve_model,
  type ServerOptions,
} from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

/** It lasts until the server has ended. */
const FIRST_STEP = bash("echo x >> log; until [ -e ended ]; do sleep 0.05; done");

async function end_in_step(server: ModelServer, { ws }: Stage): Promise<void> {
  await until("the first step", () => ws.exists("log"));
  await server.close();
  ws.write("ended", "");
}

/** A run whose server ends after the first step, and what its successor is asked, which begins once that was noticed. */
async function restart(next: ServerOptions): Promise<[Outcome, readonly Recorded[]]> {
  const first = serve_model([FIRST_STEP], { llama_ctx: 16_384 });
  return await stage({}, async (s) => {
    const env = { HAMR_BASE_URL: first.url };
    const running = s.start(["run", "--output", "jsonl", "Log it."], { env });
    await end_in_step(first, s);
    await until("it waits", () => running.stderr().includes("waiting until it is back"));
    const second = serve_model([say(ANSWER)], { ...next, port: first.port });
    try {
      const outcome = await running.done;
      assert.equal(s.ws.read("log"), "x\n", "nothing is run again");
      return [outcome, second.requests];
    } finally {
      await second.close();
    }
  });
}

Deno.test("a server that crashes and comes back is waited for", async () => {
  const [run, requests] = await restart({ llama_ctx: 16_384 });
  assert.deepEqual([run.code, run.result.final_output], [0, ANSWER], run.stderr);
  assert.equal(requests.length, 1);
  assert.deepEqual(run.result.warnings, []);
});

Deno.test("a server that comes back with another model and a smaller window is asked again", async () => {
  const [run, [request]] = await restart({ llama_ctx: 6000, models: ["other"] });
  assert.deepEqual([run.code, run.result.model], [0, "other"], run.stderr);
  assert.equal(request?.body.model, "other");
  assert.match(request?.raw ?? "", /"max_tokens":1500\b/, "a quarter of its window");
  assert.deepEqual(run.result.warnings, ["the server is back with other, window 6000 tokens"]);
});

Deno.test("a server that crashes in a reply and is back at once with another model is met before it is asked", async () => {
  const models = ["first"];
  const server = serve_model((_, n) => {
    if (n > 0) return say(ANSWER);
    models[0] = "other";
    return { text: "word ".repeat(400), fragment: 20, cut_after: 3000 };
  }, { llama_ctx: 16_384, models });
  await stage({}, async (s) => {
    const env = { HAMR_BASE_URL: server.url, HAMR_MODEL: "" };
    const run = await s.hamr(["run", "--json", "Say it."], { env });
    assert.deepEqual([run.code, run.result.model], [0, "other"], run.stderr);
    assert.deepEqual(server.requests.map(({ body }) => body.model), ["first", "other"]);
  });
  await server.close();
});

Deno.test("a server that comes back and is still loading its model is waited for, too", async () => {
  let looks = 0;
  const [run, [request]] = await restart({ llama_ctx: 6000, loading: () => ++looks < 8 });
  assert.equal(run.code, 0, run.stderr);
  assert.match(request?.raw ?? "", /"max_tokens":1500\b/);
});

Deno.test("a server that crashes over the first request is waited for", async () => {
  const first = serve_model([], {
    llama_ctx: 16_384,
    // The last that it is asked before that.
    llama_renders({ tools }) {
      void first.close();
      return JSON.stringify(tools ?? null);
    },
  });
  await stage({}, async (s) => {
    const env = { HAMR_BASE_URL: first.url, HAMR_MODEL: "" };
    const running = s.start(["run", "--json", "Log it."], { env });
    await until("it waits", () => running.stderr().includes("waiting until it is back"));
    const second = serve_model([say(ANSWER)], { llama_ctx: 16_384, port: first.port });
    const { code, result, stderr } = await running.done;
    assert.deepEqual([code, result.final_output], [0, ANSWER], stderr);
    await second.close();
  });
});

Deno.test("a server that does not come back ends the run after the wait that is set", async () => {
  const first = serve_model([FIRST_STEP], { llama_ctx: 16_384 });
  await stage({}, async (s) => {
    const env = { HAMR_BASE_URL: first.url, HAMR_RETRY_MAX_WAIT_S: "2" };
    const running = s.start(["run", "--json", "Log it."], { env });
    await end_in_step(first, s);
    const { code, result } = await running.done;
    assert.deepEqual([code, result.stop_reason], [1, "llm_error"]);
    assert.match(result.error?.message ?? "", /it was not back after \d s \(retry\.max_wait_s\)$/);
  });
});
