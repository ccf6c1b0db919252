import { message_of } from "../../config/text.ts";

/** A key is a line; what is larger is another kind of file. */
const MOST_BYTES = 65_536;

/** The first line of a file that holds a key; `~` is the home folder. Throws with words for a person where there is none to be read. */
export function key_in_file(path: string, home: string): string {
  const place = /^~(\/|$)/.test(path) ? home + path.slice(1) : path;
  let text: string;
  try {
    const { isFile, size } = Deno.statSync(place);
    if (!isFile || size > MOST_BYTES) throw new Error("not a file with a key");
    text = Deno.readTextFileSync(place);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "there is no such file" : message_of(error);
    throw new Error(`${path} can't be read: ${why}`);
  }
  const key = text.split("\n")[0]?.trim() ?? "";
  if (key === "") throw new Error(`the first line of ${path} is empty`);
  return key;
}
