/** Local servers as they are met: loading, slow to answer, behind a key. */
import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { ANSWER, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";
import { on_standard_ports } from "./support/standard_ports.ts";

/** Longer than whether anybody listens is looked for. */
const SLOW_MS = 700;

Deno.test("a model that is still being loaded is waited for, and then everything is asked", async () => {
  // With the model's name known, the first request is refused once, and the next one is sized by what is known then.
  for (const HAMR_MODEL of ["", "scripted"]) {
    let refused = 0;
    const options = {
      llama_ctx: 9000,
      loading: () => ++refused <= 8,
      env: { HAMR_MODEL },
      script: [say(ANSWER)],
    };
    await stage(options, async (s) => {
      const { code, events, result, stderr } = await s.events("What is it?");
      assert.equal(code, 0, stderr);
      assert.deepEqual([result.model, events[0]?.["context_window"]], ["scripted", 9000]);
      const [request] = s.server.requests;
      assert.equal(request?.body.model, "scripted");
      assert.match(request?.raw ?? "", /"max_tokens":2250\b/, "a quarter of the window");
      assert.match(stderr, /⏳ waiting for http:\/\/127\.0\.0\.1:\d+: it is loading /);
    });
  }
});

Deno.test("waiting for a model that is being loaded can be interrupted", async () => {
  await stage({ llama_ctx: 9000, loading: () => true, env: { HAMR_MODEL: "" } }, async (s) => {
    const run = s.start(["run", "--json", "What is it?"]);
    await until("it waits", () => run.stderr().includes("it is loading"));
    run.kill("SIGINT");
    const { code, result } = await run.done;
    assert.deepEqual([code, result.stop_reason], [130, "user_interrupt"]);
  });
});

Deno.test("a server that is slow to list its models: the same model, window and eyes as of a quick one", async () => {
  await stage({ llama_ctx: 9000, slow_ms: SLOW_MS, env: { HAMR_MODEL: "" } }, async (s) => {
    const { code, events, stderr } = await s.events("What is it?");
    assert.equal(code, 0, stderr);
    assert.deepEqual([events[0]?.["model"], events[0]?.["context_window"]], ["scripted", 9000]);
    s.ws.write("a.png", Uint8Array.fromBase64(PIXEL));
    const blind = await s.run("What is it?", "--image", "a.png");
    assert.equal(blind.code, 3, blind.stderr);
    assert.match(blind.stderr, /can't see images/);
  });
});

/** A PNG of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E" +
  "rkJggg==";

Deno.test("slow Ollama on its port: its own window each time", () =>
  on_standard_ports(async () => {
    await stage({ port: 11434, ollama_ctx: 12_288, slow_ms: SLOW_MS }, async (s) => {
      const { code, stderr } = await s.hamr(["run", "What is it?"], { env: {} });
      assert.equal(code, 0, stderr);
      assert.match(s.server.requests[0]?.raw ?? "", /"num_ctx":12288\b/);
    });
  }));

Deno.test("a server that wants a key is found: asked with it, or 4 with the variable", () =>
  on_standard_ports(async () => {
    await stage({ port: 8080, llama_ctx: 9000, key: "k-1" }, async (s) => {
      const run = (env: Record<string, string>) =>
        s.hamr(["run", "--json", "What is it?"], { env });
      const good = await run({ HAMR_API_KEY: "k-1" });
      assert.deepEqual([good.code, good.result.model], [0, "scripted"], good.stderr);
      for (
        const [env, words] of [
          [{}, /127\.0\.0\.1:8080\S* needs a key: set it in HAMR_API_KEY/],
          [{ HAMR_API_KEY: "k-2" }, /127\.0\.0\.1:8080\S* refused the key in HAMR_API_KEY/],
        ] as const
      ) {
        const bad = await run(env);
        assert.deepEqual([bad.code, bad.result.stop_reason], [4, "auth_error"], bad.stderr);
        assert.match(bad.stderr, words);
      }
    });
  }));
