/** Parts of a reply that all protocols read alike. */
import { field } from "../errors.ts";
import type { ToolCall, Usage } from "../message.ts";

export function string_of(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A call's arguments: some gateways send the object itself. Anything else that is not text stays visible, and fails to parse. */
export function json_text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Every call gets an id of its own, and none that is `taken`: two with one id would get one result. */
export function with_unique_ids(
  drafts: readonly Pick<ToolCall, "id" | "name" | "arguments">[],
  taken: Iterable<string> = [],
): ToolCall[] {
  const seen = new Set(taken);
  return drafts.map(({ id, name, arguments: args }, at) => {
    const given = id || `call_${at}`;
    let unique = given;
    for (let n = at; seen.has(unique); n++) unique = `${given}_${n}`;
    seen.add(unique);
    return { id: unique, name, arguments: args };
  });
}

/** A server's count, where it can be one; else 0. */
export function server_count(value: unknown): number {
  const floor = typeof value === "number" ? Math.floor(value) : 0;
  return Number.isSafeInteger(floor) && floor > 0 ? floor : 0;
}

/** The tokens of a reply of OpenAI's protocols, which differ in what they call those that were read and written. */
export function usage_named(
  read: string,
  written: string,
  value: unknown,
  timings: unknown,
): Usage | null {
  const usage = field(value, "usage");
  if (typeof usage !== "object" || usage === null) return null;
  return usage_in({
    input: field(usage, `${read}_tokens`),
    output: field(usage, `${written}_tokens`),
    cached: field(field(usage, `${read}_tokens_details`), "cached_tokens") ??
      // DeepSeek's own name, and llama.cpp's timings where the details are missing.
      field(usage, "prompt_cache_hit_tokens") ?? field(timings, "cache_n"),
    reasoning: field(field(usage, `${written}_tokens_details`), "reasoning_tokens"),
  });
}

/** The tokens of a reply as a server counts them; a part is never more than the whole. */
export function usage_in(
  { input, output, cached, reasoning }: Readonly<
    Record<"input" | "output" | "cached" | "reasoning", unknown>
  >,
): Usage {
  const [input_tokens, output_tokens] = [server_count(input), server_count(output)];
  return {
    input_tokens,
    output_tokens,
    cached_tokens: Math.min(server_count(cached), input_tokens),
    reasoning_tokens: Math.min(server_count(reasoning), output_tokens),
  };
}
