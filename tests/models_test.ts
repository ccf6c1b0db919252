import assert from "node:assert/strict";
import { call, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

Deno.test("hamr models lists what a server has, its windows, and the model that a run would use", async () => {
  await stage({ script: [], ollama_ctx: 8192, models: ["one", "two"] }, async (s) => {
    const env = { ...s.env, HAMR_MODEL: "two" };
    const { code, stdout } = await s.hamr(["models"], { env });
    assert.equal(code, 0);
    assert.match(stdout, /^ollama at http:\/\/127\.0\.0\.1:\d+\n/);
    assert.match(stdout, /^ {2}one\b/m);
    assert.match(stdout, /^→ two\b.*\(a run uses this one\)$/m);
    const json = JSON.parse((await s.hamr(["models", "-m", "one", "--json"])).stdout);
    assert.equal(json.used.model, "one");
    const first = json.servers[0].models.find(({ used }: { used: boolean }) => used);
    assert.equal(first.name, "one");
    const wrong = await s.hamr(["models", "-m", "three"]);
    assert.match(
      wrong.stdout,
      /^→ three +\(a run would use this one, which is not listed there\)$/m,
    );
    assert.equal(s.server.requests.length, 0, "it costs no tokens");
  });
});

Deno.test("hamr models: no name is missing that its server knows by another one", async () => {
  await stage({ script: [], ollama_ctx: 8192, models: ["one:latest", "two"] }, async (s) => {
    assert.match((await s.hamr(["models", "-m", "one"])).stdout, /^→ one\b.*a run uses this one/m);
  });
  await stage({ script: [], llama_ctx: 8192, models: ["file.gguf"] }, async (s) => {
    assert.match((await s.hamr(["models", "-m", "my"])).stdout, /^→ my\b.*a run uses this one/m);
  });
});

Deno.test("hamr models and context end in 4 where the model's server refuses the key, or wants one", async () => {
  await stage({ script: [], key: "right" }, async (s) => {
    for (
      const [key, words] of [["wrong", /key in HAMR_API_KEY was refused/], [
        "",
        /set a key in HAMR_API_KEY/,
      ]] as const
    ) {
      const env = { ...s.env, HAMR_API_KEY: key };
      for (const command of ["models", "context"]) {
        const { code, stderr } = await s.hamr([command], { env });
        assert.equal(code, 4, command);
        assert.match(stderr, words);
      }
    }
    const { code, stdout } = await s.hamr(["models"], { env: { ...s.env, HAMR_API_KEY: "right" } });
    assert.equal(code, 0);
    assert.match(stdout, /a run uses this one/);
  });
});

Deno.test("hamr models says what to start where nobody listens", async () => {
  await stage({ script: [] }, async (s) => {
    const env = { HAMR_BASE_URL: "http://127.0.0.1:2/v1" };
    const { code, stderr } = await s.hamr(["models"], { env });
    assert.equal(code, 3);
    assert.match(stderr, /127\.0\.0\.1:2/);
    assert.match(stderr, /ollama serve/);
  });
});

Deno.test("doctor is short, ends with the verdict, and says all with -v and as JSON", async () => {
  await stage({ script: [] }, async (s) => {
    const short = (await s.hamr(["doctor"])).stdout.trimEnd().split("\n");
    assert.ok(short.length <= 10, short.join("\n"));
    assert.match(short.at(-1)!, /^✓ ready \(more with -v\)$/);
    const long = await s.hamr(["doctor", "-v"]);
    assert.match(long.stdout, /^✓ policy: /m);
    const json = JSON.parse((await s.hamr(["doctor", "--json"])).stdout);
    assert.deepEqual([json.type, json.ok, json.checks.length > 10], ["doctor", true, true]);
    // Nothing is said to be in order that the server does not have.
    const wrong = await s.hamr(["doctor", "--base-url", "http://127.0.0.1:9/v1"]);
    assert.match(wrong.stdout, /^✗ provider: [^]*^✗ model: [^]*not ready: see provider, model/m);
    const env = { ...s.env, HAMR_MODEL: "", HAMR_BASE_URL: "http://127.0.0.1:9/v1" };
    const unnamed = await s.hamr(["doctor"], { env });
    assert.match(unnamed.stdout, /^✗ model: not known until the provider answers$/m);
  });
});

Deno.test("lists that are empty say so, and diff --stat counts", async () => {
  const script = [call("write", { path: "new.txt", content: "a\nb\n" }), say("Made it.")];
  await stage({ script }, async (s) => {
    const empty: [string[], RegExp][] = [
      [["sessions"], /^hamr: no saved sessions of this workspace/],
      [["memory"], /^hamr: no facts are kept/],
      [["memory", "search", "x"], /^hamr: no fact matches "x"/],
    ];
    for (const [args, words] of empty) {
      const { code, stdout, stderr } = await s.hamr(args);
      assert.deepEqual([code, stdout], [0, ""]);
      assert.match(stderr, words);
    }
    await s.run("Make it.");
    const { stdout } = await s.hamr(["diff", "--stat"]);
    assert.equal(stdout, "new.txt  added     +2 -0\n1 file: +2 -0\n");
  });
});
