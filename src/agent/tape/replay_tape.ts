/** Replays the tape of one run: what was answered then is the answer now. Loaded only to replay a session. */
import { plural } from "../../config/text.ts";
import { NoModelError } from "../../model/server/credentials.ts";
import type { ModelError } from "../../model/errors.ts";
import type { HttpAnswer } from "../../model/http/http.ts";
import { ToolsError } from "../../tools/failure.ts";
import type { HeardExchange, HeardReply } from "../exchanges.ts";
import { bytes_of_packed } from "../../store/packed_reply.ts";
import { Requests, same_head } from "../../store/requests.ts";
import type { ClockReading, Tape, TapeNews, TapeQuestion, Thrown, Transport } from "../tape.ts";

/** A row of a tape. `lane`: the call that it is of, where several ran at the same time. */
export type TapeRow = { readonly lane?: string } & TapedRow;

type TapedRow =
  | ({ readonly kind: "exchange" } & (HeardExchange | Open))
  | ({ readonly kind: TapeQuestion } & TapedAnswer)
  | TapeNews
  | ({ readonly kind: "clock"; readonly nth: number } & ClockReading)
  | { readonly kind: "interrupted"; readonly nth: number }
  | { readonly kind: "lanes"; readonly calls: readonly string[] }
  | { readonly kind: "begin" };

type TapedAnswer = { readonly value?: unknown } | { readonly error: Thrown } | Open;
interface Open {
  readonly open: true;
}

export type Stopped =
  /** The first request that is another one. */
  | {
    readonly kind: "request";
    /** Its number in the run, from 1. */
    readonly nth: number;
    /** Where the first byte differs. */
    readonly offset: number;
    readonly recorded: Uint8Array;
    readonly now: Uint8Array;
  }
  /** One of the two went on where the other ended, or asked for something else. */
  | { readonly kind: "course"; readonly nth: number; readonly text: string }
  /** The recording ends here. */
  | { readonly kind: "cut" };

export class ReplayStopped extends Error {
  override readonly name = "ReplayStopped";
}

export interface ReplayListener {
  met(): void;
  steer(text: string): void;
  interrupt(): void;
}

/** Nothing is near a limit, and nobody interrupts. */
const CALM: ClockReading = { elapsed_ms: 0, step_ms: 0, interrupted: false };

interface ReplayProgress {
  /** Why it went no further; null while it does. */
  stopped: Stopped | null;
  requests: number;
}

export class ReplayTape implements Tape {
  /** Where the rows begin that belong to the last request. */
  #from = 0;
  readonly #taken = new Set<number>();
  readonly #requests = new Requests();
  readonly #readings = new Map<number, ClockReading>();
  #read = 0;
  readonly #interrupts = new Set<number>();
  #asked_interrupted = 0;
  #cut: () => void = () => {};
  readonly #lanes: ReplayTape[] = [];
  /** Where the calls began that are running in lanes. */
  #forked = 0;

  private readonly rows: readonly TapeRow[];

  constructor(
    private readonly all: readonly TapeRow[],
    private readonly listener: ReplayListener,
    /** For a lane: the call, and what it shares with the run. */
    private readonly of: { readonly lane?: string; readonly run?: ReplayTape } = {},
    private readonly progress: ReplayProgress = { stopped: null, requests: 0 },
  ) {
    this.rows = all.filter(({ lane }) => lane === of.lane);
    for (const row of this.rows) {
      if (row.kind === "clock") this.#readings.set(row.nth, row);
      if (row.kind === "interrupted") this.#interrupts.add(row.nth);
    }
  }

  get stopped(): Stopped | null {
    return this.progress.stopped;
  }

  get requests(): number {
    return this.progress.requests;
  }

  /** Whether the recorded run came to its end; of a lane, whether its call did. */
  get complete(): boolean {
    const { run } = this.of;
    if (run === undefined) return this.rows.some(({ kind }) => kind === "end");
    return run.complete || run.rows.slice(run.#forked + 1).some(({ kind }) => kind === "exchange");
  }

  begin(): void {
    this.#take(0);
  }

  /** To be called where the replayed run has ended: the recorded one may have gone on. */
  end(): void {
    if (this.stopped !== null) return;
    const left = [this, ...this.#lanes].reduce((sum, tape) => sum + tape.#left(), 0);
    if (left === 0) return;
    const text = `the recorded run made ${plural(left, "more request")}`;
    this.progress.stopped = { kind: "course", nth: this.requests + 1, text };
  }

  /** Requests that were not made again. */
  #left(): number {
    return this.rows.slice(this.#from).filter((row, at) =>
      row.kind === "exchange" && !this.#taken.has(this.#from + at)
    ).length;
  }

  broke(message: string): void {
    this.progress.stopped ??= {
      kind: "course",
      nth: this.requests + 1,
      text: `the program failed here: ${message}`,
    };
  }

  readonly exchange: Transport = (_, body) => {
    this.#go_on();
    const at = this.#next_exchange();
    const row = this.rows[at];
    if (row === undefined) {
      if (this.complete) this.#stop_for("the recorded run made no more requests");
      return this.#stop({ kind: "cut" });
    }
    if (row.kind !== "exchange" || "open" in row) return this.#stop({ kind: "cut" });
    const recorded = this.#unpacked(row);
    const same = same_head(recorded, body);
    if (same < Math.max(recorded.length, body.length)) {
      const both = { recorded: recorded.slice(), now: body.slice() };
      return this.#stop({ kind: "request", nth: this.requests + 1, offset: same, ...both });
    }
    this.progress.requests++;
    this.#from = at + 1;
    this.#take(at);
    return Promise.resolve(answer_of(row));
  };

  // deno-lint-ignore require-await -- What it throws is a rejection.
  async ask<T>(question: TapeQuestion): Promise<T> {
    return this.ask_now(question);
  }

  ask_now<T>(question: TapeQuestion): T {
    this.#go_on();
    return this.#answer(question);
  }

  tell(): void {}

  read(): ClockReading {
    return this.#readings.get(++this.#read) ?? CALM;
  }

  interrupted(): boolean {
    return this.#interrupts.has(++this.#asked_interrupted);
  }

  mattered(): void {}

  cuts(cut: () => void): void {
    this.#cut = cut;
  }

  lanes(): readonly Tape[] {
    this.#go_on();
    const at = this.#next("lanes");
    const row = this.rows[at];
    if (row?.kind !== "lanes") return [];
    this.#taken.add(at);
    this.#forked = at;
    const lanes = row.calls.map((lane) =>
      new ReplayTape(this.all, this.listener, { lane, run: this }, this.progress)
    );
    this.#lanes.push(...lanes);
    return lanes;
  }

  join(): void {
    this.#take(this.#forked);
  }

  /** The next answer to such a question, since the last request. */
  #answer<T>(question: TapeQuestion): T {
    const at = this.#next(question);
    const row = this.rows[at];
    if (row === undefined) {
      // Older recordings have none.
      if (question === "absent") return [] as T;
      if (this.#next_exchange() < this.rows.length || this.complete) {
        this.#stop_for(`the recorded run asked for no more of "${question}" here`);
      }
      return this.#stop({ kind: "cut" });
    }
    if ("open" in row) return this.#stop({ kind: "cut" });
    this.#take(at);
    if ("error" in row) throw error_of(row.error);
    return ("value" in row ? row.value : undefined) as T;
  }

  /** Where the next of a kind stands that belongs to the last request; behind the end if there is none. */
  #next(wanted: TapeRow["kind"]): number {
    const found = this.rows.slice(this.#from, this.#next_exchange())
      .findIndex(({ kind }, at) => kind === wanted && !this.#taken.has(this.#from + at));
    return found < 0 ? this.rows.length : this.#from + found;
  }

  #next_exchange(): number {
    const at = this.rows.findIndex(({ kind }, at) => at >= this.#from && kind === "exchange");
    return at < 0 ? this.rows.length : at;
  }

  /** What happened between this answer and the next question, happens. */
  #take(place: number): void {
    this.#taken.add(place);
    for (let at = place + 1; at < this.rows.length && !this.#taken.has(at); at++) {
      const row = this.rows[at];
      switch (row?.kind) {
        case "met":
          this.listener.met();
          break;
        case "steer":
          this.listener.steer(row.text);
          break;
        case "cut":
          // The run learns of it from its own tape.
          if (row.interrupted && this.of.run === undefined) this.listener.interrupt();
          this.#cut();
          break;
        case "clock":
        case "interrupted":
          break;
        default:
          return;
      }
      this.#taken.add(at);
    }
  }

  #unpacked({ request }: HeardExchange): Uint8Array {
    try {
      return this.#requests.unpack(request);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return this.#stop_for("the recording is damaged: a request of it cannot be read");
    }
  }

  #go_on(): void {
    if (this.stopped !== null) throw new ReplayStopped();
  }

  #stop_for(text: string): never {
    return this.#stop({ kind: "course", nth: this.requests + 1, text });
  }

  #stop(why: Stopped): never {
    this.progress.stopped ??= why;
    throw new ReplayStopped();
  }
}

function answer_of({ failed, reply }: HeardExchange): HttpAnswer | ModelError {
  if (failed !== undefined) return failed;
  const left = reply === undefined ? [] : pieces_of(reply);
  return {
    content_type: reply?.content_type ?? "",
    read: () => Promise.resolve(left.shift() ?? null),
    close() {},
  };
}

function bytes_of({ text = "", base64, gzip }: HeardReply): Uint8Array {
  if (gzip !== undefined) return bytes_of_packed({ gzip, base64: base64 ?? "" });
  return base64 === undefined ? new TextEncoder().encode(text) : Uint8Array.fromBase64(base64);
}

function pieces_of(reply: HeardReply): (Uint8Array | ModelError)[] {
  const bytes = bytes_of(reply);
  return [
    ...(bytes.length === 0 ? [] : [bytes]),
    ...(reply.error === undefined ? [] : [reply.error]),
  ];
}

function error_of({ name, message, cause_of_end }: Thrown): Error {
  if (cause_of_end !== undefined) {
    return new ToolsError(message, cause_of_end as ToolsError["cause_of_end"]);
  }
  return name === "NoModelError" ? new NoModelError(message) : new Error(message);
}
