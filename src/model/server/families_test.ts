import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { FAMILIES, family_of, sampling_for } from "./families.ts";

/** Names as servers give them. */
const NAMES: Readonly<Record<string, string | undefined>> = {
  "qwen3:8b": "Qwen3",
  "Qwen/Qwen3-8B": "Qwen3",
  "/models/Qwen3-8B-Q4_K_M.gguf": "Qwen3",
  "bartowski_Qwen3-8B": "Qwen3",
  "Qwen3-4B-Thinking-2507": "Qwen3",
  "Qwen3-4B-Instruct-2507": "Qwen3 Instruct",
  "qwen3:4b-instruct": "Qwen3 Instruct",
  "unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M": "Qwen3-Coder",
  "qwen3-coder:30b": "Qwen3-Coder",
  "qwen3.5:4b": "Qwen3.5",
  "qwen2.5-coder:7b": "Qwen2.5",
  "qwq:32b": "QwQ",
  "deepseek-r1:8b": "DeepSeek-R1",
  "DeepSeek-R1-Distill-Qwen-7B": "DeepSeek-R1",
  "DeepSeek-R1-0528-Qwen3-8B": "DeepSeek-R1",
  "openai/gpt-oss-20b": "gpt-oss",
  "gpt-oss:20b": "gpt-oss",
  "GLM-4.6": "GLM-4.6, 4.7",
  "moonshotai/Kimi-K2-Thinking": "Kimi-K2-Thinking",
  "Kimi-K2-Instruct-0905": "Kimi-K2",
  "MiniMax-M2": "MiniMax-M2",
  "mistral-small3.2:24b": "Mistral Small 3, Devstral",
  "Mistral-Small-24B-Instruct-2501": "Mistral Small 3, Devstral",
  "devstral:24b": "Mistral Small 3, Devstral",
  "gemma3:12b": "Gemma 3",
  "google/gemma-3-27b-it": "Gemma 3",
  "llama3.1:8b": "Llama 3.1 to 3.3",
  "Meta-Llama-3.1-8B-Instruct": "Llama 3.1 to 3.3",
  "LFM2-8B-A1B": "LFM2",
  // Another version, a model made from it, or none of them.
  "qwen3.6:27b": undefined,
  "kimi-k2.5": undefined,
  "Mistral-Small-Instruct-2409": undefined,
  "mistral-nemo": undefined,
  "gemma3n:e4b": undefined,
  "gemma-4-31B-it": undefined,
  "LFM2.5-8B-A1B": undefined,
  "Hermes-3-Llama-3.1-8B": undefined,
  "llama3:8b": undefined,
  "smollm2": undefined,
  "default": undefined,
  "": undefined,
};

Deno.test("family_of() knows a family by the names that servers give its models", () => {
  for (const [model, name] of Object.entries(NAMES)) {
    strictEqual(family_of(model)?.name, name, model);
  }
});

Deno.test("sampling_for() sends what a local server does not know itself, in its own words", () => {
  const asked = { model: "qwen3-coder:30b", base_url: "http://127.0.0.1:8080/v1" };
  const all = { temperature: 0.7, top_p: 0.8, top_k: 20, repeat_penalty: 1.05 };
  deepStrictEqual(sampling_for({ ...asked, server: "llama.cpp" }), all);
  const plain = { temperature: 0.7, top_p: 0.8 };
  deepStrictEqual(sampling_for({ ...asked, server: "openai-compatible" }), plain);
  const nothing: readonly (readonly [Parameters<typeof sampling_for>[0], RegExp])[] = [
    [{ ...asked, server: "ollama" }, /ollama has values/],
    [{ ...asked, server: "vllm" }, /vllm has values/],
    [{ ...asked, server: "llama.cpp", samples_itself: true }, /started with other values/],
    [asked, /not a known server on this machine/],
    [{ ...asked, server: "llama.cpp", base_url: "https://example.com/v1" }, /not a known server/],
    [{ ...asked, server: "llama.cpp", model: "smollm2" }, /not recognized/],
  ];
  for (const [given, why] of nothing) match(String(sampling_for(given)), why);
});

Deno.test("the page for people has the same table", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/local-models.md", import.meta.url));
  const rows = page.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  for (const [, { name, sampling, source }] of FAMILIES) {
    const values = Object.entries(sampling).map(([key, value]) => `${key} ${value}`).join(", ");
    ok(rows.some((row) => row[1] === name && row[2] === values && row[4] === source), name);
  }
});
