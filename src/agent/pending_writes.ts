import { post } from "../model/http/http.ts";
import { NoModelError } from "../model/server/credentials.ts";
import type { NewRow } from "../store/session_writer.ts";
import type { Stamped } from "./events.ts";
import type { Exchanges } from "./exchanges.ts";
import type {
  ClockReading,
  Tape,
  TapeNews,
  TapeQuestion,
  TapeSlot,
  Thrown,
  Transport,
} from "./tape.ts";

/** Pieces of a reply, of which the message has all, and what says nothing later. */
const PASSING: ReadonlySet<Stamped["type"]> = new Set([
  ...[
    "text_delta",
    "reasoning_delta",
    "prefill",
    "writing",
    "request",
    "patch",
    "output",
    "detail",
    "progress",
    "printed",
    "background",
    "refusal",
    "step_start",
    "usage",
  ] as const,
]);

/** A row that is to be saved; its value becomes JSON then. */
type PendingRow = Omit<NewRow, "body"> & { readonly value: unknown };

/** What is to be saved besides messages and the ledger, until it is. Here from the first moment: the store opens later. */
export class PendingWrites {
  #rows: (NewRow | PendingRow)[] = [];

  /** Adds a row; `value` as the JSON that it has now. */
  add(table: NewRow["table"], step: number, value: unknown): void {
    this.#rows.push({ table, step, body: JSON.stringify(value) });
  }

  /** Keeps a place in the order for what becomes known until it is saved. */
  add_later(table: NewRow["table"], step: number, value: unknown): void {
    this.#rows.push({ table, step, value });
  }

  /** Adds an event, unless it is one that passes. */
  readonly hear = (event: Stamped): void => {
    if (!PASSING.has(event.type)) this.add("events", event.step, event);
  };

  take(): readonly NewRow[] {
    return this.#rows.splice(0).map((row) => {
      if ("body" in row) return row;
      const { table, step, value } = row;
      return { table, step, body: JSON.stringify(value) };
    });
  }

  put_back(rows: readonly NewRow[]): void {
    this.#rows = [...rows, ...this.#rows];
  }
}

/** For a run that is not saved: nothing is written down. */
export const NO_TAPE: Tape = {
  exchange: post,
  ask: (_, work) => work(),
  ask_now: (_, work) => work(),
  tell() {},
  read: (clock) => clock,
  interrupted: (now) => now,
  mattered() {},
  cuts() {},
  lanes: (calls, most) => most < 2 ? [] : calls.slice(0, most).map(() => NO_TAPE),
  join() {},
};

class AnswerRow implements TapeSlot {
  heard: object | null = null;

  constructor(private readonly row: { readonly kind: TapeQuestion | "exchange" }) {}

  toJSON(): object {
    return { ...this.row, ...(this.heard ?? { open: true }) };
  }
}

/** Takes down all that a run did not make itself, in the order in which it was asked for. */
export class TapeRecorder implements Tape {
  #begun = false;
  #exchanges: Exchanges | null = null;
  #readings = 0;
  #last: ClockReading | null = null;
  #asked_interrupted = 0;

  /** `step`: the number of the step under way. `lane`: the call whose own tape this is; null for the run's. */
  constructor(
    private readonly pending: PendingWrites,
    private readonly step: () => number,
    private readonly lane: string | null = null,
  ) {}

  /** Marks where the run begins on the tape, once. */
  begin(): void {
    if (this.#begun || this.lane !== null) return;
    this.#begun = true;
    this.#add({ kind: "begin" });
  }

  readonly exchange: Transport = async (target, body, options) => {
    const place = this.#place("exchange");
    const answering = post(target, body, options);
    // While the server has it; of the first request not before it is on its way.
    await answering;
    const exchanges = this.#exchanges ??= new (await import("./exchanges.ts")).Exchanges();
    const request = exchanges.pack(body);
    return exchanges.take_down(place, { target, request, answer: await answering });
  };

  async ask<T>(question: TapeQuestion, work: () => Promise<T>): Promise<T> {
    const place = this.#place(question);
    try {
      const value = await work();
      place.heard = { value };
      return value;
    } catch (error) {
      place.heard = { error: thrown(error) };
      throw error;
    }
  }

  ask_now<T>(question: TapeQuestion, work: () => T): T {
    const place = this.#place(question);
    try {
      const value = work();
      place.heard = { value };
      return value;
    } catch (error) {
      place.heard = { error: thrown(error) };
      throw error;
    }
  }

  tell(news: TapeNews): void {
    this.begin();
    this.#add(news);
  }

  read({ elapsed_ms, step_ms, interrupted }: ClockReading): ClockReading {
    this.#readings++;
    return this.#last = { elapsed_ms, step_ms, interrupted };
  }

  interrupted(now: boolean): boolean {
    const nth = ++this.#asked_interrupted;
    if (now) {
      this.begin();
      this.#add({ kind: "interrupted", nth });
    }
    return now;
  }

  mattered(): void {
    this.begin();
    this.#add({ kind: "clock", nth: this.#readings, ...this.#last });
  }

  cuts(): void {}

  lanes(calls: readonly string[], most: number): readonly Tape[] {
    const together = calls.slice(0, most);
    if (together.length < 2) return [];
    this.begin();
    this.#add({ kind: "lanes", calls: together });
    return together.map((call) => new TapeRecorder(this.pending, this.step, call));
  }

  join(): void {}

  #add(row: object): void {
    this.pending.add("tape", this.step(), this.#of_lane(row));
  }

  #place(kind: TapeQuestion | "exchange"): TapeSlot {
    this.begin();
    const place = new AnswerRow(this.#of_lane({ kind }));
    this.pending.add_later("tape", this.step(), place);
    return place;
  }

  #of_lane<Row extends object>(row: Row): Row {
    return this.lane === null ? row : { ...row, lane: this.lane };
  }
}

function thrown(error: unknown): Thrown {
  const { message, cause_of_end } = error as Partial<Thrown>;
  return {
    // No name of a class: a bundle has others.
    name: error instanceof NoModelError ? "NoModelError" : "Error",
    message: message ?? String(error),
    ...(cause_of_end === undefined ? {} : { cause_of_end }),
  };
}
