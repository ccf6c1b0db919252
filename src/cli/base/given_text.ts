import { or_throw } from "../../config/attempt.ts";
import { read_named } from "../../app/named_file.ts";
import type { RunSettings } from "../../app/settings.ts";
import { why } from "../../config/paths.ts";
import { UsageError } from "../../config/error.ts";

/** A text of this size takes an eighth of a window of 128k tokens; nobody writes a longer one. */
const MOST_BYTES = 64 * 1024;

/** The text of `--rubric TEXT` or `@FILE` and flags like it, from the current folder. Throws `UsageError` if it is not a text file or too long. */
export function given_text(
  flag: "--rubric" | "--system",
  given: string,
  place: RunSettings,
): string {
  const text = given.startsWith("@")
    ? text_of_file(flag, given.slice(1), { typed: given, place })
    : given;
  const size = new TextEncoder().encode(text).length;
  if (size > MOST_BYTES) {
    throw new UsageError(`${flag}: it has ${size} bytes; at most ${MOST_BYTES} are allowed`);
  }
  if (text.trim() === "") throw new UsageError(`${flag} ${given}: it is empty`);
  return text.trim();
}

/** A file that is given by a flag, whole; `typed` is how the person wrote it. Throws `UsageError`. */
export function text_of_file(
  flag: string,
  path: string,
  { typed = path, place }: { typed?: string; place: RunSettings },
): string {
  const refuse = (why: string) => new UsageError(`${flag} ${typed}: ${why}`);
  if (path === "") throw refuse("name a file after the @");
  return or_throw(() => {
    const bytes = read_named(path, { most: MOST_BYTES, place });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  }, (error) => refuse(error instanceof TypeError ? "not UTF-8 text" : why(error)));
}
