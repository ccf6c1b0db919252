import { plural } from "../../config/text.ts";
import { changed_text, of_unsaved, read_text_file } from "./edit_run.ts";
import { ToolFailure } from "../failure.ts";
import type { InsertLinesArgs } from "../declared/machine_tools.ts";
import { runner } from "./runner.ts";

export const run_insert_lines = runner<InsertLinesArgs>(async ({ path, line, text }, machine) => {
  const file = await read_text_file(path, machine);
  const { text: before } = file;
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  let at = 0;
  for (let n = 0; n < line; n++) {
    const next = before.indexOf("\n", at);
    const last = next < 0 && at < before.length;
    if (next < 0 && !last) throw new ToolFailure(`${path} has only ${plural(n, "line")}`);
    at = last ? before.length : next + 1;
  }
  const open = at > 0 && before[at - 1] !== "\n" ? end : "";
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/).join(end);
  const after = before.slice(0, at) + open + lines + (open === "" ? end : "") + before.slice(at);
  const facts = await changed_text(file, after, machine);
  const where = `after line ${line}`;
  return {
    ok: true,
    text: `inserted ${where} of ${file.shown}${of_unsaved(file)}`,
    summary: where,
    facts,
  };
});
