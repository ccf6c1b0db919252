import assert from "node:assert/strict";
import { EVERY_TOOL } from "../../tools/declared/every_tool.ts";
import { AGENT_RUNNERS } from "./agent_tools.ts";

Deno.test("every tool that works on the run itself has something that does it", () => {
  const names = EVERY_TOOL.filter(({ agent_level }) => agent_level).map(({ name }) => name);
  const lacks = "a tool has no line in agent_tools.ts, or a line has no tool";
  assert.deepEqual([...AGENT_RUNNERS.keys()].sort(), names.toSorted(), lacks);
});
