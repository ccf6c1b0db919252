import { later } from "../model/timer.ts";

/** The time of a run and of its steps, and what may cut a step short. */
export class Clock {
  readonly #start = performance.now();
  #step_start = this.#start;
  #step = new AbortController();
  #disarm: () => void = () => {};

  /** Limits in milliseconds; 0 is none. */
  constructor(
    private readonly limits: { readonly run_ms: number; readonly step_ms: number },
    private readonly interrupt: AbortSignal,
  ) {
    interrupt.addEventListener("abort", () => this.#step.abort(), { once: true });
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
    const { run_ms, step_ms } = this.limits;
    const left = [step_ms, run_ms > 0 ? Math.max(1, run_ms - this.elapsed_ms) : 0]
      .filter((ms) => ms > 0);
    return this.#arm(left.length > 0 ? Math.min(...left) : 0);
  }

  /** Time for work that only the run's own limit and an interrupt may cut short. */
  begin_check(): AbortSignal {
    this.#step_start = performance.now();
    const { run_ms } = this.limits;
    return this.#arm(run_ms > 0 ? Math.max(1, run_ms - this.elapsed_ms) : 0);
  }

  /** Time for the last words, after a limit was reached: ends after `ms`, or on an interrupt. */
  begin_closing(ms: number): AbortSignal {
    return this.#arm(ms);
  }

  stop(): void {
    this.#disarm();
  }

  #arm(ms: number): AbortSignal {
    this.#disarm();
    const step = this.#step = new AbortController();
    if (this.interrupt.aborted) step.abort();
    if (ms > 0) this.#disarm = later(ms, () => step.abort());
    return step.signal;
  }
}
