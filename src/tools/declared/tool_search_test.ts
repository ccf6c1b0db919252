import assert from "node:assert/strict";
import { EVERY_TOOL } from "./every_tool.ts";
import { is_deferrable, is_deferred } from "./tool_search.ts";

Deno.test("is_deferred() goes by the window only where nobody says otherwise, and then never hides how to see", () => {
  const cases: [Parameters<typeof is_deferred>[1]["setting"], number, readonly string[]][] = [
    ["auto", 8192, ["todo", "delegate_task", "session_search"]],
    ["auto", 32_767, ["todo", "delegate_task", "session_search"]],
    ["auto", 32_768, []],
    ["auto", 131_072, []],
    ["all", 131_072, ["view_image", "todo", "delegate_task", "session_search"]],
    [["view_image"], 131_072, ["view_image"]],
    ["none", 4096, []],
    [["todo"], 131_072, ["todo"]],
    [["delegate_task"], 4096, ["delegate_task"]],
    [[], 4096, []],
  ];
  for (const [setting, context_window, expected] of cases) {
    const found = EVERY_TOOL.filter(is_deferrable)
      .filter((tool) => is_deferred(tool, { setting, context_window }));
    assert.deepEqual(
      found.map(({ name }) => name),
      expected,
      JSON.stringify([setting, context_window]),
    );
  }
});
