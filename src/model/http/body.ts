import { json_parts, loose_json } from "../../config/json.ts";
import {
  bad_response,
  field,
  from_error,
  looks_like_html,
  type ModelError,
  short_line,
  web_page,
} from "../errors.ts";
import type { Collector, Delta } from "../wire.ts";
import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Bytes of a body in one piece: four times what the largest window holds. */
const WHOLE_BYTES = 16 * 1024 * 1024;
/** Bytes of a stream, besides what wraps each piece: a hundred times the longest replies there are, 128k tokens. */
const STREAM_BYTES = 64 * 1024 * 1024;
/** Bytes that may wrap a piece; servers take 250 to 500, and some gateways a few more. However small pieces are, they may be many. */
const PIECE_BYTES = 1024;
/** Bytes of a whole stream, whatever it brings: no string holds more. */
const MOST_BYTES = 2 ** 29;
/** Characters within which the first of several lines of JSON ends, where the content type does not say that they come. */
const FIRST_LINE_CHARS = 65536;
const QUOTED_CHARS = 120;

/** Characters that nobody writes for a person; colors are. */
const NO_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

export function stream_limit(pieces: number): number {
  return Math.min(STREAM_BYTES + pieces * PIECE_BYTES, MOST_BYTES);
}

export type News = Delta[] | ModelError;

/**
 * Reads the body of an answer into a collector. Whether it is a stream is seen from its first characters:
 * servers and proxies send events as `text/plain`, or JSON as `text/event-stream`. Only where these say
 * nothing, the content type decides. Objects one a line, as Ollama streams them, begin like one piece: there the first line
 * decides, or the content type.
 */
export class BodyReader {
  readonly #decoder = new TextDecoder();
  readonly #collector: Collector;
  #head = "";
  #bytes = 0;
  #reader: Reader | null = null;

  constructor(
    collector: Collector,
    private readonly from: { readonly url: string; readonly content_type: string },
  ) {
    this.#collector = collector;
  }

  get done(): boolean {
    return this.#reader?.done ?? false;
  }

  /** Nothing has come so far but signs of life: empty lines and comments. */
  get waits(): boolean {
    return this.#reader instanceof StreamReader ? this.#reader.waits : this.#head === "";
  }

  push(bytes: Uint8Array): News {
    this.#bytes += bytes.length;
    const whole = this.#reader === null || this.#reader instanceof WholeReader;
    const limit = whole ? WHOLE_BYTES : stream_limit(this.#reader?.pieces ?? 0);
    if (this.#bytes > limit) {
      return bad_response(`${this.from.url} sent more than ${limit >> 20} MB`);
    }
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#reader !== null) return this.#reader.push(text);
    // White space may go on for minutes: DeepSeek sends empty lines while a request waits its turn.
    this.#head = (this.#head + text).trimStart();
    this.#reader = this.#choose(this.#head);
    return this.#reader?.push(this.#head) ?? [];
  }

  end(): News {
    if (this.#reader === null) {
      const { url } = this.from;
      const object = this.#head.startsWith("{");
      this.#reader = object ? new WholeReader(this.#collector, url) : this.#declared();
      this.#reader.push(this.#head);
    }
    return this.#reader.end();
  }

  #choose(head: string): Reader | null {
    if (/^(data|event|id|retry|error)?:/.test(head)) {
      return new StreamReader(this.#collector, this.from.url);
    }
    if (head.startsWith("{")) return this.#lines(head);
    if (/^[["<]/.test(head)) return new WholeReader(this.#collector, this.from.url);
    const undecided = ["", "data", "event", "id", "retry", "error"].some((name) =>
      name.startsWith(head)
    );
    return undecided ? null : this.#declared(true);
  }

  /** Whether what begins with an object is objects one a line: the first line is whole, and something follows it. */
  #lines(head: string): Reader | null {
    const { url, content_type } = this.from;
    if (/\bndjson\b/i.test(content_type)) return new LineReader(this.#collector, url);
    const end = head.indexOf("\n");
    const line = end < 0 ? "" : head.slice(0, end);
    if (line.trimEnd().endsWith("}") && parse(line, url).kind === "value") {
      return head.slice(end).trim() === "" ? null : new LineReader(this.#collector, url);
    }
    return end < 0 && head.length < FIRST_LINE_CHARS ? null : new WholeReader(this.#collector, url);
  }

  #declared(is_foreign = false): Reader {
    return /\bevent-stream\b/i.test(this.from.content_type)
      ? new StreamReader(this.#collector, this.from.url, is_foreign)
      : new WholeReader(this.#collector, this.from.url);
  }
}

type Reader = StreamReader | LineReader | WholeReader;

/** Objects one a line. */
class LineReader {
  done = false;
  pieces = 0;
  readonly #doubles = new Doubles();
  #line = "";
  #began = false;

  constructor(private readonly collector: Collector, private readonly url: string) {}

  push(text: string): News {
    const lines = text.split("\n");
    const news: Delta[] = [];
    for (const [at, piece] of lines.entries()) {
      this.#line += piece;
      if (at === lines.length - 1 || this.done) break;
      const taken = this.#take(this.#line);
      if ("kind" in taken) return taken;
      news.push(...taken);
      this.#line = "";
    }
    return news;
  }

  end(): News {
    const line = this.#line.trim();
    // Half a line was cut, and what it would have said is not known.
    return this.done || parse(line, this.url).kind === "broken" ? [] : this.#take(line);
  }

  #take(line: string): News {
    if (line.trim() === "") return [];
    this.pieces++;
    if (this.#doubles.is_one(line)) return [];
    const parsed = parse(line, this.url);
    if (parsed.kind === "broken") return broken(parsed.error, this.#began);
    const taken = feed(this.collector, { value: parsed.value, url: this.url });
    this.#began ||= !("kind" in taken);
    // The last of them has the counts too.
    this.done = this.collector.finished;
    return taken;
  }
}

class StreamReader {
  done = false;
  pieces = 0;
  readonly #doubles = new Doubles();
  readonly #events: EventSourceMessage[] = [];
  #overflow = false;
  readonly #parser = createParser({
    maxBufferSize: LINE_CHARS,
    onEvent: (event) => void this.#events.push(event),
    onError: ({ type, field, value = "" }) => {
      if (type === "max-buffer-size-exceeded") this.#overflow = true;
      // llama.cpp until 2025, and ik_llama.cpp: `error: {"code":500,"message":"…"}`, and then [DONE].
      if (field === "error") this.#events.push({ event: field, data: value, id: undefined });
    },
  });
  /** The first value that was no part of a reply: gateways mix in pings of their own. */
  #stray: ModelError | null = null;
  #began = false;
  /** Nothing but comments so far, and how the line under way begins. */
  waits = true;
  #line = "";
  /** What is no event so far, for a person. */
  #words = "";

  constructor(
    private readonly collector: Collector,
    private readonly url: string,
    /** It begins with nothing that an event has. */
    private readonly is_foreign = false,
  ) {}

  push(text: string): News {
    const news: Delta[] = [];
    if (this.is_foreign && this.#words.length < QUOTED_CHARS) this.#words += text;
    if (this.waits) {
      const lines = (this.#line + text).split("\n");
      this.waits = lines.every((line) => line.startsWith(":") || line.trim() === "");
      this.#line = lines.at(-1)?.charAt(0) ?? "";
    }
    if (!this.#overflow) this.#parser.feed(text);
    for (const event of this.#events.splice(0)) {
      const taken = this.#take(event);
      if ("kind" in taken) return taken;
      news.push(...taken);
      if (this.done) break;
    }
    if (!this.#overflow) return news;
    return bad_response(`${this.url} sent a line that did not end`);
  }

  end(): News {
    const news: Delta[] = [];
    // The empty line that completes the last event, of which there may be half.
    if (!this.#overflow) this.#parser.feed("\n\n");
    for (const event of this.#events.splice(0)) {
      const taken = this.#take(event);
      // Half an event is no JSON. It was cut, and what it would have said is not known.
      if ("kind" in taken && ["bad_response", "cut"].includes(taken.kind)) continue;
      if ("kind" in taken) return taken;
      news.push(...taken);
    }
    if (this.#began || this.done) return news;
    if (this.is_foreign && this.pieces === 0) return not_json(this.#words, this.url);
    return this.#stray ?? news;
  }

  #take({ event: name, data }: EventSourceMessage): News {
    if (data.trim() === "[DONE]") this.done = true;
    // An event without data is a sign of life, as a comment is.
    if (this.done || data.trim() === "") return [];
    this.pieces++;
    if (this.#doubles.is_one(data)) return [];
    const parsed = parse(data, this.url);
    // What a gateway adds to a reply that has ended is no part of it, and takes nothing from it.
    const ended = this.collector.finished;
    if (parsed.kind === "broken") {
      return ended ? [] : told_in_words(data, this.url) ?? broken(parsed.error, this.#began);
    }
    // `event: error` with the error itself as data, which other servers wrap in `{"error": …}`.
    const is_bare = name === "error" && field(parsed.value, "error") === undefined;
    const value = is_bare ? { error: parsed.value } : parsed.value;
    const taken = feed(this.collector, { value, url: this.url });
    if (!("kind" in taken)) {
      this.#began = true;
    } else if (ended) {
      return [];
    } else if (taken.kind === "bad_response" && (field(value, "choices") ?? null) === null) {
      this.#stray ??= taken;
      return [];
    }
    return taken;
  }
}

/** Detects a stream where everything comes twice, by the first piece, which has the id. Then pieces count in pairs as long as they are pairs. */
class Doubles {
  #nth = 0;
  #last = "";
  /** Not known yet; whether the last piece was the first of a pair; or there are none. */
  #state: "unknown" | "first" | "second" | "none" = "unknown";

  /** Whether a piece is the second of a pair. */
  is_one(piece: string): boolean {
    const same = piece === this.#last;
    this.#last = piece;
    this.#nth++;
    if (this.#state === "second") this.#state = "first";
    else if (this.#state === "first") this.#state = same ? "second" : "none";
    else if (this.#state === "unknown" && this.#nth === 2) {
      this.#state = same && NAMED.test(piece) ? "second" : "none";
    }
    return this.#state === "second";
  }
}

/** What the first piece of a reply has on every wire; Ollama's own has the nanosecond instead. */
const NAMED = /"(?:id|created_at)"\s*:\s*"[^"]/;

/** A body in one piece: `stream: false`, or a server that does not stream. */
class WholeReader {
  done = false;
  readonly pieces = 0;
  readonly #pieces: string[] = [];

  constructor(private readonly collector: Collector, private readonly url: string) {}

  push(text: string): Delta[] {
    this.#pieces.push(text);
    return [];
  }

  end(): News {
    const text = this.#pieces.join("").trim();
    const parsed = parse(text, this.url);
    if (parsed.kind === "broken") return text === "" || is_open(text) ? [] : parsed.error;
    const taken = feed(this.collector, { value: parsed.value, url: this.url });
    this.done = !("kind" in taken);
    return taken;
  }
}

/** Whether a text is the beginning of an object: what was opened in it is not all closed. */
function is_open(text: string): boolean {
  if (!text.startsWith("{")) return false;
  let depth = 0;
  for (const part of json_parts(text)) {
    if (part.startsWith('"')) continue;
    depth += part.replace(/[^[{]/g, "").length - part.replace(/[^\]}]/g, "").length;
  }
  return depth > 0;
}

type Parsed =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "broken"; readonly error: ModelError };

function parse(data: string, url: string): Parsed {
  const value = loose_json(data);
  return value === undefined
    ? { kind: "broken", error: not_json(data, url) }
    : { kind: "value", value };
}

function not_json(text: string, url: string): ModelError {
  const what = looks_like_html(text)
    ? `${web_page(text)}; is the base URL right?`
    : NO_TEXT.test(text.slice(0, QUOTED_CHARS))
    ? "bytes that are not text; does something on the way compress them?"
    : `something that is not JSON: ${short_line(text, QUOTED_CHARS)}`;
  return bad_response(`${url} sent ${what}`);
}

/** mistral.rs puts the bare words of an error into an event. Half a piece of JSON may quote anything, and says nothing. */
function told_in_words(text: string, url: string): ModelError | null {
  const error = /^\s*[{["]/.test(text) ? null : from_error({ error: text }, url);
  return error?.kind === "context_overflow" ? error : null;
}

/** What comes of a reply that had begun well is not whole, as where it was cut, and the address is right. */
function broken(error: ModelError, began: boolean): ModelError {
  return began ? { ...error, kind: "cut" } : error;
}

/** A value may be nested deeper than the stack goes: it can be parsed, but not be written again. */
function feed(collector: Collector, { value, url }: { value: unknown; url: string }): News {
  try {
    return collector.take(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return bad_response(`${url} sent JSON that is nested too deeply`);
  }
}

/** A line longer than this is not an event: 16 M characters. */
const LINE_CHARS = 16 * 1024 * 1024;
