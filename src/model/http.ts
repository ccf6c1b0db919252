import { from_status, type ModelError, one_line } from "./errors.ts";

/** Time limits of one exchange, in milliseconds; 0 is no limit. Deno's own `fetch` has none. */
export interface Limits {
  /** Until a connection stands. */
  readonly connect_ms: number;
  /** From the request to the first byte of the answer's body. */
  readonly first_byte_ms: number;
  /** Between two reads of the body. */
  readonly idle_ms: number;
}

/** Where and how to reach one model server. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What to do about a 401: names the variable a key is read from. */
  readonly key_hint: string;
  /** Never shown: taken out of every error text. Empty where there is none. */
  readonly key: string;
}

/** An answer whose body is still on its way. */
export interface Answer {
  readonly content_type: string;
  /** The next bytes; null at the end; an error where a limit ran out or the connection broke. */
  read(): Promise<Uint8Array | null | ModelError>;
  /** Closes the socket. May be called at any time, more than once. */
  close(): void;
}

/** How long to wait for headers before a connection of our own is tried, to tell "no server" from "slow prefill". */
const CONNECT_CHECK_AFTER_MS = 2000;
/** An error body longer than this says no more than its beginning. */
const ERROR_BODY_BYTES = 65536;

/** Whether an address is this machine's own: no first-byte limit there, since prefill of a long prompt takes minutes. */
export function is_loopback(url: string): boolean {
  let host: string;
  try {
    host = new URL(url).hostname;
  } catch {
    return false;
  }
  return host === "localhost" || host === "[::1]" || host.endsWith(".localhost") ||
    /^127(\.\d{1,3}){3}$/.test(host);
}

/** Sends one request. Every failure comes back as data; `signal` closes the socket. */
export async function post(
  target: Target,
  body: Uint8Array<ArrayBuffer>,
  options: { readonly limits: Limits; readonly signal: AbortSignal },
): Promise<Answer | ModelError> {
  const { limits, signal } = options;
  const ours = new AbortController();
  const clock = new Stopwatch(ours);
  const close = () => {
    signal.removeEventListener("abort", close);
    ours.abort();
  };
  const fail = (error: unknown): ModelError => {
    close();
    return explain(error, { target, signal, fired: clock.fired });
  };
  if (signal.aborted) return fail(signal.reason);
  signal.addEventListener("abort", close, { once: true });
  const check = watch_connection(target.url, limits.connect_ms, () => clock.fire("connect"));
  clock.start("first_byte", limits.first_byte_ms);
  let response: Response;
  try {
    response = await fetch(target.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...target.headers },
      body,
      redirect: "manual",
      signal: ours.signal,
    });
  } catch (error) {
    clock.stop();
    return fail(error);
  } finally {
    clearTimeout(check);
  }
  if (!response.ok) {
    clock.start("idle", limits.idle_ms);
    const text = await head_of(response);
    clock.stop();
    close();
    const url = safe_url(target.url);
    const error = from_status(response.status, text, { url, key_hint: target.key_hint });
    return { ...error, message: redact(error.message, target.key) };
  }
  const reader = response.body?.getReader();
  let first = true;
  return {
    content_type: response.headers.get("content-type") ?? "",
    close,
    async read() {
      if (reader === undefined) return null;
      if (!first) clock.start("idle", limits.idle_ms);
      try {
        const { value, done } = await reader.read();
        clock.stop();
        first = false;
        return done ? null : value;
      } catch (error) {
        clock.stop();
        const failure = fail(error);
        // The body had begun: what broke is the reply, not the way to the server.
        return failure.kind === "connection" && !first ? { ...failure, kind: "cut" } : failure;
      }
    },
  };
}

type Limit = "connect" | "first_byte" | "idle";

/** One timer that aborts the exchange and remembers which limit it stood for. */
class Stopwatch {
  fired: Limit | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly controller: AbortController) {}

  start(limit: Limit, ms: number): void {
    this.stop();
    if (ms > 0) this.#timer = setTimeout(() => this.fire(limit), ms);
  }

  fire(limit: Limit): void {
    this.fired ??= limit;
    this.controller.abort();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** `fetch` does not tell connecting from waiting, so a second connection is tried where no headers come. */
function watch_connection(
  url: string,
  limit_ms: number,
  on_fail: () => void,
): ReturnType<typeof setTimeout> | undefined {
  if (limit_ms === 0) return undefined;
  return setTimeout(async () => {
    const { hostname, port, protocol } = new URL(url);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), Math.max(1, limit_ms - CONNECT_CHECK_AFTER_MS));
    try {
      const connection = await Deno.connect({
        hostname: hostname.replace(/^\[|\]$/g, ""),
        port: Number(port) || (protocol === "https:" ? 443 : 80),
        signal: late.signal,
      });
      connection.close();
    } catch {
      on_fail();
    } finally {
      clearTimeout(timer);
    }
  }, CONNECT_CHECK_AFTER_MS);
}

async function head_of(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= ERROR_BODY_BYTES) break;
    }
  } catch {
    // What has come of an error body is what there is to show.
  }
  return text;
}

function explain(
  error: unknown,
  context: { readonly target: Target; readonly signal: AbortSignal; readonly fired: Limit | null },
): ModelError {
  const { target, signal, fired } = context;
  const url = safe_url(target.url);
  const failure = (kind: ModelError["kind"], message: string): ModelError => ({
    kind,
    message: redact(message, target.key),
    status: null,
  });
  if (fired === "connect") return failure("connection", `no connection to ${url} in time`);
  if (fired === "first_byte") {
    return failure("stalled", `${url} sent nothing within the first-byte limit`);
  }
  if (fired === "idle") {
    return failure(
      "stalled",
      `${url} stopped sending in the middle of a reply (agent.idle_timeout_s is the limit)`,
    );
  }
  if (signal.aborted) return failure("cancelled", "the request was given up");
  const words = one_line(error instanceof Error ? error.message : String(error));
  if (/refused/i.test(words)) {
    return failure(
      "connection",
      `connection refused at ${url}: is the model server running there?`,
    );
  }
  return failure("connection", `no answer from ${url}: ${words}`);
}

/** A URL without user, password and query, which may hold keys. */
export function safe_url(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return "the given URL";
  }
}

function redact(text: string, key: string): string {
  return key.length >= 4 ? text.replaceAll(key, "…") : text;
}
