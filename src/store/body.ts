/** How the text of a row is stored: as it is, or deflated where it is long. */

/** A shorter text is stored as it is: deflating takes 0.1 ms, and most rows of a session are a few hundred characters. */
export const PLAIN_CHARS = 2048;

/** What a `body` column holds. */
export type Body = string | Uint8Array<ArrayBuffer>;

/** The text as it is stored. */
export async function packed(text: string): Promise<Body> {
  if (text.length < PLAIN_CHARS) return text;
  const bytes = new TextEncoder().encode(text);
  const small = await deflated(bytes);
  return small.length < bytes.length ? small : text;
}

/** The text of a `body` column. Rejects where the file is damaged. */
export async function unpacked(body: unknown): Promise<string> {
  if (typeof body === "string") return body;
  if (!(body instanceof Uint8Array)) throw new TypeError("a row has no body");
  return new TextDecoder().decode(await inflated(new Uint8Array(body)));
}

/** Web streams: loading `node:zlib` takes 10 MB and 36 ms (measured). */
export async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return await through(bytes, new CompressionStream("deflate-raw"));
}

/** The opposite of `deflated`. Rejects where these bytes did not come from it. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return await through(bytes, new DecompressionStream("deflate-raw"));
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  // What goes wrong is heard of by the reader.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  return await new Response(stream.readable).bytes() as Uint8Array<ArrayBuffer>;
}
