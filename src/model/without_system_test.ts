import { deepStrictEqual } from "node:assert/strict";
import { chat_completions } from "./chat_completions.ts";
import type { Message } from "./message.ts";
import { text_calls } from "./text_calls.ts";
import { without_system } from "./without_system.ts";

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
