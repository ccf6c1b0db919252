import { deepStrictEqual, rejects } from "node:assert/strict";
import { PRESET } from "./_testing.ts";
import { type Preset, resolve_endpoint, type Wish } from "./server/provider.ts";

const WISH: Wish = {
  provider: "auto",
  model: "m",
  base_url: "",
  api_mode: "",
  context_window: 4096,
  ollama: { task: "", max_output_tokens: 0, max_num_ctx: 0, keep_alive: "" },
  providers: {},
  base_url_untrusted: false,
};

Deno.test("the Messages API is spoken where that is asked for, with its own headers", async () => {
  const mine = (more: Partial<Preset>): Partial<Wish> => ({
    provider: "mine",
    providers: { mine: { ...PRESET, base_url: "http://h", api_key_env: "MY_KEY", ...more } },
  });
  const api_mode = "anthropic_messages";
  const version = "2023-06-01";
  const vars: Readonly<Record<string, string>> = { MY_KEY: "my-key-0123456789" };
  const key = { "anthropic-version": version, "x-api-key": "my-key-0123456789" };
  const cases: [Partial<Wish>, string, Readonly<Record<string, string>>][] = [
    [mine({ api_mode }), "http://h", key],
    [mine({ api_mode, base_url: "http://h/v1/messages" }), "http://h", key],
    [{ ...mine({}), api_mode }, "http://h", key],
    [{ ...mine({ api_mode }), api_mode: "chat_completions" }, "http://h/v1", {
      authorization: "Bearer my-key-0123456789",
    }],
    [{ ...mine({ api_mode }), base_url: "http://h/v1/a/b" }, "http://h/v1/a/b", key],
    [mine({ api_mode, headers: { "Anthropic-Version": "2099-01-01" } }), "http://h", {
      ...key,
      "anthropic-version": "2099-01-01",
    }],
    [mine({ api_mode, headers: { "X-Api-Key": "given-0123456789" } }), "http://h", {
      "anthropic-version": version,
      "x-api-key": "given-0123456789",
    }],
    [mine({ api_mode, headers: { Authorization: "Bearer given-0123456789" } }), "http://h", {
      "anthropic-version": version,
      authorization: "Bearer given-0123456789",
    }],
    [{ api_mode, base_url: "http://u:p@h" }, "http://h", {
      "anthropic-version": version,
      authorization: `Basic ${btoa("u:p")}`,
    }],
    [{ api_mode, base_url: "http://h" }, "http://h", { "anthropic-version": version }],
  ];
  for (const [wish, base_url, headers] of cases) {
    const found = await resolve_endpoint({ ...WISH, ...wish }, { env: (name) => vars[name] });
    deepStrictEqual([found.base_url, found.headers], [base_url, headers], JSON.stringify(wish));
  }
  const bad = resolve_endpoint({ ...WISH, api_mode, base_url: "http://h" }, {
    env: () => "sk-\u2026",
  });
  await rejects(bad, /the key in HAMR_API_KEY has a character that no HTTP header can carry/);
});
