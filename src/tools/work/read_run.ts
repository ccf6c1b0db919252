import { is_kernel_view } from "./machine/files.ts";
import { plural } from "../../config/text.ts";
import { read_range } from "./search/read_range.ts";
import { list_tree, plain_name } from "./search/read_tree.ts";
import { matches_of, named_path, path_not_there } from "./search/named_path.ts";
import type { ReadArgs } from "../declared/machine_tools.ts";
import type { Machine } from "./machine/machine.ts";
import type { OutputLimits } from "../limits.ts";
import { runner } from "./runner.ts";
import { search_text } from "./search/search_text.ts";
import type { Done } from "../tool.ts";

/** Lists a folder, reads lines of a file, or searches below a path. */
export const run_read = runner<ReadArgs>(async ({ path, search, ...asked }, machine) => {
  const { full, ...lines_named } = named_path(path, machine);
  const { offset, limit } = { ...lines_named, ...asked };
  const { limits } = machine;
  const most = {
    lines: Math.min(limit ?? limits.lines, limits.lines),
    bytes: limit === undefined ? limits.read_bytes : limits.bytes,
  };
  if (!is_kernel_view(full) && !machine.files.exists(full)) {
    const matches = matches_of(path, machine) ?? [];
    if (matches.length === 0) throw path_not_there(path, full, machine);
    if (search !== undefined) return search_each(matches, { search, most, machine });
    const shown = matches.slice(0, Math.min(most.lines, MOST_LISTED)).map((path) =>
      plain_name(machine.files.shown(path))
    );
    const more = matches.length - shown.length;
    const text = [...shown, ...(more > 0 ? [`[${plural(more, "more file")}]`] : [])].join("\n");
    return { ok: true, text, summary: plural(matches.length, "file") };
  }
  const unsaved = await machine.editor?.unsaved(full, machine) ?? null;
  const read = async () => {
    if (search !== undefined) {
      return await search_text({ full, search, most, text: unsaved?.text }, machine);
    }
    const opened = machine.files.open(full);
    if (opened.kind === "folder") return list_tree(opened.real, most, machine);
    const range = { full, offset: offset ?? 1, ...most };
    if (unsaved === null) return read_range(opened, range, machine);
    machine.editor?.showed(unsaved);
    const text = new TextEncoder().encode(unsaved.text);
    const as_edited = { ...opened, text, size: text.length, version: "", young: true };
    return read_range(as_edited, range, machine);
  };
  const done = await read();
  return unsaved === null ? done : { ...done, text: `${done.text}\n[${UNSAVED}]` };
});

const UNSAVED =
  "this is the text in the user's editor; it is not saved, so commands see an older one";

/** What a pattern matches, at most so many names, as a folder is listed. */
const MOST_LISTED = 500;
/** Files that are searched one by one; who names more names a folder. */
const MOST_SEARCHED = 2000;

async function search_each(
  found: readonly string[],
  { search, most, machine }: { search: string; most: OutputLimits; machine: Machine },
): Promise<Done> {
  const lines: string[] = [];
  let left = most;
  for (const full of found.slice(0, MOST_SEARCHED)) {
    if (left.lines <= 0 || left.bytes <= 0) break;
    const { text, summary } = await search_text({ full, search, most: left }, machine);
    if (summary === "no match") continue;
    lines.push(...text.split("\n"));
    left = { lines: most.lines - lines.length, bytes: left.bytes - text.length };
  }
  const more = found.length - MOST_SEARCHED;
  const note = more > 0 ? [`[${plural(more, "more file")} not searched: name a folder]`] : [];
  if (lines.length === 0) {
    const text = [`no line of ${plural(found.length, "file")} contains it`, ...note].join("\n");
    return { ok: true, text, summary: "no match" };
  }
  const summary = plural(lines.length, "match", "matches");
  return { ok: true, text: [...lines, ...note].join("\n"), summary };
}
