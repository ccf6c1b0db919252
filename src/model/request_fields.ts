/** What a request can do without, by its name in it. */
export const DISPENSABLE = [
  "stream_options",
  "tool_choice",
  "parallel_tool_calls",
  "include",
  "cache_control",
  "max_output_tokens",
] as const;

/** The text of a request after its messages, without what the server has refused. What is undefined is left out, too. */
export function rest_of_request(fields: object, without: ReadonlySet<string> | undefined): string {
  const left_out = DISPENSABLE.filter((name) => without?.has(name));
  const cleared = Object.fromEntries(left_out.map((name) => [name, undefined]));
  return `],${JSON.stringify({ ...fields, ...cleared }).slice(1)}`;
}
