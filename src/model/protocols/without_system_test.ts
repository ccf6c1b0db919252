import { deepStrictEqual } from "node:assert/strict";
import { chat_completions } from "./chat_completions.ts";
import { codex_responses } from "./codex_responses.ts";
import type { Message } from "../message.ts";
import { text_calls } from "./text_calls.ts";
import { as_developer, without_system } from "./without_system.ts";

Deno.test("without_system() says it at the beginning of the task, and changes nothing else", () => {
  const system: Message = { role: "system", content: "rules" };
  const task: Message = { role: "user", content: "task" };
  const reply: Message = { role: "assistant", content: "done" };
  const cases: readonly (readonly [Message[], [string, string][]])[] = [
    [[system, task], [["user", "rules\n\ntask"]]],
    [[system, task, reply], [["user", "rules\n\ntask"], ["assistant", "done"]]],
    [[system, reply], [["user", "rules"], ["assistant", "done"]]],
    [[task], [["user", "task"]]],
    [[reply], [["assistant", "done"]]],
  ];
  for (const wire of [chat_completions, text_calls(chat_completions)]) {
    for (const [messages, sent] of cases) {
      const told = JSON.parse(`[${without_system(wire).encode(messages)}]`);
      deepStrictEqual(
        told.map(({ role, content }: Record<string, unknown>) => [role, content]),
        sent,
      );
    }
  }
});

Deno.test("as_developer() calls the first message the developer's, and changes nothing else", () => {
  const text = '{"role":"system"}';
  const messages: Message[] = [
    { role: "system", content: text },
    { role: "user", content: text },
  ];
  for (const wire of [chat_completions, codex_responses(), text_calls(chat_completions)]) {
    const sent = (wire: { encode: (messages: Message[]) => string }, messages: Message[]) =>
      JSON.parse(`[${wire.encode(messages)}]`);
    const [first, ...rest] = sent(wire, messages);
    deepStrictEqual(sent(as_developer(wire), messages), [{ ...first, role: "developer" }, ...rest]);
    deepStrictEqual(sent(as_developer(wire), messages.slice(1)), rest);
  }
});
