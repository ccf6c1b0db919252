import { at_end, attempt } from "../../config/attempt.ts";
import {
  from_status,
  looks_like_html,
  type ModelError,
  PROXY_HINT,
  short_line,
} from "../errors.ts";
import type { ResponseBody } from "./response_body.ts";
import { after_waiting, later } from "../../config/timer.ts";
import { fetch_words } from "../../config/text.ts";
import { redact } from "../secrets.ts";

/** Time limits of one exchange, in milliseconds; 0 is no limit. Deno's own `fetch` has none. */
export interface Limits {
  /** Until a connection stands. */
  readonly connect_ms: number;
  /** From the request to the first byte of the answer's body. */
  readonly first_byte_ms: number;
  /** Between two reads of the body. */
  readonly idle_ms: number;
}

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What to do about a 401: names the variable a key is read from. */
  readonly key_hint: string;
  /** Never shown: taken out of every error text. Empty if there is none. */
  readonly key: string;
  /** Believes certificates of the user's own; absent: only the usual authorities are believed. */
  readonly client?: Deno.HttpClient | undefined;
  /** The environment names a proxy, which may be the one that does not answer. */
  readonly proxied?: boolean;
}

export interface HttpAnswer {
  readonly content_type: string;
  /** The next bytes; null at the end; an error if a limit ran out or the connection broke. With `prefill` the limit is that of the first byte. */
  read(options?: { readonly prefill: boolean }): Promise<Uint8Array | null | ModelError>;
  /** Closes the socket. May be called at any time, more than once. */
  close(): void;
  /** Told where what was read is not a reply. */
  spoilt?(): void;
}

/** How long to wait for headers before a connection of our own is tried, to tell "no server" from "slow prefill". */
const CONNECT_CHECK_AFTER_MS = 2000;
/** An error body longer than this says at most its beginning. */
const ERROR_BODY_BYTES = 65536;
/** An error's status is known already: its words are not waited for longer. */
const ERROR_BODY_MS = 2000;
/** A kept connection that the server has closed in the meantime fails at once; what fails later is something else. */
const STALE_WITHIN_MS = 1000;

/** Origins that have been left with a connection to use again. */
const kept = new Set<string>();
const CLOSED = new DOMException("closed", "AbortError"); // Made once: its stack takes 0.1 ms.

/** Whether an address is this machine's own: prefill of a long prompt takes minutes there. */
export function is_loopback(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, "") ?? "";
  // `0.0.0.0` and `[::]` as addresses to connect to mean this machine (Linux, macOS).
  return /^(.*\.)?localhost$|^127(\.\d{1,3}){3}$|^0\.0\.0\.0$|^\[::1?\]$|^\[::ffff:7f/.test(host);
}

export function port_of(address: string): number {
  const { protocol, port } = new URL(address);
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

export interface Sending {
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Asked where a limit has run out: whether the server works on, and is waited for as long again. Absent: it is gone. */
  readonly works?: (heard: Heard) => Promise<boolean>;
  /** Called when the server has begun to answer, and waited for before what reads the answer is loaded. Must not reject. */
  readonly on_answer?: () => Promise<void>;
}

/** How much of an answer has come: nothing, signs of life such as comments or progress, or some of the reply. */
export type Heard = "nothing" | "signs" | "reply";

/** Sends one request. Every failure comes back as data; `signal` closes the socket. */
export async function post(
  target: Target,
  body: Uint8Array<ArrayBuffer>,
  { limits, signal, works, on_answer }: Sending,
): Promise<HttpAnswer | ModelError> {
  const ours = new AbortController();
  const clock = new Stopwatch(ours, works);
  // A server that can be asked is asked now and then, even where there is no limit.
  const first_byte_ms = limits.first_byte_ms || (works === undefined ? 0 : limits.idle_ms);
  let content: ResponseBody | null = null;
  const close = () => {
    signal.removeEventListener("abort", close);
    ours.abort(CLOSED);
  };
  ours.signal.addEventListener("abort", () => content?.close());
  const fail = (error: unknown): ModelError => {
    clock.stop();
    close();
    return explain(error, { target, signal, limits, fired: clock.fired });
  };
  if (signal.aborted) return fail(signal.reason);
  signal.addEventListener("abort", close, { once: true });
  clock.start("nothing", first_byte_ms);
  const unwatch = watch_connection(target.url, limits.connect_ms, () => clock.fire("connect"));
  let response: Response;
  try {
    response = await send(target, body, ours.signal);
  } catch (error) {
    return fail(error);
  } finally {
    unwatch();
  }
  if (!response.ok) {
    clock.stop();
    const error = await refusal(response, { target, signal: ours.signal });
    const given_up = signal.aborted;
    close();
    return given_up ? fail(signal.reason) : error;
  }
  await on_answer?.();
  // Loaded only once there is an answer to read, so that the first request goes out sooner.
  const { ResponseBody } = await import("./response_body.ts");
  const answer = content = new ResponseBody(response);
  let first = true;
  return {
    content_type: response.headers.get("content-type") ?? "",
    close,
    async read({ prefill } = { prefill: false }) {
      if (prefill) clock.start("signs", first_byte_ms);
      else if (!first) clock.start("reply", limits.idle_ms);
      try {
        const chunk = await answer.read();
        clock.stop();
        first = false;
        if (chunk === null) kept.add(new URL(target.url).origin);
        return chunk;
      } catch (error) {
        const failure = fail(error);
        if (failure.kind !== "connection") return failure;
        // The answer had begun: what broke is the reply, not the way to the server.
        const message = `${safe_url(target.url)} broke off its reply: ${
          short_line(fetch_words(error))
        }`;
        return { kind: "cut", message: redact(message, target), status: null };
      }
    },
  };
}

/** Sends the request, and once more if the server just closed a kept connection (uvicorn): Deno 2.9.6 does that itself, 2.6.10 does not. */
async function send(
  target: Target,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Response> {
  const began = performance.now();
  const headers = new Headers({ "content-type": "application/json", "user-agent": "hamr" });
  for (const [name, value] of Object.entries(target.headers)) headers.set(name, value);
  const request = {
    method: "POST",
    headers,
    body,
    redirect: "manual",
    signal,
    client: target.client,
  } as const;
  try {
    return await fetch(target.url, request);
  } catch (error) {
    const stale = /closed before message completed|connection reset|broken pipe/i;
    const again = kept.has(new URL(target.url).origin) && !signal.aborted &&
      performance.now() - began < STALE_WITHIN_MS && stale.test(fetch_words(error));
    if (!again) throw error;
    return await fetch(target.url, request);
  }
}

type Limit = "connect" | Heard;

/** One timer that aborts the exchange and remembers which limit it stood for. */
class Stopwatch {
  fired: Limit | null = null;
  #stop: () => void = () => {};

  constructor(
    private readonly controller: AbortController,
    private readonly works: Sending["works"],
  ) {}

  start(limit: Heard, ms: number): void {
    this.stop();
    if (ms === 0) return;
    const stop = this.#stop = after_waiting(ms, async () => {
      const works = await this.works?.(limit) ?? false;
      // Bytes may have come while the server was asked.
      if (this.#stop !== stop) return;
      if (works) this.start(limit, ms);
      else this.fire(limit);
    });
  }

  fire(limit: Limit): void {
    this.fired ??= limit;
    this.controller.abort();
  }

  stop(): void {
    this.#stop();
    this.#stop = () => {};
  }
}

/** `fetch` does not tell connecting from waiting: a second connection, tried if no headers come, shows it. Returns how to stop that. */
function watch_connection(url: string, limit_ms: number, on_late: () => void): () => void {
  if (limit_ms === 0) return () => {};
  const over = new AbortController();
  const wait = Math.min(CONNECT_CHECK_AFTER_MS, limit_ms / 2);
  let stop = later(wait, async () => {
    stop = after_waiting(limit_ms - wait, () => {
      on_late();
      over.abort();
    });
    await connect(url, over.signal).catch(() => {});
    stop();
  });
  return () => {
    stop();
    over.abort();
  };
}

/** Connects as far as a request needs it, TLS included, and leaves. */
async function connect(url: string, signal: AbortSignal): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const secure = protocol === "https:";
  let connection: Deno.Conn = await Deno.connect({
    hostname: host,
    port: Number(port) || (secure ? 443 : 80),
    signal,
  });
  const close = () => {
    // It may be closed, or on its way to becoming a TLS connection that will be.
    attempt(() => connection.close());
  };
  signal.addEventListener("abort", close, { once: true });
  using _ = at_end(close);
  if (secure) {
    const tls = await Deno.startTls(connection as Deno.TcpConn, { hostname: host });
    connection = tls;
    if (!signal.aborted) await tls.handshake();
  }
}

/** An answer that is not a success, with the beginning of its body as far as it comes in time. */
async function refusal(
  response: Response,
  context: { readonly target: Target; readonly signal: AbortSignal },
): Promise<ModelError> {
  const { target } = context;
  const over = new AbortController();
  const leave = () => over.abort();
  const timer = setTimeout(leave, ERROR_BODY_MS);
  // Not `AbortSignal.any`: Deno may forget such a signal too.
  context.signal.addEventListener("abort", leave);
  const { read_body_text } = await import("./response_body.ts");
  const { text } = await read_body_text(response, { bytes: ERROR_BODY_BYTES, signal: over.signal });
  clearTimeout(timer);
  const to = response.headers.get("location");
  const error = from_status(response.status, text, {
    url: safe_url(target.url),
    key_hint: target.key_hint,
    challenge: response.headers.get("www-authenticate"),
    ...(to === null || !URL.canParse(to, target.url) ? {} : { location: safe_url(to, target.url) }),
  });
  const { asked_wait } = await import("./retry_after.ts");
  // Squid's "ERROR: The requested URL could not be retrieved" is about the server, and others' "Access Denied" about who asks.
  const page = target.proxied && looks_like_html(text)
    ? "; the page may be of the proxy of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY"
    : "";
  return { ...error, ...asked_wait(response, text), message: redact(error.message + page, target) };
}

function explain(error: unknown, context: {
  readonly target: Target;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly fired: Limit | null;
}): ModelError {
  const { target, signal, limits, fired } = context;
  const url = safe_url(target.url);
  const failure = (kind: ModelError["kind"], message: string): ModelError => {
    return { kind, message: redact(message, target), status: null };
  };
  if (fired === "connect") {
    const words = `no connection to ${url} within ${limits.connect_ms / 1000} s`;
    return { ...failure("connection", words), lasting: true };
  }
  if (fired === "nothing" || fired === "signs") {
    // Hosted services have a limit of their own.
    const within = is_loopback(target.url)
      ? `in time (agent.idle_timeout_s is ${limits.idle_ms / 1000} s)`
      : `within ${(limits.first_byte_ms || limits.idle_ms) / 1000} s`;
    return { ...failure("stalled", `${url} sent no part of a reply ${within}`), silent: true };
  }
  if (fired === "reply") {
    return failure(
      "stalled",
      `${url} stopped sending in the middle of a reply (agent.idle_timeout_s is the limit)`,
    );
  }
  if (signal.aborted) return failure("cancelled", "the request was canceled");
  const lost = failure("connection", no_answer(error, target));
  return LASTING.test(fetch_words(error)) ? { ...lost, lasting: true } : lost;
}

/** Words for lasting failures: refused, no such name, bad certificate, no TLS, not HTTP, no password for the proxy; or no network in a sandbox (EPERM, EACCES, ENOSYS). */
const LASTING =
  /refused|proxy auth|dns error|failed to lookup|certificate|corrupt message|handshake eof|fatal alert|\bparsed\b|head is too large|unreachable|blocked|not permitted|permission denied|not implemented/i;

function starter(url: string): string {
  const start = { "11434": "ollama serve", "8080": "llama-server -m MODEL.gguf --jinja" }[
    new URL(url).port
  ] ?? "ollama serve, or llama-server -m MODEL.gguf --jinja --port PORT";
  return ` To start one: ${start}; hamr models lists what answers here`;
}

/** Why `fetch` got no answer, for a person. */
export function no_answer(
  error: unknown,
  { url, proxied = false }: Pick<Target, "url" | "proxied">,
): string {
  const shown = safe_url(url);
  const words = with_dates(short_line(fetch_words(error)));
  const start = is_loopback(url) ? starter(url) : "";
  if (proxied && /refused|unreachable/i.test(words)) {
    return `no answer from ${shown}: it, or the proxy of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: ${words}`;
  }
  const nobody = `connection refused at ${shown}: is the model server running there?${start}`;
  if (/refused/i.test(words)) return nobody;
  // In front of it stand Rust's words for the same. The name may be a proxy's.
  const [, why] = /\bdns error: (?:.*: )?(.+)$/i.exec(words) ?? [];
  if (why !== undefined) {
    return `no answer from ${shown}: the host name can't be looked up (${why}): ` +
      "is it spelled right, and is there a network?";
  }
  const hints = HINTS.filter(([sign]) => sign.test(words)).map(([, hint]) => `; ${hint}`);
  return `no answer from ${shown}: ${words}${hints.join("")}`;
}

/** What to do about the words of rustls, and of hyper-util, which speaks of what a proxy answers to CONNECT. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/corrupt message|handshake eof/i, "does it speak TLS? If not, use http://"],
  [
    // What `openssl req -x509` makes by itself.
    /CaUsedAsEndEntity/,
    "it is a CA certificate (CA:TRUE), which a server must not present: create one with " +
    "openssl req -x509 -addext basicConstraints=critical,CA:FALSE, and give it as --ca-file FILE",
  ],
  [
    /UnknownIssuer/,
    "if that authority is your own, give its certificate as --ca-file FILE",
  ],
  [/proxy authentication required/, PROXY_HINT],
  [
    // Any status but 200 and 407, or none.
    /unsuccessful tunnel|while tunneling/,
    "the proxy of HTTPS_PROXY or ALL_PROXY can't or won't connect to it",
  ],
];

/** rustls gives seconds since 1970 of a certificate that is too old or too new, or of a clock that is wrong. */
function with_dates(words: string): string {
  const times =
    /: verification time (\d+) \(UNIX\), but certificate is (not valid \w+) (\d+) \([^)]*\)/;
  const day = (seconds: string) => new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
  return words.replace(
    times,
    (_, now, limit, then) =>
      `: ${limit} ${day(then)}, and the clock of this machine says ${day(now)}`,
  );
}

/** A URL without user, password and query, which may hold keys. */
export function safe_url(url: string, base?: string): string {
  const at = URL.parse(url, base);
  return at === null ? "the given URL" : `${at.protocol}//${at.host}${at.pathname}`;
}
