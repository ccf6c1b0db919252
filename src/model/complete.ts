import { looks_like_html, type ModelError, one_line } from "./errors.ts";
import { type Answer, type Limits, post, safe_url, type Target } from "./http.ts";
import type { Reply } from "./message.ts";
import { EventStream } from "./sse.ts";
import type { Collector, Delta, Wire } from "./wire.ts";

/** How one exchange with a model ended. */
export type Completion =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "failed"; readonly error: ModelError };

/** A reply longer than this is a server gone mad: 16 MB, four times what the largest window holds. */
const REPLY_BYTES = 16 * 1024 * 1024;
/** After `finish_reason` only usage and `[DONE]` can follow; a server that keeps the socket open is not waited for longer. */
const AFTER_FINISH_MS = 2000;

/** One request and its whole reply, streamed or not. Never throws. */
export async function complete(
  wire: Wire,
  body: Uint8Array<ArrayBuffer>,
  options: {
    readonly target: Target;
    readonly limits: Limits;
    readonly signal: AbortSignal;
    readonly on_delta: (delta: Delta) => void;
  },
): Promise<Completion> {
  const { target, limits, signal, on_delta } = options;
  const answer = await post(target, body, { limits, signal });
  if ("kind" in answer) return { kind: "failed", error: answer };
  const url = safe_url(target.url);
  const collector = wire.collector(url);
  const broken = (kind: ModelError["kind"], message: string): Completion => {
    answer.close();
    return { kind: "failed", error: { kind, message, status: null } };
  };
  const reader = answer.content_type.includes("text/event-stream")
    ? new StreamReader(collector, url)
    : new WholeReader(collector, url);
  let bytes = 0;
  let last: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const chunk = await answer.read();
      if (chunk !== null && !(chunk instanceof Uint8Array)) {
        if (collector.finished && chunk.kind !== "cancelled") break;
        answer.close();
        return { kind: "failed", error: chunk };
      }
      if (chunk !== null && (bytes += chunk.length) > REPLY_BYTES) {
        return broken("bad_response", `${url} sent a reply of more than 16 MB`);
      }
      const news = chunk === null ? reader.end() : reader.push(chunk);
      if ("kind" in news) return broken(news.kind, news.message);
      news.forEach(on_delta);
      if (chunk === null || reader.done) break;
      if (collector.finished) last ??= setTimeout(answer.close, AFTER_FINISH_MS);
    }
  } finally {
    clearTimeout(last);
  }
  if (!collector.finished && !reader.done) {
    return broken("cut", `${url} ended the reply before it was complete`);
  }
  void drain(answer);
  return { kind: "reply", reply: collector.reply() };
}

/** Reads the end of the body, so that the connection can serve the next step; closes it where none comes. */
async function drain(answer: Answer): Promise<void> {
  const timer = setTimeout(answer.close, AFTER_FINISH_MS);
  while (await answer.read() instanceof Uint8Array);
  clearTimeout(timer);
  answer.close();
}

/** Reads a body of one media type into a collector. */
interface BodyReader {
  /** The server has said that nothing follows. */
  readonly done: boolean;
  push(bytes: Uint8Array): Delta[] | ModelError;
  end(): Delta[] | ModelError;
}

class StreamReader implements BodyReader {
  done = false;
  readonly #events = new EventStream();

  constructor(private readonly collector: Collector, private readonly url: string) {}

  push(bytes: Uint8Array): Delta[] | ModelError {
    const news: Delta[] = [];
    for (const data of this.#events.push(bytes)) {
      if (data === "[DONE]") {
        this.done = true;
        break;
      }
      const taken = take(this.collector, data, this.url);
      if ("kind" in taken) return taken;
      news.push(...taken);
    }
    return news;
  }

  end(): Delta[] {
    return [];
  }
}

/** A body in one piece: `stream: false`, or a server that does not stream. */
class WholeReader implements BodyReader {
  done = false;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(private readonly collector: Collector, private readonly url: string) {}

  push(bytes: Uint8Array): Delta[] {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    return [];
  }

  end(): Delta[] | ModelError {
    const taken = take(this.collector, this.#text, this.url);
    if (!("kind" in taken)) this.done = true;
    return taken;
  }
}

function take(collector: Collector, data: string, url: string): Delta[] | ModelError {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    const what = looks_like_html(data)
      ? "a web page (HTML) instead of JSON; is the base URL right?"
      : data.trim() === ""
      ? "an empty reply"
      : `something that is not JSON: ${one_line(data).slice(0, 120)}`;
    return { kind: "bad_response", message: `${url} sent ${what}`, status: null };
  }
  return collector.take(value);
}
