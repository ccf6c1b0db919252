import type { Tool } from "../tool.ts";

/** What a call of `edit` gives. */
export interface EditArgs {
  readonly path: string;
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

/** Exact replacement in a file. What is not replaced keeps its bytes: BOM, line endings, mode. */
export const edit: Tool<EditArgs> = {
  name: "edit",
  description:
    "Replace the exact text `old` by `new` in a file. `old` must occur once; all=true replaces every occurrence.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string" },
      old: { type: "string" },
      new: { type: "string" },
      all: { type: "boolean" },
    },
    required: ["path", "old", "new"],
  },
  read_only: false,
  changes: "path",
  offered: "always",
  summary: ({ path, old, new: text }) => `${path} (${lines(old)}→${lines(text)} lines)`,
};

function lines(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
