import type { NewRow } from "../store/session_writer.ts";
import type { Stamped } from "./events.ts";

/** Pieces of a reply, of which the message has all, and what says nothing later. */
const PASSING: ReadonlySet<Stamped["type"]> = new Set([
  ...["text_delta", "reasoning_delta", "prefill", "step_start", "usage"] as const,
]);

/** What is to be saved besides messages and the ledger, until it is. Here from the first moment: the store opens later. */
export class Unsaved {
  #rows: NewRow[] = [];

  /** Adds a row; `value` as JSON. */
  add(table: NewRow["table"], step: number, value: unknown): void {
    this.#rows.push({ table, step, body: JSON.stringify(value) });
  }

  /** Adds an event, unless it is one that passes. */
  readonly hear = (event: Stamped): void => {
    if (!PASSING.has(event.type)) this.add("events", event.step, event);
  };

  /** All of it, from now on somebody else's. */
  take(): readonly NewRow[] {
    return this.#rows.splice(0);
  }

  /** It could not be saved. */
  put_back(rows: readonly NewRow[]): void {
    this.#rows = [...rows, ...this.#rows];
  }
}
