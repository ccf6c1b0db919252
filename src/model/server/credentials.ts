/** Which key goes to which server. */
import { StartError } from "../../config/error.ts";
import { message_of } from "../../config/text.ts";
import type { Address } from "./address.ts";
import type { Server } from "./inquiry.ts";
import type { ApiMode } from "../message.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import { bad_header } from "../secrets.ts";

/** No model can be found, or none with the key for it; `message` is one line or more, for a person. Exit 3. */
export class NoModelError extends StartError {}

/** The only model that is found wants a key. Exit 4. */
export class NoKeyError extends NoModelError {
  constructor(message: string) {
    super(message, "auth_error");
  }
}

export type Env = (name: string) => string | undefined;
type Headers = Readonly<Record<string, string>>;

/** A provider that needs no section. */
interface BuiltIn {
  readonly base_url: string;
  readonly api_mode: ApiMode | "";
  /** Variables that its own tools read: the key, and another address. Empty: none. */
  readonly api_key_env: string;
  readonly base_env: string;
}

const LOCAL = { api_mode: "chat_completions", api_key_env: "", base_env: "" } as const;

export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  "ollama": {
    base_url: "http://127.0.0.1:11434/v1",
    api_mode: "ollama_chat",
    api_key_env: "",
    base_env: "OLLAMA_HOST",
  },
  "llama.cpp": { ...LOCAL, base_url: "http://127.0.0.1:8080/v1" },
  "lmstudio": { ...LOCAL, base_url: "http://127.0.0.1:1234/v1" },
  "vllm": { ...LOCAL, base_url: "http://127.0.0.1:8000/v1" },
  "sglang": { ...LOCAL, base_url: "http://127.0.0.1:30000/v1" },
  "koboldcpp": { ...LOCAL, base_url: "http://127.0.0.1:5001/v1" },
  "jan": { ...LOCAL, base_url: "http://127.0.0.1:1337/v1" },
  "openai": {
    base_url: "https://api.openai.com/v1",
    // Its address may be a proxy's with any path.
    api_mode: "",
    api_key_env: "OPENAI_API_KEY",
    base_env: "OPENAI_BASE_URL",
  },
  "anthropic": {
    base_url: "https://api.anthropic.com",
    api_mode: "anthropic_messages",
    api_key_env: "ANTHROPIC_API_KEY",
    base_env: "ANTHROPIC_BASE_URL",
  },
  "openrouter": {
    base_url: "https://openrouter.ai/api/v1",
    api_mode: "chat_completions",
    api_key_env: "OPENROUTER_API_KEY",
    base_env: "",
  },
};

/** A built-in provider; not what every object has by nature. */
export function built_in(name: string): BuiltIn | undefined {
  return Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
}

/** Variables with a key that every user may have. */
export function key_variables(): string[] {
  const own = Object.values(BUILT_IN).map(({ api_key_env }) => api_key_env);
  return ["HAMR_API_KEY", ...own.filter((name) => name !== "")];
}

/** Keys of services go to their owners' addresses, and nowhere else by themselves. */
export function own_key(base_url: string): string[] {
  const { origin } = new URL(base_url);
  return Object.values(BUILT_IN)
    .filter((preset) => preset.api_key_env !== "" && new URL(preset.base_url).origin === origin)
    .map((preset) => preset.api_key_env);
}

export interface ServerPlace extends Address {
  /** Its address as it was given, with whatever path. */
  readonly given: string;
  /** Empty: named after the kind of server found there. */
  readonly name: string;
  readonly api_mode: ApiMode | "";
  /** Where its key may be: variables in their order, then a file, then a command. Empty: none. */
  readonly key_envs: readonly string[];
  readonly key_file: string;
  readonly key_cmd: string;
  readonly model: string;
  readonly headers: Headers;
  readonly context_window: number | undefined;
  readonly server: Server | null;
  readonly trusted: boolean;
}

export interface Credential {
  /** Empty if there is none. */
  readonly key: string;
  /** Where it stands, or would stand, in words for a person. */
  readonly key_env: string;
  /** All headers, the section's included; names in lower case. */
  readonly headers: Headers;
}

/** The credential: from the address, headers, a variable, a file or a command, or none. Throws `NoModelError` for a key that can't be used. */
export async function credential_of(place: ServerPlace, { env, api_mode, key_command = null }: {
  env: Env;
  api_mode: ApiMode;
  key_command?: ((command: string) => Promise<string>) | null;
}): Promise<Credential> {
  const { headers: always, key_header } = PROTOCOLS[api_mode];
  // Header names are case-insensitive; two that differ only in case would be sent as one list.
  const lower_case = Object.entries(place.headers).map(([name, v]) => [name.toLowerCase(), v]);
  const given: Headers = { ...always, ...Object.fromEntries(lower_case) };
  const { name, value, header } = header_of(place, given, key_header) ??
    in_environment(place, env) ??
    await elsewhere(place, { env, key_command }) ?? { name: "", value: "", header: null };
  const written = key_header === "authorization" ? `Bearer ${value}` : value;
  const proof = header ?? (value === "" ? {} : { [key_header]: written });
  const headers = { ...given, ...proof };
  const bad = bad_header(headers, { key_env: name });
  if (bad !== null) throw new NoModelError(bad);
  return { key: value, key_env: name || place.key_envs[0] || "HAMR_API_KEY", headers };
}

interface FoundKey {
  readonly name: string;
  readonly value: string;
  /** How it is sent, where that is not the protocol's to say. */
  readonly header: Headers | null;
}

function header_of(place: ServerPlace, given: Headers, key_header: string): FoundKey | null {
  if (place.basic !== "") {
    return { name: "the base URL", value: place.secret, header: authorization(place) };
  }
  const name = `the headers of [providers.${place.name}]`;
  const value = given["authorization"] ?? given[key_header];
  return value === undefined ? null : { name, value: value.replace(/^\w+ +/, ""), header: {} };
}

function in_environment(place: ServerPlace, env: Env): FoundKey | null {
  for (const name of place.trusted ? place.key_envs : []) {
    const value = env(name)?.trim();
    if (value) return { name, value, header: null };
  }
  return null;
}

async function elsewhere(
  place: ServerPlace,
  { env, key_command }: { env: Env; key_command: ((command: string) => Promise<string>) | null },
): Promise<FoundKey | null> {
  const { key_file, key_cmd, name: provider, trusted } = place;
  const setting = key_file === "" ? "api_key_cmd" : "api_key_file";
  if (!trusted || (key_file === "" && (key_cmd === "" || key_command === null))) return null;
  const name = `${setting} of [providers.${provider}]`;
  try {
    const value = key_file === ""
      ? await key_command?.(key_cmd) ?? ""
      : (await import("./key_file.ts")).key_in_file(key_file, env("HOME") ?? "");
    return { name, value, header: null };
  } catch (error) {
    throw new NoModelError(`${name}: ${message_of(error)}`);
  }
}

/** Basic authorization, where an address holds it. */
export function authorization({ basic }: Pick<Address, "basic">): Headers {
  return basic === "" ? {} : { authorization: `Basic ${basic}` };
}

/** Of an endpoint, what its key is and how it is sent. */
interface KeyOf {
  readonly base_url: string;
  readonly headers: Headers;
  readonly key: string;
  readonly key_env: string;
}

/** What a person can do about a key that is missing or refused. */
export function key_hint({ base_url, headers, key, key_env }: KeyOf): string {
  if (key === "") return `set a key in ${key_env}`;
  // Not the key: 403 may be about the words, the model or the account.
  const refused = `the request with the key in ${key_env} was refused`;
  // vLLM and SGLang speak Anthropic's protocol, but don't read its header.
  return headers["x-api-key"] === undefined || own_key(base_url).length > 0
    ? refused
    : `${refused}; it was sent as x-api-key, which not every server reads: try --api-mode chat_completions`;
}
