import * as v from "valibot";
import { read_range } from "./read_range.ts";
import { list_folder, search_text } from "./read_tree.ts";
import { ToolFailure } from "./failure.ts";
import { tool } from "./tool.ts";

const whole = v.pipe(v.number(), v.integer(), v.minValue(1));

/** List a folder, read a bounded range of a file, or search text below a path. */
export const read = tool({
  name: "read",
  description:
    "List a folder, read lines of a file (numbered `N:`), or find lines with the literal text `search` below a path.",
  schema: v.object({
    path: v.string(),
    offset: v.optional(v.pipe(whole, v.description("first line, from 1"))),
    limit: v.optional(v.pipe(whole, v.description("number of lines"))),
    search: v.optional(v.string()),
  }),
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
