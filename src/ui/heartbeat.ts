import type { Stamped } from "../agent/events.ts";
import { later } from "../config/timer.ts";
import { line } from "./text.ts";

const NAME_CHARS = 40;

/** Repeats what is awaited while nothing else is printed: whoever watches a log can't tell slow from dead. */
export class Heartbeat {
  /** When something happened last, and when something was last told, in milliseconds of this process. */
  #since = performance.now();
  #told = this.#since;
  #words = "starting";
  #stop: () => void = () => {};

  /** `tell` gets `waiting for the model, 30s` each time nothing was printed for `ms` milliseconds; 0 is never. */
  constructor(private readonly ms: number, private readonly tell: (words: string) => void) {
    if (ms > 0) this.#wait(ms);
  }

  heard(event: Stamped): void {
    this.#since = this.#told = performance.now();
    this.#words = awaited(event) ?? this.#words;
    if (event.type === "result") this.#stop();
  }

  /** Other words for what is awaited, where nothing else says so; `begins`: it is not what it was before. */
  say(words: string, begins = false): void {
    this.#words = words;
    if (begins) this.#since = performance.now();
  }

  #wait(ms: number): void {
    this.#stop = later(ms, () => {
      const now = performance.now();
      const left = this.#told + this.ms - now;
      // Timers are a little early.
      if (left > 1) return this.#wait(left);
      this.#told = now;
      this.tell(`${this.#words}, ${Math.round((now - this.#since) / 1000)}s`);
      this.#wait(this.ms);
    });
  }
}

/** What comes after an event takes as long as it takes; null if the event says nothing about that. */
function awaited(event: Stamped): string | null {
  switch (event.type) {
    case "step_start":
      return "waiting for the model";
    case "text_delta":
      return event.finished ? "working" : "the model is writing";
    case "reasoning_delta":
      return event.finished ? "working" : "the model is thinking";
    case "tool_call":
      return `running ${line(event.name, NAME_CHARS)}`;
    case "tool_result":
      return "working";
    default:
      return null;
  }
}
