/** The lines of a stream of UTF-8. */

/** Longer than any line that `hamr` writes: the largest files and images that it keeps are a tenth of that. */
const LONGEST_BYTES = 256 * 1024 * 1024;
const LINE_BREAK = 0x0a;

/** What comes next is no line of text. */
export class LineError extends Error {
  override readonly name = "LineError";
}

/** Each line without its break. Rejects with `LineError` for bytes that are no UTF-8, and for a line without an end. */
export async function* utf8_lines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const whole = (last: Uint8Array) => {
    try {
      const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join("");
      return text + decoder.decode(last);
    } catch {
      throw new LineError("it is not UTF-8 text");
    } finally {
      pieces = [];
      bytes = 0;
    }
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let at; (at = chunk.indexOf(LINE_BREAK, from)) >= 0; from = at + 1) {
      yield whole(chunk.subarray(from, at));
    }
    const rest = chunk.subarray(from);
    if (rest.length === 0) continue;
    pieces.push(rest);
    if ((bytes += rest.length) > LONGEST_BYTES) throw new LineError("it has no end");
  }
  if (bytes > 0) yield whole(new Uint8Array());
}
