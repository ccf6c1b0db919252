/** What may be in a JSON text. */

/** An object, and no list. */
export function is_record(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value's fields; none where it has none. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return is_record(value) ? value : {};
}

/** The value of a JSON text; undefined for another text. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Characters that JSON may hold as they are, and that not every reader takes for letters: Node's `readline` and Python's `splitlines`
 * end a line at some of them, so that a text could pass for a line of its own; and some terminals act on others.
 */
const NOT_IN_A_LINE = /[\u007f-\u009f\u2028\u2029]/g;

/** A value as one line of JSON, whatever a reader takes for the end of a line. */
export function json_line(value: unknown): string {
  return `${escaped_lines(JSON.stringify(value))}\n`;
}

/** The same JSON in one line. */
export function escaped_lines(text: string): string {
  return text.replace(
    NOT_IN_A_LINE,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
