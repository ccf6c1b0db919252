import type { Stamped } from "../agent/events.ts";

/** Events for whoever asks for them one after another: those that came before they were asked for wait. */
export class EventQueue implements AsyncIterable<Stamped> {
  readonly #waiting: Stamped[] = [];
  #over = false;
  #more = Promise.withResolvers<void>();

  push(event: Stamped): void {
    this.#waiting.push(event);
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  /** Each event is given once, to whoever asks first. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Stamped, void> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else if (this.#over) return;
      else await this.#more.promise;
    }
  }

  #wake(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }
}
