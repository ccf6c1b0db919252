import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Message, Reply } from "../message.ts";
import { ollama_chat } from "./ollama_chat.ts";
import type { RequestOptions } from "../wire.ts";

const ASK: RequestOptions = {
  tools: [],
  tool_choice: "auto",
  stream: true,
  max_output_tokens: 0,
  temperature: undefined,
  reasoning_effort: undefined,
};

/** A whole request, parsed. */
function request(
  messages: readonly Message[],
  ask: Partial<RequestOptions> = {},
): Record<string, unknown> {
  const wire = ollama_chat();
  return JSON.parse(wire.before("m") + wire.encode(messages) + wire.after({ ...ASK, ...ask }));
}

function heard(values: readonly unknown[], wire = ollama_chat()): Reply {
  const collector = wire.collector("u");
  for (const value of values) {
    const news = collector.take(value);
    ok(!("kind" in news), JSON.stringify(news));
  }
  ok(collector.finished);
  return collector.reply();
}

const DONE = { message: { role: "assistant", content: "" }, done: true, done_reason: "stop" };
const called = (name: string, args: unknown, id?: string) => ({
  message: {
    role: "assistant",
    content: "",
    tool_calls: [{ ...(id === undefined ? {} : { id }), function: { name, arguments: args } }],
  },
  done: false,
});

Deno.test("messages: arguments are objects, results have the name of their tool, images are base64", () => {
  const image = { media_type: "image/png", data: "iVBORw0KGgo=" };
  const { messages } = request([
    { role: "system", content: "S" },
    { role: "user", content: "U\ud800", images: [image] },
    {
      role: "assistant",
      content: "",
      reasoning: "Hm.",
      tool_calls: [
        { id: "a", name: "read", arguments: '{"path":"x", "n":1}' },
        { id: "b", name: "view_image", arguments: "[]" },
      ],
    },
    { role: "tool", tool_call_id: "b", content: "seen", images: [image] },
    { role: "tool", tool_call_id: "a", content: "read" },
    { role: "assistant", content: "Done." },
  ]);
  deepStrictEqual(messages, [
    { role: "system", content: "S" },
    { role: "user", content: "U\ufffd", images: ["iVBORw0KGgo="] },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "a", function: { name: "read", arguments: { path: "x", n: 1 } } },
        { id: "b", function: { name: "view_image", arguments: {} } },
      ],
    },
    {
      role: "tool",
      content: "seen",
      tool_name: "view_image",
      tool_call_id: "b",
      images: ["iVBORw0KGgo="],
    },
    { role: "tool", content: "read", tool_name: "read", tool_call_id: "a" },
    { role: "assistant", content: "Done." },
  ]);
});

Deno.test("what is asked for comes after the messages, in Ollama's words", () => {
  const parameters = { type: "object", properties: {}, required: [] } as const;
  const tool = { name: "read", description: "d", parameters };
  const bare = { model: "m", messages: [], stream: true, truncate: false, options: {} };
  const cases: readonly (readonly [Partial<RequestOptions>, object])[] = [
    [{}, {}],
    [{ stream: false }, { stream: false }],
    [{ max_output_tokens: 9, temperature: 0 }, { options: { num_predict: 9, temperature: 0 } }],
    [{ ollama: { num_ctx: 4096, keep_alive: "" } }, { options: { num_ctx: 4096 } }],
    [{ ollama: { num_ctx: 8192, keep_alive: "-1s" } }, {
      options: { num_ctx: 8192 },
      keep_alive: "-1s",
    }],
    [{ tools: [tool], tool_choice: "none" }, { tools: [{ type: "function", function: tool }] }],
    ...([["low", "low"], ["max", "max"], ["minimal", "low"], ["none", false], [
      "much",
      true,
    ]] as const)
      .map(([reasoning_effort, think]) => [{ reasoning_effort }, { think }] as const),
  ];
  for (const [ask, expected] of cases) deepStrictEqual(request([], ask), { ...bare, ...expected });
});

Deno.test("a reply: text, thinking in either form, calls, counts", () => {
  const pieces = [
    { message: { thinking: "Let " }, done: false },
    { message: { thinking: "me." }, done: false },
    { message: { content: "<think>More.</think>" }, done: false },
    { message: { content: "Hel" }, done: false },
    { message: { content: "lo" }, done: false },
    called("bash", { command: "ls" }),
    { ...DONE, prompt_eval_count: 7, eval_count: 3 },
  ];
  deepStrictEqual(heard(pieces), {
    content: "Hello",
    reasoning: "Let me.More.",
    tool_calls: [{ id: "call_1", name: "bash", arguments: '{"command":"ls"}' }],
    finish: "tool_calls",
    usage: { input_tokens: 7, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 },
  });
  strictEqual(heard([{ ...DONE, done_reason: "length" }]).finish, "length");
  // A call that the limit has cut is none of Ollama's: it gives only what it could parse.
  strictEqual(heard([called("bash", {}), { ...DONE, done_reason: "length" }]).finish, "length");
  strictEqual(heard([{ done: true }]).finish, "stop");
  for (const count of [undefined, 0, -1, "7", 1.5]) {
    strictEqual(heard([{ ...DONE, prompt_eval_count: count, eval_count: 3 }]).usage, null);
  }
});

Deno.test("no two calls of a session have one id, whatever the server says", () => {
  const wire = ollama_chat();
  const given = [
    heard([called("read", {}), called("read", {}), DONE], wire),
    heard([called("bash", {}, "call_1"), called("bash", {}, "own"), DONE], wire),
    heard([called("edit", "{}", "own"), DONE], wire),
  ].flatMap((reply) => reply.tool_calls);
  deepStrictEqual(given.map(({ id }) => id), ["call_1", "call_2", "call_3", "own", "call_4"]);
  // Calls of a session that was loaded count as well.
  const later = ollama_chat();
  later.encode([{ role: "assistant", content: "", tool_calls: given }]);
  strictEqual(heard([called("read", {}), DONE], later).tool_calls[0]?.id, "call_5");
  const result = later.encode([{ role: "tool", tool_call_id: "call_4", content: "" }]);
  strictEqual(JSON.parse(result).tool_name, "edit");
});

Deno.test("what is not a reply is an error", () => {
  const cases: readonly (readonly [unknown, string, RegExp])[] = [
    [{ error: "boom" }, "server", /^u reported: boom$/],
    [{ error: "too long", status: 400 }, "bad_request", /too long/],
    [
      { error: "the input length exceeds the context length", status: 400 },
      "context_overflow",
      /input/,
    ],
    [{ choices: [] }, "bad_response", /without a message: \{"choices":\[\]\}/],
    ["text", "bad_response", /without a message/],
    [null, "bad_response", /without a message: null/],
  ];
  for (const [value, kind, words] of cases) {
    const news = ollama_chat().collector("u").take(value);
    ok("kind" in news, JSON.stringify(value));
    strictEqual(news.kind, kind);
    match(news.message, words);
  }
});

Deno.test("a line that comes twice is one call; calls without ids are each one of their own", () => {
  const calls = (...values: readonly unknown[]) =>
    heard([...values, DONE]).tool_calls.map(({ arguments: args }) => args);
  const [a, b] = [{ path: "a" }, { path: "b" }];
  deepStrictEqual(calls(called("read", a, "x"), called("read", a, "x")), ['{"path":"a"}']);
  const two = ['{"path":"a"}', '{"path":"b"}'];
  deepStrictEqual(calls(called("read", a, "x"), called("read", b, "x")), two);
  deepStrictEqual(calls(called("read", a), called("read", a)), ['{"path":"a"}', '{"path":"a"}']);
});
