import assert from "node:assert/strict";
import { todo } from "./agent_level_tools.ts";
import { is_deferrable, is_deferred } from "./deferral.ts";
import { read, view_image } from "./machine_tools.ts";

Deno.test("is_deferred() goes by the window only where nobody says otherwise, and then never hides how to see", () => {
  const cases: [Parameters<typeof is_deferred>[1]["setting"], number, readonly string[]][] = [
    ["auto", 8192, ["todo"]],
    ["auto", 32_767, ["todo"]],
    ["auto", 32_768, []],
    ["auto", 131_072, []],
    ["all", 131_072, ["view_image", "todo"]],
    [["view_image"], 131_072, ["view_image"]],
    ["none", 4096, []],
    [["todo"], 131_072, ["todo"]],
    [["read"], 4096, []],
    [[], 4096, []],
  ];
  for (const [setting, context_window, expected] of cases) {
    const found = [read, view_image, todo].filter(is_deferrable)
      .filter((tool) => is_deferred(tool, { setting, context_window }));
    assert.deepEqual(
      found.map(({ name }) => name),
      expected,
      JSON.stringify([setting, context_window]),
    );
  }
});
