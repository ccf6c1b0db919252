import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { wire_for_habits } from "./protocols/chat_completions.ts";
import { fitted } from "./protocols/fitted_calls.ts";
import type { Message } from "./message.ts";
import { ollama_chat } from "./protocols/ollama_chat.ts";
import { text_calls } from "./protocols/text_calls.ts";
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
      [wire_for_habits(() => habits), "reasoning_content"],
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
  const { content, tool_calls } = sent(wire_for_habits(() => ({ hides_calls: true })));
  strictEqual(
    content,
    'So:\n<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
  );
  deepStrictEqual(tool_calls, sent(wire_for_habits(() => ({})))["tool_calls"]);
});

Deno.test("words of hamr are a result where the template reads all again after a user's", () => {
  const words: Message = { role: "user", content: "Hm?", internal: true, after: "c" };
  const person: Message = { role: "user", content: "Go on" };
  const roles = (wire: Wire) =>
    (JSON.parse(`[${wire.encode([CALLED, words, person])}]`) as Record<string, unknown>[])
      .map(({ role, tool_call_id, content }) => [role, tool_call_id, content].join(" ").trim());
  const wire = wire_for_habits(() => ({ nudges_as_results: true }));
  deepStrictEqual(roles(wire).slice(1), ["tool c Hm?", "user  Go on"]);
  deepStrictEqual(roles(wire_for_habits(() => ({}))).slice(1), ["user  Hm?", "user  Go on"]);
  // Ids that the server takes, and calls in text, which have no results.
  match(roles(fitted(wire, new Set(["call_ids"])))[1] ?? "", /^tool [a-z0-9]{9} Hm\?$/);
  deepStrictEqual(roles(text_calls(wire)).slice(1), ["user  Hm?", "user  Go on"]);
});
