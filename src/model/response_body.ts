/**
 * The body of an answer, read so that it can be given up at any moment. Deno forgets the signal of a `fetch`
 * as soon as its `Response` is collected: from then on an abort neither ends a read nor closes the socket
 * (seen in 2.6.10 and 2.9.6; http_test.ts shows it). So the body's own reader is cancelled.
 */
export class ResponseBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #closed = false;

  constructor(response: Response) {
    this.#reader = response.body?.getReader();
  }

  /** The next bytes; null at the end. Throws where the connection broke, or `close` was called. */
  async read(): Promise<Uint8Array | null> {
    if (this.#reader === undefined) return null;
    const { value, done } = await this.#reader.read();
    // A cancelled read looks like an end.
    if (this.#closed) throw new DOMException("the answer was given up", "AbortError");
    return done ? null : value;
  }

  /** Closes the socket, unless all was read: then it stays for the next request. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader?.cancel().catch(() => {});
  }
}

/** The text of an answer, but no more of it than `bytes`, and nothing after `signal`; `complete` says whether it is all. */
export async function read_text(
  response: Response,
  options: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly complete: boolean }> {
  const { bytes, signal } = options;
  const body = new ResponseBody(response);
  const close = () => body.close();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let complete = false;
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    for (let size = 0; size < bytes;) {
      const chunk = await body.read();
      complete = chunk === null;
      if (chunk === null) break;
      size += chunk.length;
      pieces.push(decoder.decode(chunk, { stream: true }));
    }
  } catch {
    // What has come is what there is.
  }
  signal.removeEventListener("abort", close);
  close();
  return { text: pieces.join(""), complete };
}
