import assert from "node:assert/strict";
import { AnthropicCollector } from "./anthropic_reply.ts";
import type { Reply } from "../message.ts";

interface Shown {
  readonly text: string;
  readonly reasoning: string;
}

/** Takes the values of a stream, or a message in one piece. */
function hear(...values: readonly unknown[]): Reply & { readonly shown: Shown } {
  const collector = new AnthropicCollector("u");
  const shown = { text: "", reasoning: "" };
  for (const value of values) {
    const news = collector.take(value);
    if ("kind" in news) throw new Error(`${news.kind}: ${news.message}`);
    for (const { kind, text } of news) shown[kind] += text;
  }
  assert.ok(collector.finished);
  return { ...collector.reply(), shown };
}

function error(value: unknown): string {
  const news = new AnthropicCollector("u").take(value);
  return "kind" in news ? `${news.kind}: ${news.message}` : "none";
}

function whole(content: readonly unknown[], stop_reason: string | null = "end_turn"): unknown {
  const usage = { input_tokens: 3, output_tokens: 2 };
  return { type: "message", role: "assistant", content, stop_reason, usage };
}

const start = (index: number, content_block: unknown) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, delta: unknown) => ({ type: "content_block_delta", index, delta });
const stop = (index: number) => ({ type: "content_block_stop", index });
const end = (stop_reason: string | null, usage: unknown = { output_tokens: 7 }) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage,
});

const SIGNED = [
  { type: "thinking", thinking: "Hm.", signature: "s1" },
  { type: "redacted_thinking", data: "xyz" },
  { type: "text", text: "I look." },
  { type: "thinking", thinking: "", signature: "s2" },
  { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
  { type: "tool_use", id: "toolu_2", name: "todo", input: {} },
];

const STREAM = [
  {
    type: "message_start",
    message: { usage: { input_tokens: 5, cache_read_input_tokens: 90, output_tokens: 1 } },
  },
  { type: "ping" },
  start(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, { type: "thinking_delta", thinking: "H" }),
  delta(0, { type: "thinking_delta", thinking: "m." }),
  delta(0, { type: "signature_delta", signature: "s1" }),
  stop(0),
  start(1, { type: "redacted_thinking", data: "xyz" }),
  stop(1),
  start(2, { type: "text", text: "" }),
  delta(2, { type: "text_delta", text: "I l" }),
  delta(2, { type: "text_delta", text: "ook." }),
  stop(2),
  start(3, { type: "thinking", thinking: "", signature: "" }),
  delta(3, { type: "signature_delta", signature: "s2" }),
  stop(3),
  { type: "a_kind_of_event_that_is_new", index: 3 },
  start(4, { type: "tool_use", id: "toolu_1", name: "read", input: {} }),
  delta(4, { type: "input_json_delta", partial_json: "" }),
  delta(4, { type: "input_json_delta", partial_json: '{"pa' }),
  delta(4, { type: "input_json_delta", partial_json: 'th":"a"}' }),
  stop(4),
  start(5, { type: "tool_use", id: "toolu_2", name: "todo", input: {} }),
  stop(5),
  end("tool_use", {
    input_tokens: null,
    cache_creation_input_tokens: 40,
    output_tokens: 60,
    output_tokens_details: { thinking_tokens: 20 },
  }),
  { type: "message_stop" },
];

Deno.test("a stream and a message in one piece mean the same", () => {
  const expected = {
    content: "I look.",
    reasoning: "Hm.",
    tool_calls: [
      { id: "toolu_1", name: "read", arguments: '{"path":"a"}' },
      { id: "toolu_2", name: "todo", arguments: "{}" },
    ],
    finish: "tool_calls",
    kept: {
      wire: "anthropic_messages",
      items: [
        ...SIGNED.slice(0, 4),
        { type: "tool_use", id: "toolu_1" },
        { type: "tool_use", id: "toolu_2" },
      ],
    },
    shown: { text: "I look.", reasoning: "Hm." },
  };
  const { usage, ...streamed } = hear(...STREAM);
  assert.deepEqual(streamed, expected);
  assert.deepEqual(usage, {
    input_tokens: 135,
    output_tokens: 60,
    cached_tokens: 90,
    reasoning_tokens: 20,
    written_tokens: 40,
  });
  const { usage: counted, ...at_once } = hear(whole(SIGNED, "tool_use"));
  assert.deepEqual(at_once, expected);
  assert.deepEqual(counted, {
    ...{ input_tokens: 3, output_tokens: 2, cached_tokens: 0, reasoning_tokens: 0 },
  });
});

Deno.test("only signed thinking is kept, and only where calls follow", () => {
  const [thinking, redacted, text, , call] = SIGNED;
  const unsigned = { type: "thinking", thinking: "Hm.", signature: "" };
  const kept = (...blocks: readonly unknown[]) =>
    hear(whole(blocks)).kept?.items.map((item) => (item as { type: string }).type);
  assert.equal(kept(thinking, text), undefined);
  assert.equal(kept(unsigned, text, call), undefined);
  assert.equal(kept(text, call), undefined);
  assert.deepEqual(kept(unsigned, redacted, call), ["redacted_thinking", "tool_use"]);
  assert.equal(hear(whole([unsigned, call])).reasoning, "Hm.");
});

Deno.test("every way to end has its word", () => {
  const ends: Readonly<Record<string, Reply["finish"]>> = {
    end_turn: "stop",
    stop_sequence: "stop",
    pause_turn: "stop",
    tool_use: "tool_calls",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    refusal: "refusal",
    something_new: "stop",
  };
  for (const [reason, finish] of Object.entries(ends)) {
    assert.equal(hear(whole([], reason)).finish, finish, reason);
    assert.equal(hear(end(reason)).finish, finish, reason);
  }
  const text = start(0, { type: "text", text: "Hi" });
  assert.equal(hear(text, { type: "message_stop" }).finish, "stop");
  assert.equal(hear(end("end_turn")).usage, null);
});

Deno.test("a cut call keeps what there is of it, and calls that share an id are told apart", () => {
  const call = (index: number) => start(index, { type: "tool_use", id: "a", name: "read" });
  const json = (partial_json: unknown) => delta(0, { type: "input_json_delta", partial_json });
  assert.deepEqual(hear(call(0), json('{"path": "he'), end("max_tokens")).tool_calls, [
    { id: "a", name: "read", arguments: '{"path": "he' },
  ]);
  const [whole] = hear(call(0), json({ path: "a" }), end("tool_use")).tool_calls;
  assert.equal(whole?.arguments, '{"path":"a"}', "an object in the place of its text");
  const { tool_calls } = hear(call(0), call(1), end("tool_use"));
  assert.deepEqual(new Set(tool_calls.map(({ id }) => id)).size, 2);
});

Deno.test("thinking that a server leaves in the text is taken out of it", () => {
  const { content, reasoning, shown } = hear(
    start(0, { type: "text", text: "" }),
    ...["<thi", "nk>Hm.</th", "ink>\nFor", "ty-two."].map((text) =>
      delta(0, { type: "text_delta", text })
    ),
    end("end_turn"),
  );
  assert.deepEqual({ text: content, reasoning }, { text: "Forty-two.", reasoning: "Hm." });
  assert.deepEqual(shown, { text: "Forty-two.", reasoning: "Hm." });
});

Deno.test("errors in a stream have their kinds", () => {
  const of = (type: string, message = "Words") =>
    error({ type: "error", error: { type, message } });
  const kinds: Readonly<Record<string, string>> = {
    overloaded_error: "server",
    api_error: "server",
    timeout_error: "server",
    rate_limit_error: "server",
    authentication_error: "auth",
    permission_error: "auth",
    invalid_request_error: "bad_request",
    billing_error: "bad_request",
    request_too_large: "context_overflow",
    something_new: "server",
  };
  for (const [type, kind] of Object.entries(kinds)) {
    assert.equal(of(type), `${kind}: u reported: Words`, type);
  }
  const long = "prompt is too long: 221782 tokens > 200000 maximum";
  assert.match(of("invalid_request_error", long), /^context_overflow: /);
  assert.match(error({ error: "Loading" }), /^server: u reported: Loading/);
  for (const stray of [{ id: 1 }, { type: "message" }, [], "x", null]) {
    assert.match(error(stray), /^bad_response: u sent JSON that is not part of a message: /);
  }
});

Deno.test("a call that is begun twice is one; two that share an id are two", () => {
  const use = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
  const json = (path: string) => ({ type: "input_json_delta", partial_json: `{"path":"${path}"}` });
  const twice = [start(0, use), start(0, use), delta(0, json("a")), stop(0), end("tool_use")];
  assert.deepEqual(hear(...twice).tool_calls, [
    { id: "toolu_1", name: "read", arguments: '{"path":"a"}' },
  ]);
  const two = [start(0, use), delta(0, json("a")), start(1, use), delta(1, json("b"))];
  assert.deepEqual(
    hear(...two, end("tool_use")).tool_calls.map(({ arguments: args }) => args),
    ['{"path":"a"}', '{"path":"b"}'],
  );
});
