/** Records the exchanges between a run and its model: every byte of requests and replies, no headers. */
import type { ModelError } from "../model/errors.ts";
import type { HttpAnswer, Target } from "../model/http/http.ts";
import { redact, without_secrets } from "../model/secrets.ts";
import { type Packed, Requests } from "../store/requests.ts";
import type { LargeReply } from "../store/large_reply.ts";
import type { TapeSlot } from "./tape.ts";

export interface HeardReply {
  readonly content_type: string;
  /** UTF-8; or where it is none, `base64`; or where it is very long, `gzip`, which is base64 of that, and then the rest as `base64`. */
  readonly text?: string;
  readonly base64?: string;
  readonly gzip?: string;
  readonly error?: ModelError;
}

export interface HeardExchange {
  readonly request: Packed;
  /** No reply has begun: why. */
  readonly failed?: ModelError;
  readonly reply?: HeardReply;
}

/** As much as many replies have. */
const REPLY_BYTES = 8192;
/** A buffer that a long reply has made larger than this is not kept for the next one. */
const KEPT_BYTES = 262_144;
/** What is longer is packed as it comes: 2500 tokens or more, with all that wraps them. */
const LARGE_BYTES = 1024 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class Exchanges {
  readonly #requests = new Requests();
  readonly #buffer = new ReplyBuffer();

  /** A request that is being sent, as it is kept. */
  pack(body: Uint8Array): Packed {
    return this.#requests.pack(body);
  }

  /** Takes down an exchange that has begun; what to read its reply from. */
  take_down(place: TapeSlot, { target, request, answer }: {
    target: Target;
    request: Packed;
    answer: HttpAnswer | ModelError;
  }): HttpAnswer | ModelError {
    if ("kind" in answer) {
      place.heard = { request, failed: without_keys(answer, target) } satisfies HeardExchange;
      return answer;
    }
    const heard = new ReplyCollector(answer.content_type, this.#buffer);
    place.heard = { request, reply: heard };
    return {
      content_type: answer.content_type,
      close: answer.close,
      // Servers repeat keys in their errors; what a model says is what it said.
      spoilt: () => heard.hide(target),
      async read(options) {
        const chunk = await answer.read(options);
        if (chunk instanceof Uint8Array) await heard.add(chunk);
        else if (chunk !== null) heard.error ??= without_keys(chunk, target);
        return chunk;
      },
    };
  }
}

/** Collects a reply, in the one buffer that all replies of a run come into: one each would fill the memory of a long run. */
class ReplyCollector {
  error: ModelError | undefined;
  #text: Pick<HeardReply, "text" | "base64" | "gzip"> | null = null;
  #large: LargeReply | null = null;

  constructor(private readonly content_type: string, private readonly buffer: ReplyBuffer) {
    buffer.begin(() => this.#settle());
  }

  async add(chunk: Uint8Array): Promise<void> {
    // What comes behind the end of a reply, when the next one has begun, says nothing.
    if (this.#text !== null) return;
    this.buffer.add(chunk);
    if (this.buffer.bytes.length < LARGE_BYTES) return;
    const { LargeReply } = await import("../store/large_reply.ts");
    // It may have been taken out in the meantime.
    if (this.#text === null) await (this.#large ??= new LargeReply()).add(this.buffer.take());
  }

  hide(target: Target): void {
    const { text, base64, gzip } = this.#settle();
    this.#text = base64 === undefined || gzip !== undefined
      ? { text: without_secrets(text ?? "", target) }
      : { base64 };
  }

  toJSON(): HeardReply {
    const { content_type, error } = this;
    return { content_type, ...this.#settle(), ...(error === undefined ? {} : { error }) };
  }

  #settle(): Pick<HeardReply, "text" | "base64" | "gzip"> {
    if (this.#text !== null) return this.#text;
    const large = this.#large;
    if (large === null) return this.#text = text_of(this.buffer.bytes);
    this.#large = null;
    return this.#text = large.settle(this.buffer.take());
  }
}

class ReplyBuffer {
  #bytes = new Uint8Array(REPLY_BYTES);
  #length = 0;
  #settle: () => void = () => {};

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** What is in it, good until more is added. */
  take(): Uint8Array {
    const { bytes } = this;
    this.#length = 0;
    return bytes;
  }

  begin(settle: () => void): void {
    this.#settle();
    this.#settle = settle;
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = new Uint8Array(REPLY_BYTES);
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }
}

function text_of(bytes: Uint8Array): Pick<HeardReply, "text" | "base64" | "gzip"> {
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { base64: bytes.toBase64() };
  }
}

/** Servers echo keys in their errors. */
function without_keys(error: ModelError, target: Target): ModelError {
  const { message, signs } = error;
  return {
    ...error,
    message: redact(message, target),
    ...(signs === undefined ? {} : { signs: redact(signs, target) }),
  };
}
