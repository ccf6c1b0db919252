import { ConfigError } from "../../config/error.ts";
import { why } from "../../config/paths.ts";

/** Claude Code keeps the history of each workspace in its file of settings: it can have many megabytes. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * A file of settings as text; null where there is none. Throws a `ConfigError` for what can't be read, is no text, or is not a
 * regular file: a pipe would wait for its writer, and a device has no end.
 */
export function text_file(file: string): string | null {
  const refuse = (words: string) => new ConfigError(`${file}: ${words}`);
  try {
    const { isFile, size } = Deno.statSync(file);
    if (!isFile) throw refuse("not a regular file");
    if (size > MOST_BYTES) throw refuse("larger than 64 MiB");
    return new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(file));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return null;
    }
    if (error instanceof TypeError) throw refuse("not UTF-8 text");
    throw refuse(`can't be read: ${why(error)}`);
  }
}
