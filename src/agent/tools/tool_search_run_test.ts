import assert from "node:assert/strict";
import { delegate_task, session_search, todo } from "../../tools/declared/agent_level_tools.ts";
import { view_image } from "../../tools/declared/machine_tools.ts";
import { matching, tool_lines } from "./tool_search_run.ts";

const TOOLS = [view_image, todo, delegate_task, session_search];

Deno.test("matching() looks for words in names and descriptions", () => {
  const cases: [string, readonly string[]][] = [
    ["", ["view_image", "todo", "delegate_task", "session_search"]],
    [" * ", ["view_image", "todo", "delegate_task", "session_search"]],
    ["see a picture or an image", ["view_image"]],
    ["todo", ["todo"]],
    ["TODO!", ["todo"]],
    ["a todo list", ["todo"]],
    ["delegate_task", ["todo", "delegate_task"]],
    ["find earlier sessions", ["session_search"]],
    ["Delegating", []],
    ["delegate", ["delegate_task"]],
    ["subagents", ["delegate_task"]],
    ["keep track of steps", ["todo"]],
    ["fetch a web page", []],
    ["for the and of", []],
    ["(.*)+$", []],
    ["\u0000", []],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(matching(query, TOOLS).map(({ name }) => name), expected, query);
  }
});

Deno.test("tool_lines() tells the first sentence of what a server says of its tool, and all of ours", () => {
  const mcp = { server: "fs", tool: "write", read_only: false, definition: "" };
  const said = "Writes v1.2 files. Use with\ncare.";
  const tools = [view_image, { ...view_image, name: "fs__write", mcp, description: said }];
  const ours = `- view_image: ${view_image.description}`;
  assert.equal(tool_lines(tools), `${ours}\n- fs__write: Writes v1.2 files.`);
  const long = { ...view_image, mcp, description: "x".repeat(2000) };
  assert.equal(tool_lines([long]).length < 200, true);
});
