import assert from "node:assert/strict";
import { ToolFailure } from "../failure.ts";
import { failed_result } from "./runner.ts";

Deno.test("what a person is told of a call that failed leads to nothing that is not shown", () => {
  const cases = [
    ["old was not found in a.py. Nearest lines:\n1:x", "old was not found in a.py"],
    [
      "old was not found in a.py. It differs only in whitespace. Nearest lines:\n1:x",
      "old was not found in a.py. It differs only in whitespace",
    ],
    ["old was not found in a.py. Read it again.", "old was not found in a.py. Read it again."],
    ["the patch was refused:\nhunk 1", "the patch was refused:"],
    ["a.py does not exist; there is src/a.py\nmore", "a.py does not exist; there is src/a.py"],
  ] as const;
  for (const [words, summary] of cases) {
    assert.equal(failed_result(new ToolFailure(words)).summary, summary);
    assert.equal(
      failed_result(new ToolFailure(words)).text,
      `Error: ${words}`,
      "the model reads it all",
    );
  }
});
