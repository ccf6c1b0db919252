/** JSON values, and JSON as one line of text. */
import { attempt } from "./attempt.ts";

/** Whether a value is an object, but not an array. */
export function is_record(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a TOML table; arrays and dates are not. */
export function is_table(value: unknown): value is Record<string, unknown> {
  return is_record(value) && !(value instanceof Date);
}

/** The fields of an object; `{}` for any other value. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return is_record(value) ? value : {};
}

export function is_text(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The value of a JSON text; undefined if it does not parse. */
export function json(text: string): unknown {
  return attempt(() => JSON.parse(text));
}

/** The parts of a JSON text: its strings, with their quotes, and what is between them. The last string may be cut off. */
export function* json_parts(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const begin = quote < 0 ? text.length : quote;
    if (begin > at) yield text.slice(at, begin);
    let end = begin + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    at = end + 1;
    if (quote >= 0) yield text.slice(begin, at);
  }
}

const NO_NUMBERS = /-?\b(?:nan|inf(?:inity)?)\b/gi;

/** The value of a server's JSON; undefined for other text. `NaN` and `Infinity`, which Python's `json.dumps` writes, become null. */
export function loose_json(text: string): unknown {
  const value = json(text);
  if (value !== undefined || text.search(NO_NUMBERS) < 0) return value;
  const parts = Array.from(
    json_parts(text),
    (part) => part.startsWith('"') ? part : part.replace(NO_NUMBERS, "null"),
  );
  return json(parts.join(""));
}

/** Characters that JSON may hold, but at which `readline` and `splitlines` end a line, and on which some terminals act. */
const NOT_IN_A_LINE = /[\u007f-\u009f\u2028\u2029]/g;

/** Half a character, as `JSON.stringify` writes it; Rust's `serde_json`, and so Zed, reads no line that has one. */
const HALF = /(\\+)ud[89a-f][0-9a-f]{2}/g;

/** A value as one line of JSON, whatever a reader takes for the end of a line. */
export function json_line(value: unknown): string {
  return `${escaped_lines(JSON.stringify(value))}\n`;
}

/** What a command prints for programs: one document, or a line for each of its rows. */
export function json_output(
  format: "json" | "jsonl",
  whole: object,
  rows: readonly object[],
): string {
  return format === "json" ? json_line(whole) : rows.map((row) => json_line(row)).join("");
}

export function escaped_lines(text: string): string {
  return text.replace(
    NOT_IN_A_LINE,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  ).replace(HALF, (found, slashes) => slashes.length % 2 ? `${slashes}ufffd` : found);
}
