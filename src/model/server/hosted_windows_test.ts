import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { HOSTED_SOURCE, hosted_window } from "./hosted_windows.ts";
import { endpoint_unasked } from "./provider.ts";

const CASES: readonly (readonly [string, number | undefined])[] = [
  ["gpt-5", 400_000],
  ["gpt-5.2-codex", 400_000],
  ["gpt-5-chat-latest", 128_000],
  ["gpt-5.2-chat-latest", 128_000],
  ["gpt-4.1-mini", 1_047_576],
  ["gpt-4o-2024-08-06", 128_000],
  ["gpt-4", 8192],
  ["gpt-4-0613", 8192],
  ["gpt-4-turbo", 128_000],
  ["gpt-3.5-turbo", 16_385],
  ["o1-mini", 128_000],
  ["o1", 200_000],
  ["o4-mini", 200_000],
  ["openai/gpt-4o", 128_000],
  ["anthropic/claude-sonnet-4.5", 200_000],
  ["claude-3-5-haiku-20241022", 200_000],
  ["claude-opus-5", 200_000],
  ["gpt-5.3-codex-spark", 128_000],
  ["claude-fable-5", 200_000],
  ["deepseek-chat", 128_000],
  ["deepseek/deepseek-v3.2", 128_000],
  ["google/gemini-2.5-flash-image", 8192],
  ["gemini-2.5-flash", 1_048_576],
  ["gemini-flash-latest", 1_048_576],
  ["z-ai/glm-5.1", 64_000],
  ["glm-4.6", 128_000],
  ["x-ai/grok-4.20", 256_000],
  ["kimi-k2.6", 131_072],
  ["MiniMax-M2.7-highspeed", 196_608],
  ["qwen/qwen3-coder:free", 160_000],
  ["mistralai/devstral-2512", 128_000],
  // Not known, or not theirs.
  ["minimax/minimax-m2-her", undefined],
  ["deepseek/deepseek-r1-distill-llama-70b", undefined],
  ["qwen/qwen3-8b", undefined],
  ["gpt-oss-120b", undefined],
  ["claude-2.1", undefined],
  ["meta-llama/llama-3-70b", undefined],
  ["somebody/gpt-4o", undefined],
  ["default", undefined],
];

Deno.test("hosted_window() knows families by how their names begin, and nothing else", () => {
  for (const [model, expected] of CASES) {
    strictEqual(hosted_window(model, "https://openrouter.ai/api/v1"), expected, model);
  }
});

Deno.test("hosted_window() speaks for the services that the table is of, and for no other", () => {
  for (
    const [base_url, is_known] of [
      ["https://api.deepseek.com", true],
      ["https://api.deepseek.com/anthropic", true],
      ["https://generativelanguage.googleapis.com/v1beta/openai", true],
      ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", true],
      ["https://api.deepseek.com.example.org/v1", false],
      ["https://gateway.example.org/v1", false],
      ["http://api.deepseek.com/v1", false],
      ["http://127.0.0.1:8000/v1", false],
    ] as const
  ) {
    strictEqual(hosted_window("deepseek-chat", base_url), is_known ? 128_000 : undefined, base_url);
  }
});

Deno.test("a service that is not asked has the window of the table, unless the user says another", async () => {
  for (const set of [undefined, 4096]) {
    const endpoint = await endpoint_unasked({
      provider: "auto",
      model: "deepseek-chat",
      base_url: "https://api.deepseek.com",
      api_mode: "",
      context_window: set,
      ollama: { task: "", max_output_tokens: 4096, max_num_ctx: 32_768, keep_alive: "" },
      providers: {},
      base_url_untrusted: false,
    }, { env: () => undefined });
    deepStrictEqual(
      [endpoint?.context_window, endpoint?.window_known, endpoint?.window_source],
      set === undefined ? [128_000, true, HOSTED_SOURCE] : [4096, true, "setting"],
    );
  }
});
