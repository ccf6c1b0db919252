import { read_range } from "./read_range.ts";
import { list_folder, search_text } from "./read_tree.ts";
import { ToolFailure } from "./failure.ts";
import { matches_of, missing, named_path } from "./named_path.ts";
import type { ReadArgs } from "./read.ts";
import type { Machine } from "./machine.ts";
import { runner } from "./runner.ts";
import type { Done } from "./tool.ts";

/** Lists a folder, reads lines of a file, or searches below a path. */
export const run_read = runner<ReadArgs>(({ path, search, ...asked }, machine) => {
  const { full, ...lines_named } = named_path(path, machine);
  const { offset, limit } = { ...lines_named, ...asked };
  const lines = Math.min(limit ?? machine.limits.lines, machine.limits.lines);
  if (!machine.files.is_kernel_view(full) && !machine.files.exists(full)) {
    const matches = matches_of(path, machine) ?? [];
    if (matches.length === 0) throw missing(path, full, machine);
    return search === undefined
      ? list_files(matches, { limit: lines, machine })
      : search_files(matches, { search, limit: lines, machine });
  }
  if (search !== undefined) {
    if (search === "") throw new ToolFailure("search is empty");
    return search_text({ full, search, limit: lines }, machine);
  }
  const opened = machine.files.open(full);
  if (opened.kind === "folder") return list_folder(opened.real, machine);
  return read_range(opened, { full, offset: offset ?? 1, lines }, machine);
});

/** What a pattern matches, at most so many names, as a folder is listed. */
const MOST_LISTED = 500;
/** Files that are searched one by one; who names more names a folder. */
const MOST_SEARCHED = 2000;

function list_files(
  found: readonly string[],
  { limit, machine }: { readonly limit: number; readonly machine: Machine },
): Done {
  const shown = found.slice(0, Math.min(limit, MOST_LISTED)).map((path) =>
    machine.files.shown(path)
  );
  const more = found.length - shown.length;
  const summary = `${found.length} file${found.length === 1 ? "" : "s"}`;
  return {
    ok: true,
    text: [...shown, ...(more > 0 ? [`[${more} more files]`] : [])].join("\n"),
    summary,
  };
}

function search_files(
  found: readonly string[],
  { search, limit, machine }: {
    readonly search: string;
    readonly limit: number;
    readonly machine: Machine;
  },
): Done {
  const lines: string[] = [];
  for (const full of found.slice(0, MOST_SEARCHED)) {
    if (lines.length >= limit) break;
    const { text, summary } = search_text({ full, search, limit: limit - lines.length }, machine);
    if (summary !== "no match") lines.push(...text.split("\n"));
  }
  const left = found.length - MOST_SEARCHED;
  const note = left > 0 ? [`[${left} more files not searched: name a folder]`] : [];
  if (lines.length === 0) {
    const text = [`no line of ${found.length} files contains it`, ...note].join("\n");
    return { ok: true, text, summary: "no match" };
  }
  const summary = `${lines.length} match${lines.length === 1 ? "" : "es"}`;
  return { ok: true, text: [...lines, ...note].join("\n"), summary };
}
