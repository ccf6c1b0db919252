import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { decode, delta } from "../_testing.ts";
import { chat_completions } from "./chat_completions.ts";
import type { Message, Usage } from "../message.ts";
import type { RequestOptions } from "../wire.ts";

const URL = "http://h/v1";
const CALL = { index: 0, id: "a", function: { name: "ls", arguments: "{}" } };

Deno.test("a reply without calls has none", () => {
  for (const tool_calls of [null, [], {}, "x", undefined]) {
    deepStrictEqual(decode(delta({ content: "hi", tool_calls }, "stop")).tool_calls, []);
  }
});

Deno.test("content is text, nothing, or parts", () => {
  const contents: [unknown, string][] = [
    ["hi", "hi"],
    [null, ""],
    [undefined, ""],
    [5, ""],
    [[{ type: "text", text: "a" }, { type: "text", text: "b" }], "ab"],
    [["a", { text: "b" }], "ab"],
    [
      [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }, { type: "text", text: "a" }],
      "a",
    ],
    [[{ type: "reasoning", text: "hm" }, null, 5], ""],
  ];
  for (const [content, expected] of contents) {
    strictEqual(decode(delta({ content }, "stop")).content, expected);
    strictEqual(decode({ choices: [{ message: { content } }] }).content, expected);
  }
});

Deno.test("KoboldCpp 1.76: a chunk that ends in the text null does not end the reply", () => {
  const chunk = (content: string, finish: string) => delta({ role: "assistant", content }, finish);
  const reply = decode(chunk("a", "null"), chunk("b", "null"), chunk("c", "length"));
  deepStrictEqual([reply.content, reply.finish], ["abc", "length"]);
});

Deno.test("reasoning is kept apart, under either name, and not twice", () => {
  const reply = decode(
    delta({ role: "assistant", content: null }),
    delta({ reasoning_content: "a" }),
    delta({ reasoning: "b" }),
    delta({ reasoning_content: null, reasoning: "c" }),
    delta({ reasoning_content: "d", reasoning: "d" }),
    delta({ content: "x", reasoning_content: "" }),
    delta({}, "stop"),
  );
  deepStrictEqual([reply.reasoning, reply.content], ["abcd", "x"]);
  deepStrictEqual(reply.deltas.at(-1), { kind: "text", text: "x" });
  strictEqual(reply.deltas.length, 5);
});

Deno.test("signatures of calls and details of reasoning go back as they came", () => {
  const signed = { google: { thought_signature: "s" } };
  const text = (text: string, signature: string | null = null) => {
    return { type: "reasoning.text", index: 0, format: "x", text, signature };
  };
  const sealed = { type: "reasoning.encrypted", index: 0, id: "a", data: "d" };
  const reply = decode(
    delta({ reasoning: "a", reasoning_details: [text("a")] }),
    delta({ reasoning: "b", reasoning_details: [text("b"), text("", "t"), sealed, sealed] }),
    delta({ tool_calls: [{ ...CALL, extra_content: signed }] }),
    delta({ tool_calls: [{ index: 1, id: "b", function: { name: "ls", arguments: "{" } }] }),
    delta({ tool_calls: [{ index: 1, function: { arguments: "}" } }] }),
    delta({ reasoning_details: null }, "tool_calls"),
  );
  const { content, kept, tool_calls } = reply;
  const sent = JSON.parse(
    chat_completions.encode([{ role: "assistant", content, kept: kept!, tool_calls }]),
  );
  const { text: whole, ...rest } = text("ab", "t");
  deepStrictEqual(sent.reasoning_details, [{ ...rest, text: whole }, sealed, sealed]);
  deepStrictEqual(
    sent.tool_calls.map((call: Record<string, unknown>) => call["extra_content"]),
    [signed, undefined],
  );
  for (const more of [{ tool_calls: [CALL] }, { reasoning_details: [sealed] }]) {
    strictEqual(decode(delta(more, "stop")).kept, undefined);
  }
});

Deno.test("text and calls may be in a choice each", () => {
  const choice = (index: number, message: object) => {
    return { index, finish_reason: "tool_calls", message: { role: "assistant", ...message } };
  };
  const { content, tool_calls } = decode({
    choices: [
      choice(0, { content: "Let me look." }),
      choice(0, { content: null, tool_calls: [CALL] }),
      choice(1, { content: "", tool_calls: [{ ...CALL, id: "b" }] }),
    ],
  });
  deepStrictEqual([content, tool_calls.map(({ id }) => id)], ["Let me look.", ["a", "b"]]);
});

Deno.test("finish reasons of all kinds", () => {
  const reasons: [string, string][] = [
    ["stop", "stop"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
    ["model_length", "length"],
    ["model_context_window_exceeded", "length"],
    ["sensitive", "content_filter"],
    ["content_filter", "content_filter"],
    ["content_filter: PROHIBITED_CONTENT", "content_filter"],
    ["LENGTH", "length"],
    ["eos", "stop"],
  ];
  for (const [reason, finish] of reasons) strictEqual(decode(delta({}, reason)).finish, finish);
  // [DONE] alone: the server never said.
  strictEqual(decode(delta({ content: "hi" })).finish, "stop");
  strictEqual(decode(delta({ tool_calls: [CALL] })).finish, "tool_calls");
  for (
    const reason of [
      ...["error", "abort", "insufficient_system_resource", "network_error"],
      ...["MALFORMED_FUNCTION_CALL", "function_call_filter: MALFORMED_FUNCTION_CALL"],
    ]
  ) {
    const taken = chat_completions.collector(URL).take(delta({ content: "par" }, reason));
    strictEqual("kind" in taken && taken.kind, "server");
  }
  // OpenRouter: what it says in everybody's words, and what its provider said.
  const beside = (native_finish_reason: unknown) => ({
    choices: [{ delta: { content: "par" }, finish_reason: "stop", native_finish_reason }],
  });
  const natives = [["network_error", "server"], ["error", "server"], ["end_turn", false], [
    null,
    false,
  ]];
  for (const [reason, kind] of natives) {
    const taken = chat_completions.collector(URL).take(beside(reason));
    strictEqual("kind" in taken && taken.kind, kind);
  }
});

Deno.test("a refusal is what the model has said", () => {
  const pieces = [delta({ refusal: "I " }), delta({ refusal: "can't." }), delta({}, "stop")];
  const message = { content: null, refusal: "I can't." };
  for (const reply of [decode(...pieces), decode({ choices: [{ message }] })]) {
    deepStrictEqual([reply.content, reply.finish], ["I can't.", "refusal"]);
  }
  strictEqual(decode(delta({ content: "Yes.", refusal: null }, "stop")).finish, "stop");
});

Deno.test("what follows the finish reason still counts", () => {
  const reply = decode(
    delta({ content: "a" }, "stop"),
    delta({ tool_calls: [CALL] }),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
  );
  strictEqual(reply.content, "a");
  deepStrictEqual(reply.tool_calls, [{ id: "a", name: "ls", arguments: "{}" }]);
  strictEqual(reply.usage?.input_tokens, 3);
});

Deno.test("usage is believed as far as it can be true", () => {
  const nothing = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 };
  const cases: [unknown, Usage | null, unknown?][] = [
    [null, null],
    ["12", null],
    [{}, nothing],
    [{ prompt_tokens: -5, completion_tokens: "7", total_tokens: 1 }, nothing],
    [{ prompt_tokens: NaN, completion_tokens: null }, nothing],
    [{ prompt_tokens: 1e300, completion_tokens: 2 ** 60 }, nothing],
    [{ prompt_tokens: 10.9, completion_tokens: 3 }, {
      ...nothing,
      input_tokens: 10,
      output_tokens: 3,
    }],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
      { input_tokens: 10, output_tokens: 5, cached_tokens: 8, reasoning_tokens: 4 },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 80 },
        completion_tokens_details: { reasoning_tokens: 50 },
      },
      { input_tokens: 10, output_tokens: 5, cached_tokens: 10, reasoning_tokens: 5 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 6 },
      { input_tokens: 10, output_tokens: 5, cached_tokens: 6, reasoning_tokens: 0 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: null },
      { input_tokens: 10, output_tokens: 5, cached_tokens: 9, reasoning_tokens: 0 },
      { cache_n: 9 },
    ],
  ];
  for (const [usage, expected, timings] of cases) {
    deepStrictEqual(decode({ choices: [], usage, timings }).usage, expected);
  }
});

Deno.test("the last usage counts, and one that is null does not undo it", () => {
  const reply = decode(
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
    { choices: [], usage: null },
    { usage: { prompt_tokens: 3, completion_tokens: 4 } },
  );
  strictEqual(reply.usage?.output_tokens, 4);
});

Deno.test("an error in the place of a reply keeps its kind", () => {
  const errors: [unknown, string, RegExp][] = [
    [{ error: { message: "boom" } }, "server", /http:\/\/h\/v1 reported: boom$/],
    [{ error: "boom" }, "server", /reported: boom$/],
    [{ error: { code: 401, message: "No cookie auth credentials found" } }, "auth", /cookie/],
    [{ error: { code: "429", message: "slow down" } }, "server", /slow down/],
    [{ error: { code: 404, message: "no such model" } }, "bad_request", /no such model/],
    [
      { error: { message: "Trying to keep the first 4573 tokens when context the overflows." } },
      "context_overflow",
      /4573/,
    ],
    [
      { object: "error", message: "This model's maximum context length is 8 tokens", code: 400 },
      "context_overflow",
      /maximum context length/,
    ],
    [
      { error: { code: 502, message: "Provider returned error", metadata: { raw: "overloaded" } } },
      "server",
      /Provider returned error: overloaded/,
    ],
    [
      { choices: [{ delta: {}, finish_reason: "error" }], error: { message: "x" } },
      "server",
      /: x$/,
    ],
    [{ choices: [{ error: { code: 429, message: "busy" } }] }, "server", /: busy$/],
    [{ message: "hello" }, "bad_response", /JSON without choices: \{"message":"hello"\}/],
    [{ choices: {} }, "bad_response", /without choices/],
    [null, "bad_response", /without choices: null/],
    [[1], "bad_response", /without choices/],
  ];
  for (const [value, kind, message] of errors) {
    const taken = chat_completions.collector(URL).take(value);
    strictEqual("kind" in taken && taken.kind, kind, JSON.stringify(value));
    strictEqual("kind" in taken && message.test(taken.message), true, JSON.stringify(taken));
  }
  for (const error of [null, false, ""]) strictEqual(decode({ choices: [], error }).content, "");
});

Deno.test("strange choices are no reason to fall over", () => {
  for (
    const choices of [[], [null], [5], [{}], [{ delta: null }], [{ delta: "x", message: null }]]
  ) {
    strictEqual(decode({ choices }).content, "");
  }
});

const ASK: RequestOptions = {
  tools: [{
    name: "read",
    description: "Reads",
    parameters: { type: "object", properties: {}, required: [] },
  }],
  tool_choice: "auto",
  stream: true,
  max_output_tokens: 100,
  temperature: 0,
  reasoning_effort: undefined,
};

/** A request as JSON, from its parts. */
function request(ask: RequestOptions, messages: readonly Message[]) {
  const text = chat_completions.encode(messages);
  return JSON.parse(chat_completions.before("m") + text + chat_completions.after(ask));
}

Deno.test("a request is what the API prescribes", () => {
  deepStrictEqual(
    request(ASK, [
      { role: "system", content: "S" },
      { role: "user", content: "U", internal: true },
      {
        role: "assistant",
        content: "",
        reasoning: "hm",
        tool_calls: [{ id: "a", name: "read", arguments: "{}" }],
      },
      { role: "tool", tool_call_id: "a", content: "R" },
      { role: "assistant", content: "A", tool_calls: [] },
    ]),
    {
      model: "m",
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: "U" },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "a", content: "R" },
        { role: "assistant", content: "A" },
      ],
      tools: [{
        type: "function",
        function: {
          name: "read",
          description: "Reads",
          parameters: { type: "object", properties: {}, required: [] },
        },
      }],
      tool_choice: "auto",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 100,
      temperature: 0,
    },
  );
  strictEqual(request({ ...ASK, progress: true }, []).return_progress, true);
  const bare = { ...ASK, tools: [], stream: false, max_output_tokens: 0, temperature: undefined };
  deepStrictEqual(request({ ...bare, reasoning_effort: "low", progress: true }, []), {
    model: "m",
    messages: [],
    stream: false,
    reasoning_effort: "low",
  });
});

Deno.test("half a character never goes out", () => {
  const half = "a\ud83d";
  for (
    const message of [
      { role: "user", content: half },
      { role: "tool", tool_call_id: "a", content: half },
      { role: "assistant", content: half },
    ] as const
  ) {
    strictEqual(JSON.parse(chat_completions.encode([message])).content, "a\ufffd");
    strictEqual(JSON.parse(chat_completions.encode([{ ...message, content: "😀" }])).content, "😀");
  }
});

Deno.test("images stand before a user's words, and behind results as the user's, so that roles alternate", () => {
  const image = (data: string) => ({ media_type: "image/png", data });
  const part = (data: string) => ({
    type: "image_url",
    image_url: { url: `data:image/png;base64,${data}` },
  });
  const result = (id: string, ...data: string[]): Message => ({
    role: "tool",
    tool_call_id: id,
    content: id,
    ...(data.length === 0 ? {} : { images: data.map(image) }),
  });
  const call = (id: string) => ({ id, name: "view_image", arguments: "{}" });
  const sent = (...messages: Message[]) => JSON.parse(`[${chat_completions.encode(messages)}]`);
  const shape = (messages: Message[]) =>
    sent(...messages).map(({ role, content }: { role: string; content: unknown }) =>
      Array.isArray(content) ? [role, content.map(({ type }) => type).join(" ")] : role
    );
  deepStrictEqual(sent({ role: "user", content: "What?", images: [image("AAAA")] }), [
    { role: "user", content: [part("AAAA"), { type: "text", text: "What?" }] },
  ]);
  const asked: Message = { role: "assistant", content: "", tool_calls: [call("a"), call("b")] };
  const answered: Message = { role: "assistant", content: "Cats." };
  const seen = ["user", "image_url image_url text"];
  deepStrictEqual(shape([asked, result("a", "AAAA"), result("b", "BBBB"), answered]), [
    ...["assistant", "tool", "tool", "assistant", seen, "assistant"],
  ]);
  deepStrictEqual(sent(result("a", "AAAA"), result("b", "BBBB")).at(-1).content.slice(0, 2), [
    part("AAAA"),
    part("BBBB"),
  ]);
  // Each reply's images behind its own results.
  deepStrictEqual(shape([asked, result("a", "AAAA"), answered, asked, result("b"), result("c")]), [
    ...["assistant", "tool", "assistant", ["user", "image_url text"], "assistant"],
    ...["assistant", "tool", "tool"],
  ]);
});
