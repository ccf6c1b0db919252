/** Asks the main thread to save something. */
import type { RecordAnswer, RecordRequest } from "../../store/recorder.ts";
import type { FromWorker } from "../protocol.ts";

/** What is handed over, not copied: for the first that is handed over a thread of Deno 2.9 loads its streams, which takes longer than a copy of less. */
const HANDED_OVER_BYTES = 256 * 1024;

/** Gives answers of the main thread to those who have asked it to write something down, in their order. */
export class Recording {
  readonly #waiting: ((answer: RecordAnswer) => void)[] = [];

  constructor(private readonly post: (message: FromWorker, transfer?: Transferable[]) => void) {}

  readonly write_down = (request: RecordRequest): Promise<RecordAnswer> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
      const contents = request.kind === "contents" ? request.contents : [];
      const bodies = contents.map(({ body }) => body.buffer);
      const bytes = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const message: FromWorker = { kind: "record", request };
      // Not with an empty list of what is handed over, for which they would be loaded, too.
      if (bytes < HANDED_OVER_BYTES) this.post(message);
      else this.post(message, bodies);
    });

  answered(answer: RecordAnswer): void {
    this.#waiting.shift()?.(answer);
  }
}
