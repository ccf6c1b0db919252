/** Drops lines from an editor that are longer than a message may be: the library would end at the first of them. */
import { json } from "../../config/json.ts";

/** As much as the library takes: a prompt with some images has a few megabytes. */
export const MOST_LINE_BYTES = 32 * 1024 * 1024;
/** The id stands before the parameters, which are what is long. */
const BEGINNING_BYTES = 1000;
const NEWLINE = 10;

/** Passes on whole lines; of each that is too long, only its beginning is kept, and given to `refuse`. */
export function bounded_lines(
  refuse: (beginning: string) => void,
  most = MOST_LINE_BYTES,
): TransformStream<Uint8Array, Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  return new TransformStream({
    transform(bytes, controller) {
      for (let from = 0; from < bytes.length;) {
        const end = bytes.indexOf(NEWLINE, from) + 1 || bytes.length;
        const part = bytes.subarray(from, end);
        from = end;
        const was_short = length <= most;
        length += part.length;
        if (was_short) parts.push(part);
        if (was_short && length > most) {
          refuse(beginning(parts));
          parts = [];
        }
        if (part.at(-1) !== NEWLINE) continue;
        for (const part of parts) controller.enqueue(part);
        parts = [];
        length = 0;
      }
    },
    flush: (controller) => parts.forEach((part) => controller.enqueue(part)),
  });
}

function beginning(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  let text = "";
  for (const part of parts) {
    text += decoder.decode(part.subarray(0, BEGINNING_BYTES), { stream: true });
    if (text.length >= BEGINNING_BYTES) break;
  }
  return text;
}

/** The id of a message, by its beginning; null where that does not hold it. */
export function id_in(beginning: string): string | number | null {
  const head = beginning.split(/"(?:params|result|error)"\s*:/)[0] ?? "";
  const id = /[{,]\s*"id"\s*:\s*(\d+|"(?:[^"\\]|\\.)*")/.exec(head)?.[1];
  return (json(id ?? "") ?? null) as string | number | null;
}
