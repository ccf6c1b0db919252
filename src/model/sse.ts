import { createParser } from "eventsource-parser";

/** Bytes of an event stream, cut anywhere, to the `data` of its events. Comments (keep-alive) vanish. */
export class EventStream {
  readonly #decoder = new TextDecoder();
  readonly #ready: string[] = [];
  readonly #parser = createParser({ onEvent: (event) => void this.#ready.push(event.data) });

  /** The events completed by these bytes. */
  push(bytes: Uint8Array): string[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#ready.splice(0);
  }
}
