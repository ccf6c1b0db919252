import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { codex_responses } from "./codex_responses.ts";
import type { Message, WireState } from "../message.ts";
import type { RequestOptions } from "../wire.ts";

const ASK: RequestOptions = {
  tools: [],
  tool_choice: "auto",
  stream: true,
  max_output_tokens: 0,
  temperature: undefined,
  reasoning_effort: undefined,
};

function encoded(messages: readonly Message[]): unknown {
  return JSON.parse(`[${codex_responses().encode(messages)}]`);
}

function body(ask: Partial<RequestOptions>, model = "m"): Record<string, unknown> {
  const wire = codex_responses();
  return JSON.parse(wire.before(model) + wire.after({ ...ASK, ...ask }));
}

function said(text: string, more: Record<string, unknown> = {}) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", role: "assistant", status: "completed", content, ...more };
}

function call(id: string, args = "{}") {
  return { type: "function_call", call_id: id, name: "ls", arguments: args };
}

function reasoning(id: string) {
  return { type: "reasoning", id, summary: [], encrypted_content: `secret of ${id}` };
}

function kept(...items: readonly unknown[]): WireState {
  return { wire: "codex_responses", items };
}

const before = (id: string, item: unknown) => ({ kind: "reasoning", before: id, item });
const made = (...ids: string[]) => ids.map((id) => ({ id, name: "ls", arguments: "{}" }));

Deno.test("messages become items", () => {
  const cases: [Message[], unknown[]][] = [
    [[{ role: "system", content: "s" }, { role: "user", content: "u" }], [
      { type: "message", role: "system", content: "s" },
      { type: "message", role: "user", content: "u" },
    ]],
    [[{ role: "assistant", content: "a", reasoning: "never sent" }], [said("a")]],
    // An item in any case: an empty one would leave two commas behind.
    [[{ role: "assistant", content: "" }], [said("")]],
    [[{ role: "assistant", content: "", tool_calls: made("x", "y") }], [call("x"), call("y")]],
    [[{ role: "assistant", content: "a", tool_calls: made("x") }], [said("a"), call("x")]],
    [[{ role: "tool", tool_call_id: "x", content: "out" }], [
      { type: "function_call_output", call_id: "x", output: "out" },
    ]],
    [[{ role: "user", content: "half \ud800" }], [
      { type: "message", role: "user", content: "half \ufffd" },
    ]],
  ];
  for (const [messages, items] of cases) deepStrictEqual(encoded(messages), items);
});

Deno.test("reasoning goes back before what it led to, and only where that still is", () => {
  const items = [
    before("", reasoning("r1")),
    { kind: "phase", phase: "commentary" },
    before("x", reasoning("r2")),
    before("x", reasoning("r3")),
    before("y", reasoning("r4")),
  ];
  const phase = { phase: "commentary" };
  const cases: [Partial<Extract<Message, { role: "assistant" }>>, unknown[]][] = [
    [{ content: "a", tool_calls: made("x", "y") }, [
      ...[reasoning("r1"), said("a", phase), reasoning("r2"), reasoning("r3"), call("x")],
      ...[reasoning("r4"), call("y")],
    ]],
    [{ content: "a" }, [reasoning("r1"), said("a", phase)]],
    [{ tool_calls: made("y") }, [reasoning("r4"), call("y")]],
  ];
  for (const [more, expected] of cases) {
    const message = { role: "assistant", content: "", kept: kept(...items), ...more } as const;
    deepStrictEqual(encoded([message]), expected);
  }
});

Deno.test("images are in messages of the user, those of results after all results of a reply", () => {
  const image = { media_type: "image/png", data: "AAAA" };
  const part = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" };
  const text = (text: string) => ({ type: "input_text", text });
  deepStrictEqual(encoded([{ role: "user", content: "look", images: [image] }]), [
    { type: "message", role: "user", content: [text("look"), part] },
  ]);
  const results: Message[] = [
    { role: "tool", tool_call_id: "x", content: "1", images: [image] },
    { role: "tool", tool_call_id: "y", content: "2" },
    { role: "tool", tool_call_id: "z", content: "3", images: [image, image] },
  ];
  const output = (call_id: string, output: string) => ({
    type: "function_call_output",
    call_id,
    output,
  });
  deepStrictEqual(encoded([{ role: "assistant", content: "", tool_calls: [] }, ...results]), [
    ...[said(""), output("x", "1"), output("y", "2"), output("z", "3")],
    {
      type: "message",
      role: "user",
      content: [text("Output of x:"), part, text("Output of z:"), part, part],
    },
  ]);
});

Deno.test("an id that is too long is shortened, for a call and its output alike, every time", () => {
  const wire = codex_responses();
  const long = ["a", "b"].map((end) => "call".repeat(20) + end);
  const group: Message[] = [
    { role: "assistant", content: "", tool_calls: made(...long) },
    ...long.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "" } as const)),
  ];
  const first = wire.encode(group);
  const items: { call_id: string }[] = JSON.parse(`[${first}]`);
  const ids = items.map(({ call_id }) => call_id);
  deepStrictEqual(ids.slice(0, 2), ids.slice(2));
  strictEqual(new Set(ids).size, 2);
  for (const id of ids) match(id, /^.{1,64}$/);
  strictEqual(wire.encode(group), first);
});

Deno.test("a request says what it wants, and that nothing is to be stored", () => {
  const parameters = { type: "object", properties: {}, required: [] } as const;
  const tool = { name: "ls", description: "Lists.", parameters };
  const include = ["reasoning.encrypted_content"];
  const least = { model: "m", input: [], store: false, include, stream: true };
  const cases: [Partial<RequestOptions>, Record<string, unknown>][] = [
    [{}, {}],
    [{ stream: false }, { stream: false }],
    [{ tools: [tool], tool_choice: "none" }, {
      tools: [{ type: "function", ...tool, strict: false }],
      tool_choice: "none",
      parallel_tool_calls: true,
    }],
    [{ max_output_tokens: 400, temperature: 0, reasoning_effort: "low" }, {
      max_output_tokens: 400,
      temperature: 0,
      reasoning: { effort: "low" },
    }],
    [{ max_output_tokens: 3 }, { max_output_tokens: 16 }],
  ];
  for (const [ask, more] of cases) deepStrictEqual(body(ask), { ...least, ...more });
});

Deno.test("models that never reason are not asked for encrypted reasoning", () => {
  const cases: [string, boolean][] = [
    ["gpt-4.1-mini", false],
    ["openai/gpt-4o", false],
    ["chatgpt-4o-latest", false],
    ["gpt-5-chat-latest", false],
    ["gpt-5.3-codex", true],
    ["o4-mini", true],
    ["qwen3-coder", true],
  ];
  for (const [model, asked] of cases) strictEqual("include" in body({}, model), asked, model);
});
