/** The lines of an exported session: a header, its state, its rows, the contents they use, and an end that counts them. */
import { json } from "../config/json.ts";

/** Counts up when an older program could not read it anymore. */
export const FORMAT = 1;

/** The header: what the session's own row says, except for what depends on this database. */
export const HEADER_COLUMNS = [
  ...["uuid", "workspace", "task", "began_ms", "saved_ms", "model", "provider"] as const,
  ...["part", "part_from", "steps", "calls", "cost_usd", "stop_reason"] as const,
] as const;

/** A text as a line holds it: as the value it says where it is JSON of the usual form, or else as it is. */
type EncodedText = { readonly body: unknown } | { readonly text: string };

/** The text, so that `decode_text` gives back the same. */
export function encode_text(text: string): EncodedText {
  const body = json(text);
  return JSON.stringify(body) === text ? { body } : { text };
}

/** The opposite of `encode_text`; null if it is neither. */
export function decode_text(line: Readonly<Record<string, unknown>>): string | null {
  if (typeof line["text"] === "string") return line["text"];
  return line["body"] === undefined ? null : JSON.stringify(line["body"]);
}
