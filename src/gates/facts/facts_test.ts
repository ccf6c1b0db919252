import assert from "node:assert/strict";
import type { Action } from "../../guards/rule.ts";
import { EVERY_TOOL } from "../../tools/declared/every_tool.ts";
import { view_of } from "../_testing.ts";
import { has_only_looked } from "./facts.ts";

function looked(name: string, ok = true): boolean {
  const action: Action = {
    ...{ name, args: "{}", step: 1, ran: true, valid: true, ok },
    ...{ result: "", ms: 1, changes: 0 },
  };
  return has_only_looked(view_of({ actions: [action] }));
}

Deno.test("a turn that reads, searches or fetches has only looked, by whichever tool", () => {
  for (const { name, read_only } of EVERY_TOOL) if (read_only) assert.ok(looked(name), name);
  for (const name of ["bash", "tool_search", "search_memory", "web_fetch"]) assert.ok(looked(name));
  for (const name of ["edit", "clarify", "background", "server__tool"]) assert.ok(!looked(name));
  assert.ok(looked("edit", false));
});
