/** How the Messages API puts a reply on the wire. */
import { call_id, type Reply } from "./wire.ts";

/** A reply of a scripted Claude. */
export interface ClaudeReply extends Reply {
  /** Thinking that nobody may read, after that of `reasoning`. */
  readonly redacted?: string;
  /** Thinking between the text and the calls. */
  readonly second_thought?: string;
  /** Thinking has no signature: llama.cpp gives none. */
  readonly unsigned?: boolean;
  /** Part of `usage.prompt_tokens` that was written to the cache. */
  readonly written_tokens?: number;
}

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The signature of a piece of thinking. */
export function signature_of(thinking: string): string {
  return `sig-${thinking.length}-${btoa(String(thinking.charCodeAt(0)))}`;
}

function thinking(text: string | undefined, unsigned: boolean | undefined): Block[] {
  if (text === undefined) return [];
  return [{ type: "thinking", thinking: text, signature: unsigned ? "" : signature_of(text) }];
}

function blocks_of(reply: ClaudeReply, n: number): Block[] {
  return [
    ...thinking(reply.reasoning, reply.unsigned),
    ...(reply.redacted === undefined ? [] : [{ type: "redacted_thinking", data: reply.redacted }]),
    ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
    ...thinking(reply.second_thought, reply.unsigned),
    ...(reply.calls ?? []).map((call, index) => ({
      type: "tool_use",
      id: call_id(call, n, index).replace(/^call/, "toolu"),
      name: call.name,
      input: call.args,
    })),
  ];
}

function stop_of(reply: ClaudeReply): string | null {
  if (reply.finish !== undefined) return reply.finish;
  return reply.calls?.length ? "tool_use" : "end_turn";
}

function usage_of({ usage, written_tokens = 0 }: ClaudeReply): Record<string, unknown> {
  const { prompt_tokens, completion_tokens, cached_tokens = 0, reasoning_tokens = 0 } = usage ??
    { prompt_tokens: 10, completion_tokens: 5 };
  return {
    input_tokens: prompt_tokens - cached_tokens - written_tokens,
    cache_creation_input_tokens: written_tokens,
    cache_read_input_tokens: cached_tokens,
    output_tokens: completion_tokens,
    output_tokens_details: { thinking_tokens: reasoning_tokens },
  };
}

function head(n: number) {
  return { id: `msg_${n}`, type: "message", role: "assistant", model: "scripted" };
}

/** The body of a reply that was not asked for as a stream. */
export function whole_message(reply: ClaudeReply, n: number): string {
  return JSON.stringify({
    ...head(n),
    content: blocks_of(reply, n),
    stop_reason: stop_of(reply),
    stop_sequence: null,
    usage: usage_of(reply),
  });
}

/** The events of one block: it begins empty, and is filled. */
function events_of(block: Block, index: number, fragment = Infinity): Block[] {
  const delta = (type: string, key: string, text: unknown) =>
    pieces(String(text), fragment).map((piece) => ({
      type: "content_block_delta",
      index,
      delta: { type, [key]: piece },
    }));
  const [begin, deltas] = ((): [Block, Block[]] => {
    switch (block.type) {
      case "text":
        return [{ ...block, text: "" }, delta("text_delta", "text", block["text"])];
      case "thinking": {
        const { signature } = block;
        const signing = signature === "" ? [] : [{
          type: "content_block_delta",
          index,
          delta: { type: "signature_delta", signature },
        }];
        const said = delta("thinking_delta", "thinking", block["thinking"]);
        return [{ ...block, thinking: "", signature: "" }, [...said, ...signing]];
      }
      case "tool_use": {
        const { input } = block;
        const text = typeof input === "string" ? input : JSON.stringify(input);
        const json = delta("input_json_delta", "partial_json", text === "{}" ? "" : text);
        return [{ ...block, input: {} }, json];
      }
      default:
        return [block, []];
    }
  })();
  return [
    { type: "content_block_start", index, content_block: begin },
    ...deltas,
    { type: "content_block_stop", index },
  ];
}

function pieces(text: string, size: number): string[] {
  const characters = [...text];
  const out: string[] = [];
  for (let i = 0; i < characters.length; i += size) {
    out.push(characters.slice(i, i + size).join(""));
  }
  return out.length > 0 ? out : [""];
}

/** The body of a streamed reply. */
export function stream_message(reply: ClaudeReply, n: number): string {
  const usage = usage_of(reply);
  const stop_reason = stop_of(reply);
  const message = {
    ...head(n),
    content: [],
    stop_reason: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events: Block[] = [
    { type: "message_start", message },
    { type: "ping" },
    ...blocks_of(reply, n).flatMap((block, index) => events_of(block, index, reply.fragment)),
    ...(stop_reason === null ? [] : [
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ]),
  ];
  const eol = reply.eol ?? "\n";
  return events.map((event) =>
    `event: ${event.type}${eol}data: ${JSON.stringify(event)}${eol}${eol}`
  ).join("");
}

/** An error as the API words it. */
export function error_body(type: string, message: string): string {
  return JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" });
}
