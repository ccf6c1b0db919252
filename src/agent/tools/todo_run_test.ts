import assert from "node:assert/strict";
import type { TodoItem } from "../../tools/declared/agent_level_tools.ts";
import type { Event } from "../events.ts";
import { fresh_state } from "../state.ts";
import { run_todo } from "./todo_run.ts";

Deno.test("run_todo() replaces the list, shows it, and gives back what is open", () => {
  const done: TodoItem = { text: "look", status: "completed" };
  const now: TodoItem = { text: "x".repeat(200), status: "in_progress" };
  const later: TodoItem = { text: "test", status: "pending" };
  const cases: [readonly TodoItem[], string][] = [
    [[done, now, later], `1 of 3 completed.\n[>] ${"x".repeat(80)}…\n[ ] test`],
    [[done], "1 of 1 completed."],
    [[], "0 of 0 completed."],
  ];
  const state = fresh_state("auto");
  const events: Event[] = [];
  const emit = (event: Event) => void events.push(event);
  for (const [step, [items, text]] of cases.entries()) {
    state.steps = step + 1;
    const call = { id: "c", tool: "todo", args: { items } };
    assert.deepEqual(run_todo(call, { state, emit }).text, text);
    assert.deepEqual([state.notes.todos, state.notes.todos_step], [items, step + 1]);
    assert.deepEqual(events.at(-1), { type: "todo", items });
  }
});
