import { deepEqual } from "node:assert/strict";
import { facts_apart } from "./summary.ts";

Deno.test("remembered() takes the facts for memory out of a summary", () => {
  const table: [string, string, string[]][] = [
    ["1. Task: x\n9. Next: y", "1. Task: x\n9. Next: y", []],
    ["1. Task\nREMEMBER: use make db", "1. Task", ["use make db"]],
    ["1. Task\n\n- REMEMBER: a\n**REMEMBER:** b\n", "1. Task", ["a", "b"]],
    ["REMEMBER: a\nREMEMBER: b\nREMEMBER: c\nREMEMBER: d", "", ["a", "b", "c"]],
    ["5. The log says REMEMBER: me", "5. The log says REMEMBER: me", []],
    ["x\nREMEMBER:\nREMEMBER:   ", "x", []],
    ["", "", []],
  ];
  for (const [reply, summary, facts] of table) {
    deepEqual(facts_apart(reply), { summary, facts }, JSON.stringify(reply));
  }
});
