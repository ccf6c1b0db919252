/** What a model's tokens cost. */
import type { Usage } from "./message.ts";

/** Dollars per million tokens. */
export interface Price {
  readonly input: number;
  /** Price of input that came from the server's prefix cache. */
  readonly cached: number;
  readonly output: number;
}

/**
 * Models with one price whatever the length of a prompt, at their makers' own addresses. Dollars per million tokens of input,
 * cached input and output, as stored copies of platform.claude.com/docs and of others' lists of OpenAI's prices had them on
 * 2026-11-22; nobody looked at the makers' pages of that day. Prices change: settings win over this table. What a maker takes
 * for writing to its cache is not in it.
 */
const TABLE: Readonly<Record<string, Readonly<Record<string, readonly [number, number, number]>>>> =
  {
    "https://api.openai.com": {
      "gpt-4.1": [2, 0.5, 8],
      "gpt-4.1-mini": [0.4, 0.1, 1.6],
      "gpt-4.1-nano": [0.1, 0.025, 0.4],
      "gpt-4o-mini": [0.15, 0.075, 0.6],
      "gpt-5": [1.25, 0.125, 10],
      "gpt-5-mini": [0.25, 0.025, 2],
      "gpt-5-nano": [0.05, 0.005, 0.4],
      "gpt-5.1": [1.25, 0.125, 10],
      "gpt-5.2": [1.75, 0.175, 14],
    },
    "https://api.anthropic.com": {
      "claude-opus-4-5": [5, 0.5, 25],
      "claude-opus-4-6": [5, 0.5, 25],
      "claude-opus-5": [5, 0.5, 25],
      "claude-opus-5-5": [4, 0.2, 20],
      "claude-sonnet-4-6": [3, 0.3, 15],
      "claude-sonnet-5": [2, 0.2, 10],
      "claude-haiku-4-5": [1, 0.1, 5],
    },
  };

/** A snapshot costs what the model costs: `gpt-5-2025-08-07`, `claude-haiku-4-5-20251001`. */
const SNAPSHOT = /-\d{4}-?\d{2}-?\d{2}$/;

export interface Priced {
  readonly base_url: string;
  readonly model: string;
  readonly price: Price | null;
}

/** The price of the model that an endpoint leads to: from its settings, or of the few that are known; null for any other. */
export function price_of({ base_url, model, price }: Priced): Price | null {
  if (price !== null) return price;
  const models = new Map(Object.entries(TABLE[new URL(base_url).origin] ?? {}));
  const row = models.get(model) ?? models.get(model.replace(SNAPSHOT, ""));
  if (row === undefined) return null;
  const [input, cached, output] = row;
  return { input, cached, output };
}

/** What is put into a cache costs this much more than input that is not, where it is counted (Anthropic, for five minutes). */
const WRITTEN_EXTRA = 0.25;

/** Dollars for the tokens of a reply. Reasoning is part of its output. */
export function cost_of(usage: Usage, price: Price): number {
  const { input_tokens, cached_tokens, output_tokens, written_tokens = 0 } = usage;
  const { input, cached, output } = price;
  const fresh = input_tokens - cached_tokens + WRITTEN_EXTRA * written_tokens;
  return exact((fresh * input + cached_tokens * cached + output_tokens * output) / 1e6);
}

/** Two sums of money, or null if one of them is not known. */
export function add_cost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : exact(a + b);
}

/** Without what binary fractions add: ten times 0.1 reaches a limit of 1. No price has more decimals than these. */
function exact(dollars: number): number {
  return Number(dollars.toFixed(12));
}

/** `$0.0123`, for people. */
export function dollars(amount: number): string {
  return amount > 0 && amount < 0.0001 ? "<$0.0001" : `$${amount.toFixed(4)}`;
}
