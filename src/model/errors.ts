import { any_of } from "../config/text.ts";
import { is_text, loose_json } from "../config/json.ts";

type ModelErrorKind =
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
  /** The window is too small for the task: a part of the prompt was left out without a word, or all of it was refused. */
  | "truncated"
  /** The server takes no image for this model, or not this one. */
  | "no_images"
  /** Any other refusal of the request: 400, 404, 422 … */
  | "bad_request"
  /** 408, 409, 425, 429, 5xx: the same request may do later or elsewhere. */
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
  /** The server's own words with type and code, for tables to look into. May hold a key: never shown. */
  readonly signs?: string;
  /** What the model wrote, where the server could not read the calls in it: Groq's `failed_generation`. */
  readonly written?: string;
  /** Milliseconds after which the server asks to be asked again. */
  readonly retry_after_ms?: number;
  /** A connection error that waiting a second does not change: refused, no such host, no TLS. */
  readonly lasting?: true;
  /** A stall before any of the reply has come. */
  readonly silent?: true;
}

// The servers' own words, so that a reader can check them:
// llama.cpp: "request (1042 tokens) exceeds the available context size (512 tokens), try increasing it"
//            "Context size has been exceeded." (500: runs that share its pool of context have filled it)
// OpenAI:    "This model's maximum context length is 8192 tokens. However, …"
// vLLM:      "This model's maximum context length is …" / "… is longer than the maximum model length of …"
// LM Studio: "Trying to keep the first … tokens when context the overflows"
//            "… tokens to keep from the initial prompt is greater than the context length"
// Ollama:    "prompt too long; exceeded max context length by 15935 tokens"
//            "the input length exceeds the context length" (to `truncate: false`)
//            "the prompt is longer than the context length currently available to the model; …"
// Anthropic: "prompt is too long: 221782 tokens > 200000 maximum"
//            "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000, …"
// Gemini:    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"
// xAI:       "This model's maximum prompt length is 131072 but the request contains …"
// Together, SGLang: "The input (516368 tokens) is longer than the model's context length (262144 tokens)."
// TGI:       "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: …" / "`inputs` must have less than 4095 tokens. …"
// Groq:      "Please reduce the length of the messages or completion. …"
// Bedrock:   "Input is too long for requested model."
// Copilot:   "prompt token count of 200000 exceeds the limit of 128000"
// Kimi:      "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"
// MiniMax:   "invalid params, context window exceeds limit"
// Qwen:      "Range of input length should be [1, 30000]"
// Poolside:  "Input length 131393 exceeds the maximum allowed input length of 131040 tokens."
// Zhipu:     "Prompt exceeds max length" (code 1261; zeroclaw-labs/zeroclaw#4124)
// Cohere:    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt, …"
// vLLM:      "The prompt (total length 25938) is too long to fit into the model (context length 4096)" (vllm-project/vllm#12165)
//            "max_tokens must be at least 1, got -186." (what is left of the window; vllm-project/vllm#4667)
// llama-box: "Illegal param: prefill 744 tokens exceed n_ctx_per_seq, …" (gpustack/gpustack#1845)
const OVERFLOW = any_of(
  "exceed_context_size",
  "context size has been exceeded",
  "context_length_exceeded",
  "exceeds the available context",
  "maximum context length",
  "maximum model length",
  "maximum prompt length",
  "context the overflows",
  "greater than the context length",
  "exceeded max context length",
  "prompt (is )?too long",
  "exceeds the context window",
  "exceed context limit",
  "exceeds the maximum number of tokens",
  "exceeds the context length",
  "longer than the (model's )?context length",
  "`inputs` (tokens \\+ `max_new_tokens` must be <=|must have less than)",
  "reduce the length of the messages",
  "input is too long for requested model",
  "prompt token count of \\d+ exceeds",
  "exceeded model token limit",
  "context window exceeds limit",
  "range of input length should be",
  "exceeds the maximum allowed input length",
  "prompt exceeds max length",
  "total number of tokens [^.]{0,40}cannot exceed",
  "too long to fit into the model",
  "max_tokens must be at least 1, got -",
  "tokens exceed n_ctx",
);

// OpenAI, vLLM, llama-cpp-python: "…length is 4096 tokens. However, you requested 5140 tokens (1044 in the messages, 4096 in the completion)."
const NAMED_WINDOW =
  /(?:maximum (?:context|model) length (?:is|of)|exceed context limit: \d+ \+ \d+ >|must be <=|available context size \() ?(\d+)/i;

/** The window that a server names where a request and the reply to it are too long for it, in tokens; null if it names none. */
export function named_window(message: string): number | null {
  const [, tokens] = NAMED_WINDOW.exec(message) ?? [];
  return tokens === undefined ? null : Number(tokens);
}

// LM Studio answers 400 to what is its own: "The model has crashed without additional information. (Exit code: null)",
// "Model is unloaded.", "Model reloaded.", "Failed to load model "…". Error: Operation canceled." (charmbracelet/crush#2546)
// Groq and Cerebras answer it to calls that they could not read: "Failed to call a function. Please adjust your prompt. …" and
// "Tool call validation failed: …", both `tool_use_failed` (huggingface/smolagents#1119, laravel/ai#342); "Failed to generate tool_calls. …"
const OWN_FAULT = any_of(
  "tool_use_failed",
  "failed to generate tool_calls",
  "model has crashed",
  "model (is |was )?(un|re)loaded",
  "failed to load model",
);

// llama.cpp answers 500 to what is the request's fault: b1-0c1e570, recorded; the last three, older ones (containers/ramalama#988,
// ggml-org/llama.cpp#10920, simonw/llm-llama-server#3); what templates say of roles and calls. Not among these:
// "Failed to parse input at pos …", which is about what the model wrote, and may go well the next time.
const DISGUISED = any_of(
  "json\\.exception",
  "Failed to parse (tools|messages|tool call arguments)",
  "image input is not supported",
  "system role not supported",
  "conversation roles must alternate",
  "jinja exception",
  "tools param requires",
  "Cannot use tools with stream",
  "Unsupported param",
  "tool call id was",
);

// Gemini: "API key not valid. Please pass a valid API key." xAI: "Incorrect API key provided: …" Both by 400.
const WRONG_KEY = /api key (not valid|expired)|incorrect api key provided/i;

// llama.cpp:  "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj" (500!)
//             "Failed to load image or audio file"
// Ollama:     "this model does not support image input" / "this model is missing data required for image input"
// OpenRouter: "No endpoints found that support image input" (404)
// LM Studio:  "Model does not support images. Please use a model that does."
// vLLM:       "… is not a multimodal model"
// OpenAI:     "Invalid content type. image_url is only supported by certain models."
// DeepSeek:   "messages[1]: unknown variant `image_url`, expected `text`"
// Anthropic:  "Could not process image"
const NO_IMAGES = any_of(
  "image input",
  "not support images?",
  "not a multimodal model",
  "\\bimage_url\\b",
  "(load|process|decode) (the )?image",
);

interface Words {
  /** For a person; empty if the server says nothing. */
  readonly text: string;
  /** `text`, type and code: what the kind of an error is read from. Never the request that a server quotes. */
  readonly signs: string;
  /** A number in the place of the code, such as an HTTP status inside a body. */
  readonly code: number | null;
  readonly more: Pick<ModelError, "written">;
}

/** A proxy in front of the server: nginx and Caddy with a file of passwords. */
const NAMES_HINT = "it wants a user name and a password: --base-url http://NAME:PASSWORD@HOST";

/** Where nobody knows yet which of both it is. */
export const UNFOUND_HINT = "; is the base URL right, and the model's name (hamr models)?";

/** Sorts an HTTP answer that is not a success. `body` is at most the first 64 kB of it. */
export function from_status(
  status: number,
  body: string,
  at: {
    readonly url: string;
    readonly key_hint: string;
    readonly location?: string;
    /** What the server wants to know, as `WWW-Authenticate` says. */
    readonly challenge?: string | null;
  },
): ModelError {
  const said = server_words(body);
  const where = `${at.url} answered ${status}`;
  if (status >= 300 && status < 400) {
    const to = at.location === undefined ? "" : ` to ${at.location}`;
    return {
      kind: "bad_request",
      status,
      message:
        `${where}, a redirect${to}, which is not followed; give the final address as --base-url`,
    };
  }
  const { signs, more } = words_of(body);
  const kind = kind_of(status, signs);
  // Ollama, by 404: "model 'qwen' not found", older ones "model "qwen" not found, try pulling it first".
  const [, missing] = /^model ['"](\S+)['"] not found/.exec(said) ?? [];
  const hint = kind === "auth"
    ? `; ${/^basic\b/i.test(at.challenge ?? "") ? NAMES_HINT : at.key_hint}`
    : missing !== undefined
    ? `; get it with: ollama pull ${missing} (hamr models: what is there)`
    : status === 404 || status === 405
    ? UNFOUND_HINT
    : "";
  const reason = hint === "" ? said : said.replace(/\.$/, "");
  return { kind, status, signs, message: `${where}: ${reason}${hint}`, ...more };
}

/** Sorts an error object that came with status 200: in the middle of a stream, or as its only event. */
export function from_error(value: unknown, url: string): ModelError {
  const body = JSON.stringify(value);
  const { signs, code, more } = words_of(body);
  // Without a status of its own it is the server's fault until it says otherwise.
  const kind = kind_of(code !== null && code >= 400 && code < 600 ? code : 500, signs);
  const message = `${url} reported: ${server_words(body)}`;
  return { kind, signs, message, status: null, ...more };
}

/** Below 500, what another moment may change: a timeout, a conflict, too early, too many. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function kind_of(status: number, signs: string): ModelErrorKind {
  if (status === 401 || status === 403 || (status === 400 && WRONG_KEY.test(signs))) return "auth";
  // "Payload too large": fewer words help. 429 speaks of tokens too, but of tokens a minute.
  if (status === 413 || (status !== 429 && OVERFLOW.test(signs))) return "context_overflow";
  if (status !== 429 && NO_IMAGES.test(signs)) return "no_images";
  if (status === 400 && OWN_FAULT.test(signs)) return "server";
  if (status === 500 && DISGUISED.test(signs)) return "bad_request";
  return status >= 500 || PASSING.has(status) ? "server" : "bad_request";
}

/** The message inside an error body of any server, in one line of at most 300 characters. */
export function server_words(body: string): string {
  const text = body.trim();
  if (text === "") return "no details";
  if (looks_like_html(text)) return web_page(text);
  return short_line(words_of(text).text || text);
}

/** Whether a body is a web page: a proxy's error page, or a wrong address. */
export function looks_like_html(text: string): boolean {
  let rest = text.trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->", "<!--".length);
    if (end < 0) return false;
    rest = rest.slice(end + "-->".length).trimStart();
  }
  return /^<(?:!doctype|html|head|body)/i.test(rest);
}

/** What a web page is called, which often says what is wrong: "413 Request Entity Too Large", "Open WebUI". */
export function web_page(text: string): string {
  const title = short_line(/<title[^>]{0,80}>([^<]{0,200})/i.exec(text)?.[1] ?? "", 100);
  return `a web page (HTML) instead of JSON${title === "" ? "" : `, "${title}"`}`;
}

/** How much of someone else's text is in a message: four lines of a terminal at most. */
const LINE_CHARS = 300;

/** Control characters out, whitespace folded, cut to `length` characters (UTF-16 units). */
export function short_line(text: string, length = LINE_CHARS): string {
  // What is cut off anyway need not be folded: a body may have megabytes.
  const head = text.slice(0, 8 * length);
  const flat = head.replace(/[\p{Cc}\s]+/gu, " ").trim();
  if (flat.length <= length && head.length === text.length) return flat.toWellFormed();
  // Not in the middle of a character that takes two units.
  return `${flat.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`.toWellFormed();
}

/** Reads the formats there are: OpenAI's and llama.cpp's, Ollama's, vLLM's old one, FastAPI's, OpenRouter's. */
function words_of(body: string): Words {
  const given = loose_json(body);
  if (given === undefined) return { text: "", signs: short_line(body), code: null, more: {} };
  // Gemini's Chat Completions put it into a list: [{"error": {"code": 400, …}}].
  const value: unknown = Array.isArray(given) ? given[0] : given;
  const error = field(value, "error");
  // {error: {message, type, code}} nests; {error: "…"}, {object: "error", message, type, code} and
  // {detail: "…"} do not.
  const inner = typeof error === "object" && error !== null ? error : value;
  const found = [
    field(inner, "message"),
    error,
    field(value, "message"),
    details(field(value, "detail")),
    // Mistral puts FastAPI's list into its own message.
    details(field(field(value, "message"), "detail")),
  ].find(is_text);
  // OpenRouter says "Provider returned error"; what the provider said is in metadata.raw.
  const raw = field(field(inner, "metadata"), "raw");
  const text = [found, raw].filter(is_text).join(": ");
  const written = field(inner, "failed_generation");
  // Ollama puts it beside the words: {"error": "…", "status": 400}, in the middle of a stream.
  const code = field(inner, "code") ?? field(inner, "status");
  return {
    text,
    signs: [text, field(inner, "type"), code].filter(is_text).join(" "),
    code: /^\d{3}$/.test(String(code)) ? Number(code) : null,
    more: is_text(written) ? { written } : {},
  };
}

/** FastAPI (vLLM, SGLang) lists what is wrong with a request, and quotes the request beside it. */
function details(detail: unknown): unknown {
  if (!Array.isArray(detail)) return detail;
  return detail.map((item: unknown) => {
    const at = field(item, "loc");
    const place = Array.isArray(at) ? `${at.join(".")}: ` : "";
    return `${place}${String(field(item, "msg"))}`;
  }).join("; ");
}

export function bad_response(message: string): ModelError {
  return { kind: "bad_response", message, status: null };
}

export function stray(url: string, what: string, value: unknown): ModelError {
  return bad_response(`${url} sent JSON ${what}: ${short_line(JSON.stringify(value))}`);
}

export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
