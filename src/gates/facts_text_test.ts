import assert from "node:assert/strict";
import { VIEW } from "../guards/_testing.ts";
import { edit, failed } from "./_did.ts";
import { facts_text } from "./facts_text.ts";

Deno.test("facts are those of the task at hand: what was seen before it is not denied", () => {
  const run = [edit("a.py")("1"), failed("edit", "src/b.py")("2")].flatMap(({ rows }) => rows);
  const facts = "a.py. Edits that failed: 1 (no change seen since: src/b.py). " +
    "Commands run: none.";
  assert.equal(
    facts_text({ ...VIEW, run, steps: 3, run_steps: 3 }),
    `Files seen to change: ${facts}`,
  );
  assert.equal(
    facts_text({ ...VIEW, run, steps: 9, run_steps: 3 }),
    `Files seen to change since the last task was given: ${facts}`,
  );
});
