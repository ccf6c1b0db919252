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
