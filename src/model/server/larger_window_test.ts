import { match } from "node:assert/strict";
import type { Endpoint } from "./endpoint.ts";
import { assumed_window, larger_window } from "./larger_window.ts";

const ENDPOINT: Endpoint = {
  provider: "p",
  api_mode: "chat_completions",
  base_url: "http://h/v1",
  model: "m",
  headers: {},
  key: "",
  key_env: "K",
  context_window: 8192,
  window_known: false,
  window_source: "s",
  proxied: false,
  price: null,
};

const CASES: readonly (readonly [Partial<Endpoint>, number, RegExp])[] = [
  [{}, 9000, /load the model with a larger window, .*: --context-window 12288$/],
  [{ server: "openai-compatible" }, 4096, /--context-window 4096$/],
  [{ server: "llama.cpp" }, 4097, /llama-server … -c 8192$/],
  [{ server: "lmstudio" }, 9000, /lms load m --context-length 12288$/],
  [{ server: "vllm" }, 9000, /vllm serve m --max-model-len 12288$/],
  [
    { server: "ollama" },
    9000,
    /^let hamr ask Ollama for what it needs: --api-mode ollama_chat$/,
  ],
  [
    { server: "ollama", api_mode: "ollama_chat" },
    9000,
    /^ask Ollama for more: --context-window 12288$/,
  ],
  [{ server: "llama.cpp", model_window: 10_000 }, 9000, /-c 10000$/],
  [{ server: "ollama", model_window: 8192 }, 9000, /^m can hold 8192 at most: take a model/],
];

Deno.test("larger_window() has the line to type for each kind of server", () => {
  for (const [more, needed, expected] of CASES) {
    match(larger_window({ ...ENDPOINT, ...more }, needed), expected);
  }
  match(
    assumed_window(ENDPOINT),
    /^the window of m is not known: 8192 tokens are assumed, .*--context-window N$/,
  );
});
