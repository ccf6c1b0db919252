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
  /** Tokens that a model could hold, whatever is loaded: of each model that the server says it of. */
  readonly limits: Readonly<Record<string, number>>;
  /** The template of the loaded model has no place for tools: they are left out of the prompt without a word. */
  readonly no_tools?: true;
  /** Whether a model can see, by the names of `windows`; absent where the server does not say so unasked. */
  readonly sees?: Readonly<Record<string, boolean>>;
}

/** What Ollama says of a model, loaded or not. */
export interface Shown {
  /** Tokens that it could hold; undefined where that is not said. */
  readonly limit: number | undefined;
  /** `completion`, `tools`, `vision`, `thinking`, …; none where they are not said. */
  readonly capabilities: readonly string[];
}

/** All of loopback is asked within this time (section 6 of the contract). */
export const DISCOVERY_MS = 300;

/**
 * Where local servers listen, in the order in which they are preferred (section 6 of the contract). llama.cpp has announced
 * 9931 as its next default (ggml-org/llama.cpp#26508).
 */
const LOCAL_PORTS = [11434, 8080, 9931, 1234, 8000];

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
  /** Believes certificates of the person's own. */
  readonly client?: Deno.HttpClient | undefined;
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

/** `POST /api/show`: what a model could do. Null where Ollama does not answer, or does not have it. */
export async function show(
  origin: string,
  model: string,
  inquiry: Inquiry,
): Promise<Shown | null> {
  const said = await get(`${origin}/api/show`, inquiry, { model });
  const info = field(said, "model_info");
  if (typeof info !== "object" || info === null) return null;
  const length = field(info, `${String(field(info, "general.architecture"))}.context_length`);
  const able = field(said, "capabilities");
  return {
    limit: windows([["", length]])[""],
    capabilities: Array.isArray(able) ? able.filter(is_name) : [],
  };
}

/** `GET /api/ps`: tokens that the window of a model has as Ollama has loaded it; undefined where it is not loaded. */
export async function loaded_by_ollama(
  origin: string,
  model: string,
  inquiry: Inquiry,
): Promise<number | undefined> {
  const loaded = field(await get(`${origin}/api/ps`, inquiry), "models");
  return Array.isArray(loaded) ? of_model(loaded_windows(loaded), model) : undefined;
}

/** What a table by names of models says of one. Ollama names `qwen:latest` what a person calls `qwen`. */
export function of_model(
  table: Readonly<Record<string, number>>,
  model: string,
): number | undefined {
  const name = [model, `${model}:latest`, ""].find((name) => Object.hasOwn(table, name));
  return name === undefined ? undefined : table[name];
}

function loaded_windows(models: readonly unknown[]): Record<string, number> {
  return windows(models.map((model) => [field(model, "name"), field(model, "context_length")]));
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
  const tools = field(field(props, "chat_template_caps"), "supports_tool_calls");
  return {
    ...(tools === false ? { no_tools: true } : {}),
    name: "llama.cpp",
    models: names.length > 0 ? names : [alias].filter(is_name),
    windows: windows([["", n_ctx]]),
    window_source: "GET /props",
    limits: limits_in(models, (model) => field(field(model, "meta"), "n_ctx_train")),
    ...seeing([["", field(field(props, "modalities"), "vision")]]),
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
    windows: loaded_windows(loaded),
    window_source: "GET /api/ps",
    limits: {},
  };
}

/** LM Studio: `/v1/models` has all that could be loaded and no window; its own list has what is, and how. */
async function lmstudio(models: unknown, at: At): Promise<Server | null> {
  const data = field(models, "data");
  if (!Array.isArray(data) || field(data[0], "owned_by") !== "organization_owner") return null;
  const { origin, inquiry } = at;
  const newer = instances_in(await get(`${origin}/api/v1/models`, inquiry));
  const known = newer ?? states_in(await get(`${origin}/api/v0/models`, inquiry)) ?? [];
  const loaded = known.filter((model) => model.window !== undefined);
  return {
    name: "lmstudio",
    models: chat_first([...loaded.map(({ name }) => name).filter(is_name), ...ids(models)]),
    windows: windows(loaded.map(({ name, window }) => [name, window])),
    window_source: `GET /api/${newer === null ? "v0" : "v1"}/models`,
    limits: windows(known.map(({ name, limit }) => [name, limit])),
    ...seeing(known.map(({ name, sees }) => [name, sees])),
  };
}

/** A model of LM Studio; `window` is undefined where it is not loaded. */
interface Instance {
  readonly name: unknown;
  readonly sees: unknown;
  readonly window: unknown;
  readonly limit: unknown;
}

/** LM Studio 0.4 and newer: a model may be loaded more than once, each time under a name of its own. */
function instances_in(list: unknown): Instance[] | null {
  const models = field(list, "models");
  if (!Array.isArray(models)) return null;
  return models.filter((model) => field(model, "type") !== "embedding").flatMap((model) => {
    const limit = field(model, "max_context_length");
    const sees = field(field(model, "capabilities"), "vision");
    const loaded = field(model, "loaded_instances");
    const instances: unknown[] = Array.isArray(loaded) ? loaded : [];
    return [
      ...instances.map((one) => ({
        name: field(one, "id"),
        window: field(field(one, "config"), "context_length"),
        limit,
        sees,
      })),
      { name: field(model, "key"), window: undefined, limit, sees },
    ];
  });
}

/** LM Studio from 0.3.6. */
function states_in(list: unknown): Instance[] | null {
  const models = field(list, "data");
  if (!Array.isArray(models)) return null;
  return models.filter((model) => field(model, "type") !== "embeddings").map((model) => ({
    name: field(model, "id"),
    window: field(model, "state") === "loaded" ? field(model, "loaded_context_length") : undefined,
    limit: field(model, "max_context_length"),
    sees: { vlm: true, llm: false }[String(field(model, "type"))],
  }));
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
    limits: limits_in(models, (model) => field(field(model, "meta"), "n_ctx_train")),
  };
}

function limits_in(models: unknown, limit: (model: unknown) => unknown): Record<string, number> {
  const data = field(models, "data");
  return Array.isArray(data)
    ? windows(data.map((model) => [field(model, "id"), limit(model)]))
    : {};
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

function seeing(pairs: readonly (readonly [unknown, unknown])[]): Pick<Server, "sees"> {
  const said = pairs.filter((pair): pair is readonly [string, boolean] =>
    typeof pair[0] === "string" && typeof pair[1] === "boolean"
  );
  return said.length === 0 ? {} : { sees: Object.fromEntries(said) };
}

/** The JSON of a small answer, errors' bodies included; undefined where there is none in time. A `body` is posted. */
async function get(
  url: string,
  { headers, signal, client }: Inquiry,
  body?: unknown,
): Promise<unknown> {
  try {
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(url, { headers, signal, redirect: "manual", client, ...post });
    return await small_json(response, signal);
  } catch {
    return undefined;
  }
}

/** The JSON that a server answers within `limit_ms` milliseconds; undefined where there is none. */
export async function answer_of(
  url: string,
  { limit_ms, body, ...inquiry }: Omit<Inquiry, "signal"> & {
    readonly limit_ms: number;
    /** Is posted. */
    readonly body?: unknown;
  },
): Promise<unknown> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), limit_ms);
  try {
    return await get(url, { ...inquiry, signal: over.signal }, body);
  } finally {
    clearTimeout(timer);
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
