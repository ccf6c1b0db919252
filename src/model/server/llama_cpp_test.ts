import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { type Exchange, type RawServer, serve_raw, whole } from "../_testing.ts";
import { identify_server } from "./discover.ts";
import type { Server } from "./inquiry.ts";
import { NoModelError, resolve_endpoint, type Wish } from "./provider.ts";

/** Bodies by path with its query, or what they are made of. */
type Answers = Readonly<Record<string, unknown | ((body: string) => unknown)>>;

function recorded(name: string): unknown {
  const url = new URL(`../../../tests/wire/${name}.body`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(url));
}

function serve(answers: Answers): RawServer {
  return serve_raw(({ path, body, write }: Exchange) => {
    const given = answers[path];
    const value = typeof given === "function" ? given(body) : given;
    return write(whole(JSON.stringify(value ?? { error: { message: "File Not Found" } }), {
      status: value === undefined ? 404 : 200,
      type: "application/json",
    }));
  });
}

async function asked(answers: Answers, model = ""): Promise<Server | null> {
  await using server = serve(answers);
  const { signal } = new AbortController();
  return await identify_server(server.origin, { headers: {}, signal, model });
}

const WISH: Wish = {
  provider: "auto",
  model: "",
  base_url: "",
  context_window: undefined,
  ollama: { task: "", max_output_tokens: 4096, max_num_ctx: 0, keep_alive: "" },
  providers: {},
  base_url_untrusted: false,
  api_mode: "",
};

/** A router with `alpha` and `beta`, of which `beta` is loaded. */
const ROUTER: Answers = {
  "/props": recorded("router/props"),
  "/v1/models": recorded("router/models"),
  "/props?model=beta&autoload=false": recorded("router/props-beta"),
  "/props?model=alpha&autoload=false": recorded("router/props-alpha"),
};

Deno.test("a router: the loaded model comes first, with its window", async () => {
  const server = await asked(ROUTER);
  deepStrictEqual([server?.name, server?.models], ["llama.cpp", ["beta", "alpha"]]);
  deepStrictEqual(server?.windows, { beta: 4096 });
  deepStrictEqual([server?.unloaded, server?.sees], [undefined, { beta: false }]);
  strictEqual((await asked(ROUTER, "alpha"))?.unloaded, true);
});

Deno.test("a router loads the model that is meant, where someone waits, and only then says what it is", async () => {
  const [one, two] = [recorded("router/models"), recorded("router/models")] as {
    data: { status: { value: string }; meta?: unknown }[];
  }[];
  for (const model of one!.data) {
    model.status.value = "unloaded";
    delete model.meta;
  }
  let loaded = false;
  const told: string[] = [];
  await using server = serve({
    ...ROUTER,
    "/v1/models": () => loaded ? two : one,
    "/props?model=beta": () => {
      loaded = true;
      return recorded("router/props-beta");
    },
  });
  const wish = { ...WISH, base_url: server.origin, model: "beta" };
  const { signal } = new AbortController();
  const wait = {
    tell: (words: string) => void told.push(words),
    holds_up: () => true,
    most_ms: 5000,
    signal,
  };
  const unasked = await resolve_endpoint(wish, { env: () => undefined });
  deepStrictEqual([unasked.window_known, loaded, told], [false, false, []]);
  const found = await resolve_endpoint(wish, { env: () => undefined, wait });
  deepStrictEqual([found.model, found.context_window, loaded], ["beta", 4096, true]);
  match(told.join("|"), /^waiting for http:\/\/127\.0\.0\.1:\d+: it is loading beta$/);
});

Deno.test("a model that is being loaded is waited for, and everything is asked then", async () => {
  const loading = recorded("llama.cpp/loading-props-503");
  let looks = 0;
  const told: string[] = [];
  const at = (ready: unknown) => () => (looks < 6 ? loading : ready);
  await using server = serve({
    "/props": () => {
      looks++;
      return at(recorded("llama.cpp/ctx512-props"))();
    },
    "/v1/models": at({ data: [{ id: "small" }] }),
  });
  const wish = { ...WISH, base_url: server.origin };
  const over = new AbortController();
  const wait = {
    tell: (words: string) => void told.push(words),
    holds_up: () => true,
    most_ms: 60_000,
    signal: over.signal,
  };
  const found = await resolve_endpoint(wish, { env: () => undefined, wait });
  deepStrictEqual([found.model, found.context_window, found.window_known], ["small", 512, true]);
  deepStrictEqual(told.length, 1);

  looks = -1_000_000;
  const words = async (how: typeof wait) => {
    try {
      await resolve_endpoint(wish, { env: () => undefined, wait: how });
      return "found";
    } catch (error) {
      return error instanceof NoModelError ? error.message : String(error);
    }
  };
  match(await words({ ...wait, most_ms: 10 }), /still loading its model after 0 s/);
  over.abort();
  match(await words(wait), /^gave up while .* was loading/);
});

/** What templates that come with llama.cpp make of a conversation, as `/apply-template` has rendered them. */
const TEMPLATES: readonly (readonly [string, Record<string, string>, unknown])[] = [
  ["Qwen3.5: all of it, and without thoughts behind a user's message", {
    called: "T U hamr-thought hamr-path Nothing.",
    as_result: "T U hamr-thought hamr-path Nothing. hamr-thought Yes. hamr-nudge",
    as_user: "T U hamr-path Nothing. Yes. hamr-nudge",
  }, { tools: true, calls: true, reasoning: true, nudges_as_results: true }],
  ["Mistral-Small-3.2: tools move to the last message of a user", {
    called: "T U hamr-path Nothing.",
    as_result: "T U hamr-path Nothing. Yes. hamr-nudge",
    as_user: "U hamr-path Nothing. Yes. T hamr-nudge",
  }, { tools: true, calls: true, reasoning: false, nudges_as_results: true }],
  ["Gemma 4: a result without a call is left out", {
    called: "T U hamr-thought hamr-path Nothing.",
    as_result: "T U hamr-thought hamr-path Nothing. hamr-thought Yes.",
    as_user: "T U hamr-path Nothing. Yes. hamr-nudge",
  }, { tools: true, calls: true, reasoning: true, nudges_as_results: false }],
  ["Kimi-K2-Thinking: either way it is read again", {
    called: "T U hamr-thought hamr-path Nothing.",
    as_result: "T U hamr-path Nothing. Yes. hamr-nudge",
    as_user: "T U hamr-path Nothing. Yes. hamr-nudge",
  }, { tools: true, calls: true, reasoning: true, nudges_as_results: false }],
  ["MiniMax-M2: a result without a call is refused", {
    called: "T U hamr-thought hamr-path Nothing.",
    as_user: "T U hamr-path Nothing. Yes. hamr-nudge",
  }, { tools: true, calls: true, reasoning: true, nudges_as_results: false }],
  ["DeepSeek-V3.1: no tools, but calls", {
    told: "U",
    called: "U hamr-path Nothing.",
    as_result: "U hamr-path Nothing. Yes. hamr-nudge",
    as_user: "U hamr-path Nothing. Yes. hamr-nudge",
  }, { tools: false, calls: true, reasoning: false, nudges_as_results: false }],
  ["LFM2, Granite 3.3: tools, but no calls", {
    called: "T U Nothing.",
    as_result: "T U Nothing. Yes. hamr-nudge",
    as_user: "T U Nothing. Yes. hamr-nudge",
  }, { tools: true, calls: false, reasoning: false, nudges_as_results: false }],
];

for (const [name, rendered, expected] of TEMPLATES) {
  Deno.test(`what counts is what a template renders: ${name}`, async () => {
    const server = await asked({
      "/props": recorded("llama.cpp/ctx512-props"),
      "/v1/models": { data: [{ id: "m" }] },
      "/apply-template?autoload=false": (body: string) => {
        const { model, messages, tools } = JSON.parse(body);
        strictEqual(model, "m");
        if (tools === undefined) return { prompt: "U" };
        if (messages.length === 1) return { prompt: rendered["told"] ?? "T U" };
        const last = messages.length === 3 ? "called" : `as_${messages.at(-1).role}`;
        const prompt = rendered[last.replace("tool", "result")];
        return prompt === undefined ? undefined : { prompt };
      },
    });
    deepStrictEqual(server?.template, expected);
  });
}
