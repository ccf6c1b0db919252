/** A reply that comes in pieces, cut wherever a network may cut it. */
import { BodyReader } from "../../src/model/http/body.ts";
import type { Reply } from "../../src/model/message.ts";
import type { Wire } from "../../src/model/wire.ts";

/** Decodes a body that comes in these pieces; null where it is cut, and an error as its kind. */
export function decode_with(
  wire: Wire,
  { pieces, content_type }: { pieces: Iterable<Uint8Array>; content_type: string },
): Reply | string | null {
  const collector = wire.collector("u");
  const reader = new BodyReader(collector, { url: "u", content_type });
  for (const piece of pieces) {
    const news = reader.push(piece);
    if ("kind" in news) return news.kind;
    if (reader.done) return collector.reply();
  }
  const news = reader.end();
  if ("kind" in news) return news.kind;
  return collector.finished || reader.done ? collector.reply() : null;
}

export function* cut_at(bytes: Uint8Array, places: Iterable<number>): Generator<Uint8Array> {
  let from = 0;
  for (const place of places) {
    yield bytes.subarray(from, place);
    from = place;
  }
  yield bytes.subarray(from);
}
