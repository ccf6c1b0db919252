import assert from "node:assert/strict";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { open_stage, stage, type StageOptions } from "./support/stage.ts";

const item = (text: string, status: string) => ({ text, status });
const todo = (...items: unknown[]) => call("todo", { items });
const env = { HAMR_TOOLS_DEFERRED: "none" };

const LISTS = [
  [item("Look at it", "in_progress"), item("Mend it", "pending")],
  [item("Look at it", "completed"), item("Mend it", "in_progress")],
] as const;

const TWICE: StageOptions = {
  script: [todo(...LISTS[0]), todo(...LISTS[1]), say(ANSWER)],
  env,
};

Deno.test("the model's list is an event, and a call like any other", async () => {
  await open_stage(TWICE, async (s) => {
    const { code, events, result } = await s.events("Mend it.");
    assert.deepEqual([code, result.tool_calls], [0, 2]);
    const shown = events.filter((event) => event.type === "todo");
    assert.deepEqual(shown.map(({ items, step }) => [items, step]), [[LISTS[0], 1], [LISTS[1], 2]]);
    const calls = events.filter(({ type }) => type === "tool_call" || type === "tool_result");
    assert.deepEqual(calls.map(({ type, name }) => [type, name]), [
      ...[["tool_call", "todo"], ["tool_result", "todo"]],
      ...[["tool_call", "todo"], ["tool_result", "todo"]],
    ]);
    assert.deepEqual(s.server.results(), [
      "0 of 2 completed.\n[>] Look at it\n[ ] Mend it",
      "1 of 2 completed.\n[>] Mend it",
    ]);
  });
});

Deno.test("the user sees the model's list", async () => {
  await stage(TWICE, async (s) => {
    const { stderr } = await s.hamr(["run", "Mend it."]);
    assert.match(stderr, /todo → 2 items, 0 completed\n +▸ Look at it\n +☐ Mend it\n +✓ OK/);
    assert.match(stderr, /todo → 2 items, 1 completed\n +☑ Look at it\n +▸ Mend it\n +✓ OK/);
  });
});

Deno.test("a list that does not fit is not kept, and the model is told why", async () => {
  const wrong: readonly (readonly [readonly unknown[], RegExp])[] = [
    [[item("a", "maybe")], /not run: items\.0\.status: .*pending/],
    [[item("x".repeat(501), "pending")], /items\.0\.text: .*too long.*500/],
    [Array.from({ length: 51 }, () => item("a", "pending")), /items: .*too many.*50/],
    [[{ status: "pending" }], /items\.0: .*text/],
  ];
  const script = [...wrong.map(([items]) => todo(...items)), say(ANSWER)];
  await open_stage({ script, env }, async (s) => {
    const { code, events } = await s.events("Mend it.");
    assert.equal(code, 0);
    assert.ok(!events.some((event) => event.type === "todo"));
    const results = s.server.results();
    wrong.forEach(([, problem], at) => {
      assert.match(results[at]!, /^Error: todo was not run: /);
      assert.match(results[at]!.split("The arguments must fit")[0]!, problem);
    });
  });
});

Deno.test("the same list again and again is a loop like any other", async () => {
  const again = todo(item("Look at it", "in_progress"));
  await open_stage({ script: () => again, env }, async (s) => {
    const { code, result } = await s.run("Mend it.", "--max-steps", "20");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 5]);
  });
});

Deno.test("a list that nobody touches is recalled in one request, and again only later", async () => {
  const list = call("todo", { items: [{ text: "mend the parser", status: "pending" }] });
  const script = (_: unknown, n: number) =>
    n === 0 ? list : n < 20 ? bash(`echo ${n} >> log`) : say(ANSWER);
  await open_stage({ script, env: { HAMR_TOOLS_DEFERRED: "none" } }, async (s) => {
    const { code, events } = await s.events("Mend.");
    assert.equal(code, 0);
    const reminded = events.filter((event) => event.type === "reminder");
    assert.deepEqual(reminded.map(({ name, step }) => [name, step]), [
      ["stale_todos", 10],
      ["stale_todos", 18],
    ]);
    const recalled = s.server.requests.flatMap(({ body }, n) =>
      JSON.stringify(body.messages).includes("Reminder: ") ? [n] : []
    );
    assert.deepEqual(recalled, [9, 17], "it is in no other request");
    const last = s.server.requests[9]?.body.messages.at(-1)?.content;
    assert.match(String(last), /mend the parser[^]*<\/hamr>$/);
  });
});
