import assert from "node:assert/strict";
import { evaluator } from "./evaluator.ts";

Deno.test("a task counts as done where the model says so and does not think it unlikely", () => {
  const cases: [string, unknown, "holds" | "lacks"][] = [
    ["done and sure", { completed: true, confidence: 0.92 }, "holds"],
    ["done without a confidence", { completed: true }, "holds"],
    ["done, even chances", { completed: true, confidence: 0.5 }, "holds"],
    ["done, unlikely", { completed: true, confidence: 0.2 }, "lacks"],
    ["done, confidence in words", { completed: true, confidence: "high" }, "holds"],
    ["not done", { completed: false, confidence: 0.1 }, "lacks"],
    ["done, in quotes", { completed: "True" }, "holds"],
    ["not done, in quotes", { completed: "false" }, "lacks"],
    ["done, with remarks", { completed: true, confidence: 1, issues: ["a typo"] }, "holds"],
  ];
  for (const [name, value, expected] of cases) {
    assert.equal(evaluator().read(JSON.stringify(value))?.kind, expected, name);
  }
});

Deno.test("issues and suggestion are the reason, in whatever form they come", () => {
  const cases: [Record<string, unknown>, string][] = [
    [
      { issues: ["no test", " b "], suggestion: "add one" },
      "The self-evaluation finds that the task is not done.\n- no test\n- b\nSuggestion: add one",
    ],
    [{ issues: "no test" }, "The self-evaluation finds that the task is not done.\n- no test"],
    [
      { issues: [1, "", null], suggestion: 3 },
      "The self-evaluation finds that the task is not done.",
    ],
    [
      { completed: true, confidence: 0.25, suggestion: "run it" },
      "The self-evaluation is not sure that the task is done (confidence 0.25).\nSuggestion: run it",
    ],
  ];
  for (const [value, text] of cases) {
    const opinion = evaluator().read(JSON.stringify({ completed: false, ...value }));
    assert.deepEqual(opinion, { kind: "lacks", verdict: "not_completed", text, fixable: true });
  }
});

Deno.test("more issues than a turn can fix are left out", () => {
  const issues = Array.from({ length: 500 }, (_, n) => `issue ${n} ${"x".repeat(1000)}`);
  const opinion = evaluator().read(JSON.stringify({ completed: false, issues }));
  assert.ok(opinion?.kind === "lacks" && opinion.text.length < 5000);
});
