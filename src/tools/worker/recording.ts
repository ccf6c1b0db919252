/** Asks the main thread to save something. */
import type { RecordAnswer, RecordRequest } from "../../store/recorder.ts";
import type { FromWorker } from "../protocol.ts";

/** Gives answers of the main thread to those who have asked it to write something down, in their order. */
export class Recording {
  readonly #waiting: ((answer: RecordAnswer) => void)[] = [];

  constructor(private readonly post: (message: FromWorker, transfer: Transferable[]) => void) {}

  readonly write_down = (request: RecordRequest): Promise<RecordAnswer> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
      const contents = request.kind === "contents" ? request.contents : [];
      this.post({ kind: "record", request }, contents.map(({ body }) => body.buffer));
    });

  answered(answer: RecordAnswer): void {
    this.#waiting.shift()?.(answer);
  }
}
