import { read_range } from "./read_range.ts";
import { list_folder, search_text } from "./read_tree.ts";
import { ToolFailure } from "./failure.ts";
import { tool } from "./tool.ts";

interface Args {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly search?: string;
}

/** List a folder, read a bounded range of a file, or search text below a path. */
export const read = tool<Args>({
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
  summary: ({ path, offset, search }) =>
    path + (offset ? `:${offset}` : "") + (search ? ` "${search}"` : ""),
  run({ path, offset, limit, search }, machine) {
    const full = machine.files.locate(path);
    const lines = Math.min(limit ?? machine.limits.lines, machine.limits.lines);
    if (search !== undefined) {
      if (search === "") throw new ToolFailure("search is empty");
      return search_text({ full, search, limit: lines }, machine);
    }
    const opened = machine.files.open(full);
    if (opened.kind === "folder") return list_folder(opened.real, machine);
    return read_range(opened, { full, offset: offset ?? 1, lines }, machine);
  },
});
