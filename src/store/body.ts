/** How the text of a row is stored: as it is, or deflated if it is long. */

/** A shorter text is stored as it is: deflating takes 0.1 ms, and most rows of a session are a few hundred characters. */
export const PLAIN_CHARS = 2048;

export type Body = string | Uint8Array<ArrayBuffer>;

export async function packed_text(text: string): Promise<Body> {
  if (text.length < PLAIN_CHARS) return text;
  const bytes = new TextEncoder().encode(text);
  const size = bytes.length;
  const small = await deflated(bytes);
  // Given back at once: this thread makes little garbage, and so collects it late.
  bytes.buffer.transfer(0);
  return small.length < size ? small : text;
}

/** The text of a `body` column. Rejects where the file is damaged. */
export async function unpacked_text(body: unknown): Promise<string> {
  if (typeof body === "string") return body;
  if (!(body instanceof Uint8Array)) throw new TypeError("a row has no body");
  return new TextDecoder().decode(await inflated(new Uint8Array(body)));
}

/** Web streams: loading `node:zlib` takes 10 MB and 36 ms (measured). `deflate`: a stream of zlib, as git has them. */
export async function deflated(
  bytes: Uint8Array<ArrayBuffer>,
  format: CompressionFormat = "deflate-raw",
): Promise<Uint8Array<ArrayBuffer>> {
  return await through(bytes, new CompressionStream(format));
}

/** At once: of so much at most 16 MB can come, as deflating makes a thousandth of something at best. */
const SLICE_BYTES = 16 * 1024;

/** The opposite of `deflated`. Rejects for other bytes, and for more than `most`: a file of a few MB can unpack to fill any memory. */
export async function inflated(
  bytes: Uint8Array<ArrayBuffer>,
  most = Infinity,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream("deflate-raw");
  if (most === Infinity) return await through(bytes, stream);
  const slices = ReadableStream.from(in_slices(bytes));
  return await bytes_of(slices.pipeThrough(stream).pipeThrough(at_most(most)));
}

function* in_slices(bytes: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.slice(at, at + SLICE_BYTES);
}

function at_most(most: number): TransformStream<Uint8Array, Uint8Array> {
  let got = 0;
  return new TransformStream({
    transform(piece, controller) {
      if ((got += piece.length) > most) controller.error(new RangeError("it is too long"));
      else controller.enqueue(piece);
    },
  });
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  // What goes wrong is heard of by the reader.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  return await bytes_of(stream.readable);
}

async function bytes_of(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return await new Response(stream).bytes() as Uint8Array<ArrayBuffer>;
}
