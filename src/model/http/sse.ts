import { createParser } from "eventsource-parser";

/** A line longer than this is not an event: 16 M characters. */
const LINE_CHARS = 16 * 1024 * 1024;

export interface ServerEvent {
  /** `message` where the server gives it no name. */
  readonly name: string;
  readonly data: string;
}

/** Text of an event stream, cut anywhere, to its events. Comments (keep-alive) vanish. */
export class EventStream {
  /** A line grew without end; nothing is read anymore. */
  overflow = false;
  readonly #ready: ServerEvent[] = [];
  readonly #parser = createParser({
    maxBufferSize: LINE_CHARS,
    onEvent: ({ event, data }) => void this.#ready.push({ name: event ?? "message", data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") this.overflow = true;
    },
  });

  push(text: string): ServerEvent[] {
    if (!this.overflow) this.#parser.feed(text);
    return this.#ready.splice(0);
  }

  /** What is at the end of the stream without the empty line that would complete it; maybe half of it. */
  rest(): ServerEvent[] {
    return this.push("\n\n");
  }
}
