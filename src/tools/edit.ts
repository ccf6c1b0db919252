import * as v from "valibot";
import { nearest } from "./nearest.ts";
import type { Machine } from "./machine.ts";
import { ToolFailure } from "./failure.ts";
import { tool } from "./tool.ts";

/** Larger files are data; an edit of them belongs to a program. */
const EDIT_BYTES = 20 * 1024 * 1024;

/** Exact replacement in a file. What is not replaced keeps its bytes: BOM, line endings, mode. */
export const edit = tool({
  name: "edit",
  description:
    "Replace the exact text `old` by `new` in a file. `old` must occur once; all=true replaces every occurrence.",
  schema: v.object({
    path: v.string(),
    old: v.string(),
    new: v.string(),
    all: v.optional(v.boolean()),
  }),
  read_only: false,
  summary: ({ path, old, new: text }) => `${path} (${lines(old)}→${lines(text)} lines)`,
  run({ path, old, new: text, all }, machine) {
    if (old === "") throw new ToolFailure("old is empty; to make a new file use write");
    if (old === text) throw new ToolFailure("old and new are the same: nothing to change");
    const full = machine.files.locate(path);
    const real = machine.files.target(full);
    const file = machine.files.read(real, EDIT_BYTES);
    const before = decode(file.bytes, path);
    const pair = with_endings_of(before, { old, new: text });
    const parts = before.split(pair.old);
    const count = parts.length - 1;
    if (count === 0) throw new ToolFailure(`old was not found in ${path}. ${nearest(before, old)}`);
    if (count > 1 && all !== true) {
      throw new ToolFailure(
        `old occurs ${count} times in ${path} (lines ${places(parts, pair.old)}); ` +
          "give more lines around it, or all=true",
      );
    }
    const bytes = new TextEncoder().encode(parts.join(pair.new));
    machine.files.replace(file.real, bytes, file.mode);
    const places_changed = count === 1 ? "1 place" : `${count} places`;
    return {
      ok: true,
      text: `changed ${places_changed} in ${machine.files.shown(real)}`,
      summary: places_changed,
      facts: [
        noted(file.real, {
          before: machine.files.hash(file.bytes),
          after: machine.files.hash(bytes),
        }, machine),
      ],
    };
  },
});

/** The fact of a change, whether or not an ignore rule covers the file. */
export function noted(
  real: string,
  hashes: { readonly before: string | null; readonly after: string },
  machine: Machine,
) {
  const path = machine.files.shown(real);
  return machine.tracker.note(path) ?? { kind: "file" as const, path, ...hashes };
}

function lines(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

/** Text that encodes back to the very same bytes, or a failure: else bytes outside the edit would change. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFailure(`${path} is not UTF-8 text; change it with bash`);
  }
}

/** Models write `\n`; in a file with `\r\n` a text of several lines is looked for, and put, with those. */
function with_endings_of(content: string, pair: { readonly old: string; readonly new: string }) {
  if (content.includes(pair.old) || !content.includes("\r\n")) return pair;
  const crlf = (text: string) => text.replace(/\r?\n/g, "\r\n");
  return { old: crlf(pair.old), new: crlf(pair.new) };
}

/** Line numbers of the first occurrences. */
function places(parts: readonly string[], old: string): string {
  const numbers: number[] = [];
  let line = 1;
  for (const part of parts.slice(0, -1)) {
    line += part.split("\n").length - 1;
    numbers.push(line);
    line += old.split("\n").length - 1;
  }
  return numbers.slice(0, 5).join(", ") + (numbers.length > 5 ? ", …" : "");
}
