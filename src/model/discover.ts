import { field } from "./errors.ts";

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

/** The first local server that answers, with its address; null where none does. */
export async function find_local(
  ollama_origin: string | null,
): Promise<{ readonly origin: string; readonly server: Server } | null> {
  const signal = AbortSignal.timeout(DISCOVERY_MS);
  const origins = LOCAL_PORTS.map((port) => `http://127.0.0.1:${port}`);
  if (ollama_origin !== null) origins[0] = ollama_origin;
  const asked = origins.map((origin) => inspect(origin, { headers: {}, signal }));
  for (const [at, answer] of asked.entries()) {
    const server = await answer;
    if (server !== null) return { origin: origins[at] ?? "", server };
  }
  return null;
}

/** Asks one server what it is, by questions that only some kinds answer. Null where nothing answers. */
export async function inspect(
  origin: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Server | null> {
  const [props, ps, models] = await Promise.all(
    ["/props", "/api/ps", "/v1/models"].map((path) => get(origin + path, options)),
  );
  return llama_cpp(props, models) ?? await ollama(ps, models, { origin, options }) ??
    listed(models);
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
    models: names.length > 0 ? names : typeof alias === "string" && alias !== "" ? [alias] : [],
    windows: windows([["", n_ctx]]),
    window_source: "GET /props",
  };
}

/** Ollama: `/api/ps` has the window of what is loaded; `/api/tags` has what could be. */
async function ollama(
  ps: unknown,
  models: unknown,
  more: { readonly origin: string; readonly options: Parameters<typeof inspect>[1] },
): Promise<Server | null> {
  const loaded = field(ps, "models");
  if (!Array.isArray(loaded)) return null;
  const running = loaded.map((model) => field(model, "name")).filter(is_name);
  const tags = ids(models).length > 0
    ? ids(models)
    : names_of(field(await get(`${more.origin}/api/tags`, more.options), "models"));
  return {
    name: "ollama",
    models: [...new Set([...running, ...tags])],
    windows: windows(
      loaded.map((model) => [field(model, "name"), field(model, "context_length")]),
    ),
    window_source: "GET /api/ps",
  };
}

/** LM Studio, vLLM and the rest: `/v1/models`. vLLM gives `max_model_len`, llama.cpp's kin `meta.n_ctx`. */
function listed(models: unknown): Server | null {
  const data = field(models, "data");
  if (!Array.isArray(data)) return null;
  const first: unknown = data[0];
  const owner = field(first, "owned_by");
  const vllm = field(first, "max_model_len");
  return {
    name: owner === "vllm" || vllm !== undefined
      ? "vllm"
      : owner === "organization_owner"
      ? "lmstudio"
      : "openai-compatible",
    models: ids(models),
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

function windows(pairs: readonly (readonly [unknown, unknown])[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, value] of pairs) {
    if (
      typeof name === "string" && typeof value === "number" && Number.isInteger(value) &&
      value >= WINDOW_RANGE[0] && value <= WINDOW_RANGE[1]
    ) found[name] = value;
  }
  return found;
}

/** The JSON of a small answer, errors' bodies included; undefined where there is none in time. */
async function get(
  url: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<unknown> {
  try {
    const response = await fetch(url, { ...options, redirect: "manual" });
    return await response.json();
  } catch {
    return undefined;
  }
}
