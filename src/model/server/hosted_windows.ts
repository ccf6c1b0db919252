/** Windows of well-known hosted models: their services do not report them. */

/**
 * Tokens by how the name of a model begins, at its maker's own address or at OpenRouter; the first that fits counts. As
 * known on 2026-11-22, from stored copies of public pages and from memory, not from the makers' own pages; where the members of a
 * family differ, the smallest: what is used of a window is limited by agent.context_budget_tokens anyway.
 */
const TABLE: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^gpt-5(\.\d+)?-chat/, 128_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|gpt-4-turbo|chatgpt-4o|o1-mini|o1-preview)/, 128_000],
  [/^gpt-4(-\d{4})?$/, 8192],
  [/^gpt-3\.5-turbo/, 16_385],
  [/^(o1|o3|o4-mini|codex-mini)/, 200_000],
  [/^claude-(3|opus-|sonnet-|haiku-)/, 200_000],
];

/** Where the windows of this table come from, in words for a person. */
export const HOSTED_SOURCE = "hamr's table of 2026-11-22";

/** Tokens that a hosted model can hold; undefined if that is not known. OpenRouter puts the maker before the name. */
export function hosted_window(model: string): number | undefined {
  const name = model.replace(/^(openai|anthropic)\//, "");
  return TABLE.find(([begins]) => begins.test(name))?.[1];
}
