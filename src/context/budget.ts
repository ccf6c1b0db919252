/** How much of a model's window the messages of a request may take. */

export interface Room {
  readonly window: number;
  /** What a reply may take; 0 leaves it to the server. */
  readonly max_output_tokens: number;
  /** What may be used of a larger window (`agent.context_budget_tokens`); 0 is all. */
  readonly most: number;
}

/** Part of a window that a reply may take at most, or too little is left for the prompt (issue on guards). */
const OUTPUT_SHARE = 4;

/** Tokens for prompt and tools: the window without the room for a reply. */
export function budget_of({ window, max_output_tokens, most }: Room): number {
  const used = most > 0 ? Math.min(window, most) : window;
  const quarter = Math.floor(used / OUTPUT_SHARE);
  return used - (max_output_tokens > 0 ? Math.min(max_output_tokens, quarter) : quarter);
}
