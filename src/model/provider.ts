import {
  type Address,
  AddressError,
  base_address,
  is_ollama_address,
  ollama_address,
  origin_of,
} from "./address.ts";
import { lazy } from "../lazy.ts";
import type { Server } from "./discover.ts";
import type { Endpoint, OllamaWish } from "./endpoint.ts";
import type { ApiMode } from "./message.ts";
import { is_loopback, is_proxied, keep_loopback_direct } from "./http.ts";
import type { Price } from "./pricing.ts";
import { bad_header } from "./secrets.ts";

export type { Endpoint, OllamaWish } from "./endpoint.ts";

/** What settings say about the model. Empty strings are "not said". */
export interface Wish {
  readonly provider: string;
  readonly model: string;
  readonly base_url: string;
  readonly api_mode: ApiMode | "";
  readonly context_window: number | undefined;
  /** What the window that Ollama is asked for depends on. */
  readonly ollama: OllamaWish;
  readonly providers: Readonly<Record<string, Preset | undefined>>;
  /** Whether `base_url` comes from somebody else's file: then no key goes there. */
  readonly base_url_untrusted: boolean;
}

/** A named provider: built in, or from `[providers.NAME]`. */
export interface Preset {
  readonly base_url: string;
  readonly api_mode: ApiMode | "";
  readonly api_key_env: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly context_window: number | undefined;
  /** Dollars per million tokens. */
  readonly price_in: number | undefined;
  readonly price_out: number | undefined;
}

/** No model can be found; `message` is one line or more, for a person. Exit 3. */
export class NoModelError extends Error {}

/** Assumed where nobody says how large the window is: the smallest in common use (seed 004). */
const UNKNOWN_WINDOW = 8192;
const ASSUMED = {
  context_window: UNKNOWN_WINDOW,
  window_known: false,
  window_source: "assumed: the server does not say",
} as const;
const SET = { window_known: true, window_source: "setting" } as const;

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

type Env = (name: string) => string | undefined;
type Headers = Readonly<Record<string, string>>;

/**
 * Finds the server and the model of a run: an explicit provider or URL, then the environment, then loopback,
 * then the API keys. Throws `NoModelError` where there is nothing to talk to.
 */
export async function resolve_endpoint(wish: Wish, env: Env): Promise<Endpoint> {
  keep_loopback_direct(env);
  try {
    return await resolve(wish, env);
  } catch (error) {
    throw error instanceof AddressError ? new NoModelError(error.message) : error;
  }
}

/**
 * The same without asking the server: what requests need is complete, the window and the kind of server are not.
 * Null where the server has to be asked first, for its address or for a model. Throws `NoModelError` likewise.
 */
export async function endpoint_unasked(wish: Wish, env: Env): Promise<Endpoint | null> {
  const addressed = wish.base_url !== "" || env("OPENAI_BASE_URL") ||
    (wish.provider !== "" && wish.provider !== "auto");
  const model = wish.model || wish.providers[wish.provider]?.model;
  if (!addressed || !model) return null;
  keep_loopback_direct(env);
  try {
    const endpoint = await resolve(wish, env, false);
    // The first request says already how large a window it needs.
    return endpoint.ollama !== undefined && wish.context_window === undefined ? null : endpoint;
  } catch (error) {
    throw error instanceof AddressError ? new NoModelError(error.message) : error;
  }
}

async function resolve(wish: Wish, env: Env, ask = true): Promise<Endpoint> {
  const place = await choose(wish, env);
  const said = wish.api_mode || place.api_mode;
  const key = key_of(place, { env, api_mode: said });
  const headers = { ...version_header(said), ...lower_case(place.headers), ...key.headers };
  const bad = bad_header(headers, { key_env: key.name });
  if (bad !== null) throw new NoModelError(bad);
  const server = place.server ?? (ask ? await ask_server(place, headers, wish) : null);
  const given = wish.model || place.model;
  const hosted = own_key(place.base_url).length > 0;
  const model = given || await only_model(place, { server, hosted });
  const api_mode = mode_of(place, { wish, server });
  const set = wish.context_window ?? place.context_window;
  const endpoint: Endpoint = {
    provider: place.name === "" ? server?.name ?? "openai-compatible" : place.name,
    api_mode,
    base_url: api_mode === "anthropic_messages" || api_mode === "ollama_chat"
      ? origin_of(place.base_url)
      : place.base_url,
    model,
    headers,
    key: key.value,
    key_env: key.name || place.key_envs[0] || "HAMR_API_KEY",
    ...(set === undefined ? ASSUMED : { ...SET, context_window: set }),
    proxied: is_proxied(place.base_url, env),
    price: price_set(place.base_url, wish),
  };
  if (hosted) return set === undefined ? await with_hosted_window(endpoint) : endpoint;
  if (server === null && api_mode !== "ollama_chat") return endpoint;
  const { with_window } = await lazy<typeof import("./window.ts")>("./window.ts", import.meta.url);
  return await with_window(endpoint, { server, set, ollama: wish.ollama });
}

async function with_hosted_window(endpoint: Endpoint): Promise<Endpoint> {
  const hosted = await lazy<typeof import("./hosted_windows.ts")>(
    "./hosted_windows.ts",
    import.meta.url,
  );
  const context_window = hosted.hosted_window(endpoint.model);
  if (context_window === undefined) return endpoint;
  return { ...endpoint, context_window, window_known: true, window_source: hosted.HOSTED_SOURCE };
}

/** The model that is meant where none is named. Throws `NoModelError` where that can't be told. */
async function only_model(
  { base_url, name }: Place,
  found: { readonly server: Server | null; readonly hosted: boolean },
): Promise<string> {
  const { default_model } = await lazy<typeof import("./default_model.ts")>(
    "./default_model.ts",
    import.meta.url,
  );
  const choice = default_model({ base_url, name, ...found });
  if ("problem" in choice) throw new NoModelError(choice.problem);
  return choice.model;
}

/**
 * The protocol: as set, the provider's own, as the address tells, and then what the server was found to be; else that of
 * nearly all. A server that need not be asked before the first request has no say: that request is on its way.
 */
function mode_of(
  place: Place,
  { wish, server }: { readonly wish: Wish; readonly server: Server | null },
): ApiMode {
  const said = wish.api_mode || place.api_mode;
  if (said !== "") return said;
  const addressed = is_ollama_address(place.base_url, wish.base_url);
  const waited_for = place.server !== null || addressed || (wish.model || place.model) === "";
  if (place.name === "ollama") return "ollama_chat";
  if (server !== null && waited_for) {
    return server.name === "ollama" ? "ollama_chat" : "chat_completions";
  }
  return addressed ? "ollama_chat" : "chat_completions";
}

/** The price in the section that was asked for, or else in the first whose address this is. */
function price_set(base_url: string, { provider, providers }: Wish): Price | null {
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const found = own ??
    Object.entries(providers).find(([name, preset]) =>
      preset?.price_in !== undefined &&
      base_of(preset.base_url || built_in(name)?.base_url || "") === base_url
    )?.[1];
  const { price_in: input, price_out: output } = found ?? {};
  return input === undefined || output === undefined ? null : { input, cached: input, output };
}

/** A base URL put right; null where it is none: a section that is not used is no reason to fail. */
function base_of(given: string): string | null {
  try {
    return base_address(given).base_url;
  } catch {
    return null;
  }
}

interface Place extends Address {
  /** Empty: named after the kind of server found there. */
  readonly name: string;
  /** Empty: nobody has said so. */
  readonly key_envs: readonly string[];
  readonly model: string;
  readonly api_mode: ApiMode | "";
  readonly headers: Headers;
  readonly context_window: number | undefined;
  readonly server: Server | null;
  readonly trusted: boolean;
}

const PLAIN = {
  name: "",
  model: "",
  api_mode: "" as const,
  headers: {},
  context_window: undefined,
  server: null,
  trusted: true,
} as const;

async function choose(wish: Wish, env: Env): Promise<Place> {
  if (wish.provider !== "" && wish.provider !== "auto") return named(wish, env);
  if (wish.base_url !== "") {
    const address = base_address(wish.base_url);
    const key_envs = ["HAMR_API_KEY", ...own_key(address.base_url)];
    return { ...PLAIN, ...address, key_envs, trusted: !wish.base_url_untrusted };
  }
  const openai_base = env("OPENAI_BASE_URL")?.trim();
  if (openai_base) {
    const key_envs = ["HAMR_API_KEY", "OPENAI_API_KEY"];
    return { ...PLAIN, name: "openai", ...base_address(openai_base), key_envs };
  }
  return await local(env) ?? by_key(env);
}

async function local(env: Env): Promise<Place | null> {
  const host = env("OLLAMA_HOST")?.trim();
  const ollama = host ? ollama_address(host) : null;
  const { find_local } = await discovery();
  const found = await find_local(
    ollama === null ? null : { origin: origin_of(ollama.base_url), headers: authorization(ollama) },
  );
  if (found === null) return null;
  const { origin, server } = found;
  const address = ollama !== null && origin_of(ollama.base_url) === origin
    ? ollama
    : base_address(origin);
  return { ...PLAIN, ...address, name: server.name, key_envs: [], server };
}

/** A service whose key is set. `HAMR_API_KEY` does not say whose it is. */
function by_key(env: Env): Place {
  for (const name of ["openai", "openrouter"]) {
    const preset = built_in(name);
    if (preset !== undefined && env(preset.api_key_env)?.trim()) {
      const key_envs = [preset.api_key_env];
      return { ...PLAIN, name, ...base_address(preset.base_url), key_envs };
    }
  }
  throw new NoModelError(NOTHING_FOUND);
}

function named(wish: Wish, env: Env): Place {
  const { provider } = wish;
  const own = Object.hasOwn(wish.providers, provider) ? wish.providers[provider] : undefined;
  const preset = built_in(provider);
  if (own === undefined && preset === undefined) {
    const known = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(wish.providers)])];
    throw new NoModelError(`unknown provider "${provider}"; known: ${known.join(", ")}`);
  }
  const address = address_of(wish, { own, preset, env });
  const trusted = !(wish.base_url_untrusted && wish.base_url !== "");
  // A section that gives a built-in name another address says itself which key goes there.
  const key_env = own?.api_key_env || (own?.base_url ? "" : preset?.api_key_env) || "";
  return {
    ...PLAIN,
    ...(own === undefined
      ? {}
      : { model: own.model, api_mode: own.api_mode, context_window: own.context_window }),
    headers: trusted ? own?.headers ?? {} : {},
    ...address,
    name: provider,
    key_envs: ["HAMR_API_KEY", key_env].filter((name) => name !== ""),
    trusted,
  };
}

/** Where a named provider is: a flag or setting, the environment's own variables, its section, its default. */
function address_of(
  { provider, base_url }: Wish,
  { own, preset, env }: {
    readonly own: Preset | undefined;
    readonly preset: { readonly base_url: string } | undefined;
    readonly env: Env;
  },
): Address {
  if (base_url !== "") return base_address(base_url);
  const ollama = provider === "ollama" ? env("OLLAMA_HOST")?.trim() : "";
  if (ollama) return ollama_address(ollama);
  const openai = provider === "openai" ? env("OPENAI_BASE_URL")?.trim() : "";
  const base = openai || own?.base_url || preset?.base_url;
  if (!base) {
    throw new NoModelError(
      `provider "${provider}" has no base_url: give it in [providers.${provider}]`,
    );
  }
  return base_address(base);
}

/** A built-in provider; not what every object has by nature. */
function built_in(name: string) {
  return Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
}

/** OpenAI's and OpenRouter's keys go to their owners' addresses, and nowhere else by themselves. */
function own_key(base_url: string): string[] {
  const { origin } = new URL(base_url);
  return Object.values(BUILT_IN)
    .filter((preset) => preset.api_key_env !== "" && new URL(preset.base_url).origin === origin)
    .map((preset) => preset.api_key_env);
}

/** What proves who asks: the address itself, the headers of a section, the first variable that is set, or nothing. */
function key_of(
  place: Place,
  { env, api_mode }: { readonly env: Env; readonly api_mode: ApiMode | "" },
): { readonly name: string; readonly value: string; readonly headers: Headers } {
  if (place.basic !== "") {
    return { name: "the base URL", value: place.secret, headers: authorization(place) };
  }
  const own = lower_case(place.headers);
  const given = own["authorization"] ??
    (api_mode === "anthropic_messages" ? own["x-api-key"] : undefined);
  if (given !== undefined) {
    const value = given.replace(/^\w+ +/, "");
    return { name: `the headers of [providers.${place.name}]`, value, headers: {} };
  }
  for (const name of place.trusted ? place.key_envs : []) {
    const value = env(name)?.trim();
    if (value) return { name, value, headers: key_header(api_mode, value) };
  }
  return { name: "", value: "", headers: {} };
}

function authorization({ basic }: Address): Headers {
  return basic === "" ? {} : { authorization: `Basic ${basic}` };
}

/** How a key travels. */
function key_header(api_mode: ApiMode | "", key: string): Headers {
  return api_mode === "anthropic_messages"
    ? { "x-api-key": key }
    : { authorization: `Bearer ${key}` };
}

function version_header(api_mode: ApiMode | ""): Headers {
  return api_mode === "anthropic_messages" ? { "anthropic-version": "2023-06-01" } : {};
}

/** Names of headers are one whatever their case; two that differ only in it would be sent as one list. */
function lower_case(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, v]) => [name.toLowerCase(), v]));
}

/** Hosted services are not asked: their window is not theirs to tell, and it would cost a round trip. */
async function ask_server(place: Place, headers: Headers, wish: Wish): Promise<Server | null> {
  const { base_url } = place;
  const hosted = own_key(base_url).length > 0;
  const known = (wish.model || place.model) !== "" &&
    (wish.context_window ?? place.context_window) !== undefined;
  if (hosted || known) return null;
  const { DISCOVERY_MS, inspect } = await discovery();
  const limit = is_loopback(base_url) ? DISCOVERY_MS : 10 * DISCOVERY_MS;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), limit);
  const server = await inspect(origin_of(base_url), { headers, signal: over.signal, base_url });
  clearTimeout(timer);
  return server;
}

/** Loaded where a server is asked: a request to one that is known goes out first. */
function discovery(): Promise<typeof import("./discover.ts")> {
  return lazy<typeof import("./discover.ts")>("./discover.ts", import.meta.url);
}
