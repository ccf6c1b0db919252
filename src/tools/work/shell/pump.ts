import { within } from "../../../config/within.ts";

/** What a pipe holds on Linux; more cannot come at once. */
const BUFFER_BYTES = 65_536;
/** Buffers that wait for the next command: its two pipes. */
const SPARE = 2;

/** Buffers that ended pipes gave back. A new one for each pipe took half of the memory of a run of 400 steps. */
const spare: ArrayBufferLike[] = [];

/** Reads a pipe to its end. After `settle` it goes on reading, so that a background child can go on writing. */
export class Pump {
  #take: ((bytes: Uint8Array) => void) | null;
  readonly #done: Promise<void>;

  /** `take` gets bytes that are overwritten once it returns. */
  constructor(stream: ReadableStream<Uint8Array>, take: (bytes: Uint8Array) => void) {
    this.#take = take;
    this.#done = this.#read(stream);
  }

  /** Waits for the end of the pipe, at most `ms`; true if it came. */
  async settle(ms: number): Promise<boolean> {
    const closed = await within(ms, this.#done.then(() => true)) ?? false;
    this.#take = null;
    return closed;
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const reader = stream.getReader({ mode: "byob" });
    let buffer = spare.pop() ?? new ArrayBuffer(BUFFER_BYTES);
    try {
      for (;;) {
        const { value, done } = await reader.read(new Uint8Array(buffer));
        if (value !== undefined) buffer = value.buffer;
        if (done || value === undefined) break;
        this.#take?.(value);
      }
      if (buffer.byteLength === BUFFER_BYTES && spare.length < SPARE) spare.push(buffer);
    } catch {
      // A pipe that breaks has said all it could.
    }
  }
}
