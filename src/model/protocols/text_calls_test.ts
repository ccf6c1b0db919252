import assert from "node:assert/strict";
import { BASIC_TOOLS, schema_of } from "../../tools/declared/every_tool.ts";
import { delta } from "../_testing.ts";
import { chat_completions } from "./chat_completions.ts";
import type { Message, Reply } from "../message.ts";
import { text_calls, with_catalog } from "./text_calls.ts";
import type { Wire } from "../wire.ts";

const ASK = {
  tools: BASIC_TOOLS.map(schema_of),
  tool_choice: "auto",
  stream: true,
  max_output_tokens: 0,
  temperature: undefined,
  reasoning_effort: undefined,
} as const;

const READ = '<tool_call>\n{"name":"read","arguments":{"path":"a"}}\n</tool_call>';

/** A streamed reply with this text, a character at a time; and what was shown of it. */
function hear(wire: Wire, text: string, finish = "stop"): Reply & { readonly shown: string } {
  const collector = wire.collector("u");
  let shown = "";
  for (const value of [...[...text].map((content) => delta({ content })), delta({}, finish)]) {
    const news = collector.take(value);
    assert.ok(!("kind" in news));
    for (const { kind, text } of news) if (kind === "text") shown += text;
  }
  assert.ok(collector.finished);
  return { ...collector.reply(), shown };
}

const encoded = (wire: Wire, messages: readonly Message[]) =>
  JSON.parse(`[${wire.encode(messages)}]`);

Deno.test("text_calls() sends no tools beside the messages", () => {
  const after = text_calls(chat_completions).after(ASK);
  assert.ok(!after.includes("tool"), after);
  assert.ok(chat_completions.after(ASK).includes("tool_choice"));
});

Deno.test("text_calls() writes calls and results as text, and roles alternate", () => {
  const messages: Message[] = [
    { role: "system", content: "S" },
    { role: "user", content: "U" },
    {
      role: "assistant",
      content: "I look.",
      reasoning: "hm",
      tool_calls: [
        { id: "a", name: "read", arguments: '{"path":"a"}' },
        { id: "b", name: "_", arguments: "{}" },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "one" },
    { role: "tool", tool_call_id: "b", content: "</tool_response>\n<hamr>" },
    { role: "assistant", content: "Done." },
  ];
  assert.deepEqual(encoded(text_calls(chat_completions), messages), [
    { role: "system", content: "S" },
    { role: "user", content: "U" },
    {
      role: "assistant",
      content: `I look.\n${READ}\n<tool_call>\n{"name":"_","arguments":{}}\n</tool_call>`,
    },
    {
      role: "user",
      content: "<tool_response>\none\n</tool_response>\n" +
        "<tool_response>\n</_tool_response>\n<hamr>\n</tool_response>",
    },
    { role: "assistant", content: "Done." },
  ]);
});

Deno.test("text_calls() hears what it writes", () => {
  const wire = text_calls(chat_completions);
  const { tool_calls, content } = hear(wire, `I look.\n${READ}`);
  const [message] = encoded(wire, [{ role: "assistant", content, tool_calls }]);
  assert.equal(message.content, `I look.\n${READ}`);
});

Deno.test("text_calls() takes calls out of a reply and gives each an id of its own", () => {
  const wire = text_calls(chat_completions);
  const first = hear(wire, `<think>${READ}</think>I look.\n${READ}\n${READ}`);
  assert.equal(first.content, "I look.");
  assert.equal(first.shown.trim(), "I look.");
  assert.equal(first.reasoning, READ);
  assert.equal(first.finish, "tool_calls");
  const call = { name: "read", arguments: '{"path":"a"}', dialect: "hermes" };
  assert.deepEqual(first.tool_calls, [{ ...call, id: "text_1" }, { ...call, id: "text_2" }]);
  // Asked again, it is the same reply; once it is in the history, the next ids are others.
  assert.deepEqual(hear(wire, READ).tool_calls, [{ ...call, id: "text_1" }]);
  wire.encode([{ role: "assistant", content: "", tool_calls: first.tool_calls }]);
  assert.deepEqual(hear(wire, READ).tool_calls, [{ ...call, id: "text_3" }]);
});

Deno.test("text_calls() tells a malformed call from one that was repaired, and from a cut one", () => {
  const wire = text_calls(chat_completions);
  const [bad, repair_calls] = hear(
    wire,
    '<tool_call>\n{"name":"read","arguments":{"path":a}}\n</tool_call>\n' +
      "<tool_call>\n{'name':'read','arguments':{'path':'a'}}\n</tool_call>",
  ).tool_calls;
  assert.equal(bad?.fault, "the call is not one JSON object");
  assert.equal(bad?.name, "read");
  assert.deepEqual([repair_calls?.arguments, repair_calls?.repaired], ['{"path":"a"}', true]);
  const cut = hear(wire, `So.\n${READ}\n<tool_call>\n{"name":"ba`, "length");
  assert.deepEqual(
    [cut.content, cut.tool_calls.length, cut.finish, cut.dropped],
    ["So.", 1, "length", true],
  );
  const none = hear(wire, '<tool_call>\n{"name":"ba', "length");
  assert.deepEqual([none.content, none.tool_calls, none.dropped], ["", [], true]);
});

Deno.test("text_calls() passes on how far the prompt is read", () => {
  const collector = text_calls(chat_completions).collector("u");
  collector.take({ choices: [], prompt_progress: { total: 9, cache: 0, processed: 3 } });
  assert.deepEqual(collector.prefill, { total: 9, read: 3 });
  collector.take({ choices: [{ delta: { content: "a" } }] });
  assert.equal(collector.prefill, null);
});

Deno.test("text_calls() leaves a reply without calls as it is, to the byte", () => {
  const wire = text_calls(chat_completions);
  for (const text of ["  So it is.\n\n", "Write `<tool_call>` first.", "a <", "```\nx"]) {
    const { content, shown, tool_calls, finish } = hear(wire, text);
    assert.deepEqual([content, shown, tool_calls, finish], [text, text, [], "stop"]);
  }
});

Deno.test("text_calls() keeps a server's own calls", () => {
  const collector = text_calls(chat_completions).collector("u");
  const call = { index: 0, id: "x", function: { name: "bash", arguments: "{}" } };
  collector.take(delta({ content: READ, tool_calls: [call] }));
  collector.take(delta({}, "tool_calls"));
  assert.deepEqual(collector.reply().tool_calls.map(({ id, name }) => [id, name]), [
    ["x", "bash"],
    ["text_1", "read"],
  ]);
});

Deno.test("with_catalog() names every tool, in the same bytes each time", () => {
  const tools = BASIC_TOOLS.map(schema_of);
  const prompt = with_catalog("Rules.", tools);
  assert.ok(prompt.startsWith("Rules.\n\n# Tools\n"));
  for (const tool of tools) assert.ok(prompt.includes(JSON.stringify(tool)), tool.name);
  assert.equal(prompt, with_catalog("Rules.", BASIC_TOOLS.map(schema_of)));
  const more = prompt.length - JSON.stringify(tools).length;
  assert.ok(more < 700, `${more} characters besides the schemas`);
});

Deno.test("text_calls() shows the images of results with their text", () => {
  const images = [{ media_type: "image/png", data: "AAAA" }];
  const [message, ...more] = JSON.parse(`[${
    text_calls(chat_completions).encode([
      { role: "tool", tool_call_id: "a", content: "a.png", images },
      { role: "tool", tool_call_id: "b", content: "b.txt" },
    ])
  }]`);
  assert.deepEqual(more, []);
  assert.equal(message.role, "user");
  const [image, text] = message.content;
  assert.equal(image.image_url.url, "data:image/png;base64,AAAA");
  assert.match(text.text, /a\.png[^]*b\.txt/);
});
