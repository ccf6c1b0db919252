import { json_dialect } from "./json_calls.ts";

/** Granite 3: a list that is never closed. */
export const granite = json_dialect({
  name: "granite",
  openings: ["<|tool_call|>"],
  anywhere: true,
  after: /<\|\/tool_call\|>/,
});

/** Granite 20B: one object a tag. */
export const granite_20b = json_dialect({
  name: "granite-20b",
  openings: ["<function_call>"],
  after: /<\/function_call>/,
});
