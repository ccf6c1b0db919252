import { deepStrictEqual } from "node:assert/strict";
import { type Answers, serve } from "../_testing.ts";
import { identify_server } from "./discover.ts";
import type { Server } from "./inquiry.ts";

/** What each says of itself, as hamr understands it. */
const SERVERS: Readonly<Record<string, Partial<Server>>> = {
  sglang: {
    name: "sglang",
    models: ["Qwen/Qwen3-8B"],
    windows: { "Qwen/Qwen3-8B": 40960 },
    sees: { "": false },
  },
  koboldcpp: {
    name: "koboldcpp",
    models: ["koboldcpp/gemma-4-31B-it-Q4_K_M"],
    windows: { "": 12288 },
    window_source: "GET /api/extra/true_max_context_length",
    sees: { "": true },
  },
  tgi: {
    name: "tgi",
    models: ["Qwen/Qwen2.5-Coder-7B-Instruct"],
    windows: { "": 16384 },
    window_source: "GET /info",
  },
  localai: {
    name: "localai",
    models: ["qwen3-8b", "gemma-3-12b"],
    sees: { "qwen3-8b": false, "gemma-3-12b": true },
  },
  mlx: { models: ["mlx-community/Qwen3-8B-4bit"] },
  jan: { models: ["jan-v3-4b-base-instruct"] },
  openrouter: {
    models: ["qwen/qwen3-coder", "google/gemma-3-27b-it"],
    windows: { "qwen/qwen3-coder": 262144, "google/gemma-3-27b-it": 131072 },
    sees: { "qwen/qwen3-coder": false, "google/gemma-3-27b-it": true },
  },
  groq: { models: ["openai/gpt-oss-20b"], windows: { "openai/gpt-oss-20b": 131072 } },
  litellm: { models: ["smol", "sonnet", "local"], windows: { sonnet: 200_000, local: 24_576 } },
  mistral: {
    models: ["devstral-small-2507"],
    windows: { "devstral-small-2507": 131072 },
    sees: { "devstral-small-2507": false },
  },
};

async function asked(answers: Answers): Promise<Server | null> {
  await using server = serve(answers);
  return await identify_server(server.origin, {
    headers: {},
    signal: new AbortController().signal,
  });
}

function answers_of(name: string): Answers {
  const url = new URL(`../../../tests/wire/servers/${name}.json`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(url)).answers;
}

for (const [name, expected] of Object.entries(SERVERS)) {
  Deno.test(`what ${name} says of itself`, async () => {
    deepStrictEqual(await asked(answers_of(name)), {
      ...{ name: "openai-compatible", windows: {}, window_source: "GET /v1/models", limits: {} },
      ...expected,
    });
  });
}

Deno.test("whose questions go unanswered keeps what its list says", async () => {
  const list = (name: string) => ({ "/v1/models": answers_of(name)["/v1/models"] });
  const [kobold, tgi] = [await asked(list("koboldcpp")), await asked(list("tgi"))];
  deepStrictEqual([kobold?.name, kobold?.windows], ["koboldcpp", {}]);
  deepStrictEqual([tgi?.name, tgi?.windows], ["openai-compatible", {}]);
});

Deno.test("an Ollama whose list names no owner is one all the same", async () => {
  const models = { data: [{ id: "qwen3:8b" }] };
  const ps = { models: [{ name: "qwen3:8b", context_length: 16384 }] };
  const server = await asked({ "/v1/models": models, "/api/ps": ps });
  deepStrictEqual([server?.name, server?.windows], ["ollama", { "qwen3:8b": 16384 }]);
});
