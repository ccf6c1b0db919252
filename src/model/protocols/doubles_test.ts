/** Replies that a server or a proxy sends twice, and very long ones: on every wire the same. */
import assert from "node:assert/strict";
import { AnthropicCollector } from "./anthropic_reply.ts";
import { BodyReader, stream_limit } from "../http/body.ts";
import { chat_completions } from "./chat_completions.ts";
import { ResponsesCollector } from "./codex_responses_reply.ts";
import { ollama_chat } from "./ollama_chat.ts";
import type { Collector } from "../wire.ts";

interface Case {
  readonly collector: () => Collector;
  /** A reply of these pieces of text and of arguments. */
  readonly reply: (text: readonly string[], args: readonly string[]) => readonly unknown[];
  readonly content_type?: string;
  readonly write: (value: unknown) => string;
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: unknown) => `event: ${(value as { type: string }).type}\n${event(value)}`;
const chat = (delta: unknown, finish: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  choices: [{ index: 0, delta, finish_reason: finish }],
});
let nanoseconds = 0;
const line = (message: unknown, more = {}) => ({
  model: "m",
  created_at: `2026-11-22T22:00:00.${String(++nanoseconds).padStart(9, "0")}Z`,
  message,
  done: false,
  ...more,
});

const WIRES: Readonly<Record<string, Case>> = {
  chat_completions: {
    collector: () => chat_completions.collector("u"),
    write: event,
    reply: (text, args) => [
      chat({ role: "assistant", content: "" }),
      ...text.map((content) => chat({ content })),
      chat({
        tool_calls: [{
          index: 0,
          id: "c1",
          type: "function",
          function: { name: "f", arguments: "" },
        }],
      }),
      ...args.map((piece) => chat({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
      chat({}, "tool_calls"),
    ],
  },
  anthropic_messages: {
    collector: () => new AnthropicCollector("u"),
    write: named,
    reply: (text, args) => [
      {
        type: "message_start",
        message: { id: "msg_1", usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ...text.map((piece) => ({
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text: piece },
      })),
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "c1", name: "f", input: {} },
      },
      ...args.map((piece) => ({
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: piece },
      })),
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ],
  },
  codex_responses: {
    collector: () => new ResponsesCollector("u", { most_tokens: 0, taken: [] }),
    write: named,
    reply: (text, args) => {
      const output = [
        {
          type: "message",
          id: "m1",
          role: "assistant",
          content: [{ type: "output_text", text: text.join("") }],
        },
        { type: "function_call", id: "i1", call_id: "c1", name: "f", arguments: args.join("") },
      ];
      const events = [
        { type: "response.created", response: { id: "r1", status: "in_progress", output: [] } },
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { ...output[0], content: [] },
        },
        ...text.map((delta) => ({ type: "response.output_text.delta", output_index: 0, delta })),
        { type: "response.output_item.done", output_index: 0, item: output[0] },
        { type: "response.output_item.done", output_index: 1, item: output[1] },
        { type: "response.completed", response: { id: "r1", status: "completed", output } },
      ];
      return events.map((one, sequence_number) => ({ ...one, sequence_number }));
    },
  },
  ollama_chat: {
    collector: () => ollama_chat().collector("u"),
    content_type: "application/x-ndjson",
    write: (value) => `${JSON.stringify(value)}\n`,
    reply: (text, args) => [
      ...text.map((content) => line({ role: "assistant", content })),
      line({
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", function: { name: "f", arguments: JSON.parse(args.join("")) } }],
      }),
      line({ role: "assistant", content: "" }, { done: true, done_reason: "stop" }),
    ],
  },
};

const TEXT = ["Ha", " ha", " ha", " ha", ".", ".", ".", " no", "no"];
const ARGS = ['{"a":"', "x", "x", "y", "y", '"}'];

/** What a reader makes of a body. */
function heard({ collector, content_type = "text/event-stream" }: Case, body: string) {
  const into = collector();
  const reader = new BodyReader(into, { url: "u", content_type });
  const shown: string[] = [];
  const take = (news: ReturnType<typeof reader.push>) => {
    assert.ok(Array.isArray(news), JSON.stringify(news));
    shown.push(...news.filter(({ kind }) => kind === "text").map(({ text }) => text));
  };
  for (const piece of body.match(/[^]{1,97}/g) ?? []) {
    if (!reader.done) take(reader.push(new TextEncoder().encode(piece)));
  }
  if (!reader.done) take(reader.end());
  const { content, tool_calls } = into.reply();
  return {
    content,
    shown: shown.join(""),
    calls: tool_calls.map(({ name, arguments: args }) =>
      `${name} ${JSON.stringify(JSON.parse(args))}`
    ),
  };
}

for (const [name, wire] of Object.entries(WIRES)) {
  const values = wire.reply(TEXT, ARGS);
  const once = values.map(wire.write);
  const said = { content: TEXT.join(""), shown: TEXT.join(""), calls: ['f {"a":"xxyy"}'] };

  Deno.test(`${name}: what is said once is taken as it is, repeated words and all`, () => {
    assert.deepEqual(heard(wire, once.join("")), said);
    const words = wire.reply(["no", "no", "no", "no"], ["{", "}"]).map(wire.write);
    assert.equal(heard(wire, words.join("")).content, "nononono");
  });

  Deno.test(`${name}: every event twice, and the whole reply twice, are one reply`, () => {
    assert.deepEqual(heard(wire, once.map((one) => one + one).join("")), said);
    assert.deepEqual(heard(wire, once.join("") + once.join("")), said);
    // A reply that only begins like that.
    const [first = "", ...rest] = once;
    const begun = heard(wire, first + first + rest.join(""));
    const doubled = name === "ollama_chat" ? TEXT.join("") : said.content;
    assert.deepEqual(begun, { ...said, content: doubled, shown: doubled });
  });
}

Deno.test("anthropic_messages: a message that begins again takes the place of what there was", () => {
  const wire = WIRES["anthropic_messages"]!;
  const values = wire.reply(TEXT, ARGS).map(wire.write);
  for (const cut of [1, 3, 9, 14, 16]) {
    const { content, calls } = heard(wire, [...values.slice(0, cut), ...values].join(""));
    assert.deepEqual({ content, calls }, { content: TEXT.join(""), calls: ['f {"a":"xxyy"}'] });
  }
});

Deno.test("a million pieces are no reason to stop, nor to hold them", () => {
  const wire = WIRES["chat_completions"]!;
  const into = wire.collector();
  const reader = new BodyReader(into, { url: "u", content_type: "text/event-stream" });
  const padded = (content: string) => event({ ...chat({ content }), padding: "p".repeat(200) });
  const piece = new TextEncoder().encode(padded("w ").repeat(500));
  reader.push(new TextEncoder().encode(padded("first ")));
  let bytes = 0;
  for (let n = 0; n < 400; n++, bytes += piece.length) {
    const news = reader.push(piece);
    assert.ok(Array.isArray(news), JSON.stringify(news));
  }
  assert.ok(bytes > 64 * 2 ** 20);
  assert.equal(into.reply().content.length, 6 + 400 * 500 * 2);
  assert.ok(stream_limit(1_000_000) >= 500_000_000);
  assert.ok(stream_limit(2 ** 40) <= 2 ** 29, "no string holds more");
});
