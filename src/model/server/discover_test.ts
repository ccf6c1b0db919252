import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Answers, head, recorded, serve, serve_raw, whole } from "../_testing.ts";
import { find_local, identify_server } from "./discover.ts";
import type { Server } from "./inquiry.ts";

async function asked(answers: Answers): Promise<Server | null> {
  await using server = serve(answers);
  return await identify_server(server.origin, {
    headers: {},
    signal: new AbortController().signal,
  });
}

const LLAMA_CPP = {
  "/props": recorded("llama.cpp/props"),
  "/v1/models": recorded("llama.cpp/v1-models"),
};

const OLLAMA = { "/api/ps": recorded("ollama/ps"), "/v1/models": recorded("ollama/v1_models") };

// From LM Studio's documentation (REST API v0) and its answer to paths it does not know.
const LM_STUDIO = {
  "/props": { error: "Unexpected endpoint or method. (GET /props)" },
  "/api/ps": { error: "Unexpected endpoint or method. (GET /api/ps)" },
  "/v1/models": {
    object: "list",
    data: ["text-embedding-nomic-embed-text-v1.5", "qwen2-vl-7b-instruct", "gemma-3-4b-it"].map((
      id,
    ) => ({ id, object: "model", owned_by: "organization_owner" })),
  },
  "/api/v0/models": {
    object: "list",
    data: [
      {
        id: "qwen2-vl-7b-instruct",
        object: "model",
        type: "vlm",
        publisher: "mlx-community",
        state: "not-loaded",
        max_context_length: 32768,
      },
      {
        id: "gemma-3-4b-it",
        object: "model",
        type: "vlm",
        publisher: "lmstudio-community",
        state: "loaded",
        max_context_length: 131072,
        loaded_context_length: 4096,
      },
      {
        id: "text-embedding-nomic-embed-text-v1.5",
        object: "model",
        type: "embeddings",
        state: "loaded",
        max_context_length: 2048,
        loaded_context_length: 2048,
      },
    ],
  },
};

// LM Studio's REST API v1, after a third-party description: not recorded from a server.
const LM_STUDIO_1 = {
  models: [
    {
      type: "llm",
      key: "gemma-3-4b-it",
      max_context_length: 131072,
      loaded_instances: [
        { id: "gemma-3-4b-it", config: { context_length: 8192 } },
        { id: "gemma-3-4b-it:2", config: { context_length: 16384 } },
      ],
    },
    { type: "llm", key: "qwen2-vl-7b-instruct", max_context_length: 32768, loaded_instances: [] },
    {
      type: "embedding",
      key: "text-embedding-nomic-embed-text-v1.5",
      max_context_length: 2048,
      loaded_instances: [{ id: "nomic", config: { context_length: 2048 } }],
    },
  ],
};

// From vLLM's ModelCard; the second is a LoRA adapter, whose length is null.
const VLLM = {
  "/v1/models": {
    object: "list",
    data: [
      {
        id: "Qwen/Qwen2.5-Coder-7B-Instruct",
        object: "model",
        created: 1730000000,
        owned_by: "vllm",
        root: "Qwen/Qwen2.5-Coder-7B-Instruct",
        parent: null,
        max_model_len: 32768,
        permission: [{ id: "modelperm-1", object: "model_permission", allow_sampling: true }],
      },
      { id: "sql-lora", object: "model", owned_by: "vllm", parent: "Qwen", max_model_len: null },
    ],
  },
};

/** Answers, and what they say. */
const SERVERS: Readonly<Record<string, readonly [Answers, Server | null]>> = {
  "llama.cpp": [LLAMA_CPP, {
    name: "llama.cpp",
    template: { tools: false, calls: false, reasoning: false, nudges_as_results: false },
    models: ["smollm2"],
    windows: { "": 8192 },
    window_source: "GET /props",
    limits: { smollm2: 8192 },
    sees: { "": false },
  }],
  "llama.cpp with a small window": [{ "/props": recorded("llama.cpp/ctx512-props") }, {
    name: "llama.cpp",
    template: { tools: false, calls: false, reasoning: false, nudges_as_results: false },
    models: ["models/smollm2-135m.gguf"],
    windows: { "": 512 },
    window_source: "GET /props",
    limits: {},
    sees: { "": false },
  }],
  "llama.cpp that loads": [
    {
      "/props": [503, recorded("llama.cpp/loading-props-503")],
      "/v1/models": [503, recorded("llama.cpp/loading-props-503")],
    },
    {
      name: "llama.cpp",
      models: [],
      windows: {},
      window_source: "GET /props",
      limits: {},
      unloaded: true,
    },
  ],
  "llama.cpp that wants a key": [
    {
      "/props": [401, recorded("llama.cpp/nokey-props")],
      "/v1/models": [401, recorded("llama.cpp/nokey-props")],
    },
    {
      name: "openai-compatible",
      models: [],
      windows: {},
      window_source: "GET /v1/models",
      limits: {},
      locked: true,
    },
  ],
  "Ollama with a model loaded": [OLLAMA, {
    name: "ollama",
    models: ["smol:latest"],
    windows: { "smol:latest": 2048 },
    window_source: "GET /api/ps",
    limits: {},
  }],
  "Ollama with nothing loaded": [{ ...OLLAMA, "/api/ps": { models: [] } }, {
    name: "ollama",
    models: ["smol:latest"],
    windows: {},
    window_source: "GET /api/ps",
    limits: {},
  }],
  "Ollama without a model": [
    { "/api/ps": { models: [] }, "/v1/models": { object: "list", data: null } },
    { name: "ollama", models: [], windows: {}, window_source: "GET /api/ps", limits: {} },
  ],
  "Ollama with its own list only": [
    {
      "/api/ps": { models: [] },
      "/api/tags": { models: [{ name: "a:latest" }, { name: "b:7b" }, { name: 5 }] },
    },
    {
      name: "ollama",
      models: ["a:latest", "b:7b"],
      windows: {},
      window_source: "GET /api/ps",
      limits: {},
    },
  ],
  "Ollama with an embedder loaded": [
    {
      "/api/ps": {
        models: [
          { name: "nomic-embed-text:latest", context_length: 2048 },
          { name: "qwen3:8b", context_length: 16384 },
        ],
      },
      "/v1/models": {
        data: [{ id: "bge-m3:latest" }, { id: "nomic-embed-text:latest" }, { id: "llama3:8b" }],
      },
    },
    {
      name: "ollama",
      models: ["qwen3:8b", "llama3:8b", "nomic-embed-text:latest", "bge-m3:latest"],
      windows: { "nomic-embed-text:latest": 2048, "qwen3:8b": 16384 },
      window_source: "GET /api/ps",
      limits: {},
    },
  ],
  "LM Studio": [LM_STUDIO, {
    name: "lmstudio",
    models: ["gemma-3-4b-it", "qwen2-vl-7b-instruct", "text-embedding-nomic-embed-text-v1.5"],
    windows: { "gemma-3-4b-it": 4096 },
    window_source: "GET /api/v0/models",
    limits: { "gemma-3-4b-it": 131072, "qwen2-vl-7b-instruct": 32768 },
    sees: { "qwen2-vl-7b-instruct": true, "gemma-3-4b-it": true },
  }],
  "LM Studio 0.4": [{ ...LM_STUDIO, "/api/v1/models": LM_STUDIO_1 }, {
    name: "lmstudio",
    models: [
      ...["gemma-3-4b-it", "gemma-3-4b-it:2", "qwen2-vl-7b-instruct"],
      "text-embedding-nomic-embed-text-v1.5",
    ],
    windows: { "gemma-3-4b-it": 8192, "gemma-3-4b-it:2": 16384 },
    window_source: "GET /api/v1/models",
    limits: { "gemma-3-4b-it": 131072, "gemma-3-4b-it:2": 131072, "qwen2-vl-7b-instruct": 32768 },
  }],
  "LM Studio before 0.3.6": [{ ...LM_STUDIO, "/api/v0/models": { error: "Unexpected endpoint" } }, {
    name: "lmstudio",
    models: ["qwen2-vl-7b-instruct", "gemma-3-4b-it", "text-embedding-nomic-embed-text-v1.5"],
    windows: {},
    window_source: "GET /api/v0/models",
    limits: {},
  }],
  "vLLM": [VLLM, {
    name: "vllm",
    models: ["Qwen/Qwen2.5-Coder-7B-Instruct", "sql-lora"],
    windows: { "Qwen/Qwen2.5-Coder-7B-Instruct": 32768 },
    window_source: "GET /v1/models",
    limits: {},
  }],
  "something like them": [{
    "/v1/models": { data: [{ id: "a", meta: { n_ctx: 4096 } }, {}, null] },
  }, {
    name: "openai-compatible",
    models: ["a"],
    windows: { a: 4096 },
    window_source: "GET /v1/models",
    limits: {},
  }],
  "something like them, with nothing": [{ "/v1/models": { data: [] } }, {
    name: "openai-compatible",
    models: [],
    windows: {},
    window_source: "GET /v1/models",
    limits: {},
  }],
  "a web page everywhere": [
    Object.fromEntries(
      ["/props", "/api/ps", "/v1/models", "/api/tags"].map((
        path,
      ) => [path, "<!doctype html><p>hi"]),
    ),
    null,
  ],
  "JSON of another kind everywhere": [
    { "/props": { a: 1 }, "/api/ps": "[1]", "/v1/models": { models: [] } },
    null,
  ],
  "nothing known": [{}, null],
};

for (const [name, [answers, expected]] of Object.entries(SERVERS)) {
  Deno.test(`inspect: ${name}`, async () => deepStrictEqual(await asked(answers), expected));
}

Deno.test("a window that cannot be one is not believed", async () => {
  for (const n_ctx of [0, -1, 511, 2 ** 31, 4096.5, "4096", null, {}]) {
    const server = await asked({ "/props": { default_generation_settings: { n_ctx } } });
    deepStrictEqual(server?.windows, {});
  }
});

Deno.test("a model may be called anything", async () => {
  const data = ["__proto__", "constructor"].map((id) => ({ id, max_model_len: 4096 }));
  const server = await asked({ "/v1/models": { data } });
  deepStrictEqual(server?.models, ["__proto__", "constructor"]);
  strictEqual(Object.hasOwn(server?.windows ?? {}, "constructor"), true);
});

Deno.test("headers go with every question, and the list of models is below the base URL", async () => {
  await using server = serve({});
  const inquiry = {
    headers: { authorization: "Bearer k" },
    signal: new AbortController().signal,
    base_url: `${server.origin}/paas/v4`,
  };
  strictEqual(await identify_server(`${server.origin}/paas`, inquiry), null);
  const paths = server.requests.map(({ path, headers }) =>
    `${path} ${headers.get("authorization")}`
  );
  deepStrictEqual(paths.toSorted(), [
    "/paas/api/ps Bearer k",
    "/paas/props Bearer k",
    "/paas/v4/models Bearer k",
  ]);
});

Deno.test("an answer without end, one that stalls, a redirect and a closed port are no server", async () => {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), 60_000);
  await using server = serve_raw(async (exchange) => {
    const { path, write } = exchange;
    if (path.startsWith("/stall")) return;
    if (path.startsWith("/half")) return await write(`${head(200, {})}{"models":`);
    if (path.startsWith("/move")) {
      return await write(whole("", { status: 302, headers: { location: "http://127.0.0.1:9/" } }));
    }
    let gone = false;
    void exchange.gone.then(() => gone = true);
    await write(`${head(200, { "content-type": "application/json" })}{"models":[`);
    while (!gone) await write('"x",'.repeat(65536));
  });
  const ask = (path: string, signal: AbortSignal) =>
    identify_server(server.origin + path, { headers: {}, signal });
  const began = performance.now();
  strictEqual(await ask("/flood", late.signal), null);
  strictEqual(await ask("/move", late.signal), null);
  ok(performance.now() - began < 100_000, "not by the limit");
  for (const path of ["/stall", "/half"]) {
    const soon = new AbortController();
    setTimeout(() => soon.abort(), 100);
    strictEqual(await ask(path, soon.signal), null);
  }
  clearTimeout(timer);
  const { port } = server;
  await server.close();
  const closed = { headers: {}, signal: new AbortController().signal };
  strictEqual(await identify_server(`http://127.0.0.1:${port}`, closed), null);
});

Deno.test("who listens is found though this process was kept busy for longer than it looks", async () => {
  await using server = serve(LLAMA_CPP);
  const search = find_local({ ollama: null, ports: [Number(new URL(server.origin).port)] });
  const began = performance.now();
  while (performance.now() - began < 1000);
  strictEqual((await search)?.server.name, "llama.cpp");
});
