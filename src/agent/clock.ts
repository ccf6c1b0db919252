import { later } from "../config/timer.ts";
import type { Tape } from "./tape.ts";
import { NO_TAPE } from "./pending_writes.ts";

/** The time of a run and of its steps, and what may cut a step short. */
export class Clock {
  #start: number;
  #step_start = performance.now();
  #step = new AbortController();
  #disarm: () => void = () => {};
  readonly #lent = new Set<Clock>();
  #lent_at = 0;
  #cut_lent = false;
  readonly #cut = () => {
    this.tape.tell({ kind: "cut", interrupted: this.interrupted });
    this.#step.abort();
  };

  /** Limits in milliseconds; 0 is none. `began`: when the run did, as `performance.now()` has it; its limit counts from then. */
  constructor(
    private readonly limits: { readonly run_ms: number; readonly step_ms: number },
    private readonly interrupt: AbortSignal,
    private readonly tape: Tape = NO_TAPE,
    began = performance.now(),
  ) {
    this.#start = began;
    interrupt.addEventListener("abort", this.#cut, { once: true });
  }

  get elapsed_ms(): number {
    return performance.now() - this.#start;
  }

  get step_ms(): number {
    return performance.now() - this.#step_start;
  }

  get interrupted(): boolean {
    return this.interrupt.aborted;
  }

  /** Begins a step; the signal fires on an interrupt and when a limit is reached. */
  begin_step(): AbortSignal {
    this.#step_start = performance.now();
    return this.#begin(this.#left());
  }

  /** Ends the step under way, or those of subagents: the user has interrupted it. */
  cut_short(): void {
    for (const clock of this.#lent.size > 0 ? [...this.#lent] : [this]) clock.#cut();
  }

  /** The same before the step has done anything: no answer on the tape marks the moment. */
  give_up(): void {
    this.#step.abort();
  }

  /** Time for work that only the run's own limit and an interrupt may cut short. */
  begin_check(): AbortSignal {
    this.#step_start = performance.now();
    return this.#begin(this.#left_of_run());
  }

  /** Time for the last words, after a limit was reached: ends after `ms`, or on an interrupt. */
  begin_closing(ms: number): AbortSignal {
    return this.#begin(ms);
  }

  /** Lends work, as a subagent's, steps of its own: a limit that cuts one of them cuts this step, too, once all have ended. `tape`: that of the work. */
  async lend<T>(work: (clock: Clock) => Promise<T>, tape: Tape = this.tape): Promise<T> {
    const lent = new Clock(this.limits, this.interrupt, tape);
    lent.#start = this.#start;
    if (this.#lent.size === 0) {
      this.#lent_at = performance.now();
      this.#cut_lent = false;
      this.#arm(this.#left_of_run());
    }
    this.#lent.add(lent);
    try {
      return await work(lent);
    } finally {
      this.#lent.delete(lent);
      lent.stop();
      this.interrupt.removeEventListener("abort", lent.#cut);
      this.#cut_lent ||= lent.#step.signal.aborted;
      if (this.#lent.size === 0) this.#take_back();
    }
  }

  #take_back(): void {
    if (this.#cut_lent) return this.#step.abort();
    this.#step_start += performance.now() - this.#lent_at;
    this.#arm(this.#left());
  }

  stop(): void {
    this.#disarm();
  }

  /** Milliseconds to the nearest limit of the step; 0: there is none. */
  #left(): number {
    const { step_ms } = this.limits;
    const of_step = step_ms > 0 ? Math.max(1, step_ms - this.step_ms) : 0;
    const left = [of_step, this.#left_of_run()].filter((ms) => ms > 0);
    return left.length > 0 ? Math.min(...left) : 0;
  }

  #left_of_run(): number {
    const { run_ms } = this.limits;
    return run_ms > 0 ? Math.max(1, run_ms - this.elapsed_ms) : 0;
  }

  #begin(ms: number): AbortSignal {
    this.#step = new AbortController();
    this.tape.cuts(this.#cut);
    if (this.interrupt.aborted) this.#step.abort();
    this.#arm(ms);
    return this.#step.signal;
  }

  #arm(ms: number): void {
    this.#disarm();
    this.#disarm = ms > 0 ? later(ms, this.#cut) : () => {};
  }
}
