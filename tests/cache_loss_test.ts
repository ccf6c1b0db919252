/** A server that reads again what it had in its cache: the result says so, and why where that can be known. */
import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, type ChatRequest, type Reply, say } from "./support/model_server.ts";
import { inside_stage, open_stage, type StageOptions } from "./support/stage.ts";

const counted = (reply: Reply, prompt_tokens: number, cached_tokens: number): Reply => ({
  ...reply,
  usage: { prompt_tokens, completion_tokens: 10, cached_tokens },
});
const SCRIPT = [
  counted(bash("true"), 1000, 0),
  counted(bash("echo"), 1100, 1000),
  counted(bash("echo a"), 1200, 200),
  counted(say(ANSWER), 1300, 1200),
];
const text = ({ tools = [], messages }: ChatRequest) =>
  [tools, ...messages].map((one) => `${JSON.stringify(one)}\n`);
/** As templates that put what was said last before all else. */
const turned = (request: ChatRequest) => text(request).reverse().join("");
const READ = "the server read 900 tokens again that it had already read";

Deno.test("what a server reads again is in the result, and why", async () => {
  const cases: readonly (readonly [StageOptions, string])[] = [
    [{ llama_ctx: 16_384 }, READ],
    [
      { llama_ctx: 16_384, llama_renders: (request) => text(request).join("") },
      `${READ}: something else used its cache in the meantime, such as another run, or it was restarted`,
    ],
    [
      { llama_ctx: 16_384, llama_renders: turned },
      `${READ}: the template of scripted rewrites earlier messages (docs/local-models.md)`,
    ],
  ];
  await each(
    cases,
    ([options, warning]) =>
      inside_stage({ ...options, script: SCRIPT }, async (s) => {
        const { result } = await s.run("Look.");
        assert.deepEqual(result.warnings, [warning]);
        assert.equal(result.usage.cache_lost_tokens, 900);
        const replayed = await s.hamr(["replay", result.session_id]);
        assert.equal(replayed.code, 0, replayed.stderr);
        assert.match(replayed.stdout, /^replayed 4 requests .*: every byte the same/);
      }),
  );
});

Deno.test("hamr context shows the cached share of the last session", async () => {
  await open_stage({ llama_ctx: 16_384, script: SCRIPT }, async (s) => {
    const before = await s.hamr(["context"]);
    assert.doesNotMatch(before.stdout, /cache/);
    const json = await s.hamr(["context", "--json"]);
    assert.equal(JSON.parse(json.stdout).last_session, null);
    const { result } = await s.run("Look.");
    assert.equal(result.exit_code, 0);
    const shown = await s.hamr(["context"]);
    assert.match(
      shown.stdout,
      /^last run: +52% of 4600 tokens came from the cache, 900 were read again\n/m,
    );
    const { last_session } = JSON.parse((await s.hamr(["context", "--json"])).stdout);
    assert.deepEqual(last_session, {
      input_tokens: 4600,
      cached_tokens: 2400,
      cache_lost_tokens: 900,
    });
  });
});
