import assert from "node:assert/strict";
import { rubric } from "./rubric.ts";

Deno.test("a grader's verdict says whether another turn is worth while", () => {
  const cases: [Record<string, unknown>, unknown][] = [
    [{ verdict: "satisfied", feedback: "All good." }, { kind: "holds", verdict: "satisfied" }],
    [{ verdict: "needs_revision", feedback: "No test." }, {
      kind: "lacks",
      verdict: "needs_revision",
      text: "The rubric is not met.\nNo test.",
      fixable: true,
    }],
    [{ verdict: "needs_revision" }, {
      kind: "lacks",
      verdict: "needs_revision",
      text: "The rubric is not met.\nThe grader gave no reason.",
      fixable: true,
    }],
    [{ verdict: " Satisfied" }, { kind: "holds", verdict: "satisfied" }],
    [{ verdict: "Needs Revision", feedback: "No test." }, {
      kind: "lacks",
      verdict: "needs_revision",
      text: "The rubric is not met.\nNo test.",
      fixable: true,
    }],
    [{ verdict: "not satisfied" }, null],
    [{ verdict: true }, null],
    [{ verdict: "failed", feedback: "It can't be." }, {
      kind: "lacks",
      verdict: "failed",
      text: "The rubric is not met, and the grader sees no way to meet it.\nIt can't be.",
      fixable: false,
    }],
  ];
  for (const [reply, expected] of cases) {
    assert.deepEqual(rubric("It works.").read(JSON.stringify(reply)), expected);
  }
});
