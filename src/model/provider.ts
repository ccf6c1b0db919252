import { DISCOVERY_MS, find_local, inspect, type Server } from "./discover.ts";
import { is_loopback } from "./http.ts";

/** One model server, and everything a request to it needs. */
export interface Endpoint {
  /** `ollama`, `llama.cpp`, `openai`, a name of `[providers]`, … */
  readonly provider: string;
  readonly api_mode: "chat_completions";
  /** Ends in `/v1` or another version; no slash at the end. */
  readonly base_url: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where there is none. */
  readonly key: string;
  /** The variable the key is, or would be, read from. */
  readonly key_env: string;
  readonly context_window: number;
  /** Whether somebody said so; else it is assumed. */
  readonly window_known: boolean;
  /** Where `context_window` comes from, in words for a person. */
  readonly window_source: string;
}

/** What settings say about the model. Empty strings are "not said". */
export interface Wish {
  readonly provider: string;
  readonly model: string;
  readonly base_url: string;
  readonly context_window: number | undefined;
  readonly providers: Readonly<Record<string, Preset | undefined>>;
  /** Whether `base_url` comes from somebody else's file: then no key goes there. */
  readonly base_url_untrusted: boolean;
}

/** A named provider: built in, or from `[providers.NAME]`. */
export interface Preset {
  readonly base_url: string;
  readonly api_key_env: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly context_window: number | undefined;
}

/** No model can be found; `message` is one line or more, for a person. Exit 3. */
export class NoModelError extends Error {}

/** Assumed where nobody says how large the window is: the smallest in common use (seed 004). */
const UNKNOWN_WINDOW = 8192;

const BUILT_IN: Readonly<Record<string, { base_url: string; api_key_env: string }>> = {
  "ollama": { base_url: "http://127.0.0.1:11434/v1", api_key_env: "" },
  "llama.cpp": { base_url: "http://127.0.0.1:8080/v1", api_key_env: "" },
  "lmstudio": { base_url: "http://127.0.0.1:1234/v1", api_key_env: "" },
  "vllm": { base_url: "http://127.0.0.1:8000/v1", api_key_env: "" },
  "openai": { base_url: "https://api.openai.com/v1", api_key_env: "OPENAI_API_KEY" },
  "openrouter": { base_url: "https://openrouter.ai/api/v1", api_key_env: "OPENROUTER_API_KEY" },
};

const NOTHING_FOUND = `no model found: no server on this machine answered, and no API key is set.
  Ollama:     ollama serve & ollama pull qwen2.5-coder:7b
  llama.cpp:  llama-server -m MODEL.gguf --jinja -c 16384
  elsewhere:  hamr run --base-url URL --model NAME "task"   (key in HAMR_API_KEY)`;

/**
 * Finds the server and the model of a run: an explicit provider or URL, then the environment, then loopback,
 * then the API keys. Throws `NoModelError` where there is nothing to talk to.
 */
export async function resolve_endpoint(
  wish: Wish,
  env: (name: string) => string | undefined,
): Promise<Endpoint> {
  const place = await choose(wish, env);
  const key = place.trusted ? key_of(place.key_envs, env) : { name: "", value: "" };
  const headers = {
    ...place.headers,
    ...(key.value === "" ? {} : { authorization: `Bearer ${key.value}` }),
  };
  const server = place.server ?? await ask_server(place, headers, wish);
  const model = wish.model || place.model || model_of(place, server);
  const set = wish.context_window ?? place.context_window;
  const loaded = server === null ? undefined : window_of(server, model);
  return {
    provider: place.name === "" ? server?.name ?? "openai-compatible" : place.name,
    api_mode: "chat_completions",
    base_url: place.base_url,
    model,
    headers,
    key: key.value,
    key_env: key.name || place.key_envs[0] || "HAMR_API_KEY",
    context_window: set ?? loaded ?? UNKNOWN_WINDOW,
    window_known: set !== undefined || loaded !== undefined,
    window_source: set !== undefined
      ? "setting"
      : server !== null && loaded !== undefined
      ? server.window_source
      : "assumed: the server does not say",
  };
}

interface Place {
  /** Empty: named after the kind of server found there. */
  readonly name: string;
  readonly base_url: string;
  readonly key_envs: readonly string[];
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly context_window: number | undefined;
  readonly server: Server | null;
  readonly trusted: boolean;
}

const PLAIN = { model: "", headers: {}, context_window: undefined, server: null, trusted: true };

async function choose(wish: Wish, env: (name: string) => string | undefined): Promise<Place> {
  const trusted = !wish.base_url_untrusted;
  if (wish.provider !== "" && wish.provider !== "auto") return named(wish, env);
  if (wish.base_url !== "") {
    const base_url = with_version(wish.base_url);
    const key_envs = ["HAMR_API_KEY", ...own_key(base_url)];
    return { ...PLAIN, name: "", base_url, key_envs, trusted };
  }
  const openai_base = env("OPENAI_BASE_URL");
  if (openai_base) {
    const key_envs = ["HAMR_API_KEY", "OPENAI_API_KEY"];
    return { ...PLAIN, name: "openai", base_url: with_version(openai_base), key_envs };
  }
  const local = await find_local(ollama_origin(env));
  if (local !== null) {
    const base_url = `${local.origin}/v1`;
    return { ...PLAIN, name: local.server.name, base_url, key_envs: [], server: local.server };
  }
  for (const name of ["openai", "openrouter"]) {
    const preset = BUILT_IN[name];
    if (preset !== undefined && env(preset.api_key_env)) {
      return { ...PLAIN, name, base_url: preset.base_url, key_envs: [preset.api_key_env] };
    }
  }
  throw new NoModelError(NOTHING_FOUND);
}

function named(wish: Wish, env: (name: string) => string | undefined): Place {
  const own = wish.providers[wish.provider];
  const preset = own ?? BUILT_IN[wish.provider];
  if (preset === undefined) {
    const known = [...Object.keys(BUILT_IN), ...Object.keys(wish.providers)].join(", ");
    throw new NoModelError(`unknown provider "${wish.provider}"; known: ${known}`);
  }
  const from_env = wish.provider === "ollama" ? ollama_origin(env) : undefined;
  const base = wish.base_url || (from_env ? `${from_env}/v1` : "") ||
    (wish.provider === "openai" ? env("OPENAI_BASE_URL") ?? "" : "") || preset.base_url;
  if (base === "") throw new NoModelError(`provider "${wish.provider}" has no base_url`);
  return {
    ...PLAIN,
    ...(own ?? {}),
    name: wish.provider,
    base_url: with_version(base),
    key_envs: ["HAMR_API_KEY", preset.api_key_env].filter((name) => name !== ""),
    trusted: !(wish.base_url_untrusted && wish.base_url !== ""),
  };
}

/** OpenAI's and OpenRouter's keys go to their owners' addresses, and nowhere else by themselves. */
function own_key(base_url: string): string[] {
  const origin = new URL(base_url).origin;
  return Object.values(BUILT_IN)
    .filter((preset) => preset.api_key_env !== "" && new URL(preset.base_url).origin === origin)
    .map((preset) => preset.api_key_env);
}

function key_of(names: readonly string[], env: (name: string) => string | undefined) {
  for (const name of names) {
    const value = env(name)?.trim();
    if (value) return { name, value };
  }
  return { name: "", value: "" };
}

/** Hosted services are not asked: their window is not theirs to tell, and it would cost a round trip. */
function ask_server(
  place: Place,
  headers: Readonly<Record<string, string>>,
  wish: Wish,
): Promise<Server | null> {
  const hosted = Object.values(BUILT_IN).some((preset) =>
    preset.api_key_env !== "" && preset.base_url === place.base_url
  );
  const known = (wish.model || place.model) !== "" &&
    (wish.context_window ?? place.context_window) !== undefined;
  if (hosted || known) return Promise.resolve(null);
  const limit = is_loopback(place.base_url) ? DISCOVERY_MS : 10 * DISCOVERY_MS;
  const origin = place.base_url.replace(/\/v\d[^/]*$/, "");
  return inspect(origin, { headers, signal: AbortSignal.timeout(limit) });
}

/** Ollama names `qwen:latest` what a person calls `qwen`. */
function window_of(server: Server, model: string): number | undefined {
  return server.windows[model] ?? server.windows[`${model}:latest`] ?? server.windows[""];
}

function model_of(place: Place, server: Server | null): string {
  const first = server?.models[0];
  if (first !== undefined) return first;
  if (server?.name === "ollama") {
    throw new NoModelError(
      `Ollama at ${place.base_url} has no model yet: ollama pull qwen2.5-coder:7b`,
    );
  }
  if (place.key_envs.some((name) => BUILT_IN[place.name]?.api_key_env === name)) {
    throw new NoModelError(`which model of ${place.name}? give it as --model NAME`);
  }
  // A server that lists nothing serves one model and ignores the name (llama.cpp does).
  return "default";
}

/** `OLLAMA_HOST` as Ollama itself reads it: scheme and port may be missing, 0.0.0.0 means this machine. */
function ollama_origin(env: (name: string) => string | undefined): string | null {
  const given = env("OLLAMA_HOST")?.trim();
  if (!given) return null;
  const url = parse_url(given, "OLLAMA_HOST");
  const bare = !/:\d+\/?$/.test(given) && !given.includes("://");
  const host = url.hostname === "0.0.0.0" ? "127.0.0.1" : url.hostname;
  const port = bare ? ":11434" : url.port === "" ? "" : `:${url.port}`;
  return `${url.protocol}//${host}${port}`;
}

/** Puts a base URL right: a scheme, no slash at the end, the version for this wire (section 5 of the contract). */
export function with_version(given: string): string {
  const url = parse_url(given, "base URL");
  const path = url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  const versioned = path.split("/").some((part) => /^v\d/.test(part));
  return `${url.origin}${path}${versioned ? "" : "/v1"}`;
}

function parse_url(given: string, what: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given)
    ? given
    : `http://${given.replace(/^:/, "127.0.0.1:")}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new NoModelError(`${what} "${given}" is not a URL; example: http://127.0.0.1:11434/v1`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new NoModelError(`${what} "${given}" is not http or https`);
  }
  return url;
}
