import { defused } from "../config/text.ts";
import type { Image, Message } from "../model/message.ts";
import type { Wire } from "../model/wire.ts";
import type { ToolSchema } from "../tools/tool.ts";

/** Stands where a reply was empty or never came, so that roles alternate (section 9 of the contract). */
export const NO_REPLY = "(no reply)";

/** Ends what is kept of an answer that did not come to its end. */
export const INTERRUPTED = "(interrupted)";

/** Marks words as `hamr`'s own, so that the model can tell them from the user's and from a tool's. */
export function internal(text: string): string {
  return `<hamr>\n${without_tag(text)}\n</hamr>`;
}

/** Someone else's text, in which nothing passes for `hamr`'s words. */
export function without_tag(text: string): string {
  return defused(text, "hamr");
}

export function without_internal(text: string): string {
  const rest: string[] = [];
  let from = 0;
  for (let at = 0; (at = text.indexOf("<hamr>\n", from)) >= 0;) {
    const end = text.indexOf("\n</hamr>", at + "<hamr>\n".length);
    if (end < 0) break;
    rest.push(text.slice(from, at));
    from = end + "\n</hamr>".length;
  }
  return [...rest, text.slice(from)].join("").trim();
}

/** Tokens that the schemas of tools take in a request, by estimate. */
export function tool_tokens(tools: readonly ToolSchema[]): number {
  return Math.ceil(JSON.stringify(tools).length / 4);
}

/** Tokens of an image as large as is sent: 256 for Gemma 3, 1,105 for GPT-4o, 1,600 for Claude. The server's count corrects it. */
export const IMAGE_TOKENS = 1000;

type MessageFormat = Pick<Wire, "before" | "encode">;

const COMMA = 0x2c;
/** The system message and the task: the messages that no compaction touches. */
const OPENING = 2;

/** The messages of a session. It only grows, each message serialized once: every request begins with the bytes of the one before it. */
export class History {
  #messages: Message[] = [];
  /** The first two messages as they were first sent. */
  #opening: Message[] = [];
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(16384);
  #length = 0;
  /** How many messages are in `#bytes`: those may not change anymore. */
  #sealed = 0;
  /** Where `#last` begins in `#bytes`. */
  #last_at = 0;
  /** What was serialized last, and together. */
  #last: readonly Message[] = [];
  #ascii = 0;
  #others = 0;
  #rewritten = 0;
  readonly #call_ids = new Set<string>();

  #before: Uint8Array;

  /** `model` is the one that requests name. */
  constructor(private wire: MessageFormat, model: string) {
    this.#before = this.#encoder.encode(wire.before(model));
    this.#put(this.#before);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get opening(): readonly Message[] {
    return this.#opening;
  }

  /** How many of the messages can change only by being replaced. */
  get settled(): number {
    // Words of `hamr` go to the end of a result or of the user's message, never to a reply, nor to what is before it.
    const reply = this.#messages.findLastIndex(({ role }) => role === "assistant");
    return Math.max(reply + 1, this.#sealed);
  }

  get call_ids(): ReadonlySet<string> {
    return this.#call_ids;
  }

  /** How often all messages were replaced; of those of an earlier run, since they were taken over. */
  get rewritten(): number {
    return this.#rewritten;
  }

  /** Goes on from messages of an earlier run. `opening`: the first two, as they were first sent. */
  restore(messages: readonly Message[], opening: readonly Message[]): void {
    messages.forEach((message) => this.append(message));
    this.#opening = [...opening];
    this.#rewritten = 0;
    this.seal();
  }

  /** Whether the last results bring images. Some wires put these last, so what is due at the very end comes one request later. */
  get ends_in_images(): boolean {
    const before = this.#messages.findLastIndex(({ role }) => role !== "tool");
    return this.#messages.slice(before + 1).some((message) => images_of(message).length > 0);
  }

  get shows_images(): boolean {
    return this.#messages.some((message) => images_of(message).length > 0);
  }

  append(message: Message): void {
    this.#messages.push(this.#known(message));
    const calls = message.role === "assistant" ? message.tool_calls ?? [] : [];
    calls.forEach(({ id }) => this.#call_ids.add(id));
  }

  /** A compaction may have left out the call that a message comes after. */
  #known(message: Message): Message {
    if (message.role !== "user" || message.after === undefined) return message;
    const { after, ...plain } = message;
    return this.#call_ids.has(after) ? message : plain;
  }

  replace(messages: readonly Message[]): void {
    this.#rewritten++;
    this.#call_ids.clear();
    this.#messages = [];
    messages.forEach((message) => this.append(message));
    [this.#sealed, this.#length, this.#ascii, this.#others] = [0, 0, 0, 0];
    this.#put(this.#before);
  }

  /** Goes on over another wire, or with another model: all is serialized again. `system` takes the place of the first message. */
  rewire(
    wire: MessageFormat,
    { model, system }: { model: string; system?: string | undefined },
  ): void {
    this.#before = this.#encoder.encode(wire.before(model));
    this.wire = wire;
    const [first, ...rest] = this.#messages;
    if (system === undefined || first === undefined) return this.replace(this.#messages);
    const told = { ...first, content: system };
    if (this.#opening.length > 0) this.#opening[0] = told;
    this.replace([told, ...rest]);
  }

  /** Changes each message, the opening too: the server has refused what they hold. */
  rewrite(change: (message: Message) => Message): void {
    this.#opening = this.#opening.map(change);
    this.replace(this.#messages.map(change));
  }

  /** Tokens of one message, by the same estimate as `tokens`. */
  readonly tokens_of = (message: Message): number => {
    const images = images_of(message);
    // Without their data, which is long and says nothing.
    const told = images.length === 0
      ? message
      : { ...message, images: images.map((image) => ({ ...image, data: "" })) };
    const [ascii, others] = characters(this.#encoder.encode(this.wire.encode([told])));
    return Math.ceil(ascii / 4) + others + IMAGE_TOKENS * images.length;
  };

  /** Says something to the model in `hamr`'s own name, wherever alternation allows it. */
  say(text: string): void {
    const last = this.#messages.length - 1;
    const message = this.#messages[last];
    const open = last >= this.#sealed;
    if (open && (message?.role === "tool" || message?.role === "user")) {
      this.#messages[last] = with_words(message, text);
      return;
    }
    if (message?.role !== "assistant") this.append({ role: "assistant", content: NO_REPLY });
    const call = [...this.#call_ids].at(-1);
    const after = call === undefined ? {} : { after: call };
    this.append({ role: "user", content: internal(text), internal: true, ...after });
  }

  /** The user's own words, after the first task: a user message, or the end of one that was not sent yet. */
  hear(text: string, shown?: readonly Image[]): void {
    const last = this.#messages.length - 1;
    const message = this.#messages[last];
    const images = shown === undefined ? {} : { images: shown };
    if (last >= this.#sealed && message?.role === "user") {
      const { images: before } = message;
      const all = before === undefined ? images : { images: [...before, ...shown ?? []] };
      this.#messages[last] = { role: "user", content: `${message.content}\n\n${text}`, ...all };
      return;
    }
    if (message?.role !== "assistant") this.append({ role: "assistant", content: NO_REPLY });
    this.append({ role: "user", content: text, ...images });
  }

  /** Serializes what is new: from now on it cannot change anymore. */
  seal(): void {
    const fresh = this.#messages.slice(this.#sealed);
    if (fresh.length === 0) return;
    if (this.#sealed > 0) this.#put(Uint8Array.of(COMMA));
    const text = this.wire.encode(fresh);
    const piece = this.#encoder.encode(text);
    // As many bytes as characters: all of them are ASCII.
    const [ascii, others] = piece.length === text.length ? [piece.length, 0] : characters(piece);
    const images = fresh.flatMap(images_of);
    this.#ascii += ascii - images.reduce((sum, { data }) => sum + data.length, 0);
    this.#others += others + IMAGE_TOKENS * images.length;
    this.#last = fresh;
    this.#last_at = this.#length;
    this.#put(piece);
    this.#sealed = this.#messages.length;
    this.#opening.push(...fresh.slice(0, OPENING - this.#opening.length));
  }

  /** A whole request: all messages and the text `after` them, valid until the next call. A `reminder` is at the end of this request only. */
  request(after: string, reminder: string | null = null): Uint8Array<ArrayBuffer> {
    this.seal();
    const message = this.#last.at(-1);
    if (reminder !== null && message !== undefined) {
      const last = this.wire.encode([...this.#last.slice(0, -1), with_words(message, reminder)]);
      const tail = this.#encoder.encode(last + after);
      const whole = new Uint8Array(this.#last_at + tail.length);
      whole.set(this.#bytes.subarray(0, this.#last_at));
      whole.set(tail, this.#last_at);
      return whole;
    }
    const end = this.#length;
    this.#put(this.#encoder.encode(after));
    const whole = this.#bytes.subarray(0, this.#length);
    this.#length = end;
    return whole;
  }

  /** Tokens of what is serialized, by estimate: ASCII/4 plus one for each other character. */
  get tokens(): number {
    return Math.ceil(this.#ascii / 4) + this.#others;
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

/** How many characters of a text in UTF-8 are ASCII, and how many are not. */
function characters(text: Uint8Array): [ascii: number, others: number] {
  let [ascii, others] = [0, 0];
  for (const byte of text) {
    if (byte < 0x80) ascii++;
    else if (byte >= 0xc0) others++; // The first byte of a character; the others follow it.
  }
  return [ascii, others];
}

export function images_of(message: Message): readonly Image[] {
  return message.role === "user" || message.role === "tool" ? message.images ?? [] : [];
}

function with_words(message: Message, text: string): Message {
  return { ...message, content: `${message.content}\n\n${internal(text)}` };
}
