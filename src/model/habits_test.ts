import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { fitting } from "./chat_completions.ts";
import type { Message } from "./message.ts";
import { ollama_chat } from "./ollama_chat.ts";
import type { Habits, Wire } from "./wire.ts";

const CALLED: Message = {
  role: "assistant",
  content: "So:",
  reasoning: "Hm.\ud800",
  tool_calls: [{ id: "c", name: "read", arguments: '{"path": "a"}' }],
};

function sent(wire: Wire): Record<string, unknown> {
  return JSON.parse(wire.encode([CALLED]));
}

Deno.test("what the model has thought goes back to it where its template has a place for that", () => {
  let habits: Habits = {};
  for (
    const [wire, name] of [
      [fitting(() => habits), "reasoning_content"],
      [ollama_chat(() => habits), "thinking"],
    ] as const
  ) {
    habits = {};
    strictEqual(sent(wire)[name], undefined);
    // What the server is may become known after the first request.
    habits = { takes_reasoning: true };
    strictEqual(sent(wire)[name], "Hm.\ufffd");
    strictEqual(JSON.parse(wire.encode([{ role: "assistant", content: "x" }]))[name], undefined);
  }
});

Deno.test("where a template hides calls, the text of the reply says them, besides", () => {
  const { content, tool_calls } = sent(fitting(() => ({ hides_calls: true })));
  strictEqual(
    content,
    'So:\n<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
  );
  deepStrictEqual(tool_calls, sent(fitting(() => ({})))["tool_calls"]);
});
