import assert from "node:assert/strict";
import { BASIC_TOOLS, schema_of } from "../../tools/declared/every_tool.ts";
import { anthropic_messages } from "./anthropic_messages.ts";
import type { Message } from "../message.ts";
import type { RequestOptions } from "../wire.ts";

const ASK: RequestOptions = {
  tools: BASIC_TOOLS.map(schema_of),
  tool_choice: "auto",
  stream: true,
  max_output_tokens: 4096,
  temperature: undefined,
  reasoning_effort: undefined,
};
const SYSTEM: Message = { role: "system", content: "S" };
const TASK: Message = { role: "user", content: "U" };
const PNG = { media_type: "image/png", data: "aGk=" };
const IMAGE = { type: "image", source: { type: "base64", ...PNG } };

type Body = Readonly<Record<string, unknown>>;

/** What follows the messages in a request. */
function after(ask: Partial<RequestOptions> = {}, model = "m"): Body {
  const wire = anthropic_messages();
  return JSON.parse(`${wire.before(model)}"messages":[${wire.after({ ...ASK, ...ask })}`);
}

function content(...messages: readonly Message[]): unknown {
  return JSON.parse(`[${anthropic_messages().encode(messages)}]`)
    .map(({ content }: Body) => content).flat();
}

function called(id: string, args = "{}"): Message {
  return { role: "assistant", content: "", tool_calls: [{ id, name: "read", arguments: args }] };
}

Deno.test("a request grows at its end, and the system prompt is before the messages", () => {
  const wire = anthropic_messages();
  const first = wire.before("m") + wire.encode([SYSTEM, TASK]);
  const results: Message[] = [
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" },
  ];
  const second = `${first},${wire.encode([called("a"), ...results])}`;
  for (const text of [first, second]) {
    const body: Body = JSON.parse(text + wire.after(ASK));
    assert.deepEqual(Object.keys(body).slice(0, 3), ["model", "system", "messages"]);
    assert.deepEqual(body["system"], [
      { type: "text", text: "S", cache_control: { type: "ephemeral" } },
    ]);
    assert.deepEqual(body["cache_control"], { type: "ephemeral" });
  }
  assert.deepEqual(JSON.parse(second + wire.after(ASK)).messages, [
    { role: "user", content: [{ type: "text", text: "U" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "1" },
        { type: "tool_result", tool_use_id: "b", content: "2" },
      ],
    },
  ]);
});

Deno.test("tools, their choice and the limit of a reply", () => {
  const { tools, tool_choice, max_tokens } = after({ tool_choice: "none" });
  assert.deepEqual(Object.keys((tools as Body[])[0] ?? {}), [
    ...["name", "description", "input_schema"],
  ]);
  assert.deepEqual([tool_choice, max_tokens], [{ type: "none" }, 4096]);
  const bare = after({ tools: [], max_output_tokens: 0 });
  assert.deepEqual([bare["tools"], bare["tool_choice"], bare["max_tokens"]], [
    ...[undefined, undefined, 32_000],
  ]);
});

Deno.test("how hard to think is said in the words of each model, and then no temperature", () => {
  const adaptive = (effort: string) => [
    { type: "adaptive", display: "summarized" },
    { effort },
    undefined,
  ];
  const budget = (budget_tokens: number) => [{ type: "enabled", budget_tokens }, undefined];
  const cases: readonly (readonly [string, string | undefined, number, readonly unknown[]])[] = [
    ["claude-haiku-4-5", undefined, 4096, [undefined, undefined, 0.5]],
    ["claude-haiku-4-5", "none", 4096, [undefined, undefined, 0.5]],
    ["claude-haiku-4-5-20251001", "low", 4096, budget(1024)],
    ["claude-sonnet-4-20250514", "medium", 4096, budget(2048)],
    ["anthropic/claude-opus-4.5", "high", 4096, budget(3072)],
    ["claude-3-7-sonnet-latest", "high", 16_384, budget(12_288)],
    ["minimax-m2", "ultra", 4096, budget(2048)],
    ["claude-haiku-4-5", "low", 2048, budget(1024)],
    ["claude-haiku-4-5", "low", 1024, [undefined, undefined, 0.5]],
    ["claude-opus-4-6", "low", 512, adaptive("low")],
    ["claude-sonnet-4-6-20260301", "max", 4096, adaptive("max")],
    ["anthropic/claude-opus-4.7", "high", 4096, adaptive("high")],
    ["claude-opus-4-10", "high", 4096, adaptive("high")],
    ["claude-opus-5", "xhigh", 4096, adaptive("xhigh")],
    ["claude-haiku-5-5", "low", 4096, adaptive("low")],
    ["claude-opus-5", "none", 4096, [{ type: "disabled" }]],
    ["claude-opus-5", undefined, 4096, [undefined, undefined, 0.5]],
  ];
  for (const [model, reasoning_effort, max_output_tokens, expected] of cases) {
    const body = after({ reasoning_effort, max_output_tokens, temperature: 0.5 }, model);
    const [thinking, output_config, temperature] = expected;
    assert.deepEqual(
      [body["thinking"], body["output_config"], body["temperature"]],
      [thinking, output_config, temperature],
      `${model} ${reasoning_effort}`,
    );
  }
});

Deno.test("texts of nothing but blanks are not sent, and halves of characters are replaced", () => {
  const cases: readonly (readonly [Message, unknown])[] = [
    [{ role: "user", content: " \n" }, [{ type: "text", text: "(empty)" }]],
    [{ role: "assistant", content: "" }, [{ type: "text", text: "(empty)" }]],
    [{ role: "user", content: "a\ud83d" }, [{ type: "text", text: "a\ufffd" }]],
    [{ role: "user", content: "", images: [PNG] }, [IMAGE]],
    [{ role: "user", content: "Look.", images: [PNG] }, [IMAGE, { type: "text", text: "Look." }]],
    [
      { role: "tool", tool_call_id: "a", content: "\n" },
      [{ type: "tool_result", tool_use_id: "a" }],
    ],
    [
      { role: "tool", tool_call_id: "a", content: "a.png", images: [PNG] },
      [{
        type: "tool_result",
        tool_use_id: "a",
        content: [{ type: "text", text: "a.png" }, IMAGE],
      }],
    ],
  ];
  for (const [message, blocks] of cases) assert.deepEqual(content(message), blocks);
});

Deno.test("calls of another server are put as this one takes them, and differ where they differed", () => {
  const ids = ["functions.read:0", "functions.read_0", "functions_read:0", "toolu_01-x"];
  const sent = ids.map((id) => (content(called(id)) as Body[])[0]?.["id"]);
  for (const id of sent) assert.match(String(id), /^[a-zA-Z0-9_-]+$/);
  assert.deepEqual([new Set(sent).size, sent[3]], [4, "toolu_01-x"]);
  const result = content({ role: "tool", tool_call_id: ids[0] ?? "", content: "x" }) as Body[];
  assert.equal(result[0]?.["tool_use_id"], sent[0]);
  assert.deepEqual(content(called("a", '{"path":"\\ud83d","n":[1,{"x":"\\udc00"}]}')), [
    {
      type: "tool_use",
      id: "a",
      name: "read",
      input: { path: "\ufffd", n: [1, { x: "\ufffd" }] },
    },
  ]);
});

Deno.test("signed thinking goes back where it stood; with a changed text, before it", () => {
  const thought = (n: number) => ({ type: "thinking", thinking: `T${n}`, signature: `s${n}` });
  const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
  const text = (text: string) => ({ type: "text", text });
  const items = [thought(1), text("So."), thought(2), { type: "tool_use", id: "a" }];
  const message = (content: string): Message => ({
    role: "assistant",
    content,
    kept: { wire: "anthropic_messages", items },
    tool_calls: ["a", "b"].map((id) => ({ id, name: "read", arguments: "{}" })),
  });
  assert.deepEqual(content(message("So.")), [
    ...[thought(1), text("So."), thought(2), use("a"), use("b")],
  ]);
  assert.deepEqual(content(message("Other.")), [
    ...[thought(1), thought(2), text("Other."), use("a"), use("b")],
  ]);
});
