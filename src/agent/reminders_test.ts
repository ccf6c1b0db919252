import assert from "node:assert/strict";
import { files_changed, type Reminder, type ReminderView, stale_todos } from "./reminders.ts";

const NOTHING: ReminderView = { steps: 0, outdated: [], todos: [], todos_step: 0, asked: "" };

/** Asks a reminder once for each sight, with its memory; what it said. */
function said(reminder: Reminder, sights: readonly Partial<ReminderView>[]): (string | null)[] {
  let memory = reminder.start;
  return sights.map((sight) => {
    const answer = reminder.check({ ...NOTHING, ...sight }, memory);
    memory = JSON.parse(JSON.stringify(answer.memory));
    return answer.text;
  });
}

const changed = (path: string, change: number, gone = false) => ({ path, change, gone });

Deno.test("changed_files tells of each change once", () => {
  const a = changed("a.ts", 7);
  const all = said(files_changed, [
    { outdated: [] },
    { outdated: [a] },
    { outdated: [a] },
    { outdated: [a, changed("b\n.ts", 8, true)] },
    { outdated: [] }, // Read again.
    { outdated: [changed("a.ts", 9)] },
  ]);
  const named = all.map((text) => text?.match(/read it: (.*?)\.(?: Your|$)/)?.[1] ?? null);
  assert.deepEqual(named, [null, "a.ts", null, "b\\n.ts (deleted)", null, "a.ts"]);
  assert.match(all[1] ?? "", /read it again before you edit it/);
  assert.doesNotMatch(all[3] ?? "", /again/, "there is nothing to be read");
});

Deno.test("changed_files names ten files and counts the others", () => {
  const outdated = Array.from({ length: 13 }, (_, n) => changed(`f${n}`, n + 1));
  const [first, again] = said(files_changed, [{ outdated }, { outdated }]);
  assert.match(first ?? "", /f8, f9 and 3 more\./);
  assert.equal(again, null);
});

type Todos = ReminderView["todos"];
const OPEN: Todos = [
  { text: "write the parser", status: "completed" },
  { text: "test it", status: "in_progress" },
  { text: `document ${"x".repeat(200)}`, status: "pending" },
];
const DONE: Todos = [{ text: "write the parser", status: "completed" }];

/** The steps of 40 in which stale_todos says something. */
function steps_of(todos: Todos, touched: (step: number) => number): number[] {
  const sights = Array.from({ length: 40 }, (_, steps) => ({
    ...{ steps, todos },
    todos_step: touched(steps),
  }));
  return said(stale_todos, sights).flatMap((text, step) => text === null ? [] : [step]);
}

Deno.test("stale_todos speaks every eight steps in which open todos were not touched", () => {
  const cases: [string, Todos, (step: number) => number, number[]][] = [
    ["no todos", [], () => 0, []],
    ["all done", DONE, () => 0, []],
    ["never touched again", OPEN, () => 0, [8, 16, 24, 32]],
    ["touched in step 5", OPEN, (step) => step < 5 ? 0 : 5, [13, 21, 29, 37]],
    ["touched after the first time", OPEN, (step) => step < 10 ? 0 : 10, [8, 18, 26, 34]],
    ["touched again and again", OPEN, (step) => step - step % 7, []],
  ];
  for (const [what, todos, touched, steps] of cases) {
    assert.deepEqual(steps_of(todos, touched), steps, what);
  }
});

Deno.test("stale_todos names what is open, shortly", () => {
  const [text] = said(stale_todos, [{ steps: 12, todos: OPEN, todos_step: 3 }]);
  assert.match(
    text ?? "",
    /last updated 9 steps ago\. Still open: "test it" \(in_progress\), "document x+…"/,
  );
  assert.ok((text ?? "").length < 300);
  assert.doesNotMatch(text ?? "", /parser/);
});
