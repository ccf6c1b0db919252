/** What went wrong with a model server, sorted by what the run does about it. */
export type ModelErrorKind =
  /** 401 or 403. */
  | "auth"
  /** No connection: refused, unknown host, TLS, or no answer within the connect limit. */
  | "connection"
  /** The first byte or the next one did not come in time. */
  | "stalled"
  /** The stream ended without `finish_reason` or `[DONE]`. */
  | "cut"
  /** What came is not what the wire prescribes: HTML, broken JSON, no choices. */
  | "bad_response"
  /** The server says that the prompt does not fit its window. */
  | "context_overflow"
  /** Any other refusal of the request: 400, 404, 422 … */
  | "bad_request"
  /** 408, 429, 5xx. */
  | "server"
  /** Given up by us: an interrupt or a time limit of the run. */
  | "cancelled";

/** A failure of the model is data: it is returned, never thrown. */
export interface ModelError {
  readonly kind: ModelErrorKind;
  /** One line: what happened, at which address, and what to do. */
  readonly message: string;
  /** HTTP status, where there was one. */
  readonly status: number | null;
}

// The servers' own words, so that a reader can check them:
// llama.cpp: "request (1042 tokens) exceeds the available context size (512 tokens), try increasing it"
// OpenAI:    "This model's maximum context length is 8192 tokens. However, …"
// vLLM:      "This model's maximum context length is …" / "… is longer than the maximum model length of …"
// LM Studio: "Trying to keep the first … tokens when context the overflows"
const OVERFLOW =
  /exceed_context_size|context_length_exceeded|exceeds the available context|maximum context length|maximum model length|context the overflows|prompt is too long/i;

/** Sorts an HTTP answer that is not a success. `body` is at most the first 64 kB of it. */
export function from_status(
  status: number,
  body: string,
  at: { readonly url: string; readonly key_hint: string },
): ModelError {
  const said = server_words(body);
  const where = `${at.url} answered ${status}`;
  if (status === 401 || status === 403) {
    return { kind: "auth", status, message: `${where}: ${said}; ${at.key_hint}` };
  }
  if (status >= 300 && status < 400) {
    return {
      kind: "bad_request",
      status,
      message: `${where}, a redirect, which is not followed; give the final address as --base-url`,
    };
  }
  if (OVERFLOW.test(body)) {
    return { kind: "context_overflow", status, message: `${where}: ${said}` };
  }
  const kind = status >= 500 || status === 408 || status === 429 ? "server" : "bad_request";
  const hint = status === 404 ? "; is the base URL right, and the model's name?" : "";
  return { kind, status, message: `${where}: ${said}${hint}` };
}

/** The message inside an error body of any server, in one line of at most 300 characters. */
export function server_words(body: string): string {
  const text = body.trim();
  if (text === "") return "no further words";
  if (looks_like_html(text)) return "a web page (HTML) instead of JSON";
  return one_line(json_message(text) ?? text);
}

/** Whether a body is a web page: a proxy's error page, or a wrong address. */
export function looks_like_html(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** Control characters out, white space folded, cut to 300 characters. */
export function one_line(text: string): string {
  const flat = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return flat.length > 300 ? `${flat.slice(0, 299)}…` : flat;
}

function json_message(text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const error = field(value, "error");
  // OpenAI and llama.cpp nest {error: {message}}, Ollama's own API has {error: "…"}, FastAPI {detail: "…"}.
  for (
    const found of [field(error, "message"), error, field(value, "message"), field(value, "detail")]
  ) {
    if (typeof found === "string" && found !== "") return found;
  }
  return null;
}

/** A field of a value that may be anything. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
