import type { Tool } from "../tool.ts";

/** What a call of `read` gives. */
export interface ReadArgs {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly search?: string;
}

/** List a folder, read a bounded range of a file, or search text below a path. */
export const read: Tool<ReadArgs> = {
  name: "read",
  description:
    "List a folder, read lines of a file (numbered `N:`), or find lines with the literal text `search` below a path.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string" },
      offset: { type: "integer", minimum: 1, description: "first line, from 1" },
      limit: { type: "integer", minimum: 1, description: "number of lines" },
      search: { type: "string" },
    },
    required: ["path"],
  },
  read_only: true,
  offered: "always",
  summary: ({ path, offset, search }) =>
    path + (offset ? `:${offset}` : "") + (search ? ` "${search}"` : ""),
};
