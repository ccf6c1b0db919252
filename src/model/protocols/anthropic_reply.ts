/** Replies of the Messages API. */
import { Pile } from "../../config/text_pieces.ts";
import { json_text, server_count, string_of, with_unique_ids } from "./reply_fields.ts";
import { field, from_error, type ModelError, stray } from "../errors.ts";
import type { Finish, Reply, Usage, WireState } from "../message.ts";
import { Thinking } from "./thinking.ts";
import type { Collector, Delta } from "../wire.ts";

/** A part of a reply as its deltas have built it so far. */
type Block =
  | { readonly type: "text"; readonly text: Pile }
  | { readonly type: "thinking"; readonly thinking: Pile; signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | ToolUse;

interface ToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  /** Given whole, where the reply comes in one piece. */
  readonly input: unknown;
  json: Pile;
}

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  // Only tools that the server itself runs pause, and none is asked for.
  ["pause_turn", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
]);

/** The HTTP status of each error, which a stream that has begun can no longer have. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

const NO_PART = "that is not part of a message";

/** One path for both: a message in one piece is a stream of whole blocks. */
export class AnthropicCollector implements Collector {
  finished = false;
  readonly #blocks: Block[] = [];
  /** By the index that deltas give. */
  readonly #open = new Map<unknown, Block>();
  /** Takes thinking out of text, where a server in front of another model leaves it there. */
  #thinking = new Thinking();
  /** Another message has begun behind the end of this one. */
  #is_over = false;
  #finish: Finish | null = null;
  #counts: Readonly<Record<string, unknown>> = {};

  constructor(private readonly url: string) {}

  take(value: unknown): Delta[] | ModelError {
    if (this.#is_over) return [];
    const error = field(value, "error");
    if (error) return from_error({ error: with_status(error) }, this.url);
    switch (field(value, "type")) {
      case "message_start":
        this.#start_over();
        this.#count(field(value, "message"));
        return [];
      case "content_block_start":
        return this.#begin(field(value, "content_block"), field(value, "index"));
      case "content_block_delta":
        return this.#add(field(value, "delta"), field(value, "index"));
      case "message_delta":
        this.#count(value);
        return this.#end(field(field(value, "delta"), "stop_reason"));
      case "message":
        return this.#whole(value);
      case "message_stop":
        this.finished = true;
        return this.#thinking.end();
    }
    // Pings, the ends of blocks, and kinds of event that there will be.
    if (typeof field(value, "type") === "string") return [];
    return stray(this.url, NO_PART, value);
  }

  reply(): Reply {
    this.#thinking.end();
    const { content, reasoning } = this.#thinking.result();
    const uses = this.#blocks.filter((block) => block.type === "tool_use");
    const tool_calls = with_unique_ids(uses.map(({ id, name, input, json }) => ({
      index: null,
      id,
      name,
      // A tool without arguments has no fragment of them.
      arguments: json.text || JSON.stringify(input ?? {}),
    })));
    const kept = tool_calls.length > 0 ? kept_of(this.#blocks) : null;
    return {
      content,
      reasoning: this.#blocks.map((block) => block.type === "thinking" ? block.thinking.text : "")
        .join("") + reasoning,
      tool_calls,
      finish: this.#finish ?? (tool_calls.length > 0 ? "tool_calls" : "stop"),
      ...(kept === null ? {} : { kept }),
      usage: usage_of(this.#counts),
    };
  }

  /** A stream is one message: a second one is the same once more, from a proxy that has asked again. */
  #start_over(): void {
    this.#is_over = this.finished;
    if (this.finished) return;
    this.#blocks.length = 0;
    this.#open.clear();
    this.#thinking = new Thinking();
  }

  #whole(message: unknown): Delta[] | ModelError {
    const content = field(message, "content");
    if (!Array.isArray(content)) return stray(this.url, NO_PART, message);
    this.#count(message);
    const news = content.flatMap((block: unknown, index) => this.#begin(block, index));
    return [...news, ...this.#end(field(message, "stop_reason"))];
  }

  #begin(value: unknown, index: unknown): Delta[] {
    const block = block_of(value);
    if (block === null) return [];
    const open = this.#open.get(index);
    if (is_again(block, open)) {
      // Its arguments come once more, too.
      open.json = new Pile();
      return [];
    }
    this.#blocks.push(block);
    this.#open.set(index, block);
    if (block.type === "text") return this.#thinking.push(block.text.text);
    return block.type === "thinking" ? reasoned(block.thinking.text) : [];
  }

  #add(delta: unknown, index: unknown): Delta[] {
    const block = this.#open.get(index);
    switch (block?.type) {
      case "text": {
        const text = string_of(field(delta, "text"));
        block.text.add(text);
        return this.#thinking.push(text);
      }
      case "thinking": {
        const thinking = string_of(field(delta, "thinking"));
        block.thinking.add(thinking);
        block.signature += string_of(field(delta, "signature"));
        return reasoned(thinking);
      }
      case "tool_use":
        block.json.add(json_text(field(delta, "partial_json") ?? ""));
        return [];
      case "redacted_thinking":
      case undefined:
        return [];
    }
  }

  #end(reason: unknown): Delta[] {
    if (typeof reason !== "string") return [];
    this.#finish = FINISHES.get(reason) ?? "stop";
    this.finished = true;
    return this.#thinking.end();
  }

  /** Counts come at the start and, as sums, with the end; what is null says nothing. */
  #count(value: unknown): void {
    const usage = field(value, "usage");
    if (typeof usage !== "object" || usage === null) return;
    const said = Object.entries(usage).filter(([, count]) => count !== null);
    this.#counts = { ...this.#counts, ...Object.fromEntries(said) };
  }
}

function block_of(value: unknown): Block | null {
  const text = (name: string) => string_of(field(value, name));
  switch (field(value, "type")) {
    case "text":
      return { type: "text", text: new Pile(text("text")) };
    case "thinking":
      return {
        type: "thinking",
        thinking: new Pile(text("thinking")),
        signature: text("signature"),
      };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: text("data") };
    case "tool_use":
      return {
        ...{ type: "tool_use", id: text("id"), name: text("name") },
        ...{ input: field(value, "input"), json: new Pile() },
      };
    default:
      return null;
  }
}

/** Whether a call that has begun is begun once more: as a call of its own it would have no arguments. */
function is_again(block: Block, open: Block | undefined): open is ToolUse {
  return block.type === "tool_use" && open?.type === "tool_use" && block.id !== "" &&
    block.id === open.id && block.name === open.name;
}

function reasoned(text: string): Delta[] {
  return text === "" ? [] : [{ kind: "reasoning", text }];
}

/** The whole reply in its order, where something of it is signed: a turn that goes on after calls has to bring that along. */
function kept_of(blocks: readonly Block[]): WireState | null {
  const items = blocks.filter((block) => block.type !== "thinking" || block.signature !== "");
  const signed = items.some(({ type }) => type === "thinking" || type === "redacted_thinking");
  if (!signed) return null;
  return {
    wire: "anthropic_messages",
    items: items.map((block) => {
      if (block.type === "tool_use") return { type: "tool_use", id: block.id };
      if (block.type === "text") return { ...block, text: block.text.text };
      return block.type === "thinking" ? { ...block, thinking: block.thinking.text } : block;
    }),
  };
}

/** The API counts apart what it read from its cache and what it wrote there. llama.cpp leaves the start out now and then. */
function usage_of(counts: Readonly<Record<string, unknown>>): Usage | null {
  if (counts["input_tokens"] === undefined) return null;
  const cached_tokens = server_count(counts["cache_read_input_tokens"]);
  const written_tokens = server_count(counts["cache_creation_input_tokens"]);
  return {
    input_tokens: server_count(counts["input_tokens"]) + cached_tokens + written_tokens,
    output_tokens: server_count(counts["output_tokens"]),
    cached_tokens,
    reasoning_tokens: server_count(field(counts["output_tokens_details"], "thinking_tokens")),
    ...(written_tokens > 0 ? { written_tokens } : {}),
  };
}

function with_status(error: unknown): unknown {
  const code = STATUS.get(string_of(field(error, "type")));
  return typeof error === "object" && code !== undefined ? { ...error, code } : error;
}
