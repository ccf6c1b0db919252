import type { Tool } from "../tool.ts";

/** What a call of `insert_lines` gives. */
export interface InsertLinesArgs {
  readonly path: string;
  /** The text comes behind this line; 0: before the first. */
  readonly line: number;
  readonly text: string;
}

/** Not offered: the `insert` of the text editor that other agents taught models. */
export const insert_lines: Tool<InsertLinesArgs> = {
  name: "insert_lines",
  description: "Insert text after a line of a file.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string" },
      line: { type: "integer", minimum: 0 },
      text: { type: "string" },
    },
    required: ["path", "line", "text"],
  },
  read_only: false,
  changes: "path",
  offered: "never",
  summary: ({ path, line }) => `${path}:${line}`,
};
