import type { EditArgs } from "./edit.ts";
import { ToolFailure } from "./failure.ts";
import { nearest } from "./nearest.ts";
import { lines_of, places_of, put_at } from "./replace_text.ts";
import { runner } from "./runner.ts";

/** Larger files are data; an edit of them belongs to a program. */
const EDIT_BYTES = 20 * 1024 * 1024;
/** Places named where a text is not unique: enough to see which one was meant. */
const NAMED_PLACES = 5;

/** Replaces exact text in a file. */
export const run_edit = runner<EditArgs>(async ({ path, old, new: text, all }, machine) => {
  if (old === "") throw new ToolFailure("old is empty; to make a new file use write");
  if (old === text) throw new ToolFailure("old and new are the same: nothing to change");
  const { files } = machine;
  const real = files.target(files.locate(path));
  const file = files.read(real, EDIT_BYTES);
  const before = decode(file.bytes, path);
  const places = places_of(before, old);
  const count = places.length;
  if (count === 0) throw new ToolFailure(`old was not found in ${path}. ${nearest(before, old)}`);
  if (count > 1 && all !== true) {
    throw new ToolFailure(
      `old occurs ${count} times in ${path} (lines ${lines_of(before, places, NAMED_PLACES)}); ` +
        "give more lines around it, or all=true",
    );
  }
  const after = put_at(before, places, { old, new: text });
  if (after === before) {
    throw new ToolFailure(`the text in ${path} is already like new: nothing to change`);
  }
  const bytes = new TextEncoder().encode(after);
  const known = files.seen(real) === "same";
  const facts = await machine.changes.write(machine.call, real, {
    before: file,
    after: bytes,
    act: () => files.replace(real, bytes, file.mode),
  });
  // An edit shows the model nothing of the file, so it does not count as having read it.
  if (known) files.saw(real);
  else files.rewrote(real);
  const places_changed = count === 1 ? "1 place" : `${count} places`;
  return {
    ok: true,
    text: `changed ${places_changed} in ${files.shown(real)}`,
    summary: places_changed,
    facts,
  };
});

/** Text that encodes back to the very same bytes, or a failure: else bytes outside the edit would change. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFailure(`${path} is not UTF-8 text; change it with bash`);
  }
}
