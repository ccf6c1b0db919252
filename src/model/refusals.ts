/** Recognizes what a server refuses in a request, by its own words. Loaded when one refuses something. */
import { any_of } from "../config/text.ts";
import type { ModelError } from "./errors.ts";
import type { DISPENSABLE } from "./request_fields.ts";

/** What a request can do without, or can say in another way. */
export type RefusedPart =
  | (typeof DISPENSABLE)[number]
  | "temperature"
  | "reasoning_effort"
  /** Newer models of OpenAI take `max_completion_tokens` instead. */
  | "max_tokens"
  /** Marks for the cache inside of messages. */
  | "cache_marks"
  /** The name of the first message's role: newer models of OpenAI call it `developer`. */
  | "system_name"
  /** A role of its own for that message, whatever its name. */
  | "system"
  | "tools"
  /** Ids of calls as other servers make them: Mistral takes nine letters and digits, OpenAI 40 or 64, Anthropic no colon. */
  | "call_ids"
  /** Several calls in one message: templates of Llama 3 take one. */
  | "several_calls"
  /** The protocol: newer models of OpenAI take calls over its Responses API only. */
  | "chat_completions"
  /** Replies in one piece: Qwen's own service streams all that think. */
  | "one_piece"
  /** Streams, where tools are offered. */
  | "stream"
  /** One stream that came to nothing, where one piece came whole: the second such is the last. */
  | "one_stream"
  /** Text beside calls: Mistral takes one or the other. */
  | "text_with_calls"
  /** Calls beside a text that is empty: Bedrock wants none. */
  | "empty_text"
  /** What servers want back of their replies, from an earlier model or key, or changed on the way: signed or encrypted reasoning. */
  | "returned"
  /** Replies without the reasoning that led to them: where they think, DeepSeek and Kimi want it back. */
  | "no_reasoning"
  /** Calls without a signature, such as those of another model: Gemini signs its own. */
  | "unsigned_calls";

/** One way in which servers put a refusal; what each has really said, and where, is in `tests/wire/refusals.json`. */
interface Phrase {
  readonly refusal: RefusedPart;
  readonly words: RegExp;
}

/** To precede the name of a parameter. A wrong value is no refusal: that is the user's to put right. */
const UNKNOWN = "(unsupported parameter|unknown parameter|unrecognized request argument|" +
  "unknown field|not supported|extra inputs( are not permitted, field:)?)";

/** A parameter that is not taken, in the words that servers have for any; and in `others`, for this one. */
function untaken(name: string, ...others: readonly string[]): RegExp {
  return any_of(
    `${UNKNOWN}.{0,20}\\b${name}\\b`,
    `\\b${name}[\`'"]? is (not supported|unsupported|deprecated)`,
    `(?<![.\\w])(body\\.)?${name}\\b.{0,20}: '?extra inputs are not permitted`,
    // LiteLLM lists them.
    `does not support parameters?: ?[[{][^\\]}]*'${name}'`,
    ...others,
  );
}

/** The first that fits counts. */
export const PHRASES: readonly Phrase[] = [
  {
    refusal: "stream",
    words: any_of(
      "cannot use tools with stream",
      "streaming tool choice is not supported",
      "does(n't| not) support tool use in streaming",
      "must be verified to stream",
      "'stream' does not support true",
    ),
  },
  {
    refusal: "chat_completions",
    words: any_of(
      "function tools with reasoning_effort are not supported [^]*v1/responses",
      "only supported in v1/responses",
      "not (a chat model and thus not supported in|accessible via) the (v1)?/chat/completions",
    ),
  },
  { refusal: "max_tokens", words: /'?max_tokens'? is not supported[^]*max_completion_tokens/i },
  {
    refusal: "temperature",
    words: untaken(
      "temperature",
      "'temperature' does not support .*only the default",
      "\\btemperature[`'\"]? are (not supported|deprecated)",
      "temperature[`'\"]? may only be set to 1",
      "invalid temperature: only \\S+ is allowed",
      "n't support temperature=[^]*only temperature=1 is supported",
    ),
  },
  {
    refusal: "reasoning_effort",
    words: untaken(
      "reasoning[._]?effort",
      "does not support parameters?:? ?\\W*reasoning_?effort",
      "does not support thinking|think value .{0,20} is not supported",
      "(?<![.\\w])(thinking|output_config)[.\\w]*: extra inputs are not permitted",
      "adaptive thinking is not supported",
    ),
  },
  {
    refusal: "stream_options",
    words: untaken(
      "stream_options",
      "\\bstream_options\\b.{0,40}(not supported|only allowed)",
    ),
  },
  {
    refusal: "tools",
    words: any_of(
      "(does not|doesn't) support (tools|tool use(?! in streaming)|function calling)",
      "\\b(tools|tool calling`?|function calling) (is|are) not supported",
      "function calling is not enabled",
      "no endpoints found that support tool use",
      "requires --enable-auto-tool-choice",
      "tools param requires --jinja",
      "unsupported param: tools",
      "does not support parameters?: ?[[{][^\\]}]*'tools'",
      "json schema error at #/",
      "invalid schema for function '",
      "tools\\.\\d+\\.(custom\\.)?input_schema",
      "function_declarations\\[\\d+\\]\\.parameters",
    ),
  },
  {
    refusal: "tool_choice",
    words: untaken(
      "tool_?choice",
      "does not support this tool_choice",
      "support the provided 'tool_choice'",
      "only a tool_choice of 'auto' is supported",
      "tool_choice: input tag 'none' found",
      "doesn't support the toolConfig\\.toolChoice",
    ),
  },
  { refusal: "parallel_tool_calls", words: untaken("parallel_tool_calls") },
  { refusal: "include", words: untaken("include", "encrypted content is not supported") },
  { refusal: "max_output_tokens", words: untaken("max_output_tokens") },
  {
    refusal: "cache_marks",
    words: /\.cache_control[`'"]?: extra inputs|field: '[^']+\.cache_control'/i,
  },
  { refusal: "cache_control", words: untaken("cache_control") },
  {
    refusal: "no_reasoning",
    words: any_of(
      "missing [`'\"]?reasoning_content",
      "reasoning_content[`'\"]? (is missing|in the thinking mode must be passed back)",
      "must include [`'\"]?reasoning_content",
      "content\\[\\]\\.thinking[`'\"]? in the thinking mode must be passed back",
    ),
  },
  {
    refusal: "returned",
    words: any_of(
      "encrypted content [^]*could not be (verified|decrypted)",
      "(invalid|corrupted) [`'\"]?(thought )?signature",
      "thought signature is not valid",
      "`thinking` or `redacted_thinking` blocks [^]*cannot be modified",
      "of type 'reasoning' was provided without",
      `${UNKNOWN}.{0,60}(extra_content|reasoning_details)`,
      "(extra_content|reasoning_details)[`'\"]? is unsupported",
    ),
  },
  { refusal: "unsigned_calls", words: /is missing a [`'"]?thought_signature/i },
  {
    refusal: "call_ids",
    words: any_of(
      "tool call id(s should be alphanumeric| was .{1,80} but must be a-z)",
      "\\btool_use\\.id: string should match pattern '\\^\\[a-z",
      "\\b(tool_calls\\[\\d+\\]\\.id|(tool_)?call_id)': string too long",
    ),
  },
  { refusal: "several_calls", words: /only supports? single tool-calls?/i },
  { refusal: "one_piece", words: /for non-streaming calls|not be support when `stream=False`/i },
  {
    refusal: "empty_text",
    words: /text field in the ContentBlock [^]*is blank|text content blocks must be non-empty/i,
  },
  { refusal: "text_with_calls", words: /either content or tool_calls, but not both/i },
  { refusal: "system_name", words: /does not support 'system' with this model/i },
  {
    refusal: "system",
    words: any_of(
      "system role (is )?not supported",
      "only user and assistant roles are supported",
      "does not support 'developer' with this model",
      "developer'? is not one of \\[",
      "developer instruction is not enabled",
    ),
  },
];

/**
 * A template that fails, most often over tools: it knows none and a result follows a user's words, or it can't write a schema or a
 * call. Calls in text are words that take turns; then it is the system's.
 */
const TEMPLATE = any_of(
  "conversation roles must alternate",
  "jinja exception",
  "rendering prompt with jinja template",
);

/** What an error refuses of the request, besides what was `refused` before; null if it is about something else. */
export function refusal_of(
  { kind, signs = "" }: ModelError,
  refused: ReadonlySet<RefusedPart> = new Set(),
): RefusedPart | null {
  if (kind !== "bad_request") return null;
  const found = PHRASES.find(({ words }) => words.test(signs))?.refusal;
  const all: readonly RefusedPart[] = found === "stream_options"
    // LiteLLM adds them by itself to all that it streams.
    ? [found, "stream"]
    : found !== undefined
    ? [found]
    : TEMPLATE.test(signs)
    ? ["tools", "system"]
    : [];
  return all.find((one) => !refused.has(one)) ?? null;
}
