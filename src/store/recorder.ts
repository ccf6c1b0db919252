/** Saves what a run changes as the tools worker finds it, on the main thread: commands cannot reach the file. */
import { why } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import type { NewContent } from "./content.ts";
import { SessionContents } from "./contents.ts";
import { type DatabaseSync, is_busy } from "./database.ts";
import type { ChangeRow } from "./file_state.ts";
import { session_rows } from "./sessions.ts";
import type { SessionWriter } from "./session_writer.ts";

/** What the tools worker asks to be written down. Answered one after the other. */
export type RecordRequest =
  /** Which of these contents are not there yet? */
  | { readonly kind: "unknown"; readonly hashes: readonly string[] }
  | { readonly kind: "contents"; readonly contents: readonly NewContent[] }
  /** Contents that are not needed anymore, unless a command of the session was cut off. */
  | { readonly kind: "release"; readonly hashes: readonly string[] }
  /** The contents that they name are there, as far as they can be stored. */
  | { readonly kind: "changes"; readonly rows: readonly ChangeRow[] };

export interface RecordAnswer {
  readonly ok: boolean;
  readonly unknown: readonly string[];
}

/** A run with this many commands that were not written down can't be undone. */
const MOST_ROWS = 1000;

const NOT_DONE: RecordAnswer = { ok: false, unknown: [] };

export interface RecorderOptions {
  readonly step: () => number;
  readonly warn: (message: string) => void;
}

export class Recorder {
  #contents: SessionContents | null = null;
  #rows = 0;
  /** It was said that something could not be written. */
  #failed = false;
  /** Rows that could not be written so far: they are tried again with the next. Null: there were too many. */
  #waiting: ChangeRow[] | null = [];

  constructor(
    private readonly db: DatabaseSync,
    private readonly writer: SessionWriter,
    private readonly options: RecorderOptions,
  ) {}

  /** Does what is asked. What cannot be written is said once. */
  async take(request: RecordRequest): Promise<RecordAnswer> {
    if (request.kind === "changes") {
      const step = this.options.step();
      this.#waiting?.push(...request.rows.map((row) => ({ step, ...row })));
    }
    try {
      const unknown = await this.writer.patience.wait(() => this.#take(request));
      return { ok: true, unknown };
    } catch (error) {
      if ((this.#waiting?.length ?? 0) > MOST_ROWS) this.#waiting = null;
      // It is tried again, and whoever saves the session says it.
      else if (is_busy(error)) return NOT_DONE;
      if (!this.#failed) this.options.warn(this.#fault(error));
      this.#failed = true;
      return NOT_DONE;
    }
  }

  async #take(request: RecordRequest): Promise<readonly string[]> {
    const { db, writer } = this;
    const contents = this.#contents ??= new SessionContents(db, writer.session);
    switch (request.kind) {
      case "unknown":
        return contents.hold(request.hashes);
      case "contents":
        contents.add(request.contents);
        // Given back at once: this thread makes little garbage, and so collects it late.
        for (const { body } of request.contents) body.buffer.transfer(0);
        return [];
      case "release": {
        const kinds = (await session_rows(db, { session: writer.session, table: "changes" }))
          .map(({ body }) => (JSON.parse(body) as ChangeRow).kind);
        const open = kinds.filter((kind) => kind === "begin").length -
          kinds.filter((kind) => kind === "done").length;
        if (open === 0) contents.release(request.hashes);
        return [];
      }
      case "changes":
        for (let row; (row = this.#waiting?.[0]) !== undefined; this.#waiting?.shift()) {
          const { step = 0, ...rest } = row;
          await writer.add({ table: "changes", step, body: JSON.stringify(rest) });
          this.#rows++;
        }
        return [];
    }
  }

  #fault(error: unknown): string {
    const reason = one_line(why(error));
    return this.#rows === 0
      ? `this run can't be undone: the files it finds are not saved: ${reason}`
      : `not all changes of this run can be undone: they are not saved: ${reason}`;
  }
}
