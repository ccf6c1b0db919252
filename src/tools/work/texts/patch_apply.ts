/** Applies the hunks of a patch to the text of a file. Pure. */
import { fitter, reindented } from "./loose_lines.ts";
import { ToolFailure } from "../../failure.ts";
import { nearest_passage } from "./nearest.ts";
import type { Hunk } from "./patch_parse.ts";

/** Places named where a hunk is not unique. */
const NAMED_PLACES = 5;

/** A line with its end, which is empty for the last line of a file that has none. */
interface TextLine {
  readonly text: string;
  readonly end: string;
}

/** The text with the hunks in it, and whether any was found only by leaving whitespace out. Throws `ToolFailure`. */
export function apply_hunks(
  text: string,
  hunks: readonly Hunk[],
  path: string,
): { readonly text: string; readonly loose: boolean } {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const lines = lines_of(text.slice(mark.length));
  const count = lines.length;
  // Once for all hunks: each is below the one before it, where nothing has changed yet.
  const fits = fitter(lines.map((line) => line.text));
  const out: TextLine[] = [];
  const end = lines.some((line) => line.end === "\r\n") ? "\r\n" : "\n";
  let from = 0;
  let loose = false;
  for (const [n, hunk] of hunks.entries()) {
    const place = find(hunk, { fits, count, from, text, name: `hunk ${n + 1} of ${path}` });
    const put = replacement(hunk, { lines, at: place.at, end, loose: place.loose });
    if (put === null) throw failure(`hunk ${n + 1} of ${path}`, text, hunk.old);
    for (const line of lines.slice(from, place.at)) out.push(line);
    for (const line of put) out.push(line);
    from = place.at + hunk.old.length;
    loose ||= place.loose;
  }
  for (const line of lines.slice(from)) out.push(line);
  // What stood last may do so no more, and the other way round.
  const last = out.length - 1;
  const joined = out.map((line, n) => line.text + (n < last && line.end === "" ? end : line.end));
  return { text: mark + joined.join(""), loose };
}

function lines_of(text: string): TextLine[] {
  const lines = [...text.matchAll(/([^\n]*?)(\r?\n|$)/g)].map(([, line = "", end = ""]) => ({
    text: line,
    end,
  }));
  // Behind the last line end, and at the end of the text, nothing stands.
  while (lines.length > 0 && lines.at(-1)?.text === "" && lines.at(-1)?.end === "") lines.pop();
  return lines;
}

function find(hunk: Hunk, { fits, count, from: start, text, name }: {
  fits: ReturnType<typeof fitter>;
  count: number;
  from: number;
  text: string;
  name: string;
}): { readonly at: number; readonly loose: boolean } {
  let from = start;
  for (const line of hunk.below) {
    const [at] = fits([line], from).at;
    if (at === undefined) {
      throw new ToolFailure(
        `${name}: no line "${line}" (after @@) was found. ${
          nearest_passage(text, line, { whole: true })
        }`,
      );
    }
    from = at + 1;
  }
  // Only new lines: under the line that was named, or at the end.
  if (hunk.old.length === 0) {
    return { at: hunk.below.length > 0 ? from : count, loose: false };
  }
  const found = fits(hunk.old, from);
  const at = hunk.at_end ? found.at.filter((one) => one === count - hunk.old.length) : found.at;
  const [only, second] = at;
  if (only === undefined) throw failure(name, text, hunk.old);
  if (second !== undefined) {
    const places = at.slice(0, NAMED_PLACES).map((one) => one + 1).join(", ");
    throw new ToolFailure(
      `${name} fits ${at.length} places (lines ${places}${
        at.length > NAMED_PLACES ? ", …" : ""
      }); ` +
        "give more lines around it, or the line above it after @@",
    );
  }
  return { at: only, loose: found.loose };
}

/** The lines that come in the place of the old ones. Context stays as the file has it. */
function replacement(hunk: Hunk, { lines, at, end, loose }: {
  lines: readonly TextLine[];
  at: number;
  end: string;
  loose: boolean;
}): readonly TextLine[] | null {
  const found = lines.slice(at, at + hunk.old.length);
  const fresh = loose
    ? reindented(hunk.new, { wanted: hunk.old, found: found.map((line) => line.text) })
    : hunk.new;
  if (fresh === null) return null;
  // What replaces the last line of a file without a line end has none either.
  const open = found.at(-1)?.end === "" && at + found.length === lines.length;
  return fresh.map((text, n) => {
    const kept = hunk.kept[n];
    const line = kept === null || kept === undefined ? undefined : found[kept];
    const line_end = n === fresh.length - 1 && open ? "" : end;
    return { text: line?.text ?? text, end: line?.end || line_end };
  });
}

function failure(name: string, text: string, old: readonly string[]): ToolFailure {
  return new ToolFailure(
    `${name} was not found. ${nearest_passage(text, old.join("\n"), { whole: true })}`,
  );
}
