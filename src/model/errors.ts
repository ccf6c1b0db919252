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

/** In a sentence that speaks of these it is not the prompt that is too long for the model. */
const OTHER_LIMITS = "image|schema|characters|minute|day|daily|rate|quota|credits?|time|timeout";

/** A prompt that does not fit: what servers really say, and what only sounds like it, is in `errors_test.ts`. */
const OVERFLOW = any_of(
  "exceed_context_size",
  "context[ _](length|size|window)[ _](has been )?exceed",
  "exceed(s|ed)? [^.]{0,40}\\b(context (size|length|window|limit)|model token limit)",
  "maximum (context|model|prompt|input) length",
  "context (length is only|the overflows|shift is disabled)",
  "reached context length",
  "n_keep .{0,20}n_ctx\\b",
  "exceed (n_ctx|max message tokens)",
  "(longer|greater) than the (model's )?context length",
  "`inputs` (tokens \\+ `max_new_tokens` must be <=|must have less than)",
  "reduce the length of the (messages|input|prompt)",
  "input is too long for requested model",
  "too many (input|prompt) tokens",
  "range of input length should be",
  "total number of tokens [^.]{0,40}cannot exceed",
  "max_tokens must be at least 1, got -",
  "prompt (is )?(too long|exceeds)",
  "prompt .{0,40}is too long to fit",
  // The prompt, its length in tokens, and what that is more than.
  "\\b(prompt|input|prompt_tokens)\\b(?=[^.]{0,200}(token|length|_len\\b|window))" +
    `(?![^.]{0,200}\\b(${OTHER_LIMITS})\\b)[^.]{0,80}` +
    "\\b(exceed|is above|(is|total,) (longer|greater|larger) than|must be less than|only supports up to)",
);

/** "…length is 4096 tokens. However, you requested 5140 tokens (1044 in the messages, 4096 in the completion)." */
const NAMED_WINDOW =
  /(?:(?:context|model) length (?:is |of )?(?:only )?\(?|exceed context limit: \d+ \+ \d+ > ?|must be <= ?|available context size \(|max_seq_len \(?|context window limit \()(\d+)/i;

/** The window that a server names where a request and the reply to it are too long for it, in tokens; null if it names none. */
export function named_window(message: string): number | null {
  const [, tokens] = NAMED_WINDOW.exec(message) ?? [];
  return tokens === undefined ? null : Number(tokens);
}

/** What servers say where their model wrote a call that they can't read; each one's words are in `errors_test.ts`. */
const UNREAD_CALL = any_of(
  "tool_use_failed",
  "failed to generate tool_calls",
  "error parsing tool call",
  "failed to parse (xml|input at pos|tool call(?! arguments))",
  "xml syntax error|element <[^>]*> closed by|expected element type <",
  "does not match the expected [\\w-]+ format",
  "tokens remaining in message header",
);

// LM Studio answers 400 to what is its own: "The model has crashed without additional information. (Exit code: null)",
// "Model is unloaded.", "Model reloaded.", "Failed to load model "…". Error: Operation canceled." (charmbracelet/crush#2546)
// vLLM, where gpt-oss writes no Harmony: "Unexpected token 12606 while expecting start token 200006" (vllm-project/vllm#22515)
const OWN_FAULT = any_of(
  UNREAD_CALL.source,
  "while expecting start token",
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
  "rendering prompt with jinja template",
  "tools param requires",
  "Cannot use tools with stream",
  "Unsupported param",
  "tool call id was",
);

/** An account without money, or whose days or weeks are used up: no wait of ours changes that, and another provider may do. */
export const NO_MONEY = any_of(
  "insufficient[_ ](quota|balance|credit|funds)",
  "exceeded_current_quota",
  // LiteLLM leaves out OpenAI's code for it. Gemini says the same of a minute's, and when to come back.
  "exceeded your current quota, please check your plan(?![^]*(retry in|per_?minute))",
  "credit balance is too low",
  "(requires more|out of|used all available) credits",
  "(hourly|daily|weekly|monthly|session) (usage|spending) limit",
  "余额不足",
);

// All by 400. Gemini: "API key not valid. Please pass a valid API key." xAI: "Incorrect API key provided: …"
// LiteLLM 1.9x without a database, to any key but its own: "No connected db."
const WRONG_KEY = /api key (not valid|expired)|incorrect api key provided|^no connected db\b/i;

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

/** By 407, or where it lets no request for `https` through. */
export const PROXY_HINT =
  "the proxy asks for a user name and a password, as in HTTPS_PROXY=http://NAME:PASSWORD@HOST";

/** Where nobody knows yet which of both it is. */
export const UNFOUND_HINT = "; is the base URL right, and the model's name (hamr models)?";

/** one-api and new-api, by 503, of a model that none of their servers has. */
const NO_CHANNEL = /无可用渠道|no available channel for model/i;

/** Sorts an HTTP answer that is not a success. `body` is at most the first 64 kB of it. */
export function from_status(status: number, body: string, at: {
  readonly url: string;
  readonly key_hint: string;
  readonly location?: string;
  /** What the server wants to know, as `WWW-Authenticate` says. */
  readonly challenge?: string | null;
}): ModelError {
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
  const hint = NO_MONEY.test(signs)
    ? ""
    : kind === "auth"
    ? `; ${/^basic\b/i.test(at.challenge ?? "") ? NAMES_HINT : at.key_hint}`
    : missing !== undefined
    ? `; get it with: ollama pull ${missing} (hamr models: what is there)`
    : status === 407
    ? `; ${PROXY_HINT}`
    : status === 404 || status === 405 || NO_CHANNEL.test(said)
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

/** The server's words for a call that it could not read; undefined if the error is about something else. */
export function unread_call({ kind, signs = "", message }: ModelError): string | undefined {
  if (kind !== "server" || !UNREAD_CALL.test(signs)) return undefined;
  return message.replace(/^\S+ (answered \d+|reported): /, "");
}

/** Below 500, what another moment may change: a timeout, a conflict, too early, too many. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function kind_of(status: number, signs: string): ModelErrorKind {
  if (status === 401 || status === 403 || (status === 400 && WRONG_KEY.test(signs))) return "auth";
  // "Payload too large": fewer words help. 429 speaks of tokens too, but of tokens a minute.
  const is_limited = status === 402 || status === 429 || NO_MONEY.test(signs);
  if (status === 413 || (!is_limited && OVERFLOW.test(signs))) return "context_overflow";
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
  return short_line(unwrapped(words_of(text).text) || text);
}

/**
 * Another server's error inside the words of one: `Error from provider(a,b: 400): {"error":{"message":"…"}}Error: …` (claude-code-router),
 * `Provider returned error: {"error":{…}}` (OpenRouter), and in the middle of a stream `{"message":"…","type":"…"}`.
 */
const WRAPPED =
  /^([^{}]{0,200})\{(?=[^]{0,200}?"(?:error|type|code)":)(?:"error":\{)?[^{}]{0,200}?"message":"((?:[^"\\]|\\.)+)"[^]*$/;

function unwrapped(text: string): string {
  const [, head, inner] = WRAPPED.exec(text) ?? [];
  const words = inner && loose_json(`"${inner}"`);
  return is_text(words) ? `${head}${words}` : text;
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

function words_of(body: string): Words {
  const given = loose_json(body);
  if (given === undefined) return { text: "", signs: short_line(body), code: null, more: {} };
  // Gemini's Chat Completions put it into a list: [{"error": {"code": 400, …}}].
  const value: unknown = Array.isArray(given) ? given[0] : given;
  const error = field(value, "error");
  // {error: {message, type, code}} nests; {error: "…"} and {object: "error", message, type, code} do not.
  const inner = typeof error === "object" && error !== null ? error : value;
  const found = wording(inner) || wording(value);
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

/**
 * Where servers put their words: OpenAI and llama.cpp, Ollama, FastAPI (vLLM, SGLang, TabbyAPI; inside `message`, Mistral), Cloudflare
 * and watsonx, AWS, Baidu, Apigee. Nowhere else, as some quote the request.
 */
const SAID_IN = [
  ...["message", "error", "detail", "errors", "msg"],
  ...["Message", "error_msg", "errorMessage", "fault", "faultstring", "details"],
];
const MOST_DEPTH = 5;

/** The words in an error of any form; empty if there are none. */
function wording(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (depth > MOST_DEPTH) return "";
  if (!Array.isArray(value)) {
    for (const name of SAID_IN) {
      const words = wording(field(value, name), depth + 1);
      if (words !== "") return words;
    }
    return "";
  }
  // FastAPI lists what is wrong with a request.
  return value.map((item: unknown) => {
    const at = field(item, "loc");
    return (Array.isArray(at) ? `${at.join(".")}: ` : "") + wording(item, depth + 1);
  }).filter(is_text).join("; ");
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
