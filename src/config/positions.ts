/** Finds the line of a key in a TOML document: the parser gives positions for errors only, and a wrong value is reported with its line. */
import { parse } from "smol-toml";

/** The line of a key, or of the nearest table around it; 1 where the document has neither. */
export type LineOf = (path: readonly string[]) => number;

/** Strings and comments, in which nothing counts, the brackets around what may span lines, and the ends of lines. */
const TOKENS =
  /"""(?:\\[^]|[^\\])*?"{3,5}|'''[^]*?'{3,5}|"(?:\\[^]|[^"\\])*"|'[^']*'|#[^\n]*|[[\]{}\n]/g;

/** Finds the keys of a *valid* TOML document. `[[list]]` tables are `["list", "0"]` and so on; inline tables have the line of their key. */
export function positions(toml: string): LineOf {
  const lines = new Map<string, number>();
  let table: readonly string[] = [];
  /** How many tables each `[[name]]` has so far. */
  const counts = new Map<string, number>();
  for (const { text, line } of statements(toml)) {
    const header = text.startsWith("[");
    const path = [...header ? [] : table, ...names(parse(text))];
    if (text.startsWith("[[")) {
      const name = JSON.stringify(path);
      const nth = counts.get(name) ?? 0;
      counts.set(name, nth + 1);
      path.splice(-1, 1, String(nth));
    }
    if (header) table = path;
    // The tables that a key's dots open, too; the first line that names one counts.
    for (let length = 1; length <= path.length; length++) {
      const name = JSON.stringify(path.slice(0, length));
      if (!lines.has(name)) lines.set(name, line);
    }
  }
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const line = lines.get(JSON.stringify(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return 1;
  };
}

/** The headers and the keys with their values, each with the line that it begins on; empty ones where there is none. */
function* statements(toml: string): Generator<{ readonly text: string; readonly line: number }> {
  let start = 0;
  let first = 1;
  let line = 1;
  let depth = 0;
  for (const { 0: token, index } of `${toml}\n`.matchAll(TOKENS)) {
    if (token === "[" || token === "{") depth++;
    if (token === "]" || token === "}") depth--;
    line += token.split("\n").length - 1;
    if (token !== "\n" || depth > 0) continue;
    yield { text: toml.slice(start, index).trim(), line: first };
    start = index + 1;
    first = line;
  }
}

/** The names in what a single statement says: of a header, or of a key with its dots. */
function names(statement: unknown): string[] {
  if (typeof statement !== "object" || statement === null) return [];
  const [only, ...more] = Object.entries(statement);
  return only === undefined || more.length > 0 ? [] : [only[0], ...names(only[1])];
}
