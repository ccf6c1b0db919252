import { field } from "./errors.ts";
import { read_text } from "./response_body.ts";

/** What a running server says of itself. */
export interface Server {
  readonly name: "ollama" | "llama.cpp" | "lmstudio" | "vllm" | "openai-compatible";
  /** Models it can serve, the loaded one first. */
  readonly models: readonly string[];
  /** Tokens that fit the window as it is loaded now: of each model, or (`""`) of whichever is asked for. */
  readonly windows: Readonly<Record<string, number>>;
  /** The question that gave the windows, as `GET /props`. */
  readonly window_source: string;
}

/** All of loopback is asked within this time (section 6 of the contract). */
export const DISCOVERY_MS = 300;

/** Where local servers listen, in the order in which they are preferred (section 6 of the contract). */
const LOCAL_PORTS = [11434, 8080, 1234, 8000];

/** Sanity range of a window, in tokens: below and above it a server's word is not believed. */
const WINDOW_RANGE = [512, 2_097_152] as const;

/** An answer longer than this is no list of models. */
const ANSWER_BYTES = 4 * 1024 * 1024;

/** Models that only embed or rank, by the names they have in Ollama's library and on Hugging Face. */
const NOT_FOR_CHAT = /embed|minilm|rerank|paraphrase|(^|\/)(bge|gte|e5)-/i;

type Headers = Readonly<Record<string, string>>;

/** How a server is asked about itself. */
export interface Inquiry {
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Where the wire is, and its list of models; default: `/v1` below the origin. */
  readonly base_url?: string;
}

/** The first local server that answers, with its address; null where none does. `ollama` takes the place of the first port. */
export async function find_local(
  ollama: { readonly origin: string; readonly headers: Headers } | null,
  ports: readonly number[] = LOCAL_PORTS,
): Promise<{ readonly origin: string; readonly server: Server } | null> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), DISCOVERY_MS);
  const places = ports.map((port, at) =>
    at === 0 && ollama !== null ? ollama : { origin: `http://127.0.0.1:${port}`, headers: {} }
  );
  const asked = places.map(({ origin, headers }) =>
    inspect(origin, { headers, signal: over.signal })
  );
  try {
    for (const [at, answer] of asked.entries()) {
      const server = await answer;
      if (server !== null) return { origin: places[at]?.origin ?? "", server };
    }
    return null;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Asks one server what it is, by questions that only some kinds answer. Null where nothing answers. */
export async function inspect(origin: string, inquiry: Inquiry): Promise<Server | null> {
  const { base_url = `${origin}/v1` } = inquiry;
  const [props, ps, models] = await Promise.all(
    [`${origin}/props`, `${origin}/api/ps`, `${base_url}/models`].map((url) => get(url, inquiry)),
  );
  const at = { origin, inquiry };
  return llama_cpp(props, models) ?? await ollama(ps, models, at) ?? await lmstudio(models, at) ??
    listed(models);
}

interface At {
  readonly origin: string;
  readonly inquiry: Inquiry;
}

/** llama.cpp: `/props` has the window of one slot. 503 "Loading model" is llama.cpp too, not yet ready. */
function llama_cpp(props: unknown, models: unknown): Server | null {
  const n_ctx = field(field(props, "default_generation_settings"), "n_ctx");
  const loading = field(field(props, "error"), "message") === "Loading model";
  if (n_ctx === undefined && !loading) return null;
  const alias = field(props, "model_alias");
  const names = ids(models);
  return {
    name: "llama.cpp",
    models: names.length > 0 ? names : [alias].filter(is_name),
    windows: windows([["", n_ctx]]),
    window_source: "GET /props",
  };
}

/** Ollama: `/api/ps` has the window of what is loaded; `/api/tags` has what could be. */
async function ollama(ps: unknown, models: unknown, at: At): Promise<Server | null> {
  const loaded = field(ps, "models");
  if (!Array.isArray(loaded)) return null;
  const running = loaded.map((model) => field(model, "name")).filter(is_name);
  const tags = ids(models).length > 0
    ? ids(models)
    : names_of(field(await get(`${at.origin}/api/tags`, at.inquiry), "models"));
  return {
    name: "ollama",
    models: chat_first([...running, ...tags]),
    windows: windows(
      loaded.map((model) => [field(model, "name"), field(model, "context_length")]),
    ),
    window_source: "GET /api/ps",
  };
}

/** LM Studio: `/v1/models` has all that could be loaded and no window; its own list has what is, and how. */
async function lmstudio(models: unknown, at: At): Promise<Server | null> {
  const data = field(models, "data");
  if (!Array.isArray(data) || field(data[0], "owned_by") !== "organization_owner") return null;
  const own = field(await get(`${at.origin}/api/v0/models`, at.inquiry), "data");
  const known: unknown[] = Array.isArray(own) ? own : [];
  const loaded = known.filter((model) =>
    field(model, "state") === "loaded" && field(model, "type") !== "embeddings"
  );
  return {
    name: "lmstudio",
    models: chat_first([
      ...loaded.map((model) => field(model, "id")).filter(is_name),
      ...ids(models),
    ]),
    windows: windows(
      loaded.map((model) => [field(model, "id"), field(model, "loaded_context_length")]),
    ),
    window_source: "GET /api/v0/models",
  };
}

/** vLLM and the rest: `/v1/models`. vLLM gives `max_model_len`, llama.cpp's kin `meta.n_ctx`. */
function listed(models: unknown): Server | null {
  const data = field(models, "data");
  if (!Array.isArray(data)) return null;
  const first: unknown = data[0];
  const vllm = field(first, "owned_by") === "vllm" || field(first, "max_model_len") !== undefined;
  return {
    name: vllm ? "vllm" : "openai-compatible",
    models: chat_first(ids(models)),
    windows: windows(data.map((model) => [
      field(model, "id"),
      field(model, "max_model_len") ?? field(field(model, "meta"), "n_ctx"),
    ])),
    window_source: "GET /v1/models",
  };
}

function ids(models: unknown): string[] {
  const data = field(models, "data");
  return Array.isArray(data) ? data.map((model) => field(model, "id")).filter(is_name) : [];
}

function names_of(models: unknown): string[] {
  return Array.isArray(models) ? models.map((model) => field(model, "name")).filter(is_name) : [];
}

function is_name(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Each once, in the given order, but what cannot chat comes last: an editor may have its embedder loaded. */
function chat_first(names: readonly string[]): string[] {
  const each = [...new Set(names)];
  const chat = each.filter((name) => !NOT_FOR_CHAT.test(name));
  return [...chat, ...each.filter((name) => NOT_FOR_CHAT.test(name))];
}

function windows(pairs: readonly (readonly [unknown, unknown])[]): Record<string, number> {
  const [least, most] = WINDOW_RANGE;
  return Object.fromEntries(pairs.filter((pair): pair is readonly [string, number] => {
    const [name, value] = pair;
    return typeof name === "string" && typeof value === "number" && Number.isInteger(value) &&
      value >= least && value <= most;
  }));
}

/** The JSON of a small answer, errors' bodies included; undefined where there is none in time. */
async function get(url: string, { headers, signal }: Inquiry): Promise<unknown> {
  try {
    const response = await fetch(url, { headers, signal, redirect: "manual" });
    return await small_json(response, signal);
  } catch {
    return undefined;
  }
}

/** The JSON of an answer of at most 4 MB; undefined where it is none. Leaves no body open. */
export async function small_json(response: Response, signal: AbortSignal): Promise<unknown> {
  const { text, complete } = await read_text(response, { bytes: ANSWER_BYTES, signal });
  if (!complete) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
