import { deepStrictEqual, match } from "node:assert/strict";
import { type Exchange, serve_raw, whole } from "../_testing.ts";
import { identify_server } from "./discover.ts";
import { upstream_of } from "./llama_swap.ts";
import { resolve_endpoint } from "./provider.ts";

function recorded(name: string): unknown {
  const url = new URL(`../../../tests/wire/llama-swap/${name}.body`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(url));
}

/** A real one with the models `other` and `smol`, a llama.cpp each; `smol` is started by the first question to it. */
function serve({ started }: { started: boolean }) {
  let runs = started;
  return serve_raw(({ path, write }: Exchange) => {
    if (path === "/upstream/smol/props") runs = true;
    const known: Readonly<Record<string, string>> = {
      "/v1/models": "models",
      "/running": runs ? "running-ready" : "running-none",
      "/upstream/smol/props": "upstream-props",
      "/upstream/smol/v1/models": "upstream-models",
    };
    const name = known[path];
    return write(whole(JSON.stringify(name === undefined ? "404 page not found" : recorded(name)), {
      status: name === undefined ? 404 : 200,
      type: "application/json",
    }));
  });
}

const { signal } = new AbortController();

Deno.test("llama-swap: the model that runs comes first, as its own server describes it", async () => {
  await using server = serve({ started: true });
  const found = await identify_server(server.origin, { headers: {}, signal });
  deepStrictEqual([found?.name, found?.models], ["llama-swap", ["smol", "other"]]);
  deepStrictEqual([found?.windows, found?.limits], [{ smol: 8192 }, { smol: 8192 }]);
  deepStrictEqual([found?.unloaded, found?.sees], [undefined, { smol: false }]);
  const other = await identify_server(server.origin, { headers: {}, signal, model: "other" });
  deepStrictEqual([other?.unloaded, other?.windows], [true, {}], "nothing is started to be asked");
});

Deno.test("llama-swap: a model is started where someone waits, and only then asked", async () => {
  await using server = serve({ started: false });
  const told: string[] = [];
  const wish = {
    ...{ provider: "auto", model: "smol", base_url: server.origin, context_window: undefined },
    ollama: { task: "", max_output_tokens: 4096, max_num_ctx: 0, keep_alive: "" },
    ...{ providers: {}, base_url_untrusted: false, api_mode: "" as const },
  };
  const unasked = await resolve_endpoint(wish, { env: () => undefined });
  deepStrictEqual([unasked.server, unasked.window_known], ["llama-swap", false]);
  const wait = {
    tell: (words: string) => void told.push(words),
    ...{ holds_up: () => true, most_ms: 5000, signal },
  };
  const found = await resolve_endpoint(wish, { env: () => undefined, wait });
  deepStrictEqual([found.context_window, found.window_known], [8192, true]);
  match(told.join("|"), /^waiting for http:\/\/127\.0\.0\.1:\d+: it is loading smol$/);
});

Deno.test("the name of a model leads nowhere but to its server", () => {
  const at = (model: string) => upstream_of("http://localhost", model);
  deepStrictEqual(["author/a:Q4", "../unload?x=", "a/.././b#", "."].map(at), [
    "http://localhost/upstream/author/a%3AQ4",
    "http://localhost/upstream/unload%3Fx%3D",
    "http://localhost/upstream/a/b%23",
    "http://localhost/upstream/",
  ]);
});
