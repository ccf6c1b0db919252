/** Windows of well-known hosted models: their services do not report them. */

/** The makers' own addresses, and OpenRouter's. Who says a window in its list of models is believed before this table. */
const HOSTS =
  /^https:\/\/(api\.(openai\.com|anthropic\.com|deepseek\.com|moonshot\.(ai|cn)|kimi\.com|z\.ai|x\.ai|minimaxi?\.(io|com))|openrouter\.ai|open\.bigmodel\.cn|generativelanguage\.googleapis\.com|dashscope[\w-]*\.aliyuncs\.com)(\/|$)/;

/**
 * Tokens by how the name of a model begins; the first that fits counts. From models.dev of 2026-07-02 and, for older models,
 * stored copies of public pages; where the members of a family differ, or its services, the smallest: what is used of a window is
 * limited by agent.context_budget_tokens anyway.
 */
const TABLE: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^gpt-5(\.\d+)?-(chat|codex-spark)/, 128_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|gpt-4-turbo|chatgpt-4o|o1-mini|o1-preview)/, 128_000],
  [/^gpt-4(-\d{4})?$/, 8192],
  [/^gpt-3\.5-turbo/, 16_385],
  [/^(o1|o3|o4-mini|codex-mini)/, 200_000],
  [/^claude-(3|opus-|sonnet-|haiku-|fable-)/, 200_000],
  [/^deepseek-(chat|reasoner|v\d)/, 128_000],
  [/^gemini-.*(image|tts|live|audio)/, 8192],
  [/^gemini-([23]|pro-|flash-)/, 1_048_576],
  [/^glm-(4\.5v|5\.1)/, 64_000],
  [/^glm-(4\.[5-9]|5)/, 128_000],
  [/^grok-(4|build|code)/, 256_000],
  [/^kimi-(k2|latest)/, 131_072],
  [/^minimax-m(2\.\d|2|3)(-highspeed)?$/i, 196_608],
  [/^qwen3-(coder|max)/, 160_000],
  [/^qwen3\.\d/, 131_072],
  [/^(devstral|mistral-(large|medium))/, 128_000],
];

/** Where the windows of this table come from, in words for a person. */
export const HOSTED_SOURCE = "hamr's table of 2026-11-28";

/** Tokens that a hosted model can hold; undefined if that is not known. OpenRouter puts the maker before the name. */
export function hosted_window(model: string, base_url: string): number | undefined {
  if (!HOSTS.test(base_url)) return undefined;
  const name = model.replace(
    /^~?(openai|anthropic|deepseek|google|minimax|mistralai|moonshotai|qwen|x-ai|z-ai)\//,
    "",
  );
  return TABLE.find(([begins]) => begins.test(name))?.[1];
}
