import { strictEqual } from "node:assert/strict";
import { hosted_window } from "./hosted_windows.ts";

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
  // Not known, or not theirs.
  ["gpt-oss-120b", undefined],
  ["claude-2.1", undefined],
  ["meta-llama/llama-3-70b", undefined],
  ["somebody/gpt-4o", undefined],
  ["default", undefined],
];

Deno.test("hosted_window() knows families by how their names begin, and nothing else", () => {
  for (const [model, expected] of CASES) strictEqual(hosted_window(model), expected, model);
});
