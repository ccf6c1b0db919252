import { parse, TomlError } from "smol-toml";
import { ConfigError } from "./error.ts";
import { type LineOf, positions } from "./positions.ts";
import { message_of } from "./text.ts";

/** Parses the text of a configuration. Throws a `ConfigError` with file, line and column for what is no TOML. */
export function parse_toml(
  file: string,
  text: string,
): { readonly tables: Readonly<Record<string, unknown>>; readonly line_of: LineOf } {
  try {
    // "throw": no key may be called __proto__ or constructor.
    const tables = parse(text, { unsafeKeyBehaviour: "throw" });
    return { tables, line_of: positions(text) };
  } catch (error) {
    const place = error instanceof TomlError ? `${file}:${error.line}` : file;
    const reason = message_of(error).replace(/^Invalid TOML document: /, "").split("\n")[0];
    const column = error instanceof TomlError ? ` (column ${error.column})` : "";
    throw new ConfigError(`${place}: not valid TOML: ${reason}${column}`);
  }
}
