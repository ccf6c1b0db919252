/** A provider that is named where settings, or the run before, describe another server. */
import assert from "node:assert/strict";
import { agent_on } from "./support/agent.ts";
import { say } from "./support/model_server.ts";
import { inside_stage, type Stage } from "./support/stage.ts";

const KEYS = { OTHER_KEY: "sk-other", HAMR_API_KEY: "" };

/** Two servers: settings describe the first, and `[providers.other]` the second. */
function two(body: (s: Stage, other: Stage) => Promise<void>): Promise<void> {
  const there = { script: () => say("From there."), one_conversation: false };
  return inside_stage(there, (s) =>
    inside_stage({ ...there, models: ["big"] }, async (other) => {
      s.home.write(
        ".config/hamr/config.toml",
        `[provider]\nbase_url = "${s.server.url}"\nmodel = "scripted"\n` +
          `api_mode = "chat_completions"\ncontext_window = 20000\n` +
          `[providers.other]\nbase_url = "${other.server.url}"\nmodel = "big"\n` +
          `api_key_env = "OTHER_KEY"\n`,
      );
      await body(s, other);
    }));
}

Deno.test("a provider that a run names is asked at its own address, whatever server settings describe", async () => {
  await two(async (s, other) => {
    const { code, stderr } = await s.here(["run", "--provider", "other", "Look."], { env: KEYS });
    assert.equal(code, 0);
    assert.match(stderr, /^big at other, window (?!20k)/m);
    assert.deepEqual([s.server.requests.length, other.server.requests.length], [0, 1]);
    assert.equal(other.server.requests[0]?.headers.get("authorization"), "Bearer sk-other");
    const by_variable = { env: { ...KEYS, HAMR_PROVIDER: "other", HAMR_MODEL: "small" } };
    assert.equal((await s.here(["run", "Look."], by_variable)).code, 0);
    assert.equal(other.server.requests[1]?.body.model, "small", "what the run says holds");
    // A gateway that the run itself names has the last word; so have settings for their own provider.
    const gateway = ["--provider", "other", "--base-url", s.server.url, "--model", "scripted"];
    assert.equal((await s.here(["run", ...gateway, "Look."], { env: KEYS })).code, 0);
    assert.equal(s.server.requests.length, 1);
  });
});

Deno.test("a session goes on at the provider that is named now, not at the address it began with", async () => {
  await two(async (s, other) => {
    const first = ["--base-url", s.server.url, "--model", "scripted", "--context-window", "20000"];
    assert.equal((await s.here(["run", ...first, "Look."])).code, 0);
    const moved = await s.here(["resume", "--provider", "other", "Again."], { env: KEYS });
    assert.equal(moved.code, 0);
    assert.match(moved.stderr, /^big at other, window (?!20k)/m);
    assert.equal(s.server.requests.length, 1, "the key of the one is nothing for the other");
    assert.equal((await s.here(["resume", "And again."], { env: KEYS })).code, 0);
    assert.deepEqual(other.server.requests.map(({ body }) => body.model), ["big", "big"]);
  });
});

Deno.test("library: a model that is chosen at another provider is asked there, not at the address of the options", async () => {
  await two(async (s, other) => {
    await using agent = await agent_on(s, { env: { HOME: s.home.path, ...KEYS } });
    assert.equal((await agent.run("Look.").result).exit_code, 0);
    agent.setModel("big", "other");
    assert.equal((await agent.run("Again.").result).exit_code, 0);
    assert.deepEqual([s.server.requests.length, other.server.requests.length], [1, 1]);
    assert.equal(other.server.requests[0]?.headers.get("authorization"), "Bearer sk-other");
  });
});
