import { match, strictEqual } from "node:assert/strict";
import { serve_raw, whole } from "../_testing.ts";
import type { Endpoint } from "./provider.ts";
import { reach } from "./reach.ts";

Deno.test("reach says in one line what a user needs to know", async () => {
  const key = "sk-test-0123456789";
  const endpoint: Endpoint = {
    provider: "p",
    api_mode: "chat_completions",
    base_url: "",
    model: "m",
    headers: { authorization: `Bearer ${key}` },
    key,
    key_env: "X",
    context_window: 4096,
    window_known: true,
    window_source: "setting",
    sees: undefined,
    proxied: false,
    price: null,
  };
  const answers: [number, string, boolean, RegExp][] = [
    [200, '{"data":[{"id":"m"}]}', true, /^http:.*\/v1\/models answers$/],
    [200, '[{"id":"m"}]', true, / answers$/],
    [200, '{"data":[{"id":"m:latest"}]}', true, / answers$/],
    [200, '{"data":[]}', true, / answers$/],
    [200, '{"data":[{"id":"a"},{"id":"b"}]}', false, /has no model m; it has: a, b$/],
    [200, "<html>shop</html>", false, /not like a model server; is the base URL right\?$/],
    [200, "", false, /not like a model server/],
    [404, "", true, / answers$/],
    [
      401,
      `{"error":"bad ${key}"}`,
      false,
      / answered 401: bad …; the request with the key in X was refused$/,
    ],
    [403, "", false, / answered 403: /],
    [302, "", false, /answered 302, a redirect/],
    [500, `{"error":"boom ${key}"}`, false, /answered 500: boom …$/],
    [
      503,
      '{"error":{"message":"Loading model"}}',
      false,
      /^http:\/\/127\.0\.0\.1:\d+ is loading its model$/,
    ],
  ];
  for (const [status, body, good, words] of answers) {
    await using server = serve_raw(({ write }) => write(whole(body, { status, type: "" })));
    const base_url = `${server.origin}/v1`;
    const told = await reach({ ...endpoint, base_url });
    strictEqual(told.ok, good, told.words);
    match(told.words, words);
    strictEqual(server.requests[0]?.headers.get("authorization"), `Bearer ${key}`);
  }
  // llama.cpp serves what is loaded, whatever it is called.
  await using llama = serve_raw(({ write }) => write(whole('{"data":[{"id":"x"}]}')));
  strictEqual(
    (await reach({ ...endpoint, provider: "llama.cpp", base_url: llama.origin })).ok,
    true,
  );
  // The Messages API has the version in its paths.
  await using claude = serve_raw(({ write }) => write(whole('{"data":[{"id":"m"}]}')));
  const asked = { api_mode: "anthropic_messages", base_url: claude.origin } as const;
  strictEqual((await reach({ ...endpoint, ...asked })).ok, true);
  strictEqual(claude.requests[0]?.path, "/v1/models");
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const closed = await reach({ ...endpoint, base_url: `http://127.0.0.1:${port}/v1` });
  strictEqual(closed.ok, false);
  match(
    closed.words,
    /^connection refused at http:.*\/v1\/models: is the model server running there\? To start one: ollama serve, /,
  );
});
