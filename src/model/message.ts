import type { ApiMode } from "../config/key.ts";
import type { Image } from "../tools/image.ts";

export type { ApiMode };

/** Parts of a reply that its wire wants back as they were, such as signed or encrypted reasoning. No other wire sends them. */
export interface WireState {
  /** The protocol that they belong to. */
  readonly wire: ApiMode;
  /** As they came. */
  readonly items: readonly unknown[];
  /** Base URL of the server that wants them: no other gets them. Absent: that is not known. */
  readonly from?: string;
}

export type { Image };

/** One call of a tool, as the model asked for it. */
export interface ToolCall {
  /** By which its result is found. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** The text of a JSON object. Always parses: what did not is replaced by `{}` and answered with an error. */
  readonly arguments: string;
  /** Where it was read out of text: how it was written. */
  readonly dialect?: string;
  /** Where it was not written as it should be and could be made out all the same. */
  readonly repaired?: true;
  /** Why it can't be run, in words: it was read out of text, and `arguments` is all that was written. */
  readonly fault?: string;
}

/** The one internal message format: OpenAI style, with `reasoning` kept apart from what is sent. */
export type Message =
  | { readonly role: "system"; readonly content: string }
  | {
    readonly role: "user";
    readonly content: string;
    /** Said by `hamr`, not by the user. */
    readonly internal?: true;
    /** The call before it, as whose result it can be said where a template wants that. */
    readonly after?: string;
    readonly images?: readonly Image[];
  }
  | {
    readonly role: "assistant";
    readonly content: string;
    readonly reasoning?: string;
    readonly kept?: WireState;
    readonly tool_calls?: readonly ToolCall[];
  }
  | {
    readonly role: "tool";
    readonly tool_call_id: string;
    readonly content: string;
    readonly images?: readonly Image[];
  };

/** Tokens of one reply, or of many added up, as the server counted them. */
export interface Usage {
  /** Tokens read. */
  readonly input_tokens: number;
  /** Tokens written, reasoning among them. */
  readonly output_tokens: number;
  /** Part of `input_tokens` that came out of the server's prefix cache. */
  readonly cached_tokens: number;
  /** Part of `output_tokens` spent on reasoning. */
  readonly reasoning_tokens: number;
  /** Part of `input_tokens` that was put into the cache, where that has a price of its own. */
  readonly written_tokens?: number;
  /** Tokens that were read though they had been in that cache; of many replies. */
  readonly cache_lost_tokens?: number;
}

/** How the model's reply ended, in one word for every wire. `refusal`: the server says that the model refuses. */
export type Finish = "stop" | "tool_calls" | "length" | "content_filter" | "refusal";

/** A whole reply of the model, decoded. */
export interface Reply {
  readonly content: string;
  readonly reasoning: string;
  readonly tool_calls: readonly ToolCall[];
  readonly finish: Finish;
  /** A call in its text was cut off by the output limit, and is not among `tool_calls`. */
  readonly dropped?: true;
  /** Calls in its text that nobody has asked for and nobody can read: the tool of each, and why. They are not among `tool_calls`. */
  readonly unread?: string;
  /** The tool of a call in its text that may be shown, or meant. It is among `tool_calls` no more than these. */
  readonly shown_call?: string;
  /** It began with thinking in its text that never ended. */
  readonly still_thinking?: true;
  /** `[DONE]` came, but neither the finish reason nor the usage: one-api ends a stream so where the server behind it has died. */
  readonly unfinished?: true;
  readonly kept?: WireState;
  readonly usage: Usage | null;
}
