import { attempt } from "../../config/attempt.ts";
import type { ProviderSettings, Settings } from "../../config/keys.ts";
import { did_you_mean, message_of, quote } from "../../config/text.ts";
import { AddressError, base_address, ollama_address, origin_of } from "./address.ts";
import {
  authorization,
  BUILT_IN,
  built_in,
  credential_of,
  type Env,
  NoKeyError,
  NoModelError,
  own_key,
  type ServerPlace,
} from "./credentials.ts";
import { ASSUMED, ASSUMED_UNASKED, type Endpoint, type OllamaWish } from "./endpoint.ts";
import type { Wait } from "./inquire.ts";
import { is_loopback, type Limits } from "../http/http.ts";
import { is_proxied, keep_loopback_direct } from "../http/proxy.ts";
import { telling } from "../../config/timer.ts";
import type { Price } from "../pricing.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import type { ApiMode } from "../message.ts";

export { NoKeyError, NoModelError } from "./credentials.ts";

export type { Endpoint, OllamaWish } from "./endpoint.ts";

/** What settings say about the model. Empty strings are "not said". */
export interface Wish
  extends Pick<Settings["provider"], "model" | "base_url" | "api_mode" | "context_window"> {
  readonly provider: string;
  readonly ollama: OllamaWish;
  readonly providers: Readonly<Record<string, Preset | undefined>>;
  /** The flag, variable or line of a file that gives `provider`. */
  readonly where?: string;
  /** Whether `base_url` comes from someone else's file: then no key goes there. */
  readonly base_url_untrusted: boolean;
  /** `HAMR_API_KEY` is meant for another provider, and does not go to this one. */
  readonly general_key_elsewhere?: true;
  /** A PEM file of authorities to believe besides the usual ones. */
  readonly ca_file?: string;
}

/** A named provider: built in, or from `[providers.NAME]`. */
export type Preset = ProviderSettings;

const SET = { window_known: true, window_source: "setting" } as const;

const nothing_found = (env: Env, whose = "") =>
  `no model found: no server${whose} on this machine answered${
    nor_ollama(env)
  }, and no API key is set.
  Ollama:     ollama serve & ollama pull qwen2.5-coder:7b
  llama.cpp:  llama-server -m MODEL.gguf --jinja -c 16384
  elsewhere:  --base-url URL --model NAME   (key in HAMR_API_KEY)`;

function nor_ollama(env: Env): string {
  const host = env("OLLAMA_HOST")?.trim();
  if (!host) return "";
  const at = origin_of(ollama_address(host).base_url);
  const unasked = at === "http://127.0.0.1:11434" ? "" : ", asked in place of 127.0.0.1:11434";
  return `, nor did OLLAMA_HOST (${at}${unasked})`;
}

/** Where answers about keys come from, besides the environment. */
export interface Sources {
  readonly env: Env;
  /** How a model that is being loaded is waited for; absent: it is not, and nothing is known of it. */
  readonly wait?: Wait;
  /** What a command prints, for `api_key_cmd`; null: nobody is to be asked now, and no key is sent. */
  readonly key_command?: ((command: string) => Promise<string>) | null;
}

/** Finds server and model: explicit provider or URL, environment, loopback, API keys. Throws `NoModelError` if there is none. */
export function resolve_endpoint(wish: Wish, sources: Sources): Promise<Endpoint> {
  return or_no_model(wish, { ...sources, may_ask: true });
}

/** Finds server and model without asking the server: enough for requests. Null if it must be asked first, for an address or model. Throws `NoModelError`. */
export async function endpoint_unasked(wish: Wish, sources: Sources): Promise<Endpoint | null> {
  const { env } = sources;
  refuse_unknown(wish);
  const addressed = wish.base_url !== "" || env("OPENAI_BASE_URL") || env("ANTHROPIC_BASE_URL") ||
    (wish.provider !== "" && wish.provider !== "auto");
  const model = wish.model || wish.providers[wish.provider]?.model;
  if (!addressed || !model) return null;
  const endpoint = await or_no_model(wish, { ...sources, may_ask: false });
  // The first request says already how large a window it needs.
  return endpoint.ollama !== undefined && wish.context_window === undefined ? null : endpoint;
}

interface How extends Sources {
  readonly may_ask: boolean;
}

async function or_no_model(wish: Wish, how: How): Promise<Endpoint> {
  keep_loopback_direct(how.env);
  try {
    return await resolve(wish, how);
  } catch (error) {
    throw error instanceof AddressError ? new NoModelError(error.message) : error;
  }
}

async function resolve(wish: Wish, { may_ask, wait, ...sources }: How): Promise<Endpoint> {
  const { env } = sources;
  const place = await telling(choose(wish, env), () => {
    if (wait?.holds_up()) wait.tell("waiting for a server on this machine to say what it serves");
  });
  if (!place.trusted && is_loopback(place.base_url)) await refuse_strangers(place.base_url);
  const known = { explicit: wish.api_mode, provider: place.api_mode, base_url: place.given };
  const credential = await credential_of(place, { ...sources, api_mode: api_mode_of(known) });
  const client = await client_of(place.base_url, { ca_file: wish.ca_file, env });
  const set = wish.context_window ?? place.context_window;
  const given = wish.model || place.model;
  const asked = { headers: credential.headers, client, may_ask, wait: wait ?? null };
  // The server's own word, where it has to be asked or has answered already, and the model that is meant.
  const { server, model } = may_ask || given === ""
    ? await (await import("./inquire.ts")).inquire(place, { model: given, window: set, ...asked })
    : { server: place.server, model: given };
  // A server that need not be asked before the first request has no say: that request is on its way.
  const found = place.server !== null || given === "" ? server?.name : undefined;
  const api_mode = api_mode_of({ ...known, ...(found === undefined ? {} : { found }) });
  const speaks = api_mode === "ollama_chat" ? "ollama" : "openai-compatible";
  const endpoint: Endpoint = {
    provider: place.name || (server?.name ?? speaks),
    api_mode,
    base_url: address_for(api_mode, place.base_url),
    model,
    ...credential,
    ...(set !== undefined ? { ...SET, context_window: set } : server ? ASSUMED : ASSUMED_UNASKED),
    proxied: is_proxied(place.base_url, env),
    price: price_set(place.base_url, wish),
    // A provider of this name is one, whether it is asked or not.
    ...(place.name === "llama.cpp" ? { server: place.name } : {}),
    ...(client === undefined ? {} : { client }),
  };
  const hosted = own_key(place.base_url).length > 0;
  if (hosted || (server === null && api_mode !== "ollama_chat")) {
    return await with_hosted_window(endpoint);
  }
  const { described_endpoint: known_by } = await import("./known.ts");
  const asked_about = await known_by(endpoint, { server, set, ollama: wish.ollama });
  return await with_hosted_window(asked_about);
}

/** Below which a protocol's paths stand. Ollama's documentation writes its address with `/api`. */
function address_for(api_mode: Endpoint["api_mode"], base_url: string): string {
  if (PROTOCOLS[api_mode].versioned_base) return base_url;
  const origin = origin_of(base_url);
  return api_mode === "ollama_chat" ? origin.replace(/\/api$/, "") : origin;
}

/** Where nobody says how large the window is, neither the user nor the service. */
async function with_hosted_window(endpoint: Endpoint): Promise<Endpoint> {
  const { base_url, model, window_known } = endpoint;
  if (window_known || !base_url.startsWith("https:")) return endpoint;
  const hosted = await import("./hosted_windows.ts");
  const context_window = hosted.hosted_window(model, base_url);
  if (context_window === undefined) return endpoint;
  return { ...endpoint, context_window, window_known: true, window_source: hosted.HOSTED_SOURCE };
}

/** Where these are wrong, Deno makes no request at all. */
const DENOS_OWN = ["DENO_TLS_CA_STORE", "DENO_CERT"];

/** `SSL_CERT_FILE` is often set for other programs: it counts, and has to be in order, where there is a certificate to check. */
async function client_of(
  base_url: string,
  { ca_file = "", env }: { ca_file: string | undefined; env: Env },
): Promise<Deno.HttpClient | undefined> {
  for (const name of DENOS_OWN.filter((name) => env(name))) {
    try {
      Deno.createHttpClient({}).close();
    } catch (error) {
      throw new NoModelError(`${name}: ${message_of(error)}`);
    }
  }
  if (ca_file === "" && !(base_url.startsWith("https:") && env("SSL_CERT_FILE"))) return undefined;
  const { client_for } = await import("../http/ca_file.ts");
  const client = client_for(ca_file, env);
  if (typeof client === "string") throw new NoModelError(client);
  return client;
}

/** Ten seconds to connect, as curl's users choose; loopback answers at once. */
const CONNECT_MS = 10_000;
/** A hosted model that thinks for longer than this without a byte is gone. Off on loopback: prefill is slow. */
const FIRST_BYTE_MS = 600_000;

/** The time limits of exchanges with an endpoint; `idle_ms` is what settings say. */
export function limits_of(
  { base_url, proxied }: Pick<Endpoint, "base_url" | "proxied">,
  idle_ms: number,
): Limits {
  return {
    connect_ms: proxied ? 0 : CONNECT_MS,
    first_byte_ms: is_loopback(base_url) ? 0 : FIRST_BYTE_MS,
    idle_ms,
  };
}

/** The price in the section that was asked for, or else in the first whose address this is. */
function price_set(base_url: string, { provider, providers }: Wish): Price | null {
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const found = own ??
    Object.entries(providers).find(([name, preset]) =>
      preset?.price_in !== undefined &&
      // A section that is not used is not a reason to fail.
      attempt(() => base_address(preset.base_url || built_in(name)?.base_url || "").base_url) ===
        base_url
    )?.[1];
  const { price_in: input, price_out: output } = found ?? {};
  return input === undefined || output === undefined ? null : { input, cached: input, output };
}

const PLAIN = {
  name: "",
  api_mode: "",
  key_file: "",
  key_cmd: "",
  model: "",
  headers: {},
  context_window: undefined,
  server: null,
  trusted: true,
} as const;

async function choose(wish: Wish, env: Env): Promise<ServerPlace> {
  if (wish.provider !== "" && wish.provider !== "auto") return named(wish, env);
  if (wish.base_url !== "") {
    const address = base_address(wish.base_url);
    const key_envs = ["HAMR_API_KEY", ...own_key(address.base_url)];
    const given = wish.base_url;
    return { ...PLAIN, ...address, given, key_envs, trusted: !wish.base_url_untrusted };
  }
  for (const name of ["openai", "anthropic"]) {
    const given = base_in_env(name, env);
    if (given) return named({ ...wish, provider: name }, env);
  }
  const found = await local(wish, env);
  if (found === null) return await only_by_key(env);
  if (!found.server?.locked) return found;
  const place = by_key(env);
  if (place !== null) return place;
  const { base_url, key_envs } = found;
  const words = key_envs.length > 0
    ? "refused the key in HAMR_API_KEY"
    : "needs a key: set it in HAMR_API_KEY";
  throw new NoKeyError(`the model server at ${base_url} ${words}`);
}

async function local(wish: Wish, env: Env): Promise<ServerPlace | null> {
  const host = env("OLLAMA_HOST")?.trim();
  const ollama = host ? ollama_address(host) : null;
  const { find_local } = await import("./discover.ts");
  const found = await find_local({
    ollama: ollama && { origin: origin_of(ollama.base_url), headers: authorization(ollama) },
    key: wish.general_key_elsewhere ? "" : env("HAMR_API_KEY")?.trim() ?? "",
    model: wish.model,
  });
  if (found === null) return null;
  const { origin, server, keyed } = found;
  const address = ollama !== null && origin_of(ollama.base_url) === origin
    ? ollama
    : base_address(origin);
  const api_mode = built_in(server.name)?.api_mode ?? "";
  const given = address.base_url;
  const key_envs = keyed ? ["HAMR_API_KEY"] : [];
  return { ...PLAIN, ...address, given, name: server.name, api_mode, key_envs, server };
}

/** Where no server of this machine is used: if nothing else is, either, what there is of other users is named. */
async function only_by_key(env: Env): Promise<ServerPlace> {
  const place = by_key(env);
  if (place !== null) return place;
  const { strangers_servers } = await import("./discover.ts");
  const [origin] = await strangers_servers();
  if (origin === undefined) throw new NoModelError(nothing_found(env));
  throw new NoModelError(
    `${
      nothing_found(env, " of yours")
    }\n  The server at ${origin} is another user's or another run's, and would see what ` +
      `hamr sends and decide what it runs; to use it, name it: --base-url ${origin}`,
  );
}

/** What a workspace's file leads to, nobody has named who is asked. */
async function refuse_strangers(base_url: string): Promise<void> {
  const { is_strangers } = await import("./discover.ts");
  if (!await is_strangers(base_url)) return;
  throw new NoModelError(
    `the workspace's provider.base_url leads to ${base_url}, which is another user's server or another run's, and would see ` +
      `what hamr sends and decide what it runs; to use it, name it: --base-url ${base_url}`,
  );
}

/** A service whose key is set. `HAMR_API_KEY` does not say whose it is. */
function by_key(env: Env): ServerPlace | null {
  for (const name of ["openai", "anthropic", "openrouter"]) {
    const preset = built_in(name);
    if (preset !== undefined && env(preset.api_key_env)?.trim()) {
      const { base_url: given, api_mode, api_key_env } = preset;
      return {
        ...PLAIN,
        ...base_address(given),
        ...{ given, name, api_mode, key_envs: [api_key_env] },
      };
    }
  }
  return null;
}

/** Why nobody can be asked by this name; null where somebody can. */
export function unknown_provider(
  { provider, providers, where }: Pick<Wish, "provider" | "providers" | "where">,
): string | null {
  const known = new Set([...Object.keys(BUILT_IN), ...Object.keys(providers)]);
  if (provider === "" || provider === "auto" || known.has(provider)) return null;
  const others = `; known: ${[...known].join(", ")}`;
  const in_words = `unknown provider ${quote(provider)}`;
  return `${where === undefined ? "" : `${where}: `}${in_words}${
    did_you_mean(provider, [...known], others)
  }`;
}

function refuse_unknown(wish: Wish): void {
  const unknown = unknown_provider(wish);
  if (unknown !== null) throw new NoModelError(unknown);
}

function named(wish: Wish, env: Env): ServerPlace {
  const { provider } = wish;
  refuse_unknown(wish);
  const own = Object.hasOwn(wish.providers, provider) ? wish.providers[provider] : undefined;
  const preset = built_in(provider);
  const given = wish.base_url || base_in_env(provider, env) || own?.base_url || preset?.base_url;
  if (!given) {
    throw new NoModelError(
      `provider "${provider}" has no base_url: give it in [providers.${provider}]`,
    );
  }
  const address = provider === "ollama" && given === env("OLLAMA_HOST")?.trim()
    ? ollama_address(given)
    : base_address(given);
  const trusted = !(wish.base_url_untrusted && wish.base_url !== "");
  // A section that gives a built-in name another address says itself which key goes there.
  const key_env = own?.api_key_env || (own?.base_url ? "" : preset?.api_key_env) || "";
  return {
    ...PLAIN,
    ...(own === undefined ? {} : {
      model: own.model,
      context_window: own.context_window,
      key_file: own.api_key_file,
      key_cmd: own.api_key_cmd,
    }),
    headers: trusted ? own?.headers ?? {} : {},
    ...address,
    given,
    name: provider,
    api_mode: own?.api_mode || preset?.api_mode || "",
    key_envs: [wish.general_key_elsewhere ? "" : "HAMR_API_KEY", key_env]
      .filter((name) => name !== ""),
    trusted,
  };
}

/** The address in a provider's own variable; undefined if there is none. */
function base_in_env(provider: string, env: Env): string | undefined {
  const preset = built_in(provider);
  return preset === undefined || preset.base_env === "" ? undefined : env(preset.base_env)?.trim();
}

/** What is known of a server before a request. Empty: nothing. */
export interface KnownMode {
  /** By a flag or a setting. */
  readonly explicit: ApiMode | "";
  /** By the section of the provider, or because it is built in. */
  readonly provider: ApiMode | "";
  /** Its address as a person gave it, with whatever path. */
  readonly base_url: string;
  /** What the server was found to be, where it was asked before the first request. */
  readonly found?: string;
}

/** The protocol: what was said outright, what the provider is known for, what the address says, what answered, else Chat Completions. */
export function api_mode_of({ explicit, provider, base_url, found }: KnownMode): ApiMode {
  return explicit || provider || by_address(base_url) ||
    (found === "ollama" ? "ollama_chat" : "chat_completions");
}

function by_address(base_url: string): ApiMode | undefined {
  const bare = base_url.trim().replace(/[?#].*$/s, "").replace(/\/+$/, "");
  const [mode] =
    Object.entries(PROTOCOLS).find(([, { endpoint, places }]) =>
      [endpoint, ...places].some((one) => one.test(bare))
    ) ?? [];
  return mode as ApiMode | undefined;
}
