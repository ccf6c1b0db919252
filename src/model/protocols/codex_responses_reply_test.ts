import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { codex_responses } from "./codex_responses.ts";
import type { ModelError } from "../errors.ts";
import type { Reply } from "../message.ts";
import type { Collector, Delta, RequestOptions } from "../wire.ts";

const MESSAGE = { type: "message", id: "m", content: [{ type: "output_text", text: "Hi, 世." }] };
const CALL = { type: "function_call", id: "fc", call_id: "c", name: "ls", arguments: "{}" };
const REASONING = {
  type: "reasoning",
  id: "r",
  status: "completed",
  summary: [{ type: "summary_text", text: "I think." }],
  encrypted_content: "secret",
};

type Event = Readonly<Record<string, unknown>>;

function event(type: string, more: Event = {}): Event {
  return { type: `response.${type}`, ...more };
}

function completed(output: readonly unknown[] | undefined, more: Event = {}): Event {
  return event("completed", {
    response: { object: "response", status: "completed", output },
    ...more,
  });
}

/** Events of items in their places, each added, done and nothing else. */
function done(...items: readonly unknown[]): Event[] {
  return items.flatMap((item, output_index) => [
    event("output_item.added", { output_index, item }),
    event("output_item.done", { output_index, item }),
  ]);
}

function text(delta: string, output_index = 0): Event {
  return event("output_text.delta", { output_index, item_id: "m", delta });
}

function collector(ask: Partial<RequestOptions> = {}): Collector {
  const wire = codex_responses();
  wire.encode([{
    role: "assistant",
    content: "",
    tool_calls: [{ id: "old", name: "ls", arguments: "{}" }],
  }]);
  wire.after({
    tools: [],
    tool_choice: "auto",
    stream: true,
    max_output_tokens: 0,
    temperature: undefined,
    reasoning_effort: undefined,
    ...ask,
  });
  return wire.collector("u");
}

interface Decoded extends Reply {
  readonly deltas: readonly Delta[];
  readonly finished: boolean;
}

function decode(events: readonly unknown[], ask: Partial<RequestOptions> = {}): Decoded {
  const to = collector(ask);
  const deltas: Delta[] = [];
  for (const value of events) {
    const news = to.take(value);
    if ("kind" in news) throw new Error(news.message);
    deltas.push(...news);
  }
  return { finished: to.finished, ...to.reply(), deltas };
}

function failure(...events: readonly unknown[]): ModelError {
  const to = collector();
  for (const value of events) {
    const news = to.take(value);
    if ("kind" in news) return news;
  }
  throw new Error("no failure");
}

/** What those who watch have seen. */
function seen({ deltas }: Decoded, kind: Delta["kind"] = "text"): string {
  return deltas.filter((delta) => delta.kind === kind).map(({ text }) => text).join("");
}

Deno.test("a reply is the same streamed, in one piece, without deltas and without a list at its end", () => {
  const output = [REASONING, MESSAGE, CALL];
  const deltas = [
    event("created", { response: { status: "in_progress", output: [] } }),
    event("reasoning_summary_text.delta", { output_index: 0, summary_index: 0, delta: "I th" }),
    event("reasoning_summary_text.delta", { output_index: 0, summary_index: 0, delta: "ink." }),
    text("Hi, ", 1),
    text("世.", 1),
    event("function_call_arguments.delta", { output_index: 2, item_id: "fc", delta: "{}" }),
    event("some_day.there_will_be_others", { output_index: 2 }),
  ];
  const ways: Event[][] = [
    [...deltas, ...done(...output), completed(output)],
    [...deltas, ...done(...output), completed([])],
    [...done(...output), completed(undefined)],
    [completed(output)],
    [{ object: "response", status: "completed", error: null, output }],
    [{ object: "response", output }],
    // Doubled, and in the wrong order.
    [...deltas, ...done(...output).toReversed(), ...done(...output), completed(output), ...deltas],
  ];
  for (const way of ways) {
    const reply = decode(way);
    const { deltas: _, ...said } = reply;
    deepStrictEqual(said, {
      finished: true,
      content: "Hi, 世.",
      reasoning: "I think.",
      tool_calls: [{ id: "c", name: "ls", arguments: "{}" }],
      finish: "tool_calls",
      kept: {
        wire: "codex_responses",
        items: [
          {
            kind: "reasoning",
            before: "",
            item: {
              type: "reasoning",
              id: "r",
              summary: REASONING.summary,
              encrypted_content: "secret",
            },
          },
        ],
      },
      usage: null,
    });
    deepStrictEqual([seen(reply), seen(reply, "reasoning")], ["Hi, 世.", "I think."]);
  }
});

Deno.test("what is shown is what is said, with a gap between two messages", () => {
  const two = [MESSAGE, { ...MESSAGE, id: "n" }];
  const cases: [Event[], string, string][] = [
    [
      [text("Hi, 世."), text("Hi, "), text("世.", 1), completed(two)],
      "Hi, 世.Hi, \n\n世.",
      "Hi, 世.\n\nHi, 世.",
    ],
    [
      [text("Hi, 世.", 0), text("Hi, ", 1), completed(two)],
      "Hi, 世.\n\nHi, 世.",
      "Hi, 世.\n\nHi, 世.",
    ],
    [[text("Lost"), completed([])], "Lost", "Lost"],
    [[text("<think>hm</thi"), text("nk>Hi, 世."), completed([])], "Hi, 世.", "Hi, 世."],
  ];
  for (const [events, shown, content] of cases) {
    const reply = decode(events);
    deepStrictEqual([seen(reply), reply.content], [shown, content]);
  }
});

Deno.test("reasoning: its own words before its summary, and one kind of delta", () => {
  const content = [{ type: "reasoning_text", text: "All." }];
  const both = decode([
    event("reasoning_text.delta", { output_index: 0, content_index: 0, delta: "All." }),
    event("reasoning_summary_text.delta", { output_index: 0, summary_index: 0, delta: "I think." }),
    completed([{ ...REASONING, content, encrypted_content: "" }, MESSAGE]),
  ]);
  deepStrictEqual([both.reasoning, seen(both, "reasoning"), both.kept], [
    "All.",
    "All.",
    undefined,
  ]);
  const parts = [0, 1].map((summary_index) =>
    event("reasoning_summary_text.delta", { output_index: 0, summary_index, delta: "Hm." })
  );
  const two = decode([...parts, completed([MESSAGE])]);
  deepStrictEqual([two.reasoning, seen(two, "reasoning")], ["Hm.\n\nHm.", "Hm.\n\nHm."]);
});

Deno.test("reasoning is kept with what it led to, and not where it led to nothing", () => {
  const other = { ...CALL, id: "fd", call_id: "d" };
  const commented = { ...MESSAGE, phase: "commentary" };
  const again = { ...REASONING, id: "r2" };
  const cases: [unknown[], string[]][] = [
    [[REASONING, CALL, again, other], ["c r", "d r2"]],
    [[REASONING, again, commented, CALL], [" r", " r2", "commentary"]],
    [[REASONING], []],
    [[{ ...REASONING, encrypted_content: null }, CALL], []],
    [[REASONING, { ...CALL, call_id: "old" }], ["old_0 r"]],
  ];
  for (const [output, expected] of cases) {
    const items = (decode([completed(output)]).kept?.items ?? []) as Event[];
    const shown = items.map(({ kind, before, item, phase }) =>
      kind === "phase" ? phase : `${before} ${(item as Event)["id"]}`
    );
    deepStrictEqual(shown, expected);
  }
});

Deno.test("every call has an id of its own, in the reply and in the conversation", () => {
  const ids = (...calls: unknown[]) => decode([completed(calls)]).tool_calls.map(({ id }) => id);
  const { call_id: _, ...with_item_id } = CALL;
  const { id: __, ...with_none } = with_item_id;
  deepStrictEqual(ids(CALL, { ...CALL, id: "fd" }), ["c", "c_1"]);
  deepStrictEqual(ids({ ...CALL, call_id: "old" }), ["old_0"]);
  deepStrictEqual(ids(with_item_id, with_none), ["fc", "call_1"]);
});

Deno.test("a call counts when it is whole, however the stream ends", () => {
  const added = event("output_item.added", { item: { ...CALL, arguments: "" } });
  const piece = event("function_call_arguments.delta", { item_id: "fc", delta: '{"path":"a"' });
  const args = event("function_call_arguments.done", { item_id: "fc", arguments: '{"path":"ab"}' });
  const item = { ...CALL, arguments: '{"path":"abc"}' };
  const last = event("output_item.done", { item });
  const cases: [Event[], string[], Reply["finish"]][] = [
    [[added, piece], [], "length"],
    [[added, piece, args], ['{"path":"ab"}'], "tool_calls"],
    [[added, piece, args, last], ['{"path":"abc"}'], "tool_calls"],
    [[last, added], ['{"path":"abc"}'], "tool_calls"],
    [[args], [], "stop"],
    [[added, piece, completed([])], [], "stop"],
    [[added, piece, completed([item])], ['{"path":"abc"}'], "tool_calls"],
  ];
  for (const [events, calls, finish] of cases) {
    const reply = decode(events);
    deepStrictEqual([reply.tool_calls.map((call) => call.arguments), reply.finish], [
      calls,
      finish,
    ]);
  }
});

Deno.test("how a reply ended", () => {
  const refusal = { type: "message", content: [{ type: "refusal", refusal: "No." }] };
  const incomplete = (reason?: string, type?: string) => ({
    ...(type === undefined ? { object: "response" } : { type }),
    ...(type === undefined
      ? { status: "incomplete", incomplete_details: { reason }, output: [MESSAGE] }
      : { response: { incomplete_details: { reason }, output: [MESSAGE] } }),
  });
  const cases: [Event, Reply["finish"]][] = [
    [completed([MESSAGE]), "stop"],
    [completed([MESSAGE, CALL]), "tool_calls"],
    [completed([refusal]), "refusal"],
    [incomplete("max_output_tokens"), "length"],
    [incomplete("content_filter"), "content_filter"],
    [incomplete("max_output_tokens", "response.incomplete"), "length"],
    [incomplete(undefined, "response.incomplete"), "length"],
  ];
  for (const [value, finish] of cases) strictEqual(decode([value]).finish, finish);
  const refused = decode([
    event("refusal.delta", { output_index: 0, delta: "No" }),
    completed([refusal]),
  ]);
  deepStrictEqual([refused.content, seen(refused)], ["No.", "No."]);
});

Deno.test("a reply that took all it was allowed was cut, whatever the server says of it", () => {
  const usage = { input_tokens: 5, output_tokens: 20 };
  const value = { object: "response", status: "completed", output: [CALL], usage };
  const cases: [number, Reply["finish"]][] = [[0, "tool_calls"], [21, "tool_calls"], [
    20,
    "length",
  ]];
  for (const [max_output_tokens, finish] of cases) {
    strictEqual(decode([value], { max_output_tokens }).finish, finish);
  }
});

Deno.test("tokens are counted, cached and reasoning ones among them", () => {
  const usage = {
    input_tokens: 100,
    output_tokens: 20,
    input_tokens_details: { cached_tokens: 80 },
    output_tokens_details: { reasoning_tokens: 15 },
  };
  const [input, output] = [{ input_tokens: 100 }, { output_tokens: 20 }];
  const cases: [unknown, number[] | null][] = [
    [usage, [100, 20, 80, 15]],
    [{ ...input, ...output }, [100, 20, 90, 0]],
    [{ ...usage, input_tokens_details: { cached_tokens: 900 } }, [100, 20, 100, 15]],
    [null, null],
  ];
  for (const [usage, expected] of cases) {
    const response = { output: [MESSAGE], usage };
    const reply = decode([event("completed", { response, timings: { cache_n: 90 } })]);
    deepStrictEqual(reply.usage && Object.values(reply.usage), expected);
  }
});

Deno.test("errors in a reply are told by their type and code", () => {
  const message = "words";
  const failed = (code: string) =>
    event("failed", { response: { status: "failed", error: { code, message } } });
  const cases: [Event, string, RegExp][] = [
    [failed("server_error"), "server", /^u reported: words$/],
    [failed("rate_limit_exceeded"), "server", /words/],
    [failed("invalid_prompt"), "bad_request", /words/],
    [failed("context_length_exceeded"), "context_overflow", /words/],
    [event("failed", { response: {} }), "server", /^u broke off its reply \(status "failed"\)$/],
    [
      { object: "response", status: "failed", error: { code: "server_error", message } },
      "server",
      /words/,
    ],
    [{ object: "response", status: "cancelled", output: [CALL] }, "server", /"cancelled"/],
    [
      event("completed", { response: { status: "cancelled", output: [] } }),
      "server",
      /"cancelled"/,
    ],
    [{ object: "response", status: "in_progress", output: [CALL] }, "server", /"in_progress"/],
    [{ type: "error", code: "invalid_api_key", message, param: null }, "auth", /words/],
    [{ type: "error", error: { type: "invalid_request_error", message } }, "bad_request", /words/],
    [
      { error: { code: 400, type: "exceed_context_size_error", message } },
      "context_overflow",
      /words/,
    ],
    [{ error: "words" }, "server", /words/],
    [{ choices: [{ delta: {} }] }, "bad_response", /not a Responses API reply: \{"choices"/],
  ];
  for (const [value, kind, words] of cases) {
    const error = failure(text("Hi"), value);
    strictEqual(error.kind, kind, JSON.stringify(value));
    match(error.message, words);
  }
});
