/** As much as a socket gives at once. */
const BUFFER_BYTES = 65_536;
/** The buffer of a body that has ended, for the next: a fresh one for each read fills the memory of a long run. */
let spare: ArrayBufferLike | null = null;

/** The body of an answer, which can be given up at any time: Deno forgets the signal of a `fetch` once its `Response` is collected. */
export class ResponseBody {
  readonly #reader: ReadableStreamBYOBReader | undefined;
  #buffer: ArrayBufferLike | null = null;
  #closed = false;

  constructor(response: Response) {
    this.#reader = response.body?.getReader({ mode: "byob" });
  }

  /** The next bytes, valid until the next read; null at the end. Throws if the connection broke, or after `close`. */
  async read(): Promise<Uint8Array | null> {
    if (this.#reader === undefined) return null;
    const buffer = this.#buffer ?? spare ?? new ArrayBuffer(BUFFER_BYTES);
    if (buffer === spare) spare = null;
    const { value, done } = await this.#reader.read(new Uint8Array(buffer));
    // A canceled read looks like an end.
    if (this.#closed) throw new DOMException("the response was canceled", "AbortError");
    this.#buffer = value?.buffer ?? null;
    if (!done && value !== undefined) return value;
    if (this.#buffer?.byteLength === BUFFER_BYTES) spare = this.#buffer;
    return null;
  }

  /** Closes the socket, unless all was read: then it stays for the next request. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader?.cancel().catch(() => {});
  }
}

/** The text of an answer, but no more of it than `bytes`, and nothing after `signal`; `complete` says whether it is all. */
export async function read_body_text(
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
