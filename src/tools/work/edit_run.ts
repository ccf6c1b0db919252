import { type Encoding, from_bytes, to_bytes } from "../../config/encoding.ts";
import type { EditArgs } from "../declared/machine_tools.ts";
import { plural } from "../../config/text.ts";
import { NothingToChange, ToolFailure } from "../failure.ts";
import type { LedgerFact } from "../ledger.ts";
import type { Machine } from "./machine/machine.ts";
import { fitter, reindented } from "./texts/loose_lines.ts";
import { named_path, path_not_there } from "./search/named_path.ts";
import { refuse_left_out } from "./texts/left_out.ts";
import { nearest_passage } from "./texts/nearest.ts";
import type { Unsaved } from "./machine/open_texts.ts";
import type { Done } from "../tool.ts";
import {
  line_numbers,
  lines_around,
  put_at,
  text_matches,
  type TextMatch,
  with_ends_of,
} from "./texts/replace_text.ts";
import { runner } from "./runner.ts";

/** Larger files are data; an edit of them belongs to a program. */
export const EDIT_BYTES = 20 * 1024 * 1024;
/** Places named where a text is not unique: enough to see which one was meant. */
const NAMED_PLACES = 5;

export const run_edit = runner<EditArgs>(async ({ path, old, new: text, all }, machine) => {
  if (old === "") throw new ToolFailure("old is empty; to make a new file use write");
  if (old === text) throw new NothingToChange("old and new are the same: nothing to change");
  refuse_left_out(path, old, text);
  const file = await read_text_file(path, machine);
  const { text: before } = file;
  const places = text_matches(before, old);
  const count = places.length;
  if (count === 0) {
    const meant = but_for_white_space(before, { old, new: text });
    if (meant === null) {
      throw new ToolFailure(`old was not found in ${path}. ${nearest_passage(before, old)}`);
    }
    return {
      ok: true,
      text: `changed 1 place in ${file.shown}, at line ${meant.line}: old differed in ` +
        "whitespace, and new was indented like it" + of_unsaved(file),
      summary: "1 place, except whitespace",
      line: meant.line,
      facts: await changed_text(file, meant.after, machine),
    };
  }
  if (count > 1 && all !== true) {
    throw new ToolFailure(
      `old occurs ${count} times in ${path} (lines ${
        line_numbers(before, places, NAMED_PLACES)
      }); ` +
        "give more lines around it, or all=true",
    );
  }
  const after = put_at(before, places, { old, new: text });
  if (after === before) {
    throw new NothingToChange(`the text in ${path} already matches new: nothing to change`);
  }
  const places_changed = plural(count, "place");
  return {
    ok: true,
    text: `changed ${places_changed} in ${file.shown}${of_unsaved(file)}`,
    summary: places_changed,
    ...(count === 1 ? shown_place(before, places) : {}),
    facts: await changed_text(file, after, machine),
  };
});

/** Lines around a change that a person sees; longer ones are not read by anybody. */
const CONTEXT = 2, LINE_CHARS = 200;

function shown_place(text: string, places: readonly TextMatch[]): Pick<Done, "line" | "around"> {
  const line = Number(line_numbers(text, places, 1));
  const [place] = places;
  for (const more of place === undefined ? [] : [CONTEXT, 0]) {
    const ends = lines_around(text, place!, more);
    if (ends.join("\n").split("\n").some((one) => one.length > LINE_CHARS)) continue;
    return { line: line - ends[0].split("\n").length + 1, around: ends };
  }
  return { line };
}

interface TextFile {
  readonly real: string;
  /** As the model knows it. */
  readonly shown: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly encoding: Encoding;
  /** What is to be changed: the editor's, where that has something that is not saved. */
  readonly text: string;
  readonly unsaved: Unsaved | null;
}

/** What is said behind a change of text that was not saved. */
export function of_unsaved({ unsaved }: Pick<TextFile, "unsaved">): string {
  return unsaved === null
    ? ""
    : "\n[the user had unsaved changes in it: yours was made in their editor, and all is saved]";
}

/** The file that a path means, as text. Throws `Refusal` and `ToolFailure`. */
export async function read_text_file(path: string, machine: Machine): Promise<TextFile> {
  const { files } = machine;
  const { full } = named_path(path, machine);
  // Before anything is said of permission: what is not there can't be edited with any.
  if (!files.exists(full)) throw path_not_there(path, full, machine);
  const real = files.target(full);
  const { bytes, mode } = files.read(real, EDIT_BYTES);
  const { text, encoding } = decode(bytes, path);
  const unsaved = await machine.editor?.unsaved(real, machine) ?? null;
  const shown = files.shown(real);
  return { real, shown, bytes, mode, encoding, text: unsaved?.text ?? text, unsaved };
}

/** Writes what has become of a text file. An edit shows the model nothing of it, so it does not count as having read it. */
export async function changed_text(
  file: Omit<TextFile, "text">,
  after: string,
  machine: Machine,
): Promise<readonly LedgerFact[]> {
  const { files, editor } = machine;
  const { real, mode, unsaved } = file;
  const known = files.seen.state(real) === "same";
  if (unsaved !== null && editor !== null) {
    files.refuse_protected(real, mode);
    // As if the user had saved it just before: what they had written is not the run's, and undo goes back to it.
    let exactly = false;
    const facts = await machine.changes.write(machine.call, real, {
      before: { bytes: unsaved.saved(unsaved.text), mode },
      after: unsaved.saved(after),
      async act() {
        const put = await editor.put(unsaved, after, machine);
        exactly = put.exactly;
        return put.bytes;
      },
    });
    // What the editor has made of it is news.
    if (exactly && known) files.seen.note(real);
    return facts;
  }
  const bytes = encoded_text(after, file);
  const facts = await machine.changes.write(machine.call, real, {
    before: file,
    after: bytes,
    act: () => files.replace(real, bytes, file),
  });
  if (known) files.seen.note(real);
  else files.seen.rewrote(real);
  return facts;
}

/** Whole lines that differ from `old` in whitespace alone, where there is one such place; `new` is indented as they are. */
function but_for_white_space(
  content: string,
  pair: { readonly old: string; readonly new: string },
): { readonly after: string; readonly line: number } | null {
  const lines = content.split("\n");
  const bare = lines.map((line) => line.replace(/\r$/, ""));
  const wanted = whole_lines(pair.old);
  const { at: [at, second] } = fitter(bare)(wanted);
  if (at === undefined || second !== undefined) return null;
  const found = bare.slice(at, at + wanted.length);
  const fresh = pair.new === "" ? [] : reindented(whole_lines(pair.new), { wanted, found });
  if (fresh === null) return null;
  const meant = lines.slice(at, at + wanted.length);
  const usual = meant[0]?.endsWith("\r") ? "\r\n" : "\n";
  // With an end behind the last one, which is cut off again.
  const put = with_ends_of(`${meant.join("\n")}\n`, `${fresh.join("\n")}\n`, usual).slice(0, -1);
  const after = [
    ...lines.slice(0, at),
    ...(fresh.length === 0 ? [] : [put]),
    ...lines.slice(at + wanted.length),
  ].join("\n");
  return after === content ? null : { after, line: at + 1 };
}

function whole_lines(text: string): readonly string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

/** Text that encodes back to the very same bytes, or a failure: else bytes outside the edit would change. */
export function decode(
  bytes: Uint8Array,
  path: string,
): { readonly text: string; readonly encoding: Encoding } {
  const text = from_bytes(bytes);
  if (text === null) throw new ToolFailure(`${path} is not UTF-8 text; change it with bash`);
  return text;
}

/** What a file has from now on, in its own encoding. Throws a `ToolFailure` where that lacks a character. */
export function encoded_text(
  text: string,
  { shown, encoding }: Pick<TextFile, "shown" | "encoding">,
): Uint8Array<ArrayBuffer> {
  const bytes = to_bytes(text, encoding);
  if (typeof bytes !== "string") return bytes;
  throw new ToolFailure(`${shown} is ${encoding} text, which has no ${bytes}: write it without`);
}
