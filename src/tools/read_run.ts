import { read_range } from "./read_range.ts";
import { list_folder } from "./read_tree.ts";
import { ToolFailure } from "./failure.ts";
import type { ReadArgs } from "./read.ts";
import { runner } from "./runner.ts";
import { search_text } from "./search_text.ts";

/** Lists a folder, reads lines of a file, or searches below a path. */
export const run_read = runner<ReadArgs>(({ path, offset, limit, search }, machine) => {
  const full = machine.files.locate(path);
  const { limits } = machine;
  const most = {
    lines: Math.min(limit ?? limits.lines, limits.lines),
    bytes: limit === undefined ? limits.read_bytes : limits.bytes,
  };
  if (search !== undefined) {
    if (search === "") throw new ToolFailure("search is empty");
    return search_text({ full, search, most }, machine);
  }
  const opened = machine.files.open(full);
  if (opened.kind === "folder") return list_folder(opened.real, most, machine);
  return read_range(opened, { full, offset: offset ?? 1, ...most }, machine);
});
