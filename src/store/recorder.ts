/** Writes down what a run changes, as the tools worker finds it, on the main thread: commands cannot reach the file. */
import { why } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import type { NewContent } from "./content.ts";
import { add_contents, hold, release } from "./contents.ts";
import { type DatabaseSync, transaction } from "./database.ts";
import type { ChangeRow } from "./file_state.ts";
import { rows_in } from "./sessions.ts";
import type { SessionWriter } from "./session_writer.ts";

/** What the tools worker asks to be written down. Answered one after the other. */
export type RecordRequest =
  /** Which of these contents are not there yet? */
  | { readonly kind: "unknown"; readonly hashes: readonly string[] }
  | { readonly kind: "contents"; readonly contents: readonly NewContent[] }
  /** These are not needed any more, unless a command of the session was cut off. */
  | { readonly kind: "release"; readonly hashes: readonly string[] }
  /** All contents that it names are there. */
  | { readonly kind: "changes"; readonly row: ChangeRow };

/** Whether it is on the disk. */
export interface RecordAnswer {
  readonly ok: boolean;
  /** For `unknown`. */
  readonly unknown: readonly string[];
}

const NOT_DONE: RecordAnswer = { ok: false, unknown: [] };

/** The recorder of one run. */
export class Recorder {
  #rows = 0;
  #failed = false;

  /** `step`: of the session, the one under way. */
  constructor(
    private readonly db: DatabaseSync,
    private readonly writer: SessionWriter,
    private readonly options: {
      readonly step: () => number;
      readonly warn: (message: string) => void;
    },
  ) {}

  /** Does what is asked. What cannot be written is said once. */
  async take(request: RecordRequest): Promise<RecordAnswer> {
    try {
      return { ok: true, unknown: await this.#take(request) };
    } catch (error) {
      if (!this.#failed) this.options.warn(this.#fault(error));
      this.#failed = true;
      return NOT_DONE;
    }
  }

  async #take(request: RecordRequest): Promise<readonly string[]> {
    const { db, writer } = this;
    switch (request.kind) {
      case "unknown":
        return hold(db, writer.session, request.hashes);
      case "contents":
        transaction(db, () => add_contents(db, writer.session, request.contents));
        // Given back at once: this thread makes little garbage, and so collects it late.
        for (const { body } of request.contents) body.buffer.transfer(0);
        return [];
      case "release": {
        const kinds = (await rows_in(db, { session: writer.session, table: "changes" }))
          .map(({ body }) => (JSON.parse(body) as ChangeRow).kind);
        const open = kinds.filter((kind) => kind === "begin").length -
          kinds.filter((kind) => kind === "done").length;
        if (open === 0) release(db, writer.session, request.hashes);
        return [];
      }
      case "changes":
        await writer.add({
          table: "changes",
          step: this.options.step(),
          body: JSON.stringify(request.row),
        });
        this.#rows++;
        return [];
    }
  }

  #fault(error: unknown): string {
    const reason = one_line(why(error));
    return this.#rows === 0
      ? `this run can't be undone: what it finds is not saved: ${reason}`
      : `what this run changes can't all be undone: it is not saved: ${reason}`;
  }
}
