import type { Message } from "../model/message.ts";

/** Stands where a reply was empty or never came, so that roles alternate (section 9 of the contract). */
export const NO_REPLY = "(no reply)";

/** Marks words as `hamr`'s own, so that the model can tell them from the person's and from a tool's. */
export function internal(text: string): string {
  return `<hamr>\n${text}\n</hamr>`;
}

const COMMA = 0x2c;

/**
 * The messages of a session. Only grows: a message that was sent is never changed, and each is serialised
 * once, so that every request begins with the bytes of the one before it.
 */
export class History {
  readonly #messages: Message[] = [];
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(16384);
  #length = 0;
  /** How many messages are in `#bytes`: those may not change any more. */
  #sealed = 0;
  #ascii = 0;
  #others = 0;

  /** `before` is the text of every request up to its first message. */
  constructor(before: string, private readonly encode: (message: Message) => string) {
    this.#put(this.#encoder.encode(before));
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  append(message: Message): void {
    this.#messages.push(message);
  }

  /** Says something to the model in `hamr`'s own name, wherever alternation allows it. */
  say(text: string): void {
    const last = this.#messages.length - 1;
    const message = this.#messages[last];
    const open = last >= this.#sealed;
    if (open && (message?.role === "tool" || message?.role === "user")) {
      this.#messages[last] = { ...message, content: `${message.content}\n\n${internal(text)}` };
      return;
    }
    if (message?.role !== "assistant") this.append({ role: "assistant", content: NO_REPLY });
    this.append({ role: "user", content: internal(text), internal: true });
  }

  /** Serialises what is new: from now on it cannot change any more. */
  seal(): void {
    for (const message of this.#messages.slice(this.#sealed)) {
      if (this.#sealed++ > 0) this.#put(Uint8Array.of(COMMA));
      const piece = this.#encoder.encode(this.encode(message));
      this.#count(piece);
      this.#put(piece);
    }
  }

  /** A whole request: all messages, joined by commas, and the text `after` them. Valid until the next call. */
  request(after: string): Uint8Array<ArrayBuffer> {
    this.seal();
    const end = this.#length;
    this.#put(this.#encoder.encode(after));
    const whole = this.#bytes.subarray(0, this.#length);
    this.#length = end;
    return whole;
  }

  /** Tokens of what is serialised, by estimate: ASCII/4 plus one for each other character. */
  get tokens(): number {
    return Math.ceil(this.#ascii / 4) + this.#others;
  }

  #count(piece: Uint8Array): void {
    for (const byte of piece) {
      if (byte < 0x80) this.#ascii++;
      else if (byte >= 0xc0) this.#others++; // The first byte of a character; the others follow it.
    }
  }

  #put(piece: Uint8Array): void {
    if (this.#length + piece.length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + piece.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
  }
}
