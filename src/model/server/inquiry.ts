/** How servers are asked about themselves, and the form of their answers. */
import { is_text, loose_json } from "../../config/json.ts";
import { field } from "../errors.ts";
import { read_body_text } from "../http/response_body.ts";

/** Sanity range of a window, in tokens: below and above it a server's word is not believed. */
const WINDOW_RANGE = [512, 2_097_152] as const;

/** Long enough for a busy machine, or a server that is reading a prompt: no run depends on a race. */
export const ANSWER_MS = 10_000;

/** An answer longer than this is not a list of models. */
const ANSWER_BYTES = 4 * 1024 * 1024;

/** Models that only embed or rank, by the names they have in Ollama's library and on Hugging Face. */
const NOT_FOR_CHAT = /embed|minilm|rerank|paraphrase|(^|\/)(bge|gte|e5)-/i;

export interface Server {
  readonly name:
    | "ollama"
    | "llama.cpp"
    | "llama-swap"
    | "lmstudio"
    | "vllm"
    | "sglang"
    | "koboldcpp"
    | "tgi"
    | "localai"
    | "openai-compatible";
  /** Models it can serve, the loaded one first. */
  readonly models: readonly string[];
  /** Tokens that fit the window as it is loaded now: of each model, or (`""`) of whichever is asked for. */
  readonly windows: Readonly<Record<string, number>>;
  /** The question that gave the windows, as `GET /props`. */
  readonly window_source: string;
  /** Tokens that a model could hold, whatever is loaded: of each model that the server says it of. */
  readonly limits: Readonly<Record<string, number>>;
  /** What the template of the model that is meant does with a conversation; absent if nobody says. */
  readonly template?: Template;
  /** It wants a key that it did not get. */
  readonly locked?: true;
  /** The model that is meant is not loaded: the server answers nothing about it, or nothing at all, until it is. */
  readonly unloaded?: true;
  /** It loads models when they are asked for. */
  readonly router?: true;
  /** How tokens are chosen is not left to its program's own values. */
  readonly samples_itself?: true;
  /** Whether a model can see, by the names of `windows`; absent if the server does not say so unasked. */
  readonly sees?: Readonly<Record<string, boolean>>;
}

export interface Template {
  /** The prompt describes tools to the model; else they are silently left out. */
  readonly tools: boolean;
  /** The model sees again what it has called. */
  readonly calls: boolean;
  /** It sees again what it has thought, within a turn at least. */
  readonly reasoning: boolean;
  /** What is said after an answer leaves the prompt before it as it was where it is a result, and not where it is a user's. */
  readonly nudges_as_results: boolean;
}

export interface Inquiry {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Where the wire is, and its list of models; default: `/v1` below the origin. */
  readonly base_url?: string;
  /** The model that the user names; absent or empty: none. */
  readonly model?: string;
  readonly client?: Deno.HttpClient | undefined;
}

export interface ServerAt {
  readonly origin: string;
  readonly inquiry: Inquiry;
}

/** What a table by names of models says of one. Ollama names `qwen:latest` what a person calls `qwen`. */
export function of_model(
  table: Readonly<Record<string, number>>,
  model: string,
): number | undefined {
  const name = [model, `${model}:latest`, ""].find((name) => Object.hasOwn(table, name));
  return name === undefined ? undefined : table[name];
}

/** A list in an answer; empty where there is none. */
export function list_in(answer: unknown, name: string): readonly unknown[] {
  const list = field(answer, name);
  return Array.isArray(list) ? list : [];
}

export function limits_in(
  models: unknown,
  limit: (model: unknown) => unknown,
): Record<string, number> {
  return windows(list_in(models, "data").map((model) => [field(model, "id"), limit(model)]));
}

export function ids(models: unknown): string[] {
  return list_in(models, "data").map((model) => field(model, "id")).filter(is_text);
}

/** How many models of a server are named to a person who has to choose. */
const NAMED_MODELS = 8;

export function named_models(models: readonly string[]): string {
  const some = models.slice(0, NAMED_MODELS).join(", ");
  return models.length > NAMED_MODELS ? `${some}, and ${models.length - NAMED_MODELS} more` : some;
}

/** Each once, in the given order, but what cannot chat comes last: an editor may have its embedder loaded. */
export function chat_first(names: readonly string[]): string[] {
  const each = [...new Set(names)];
  const chat = each.filter((name) => !NOT_FOR_CHAT.test(name));
  return [...chat, ...each.filter((name) => NOT_FOR_CHAT.test(name))];
}

export function windows(pairs: readonly (readonly [unknown, unknown])[]): Record<string, number> {
  const [least, most] = WINDOW_RANGE;
  return Object.fromEntries(pairs.filter((pair): pair is readonly [string, number] => {
    const [name, value] = pair;
    return typeof name === "string" && typeof value === "number" && Number.isInteger(value) &&
      value >= least && value <= most;
  }));
}

export function seeing(pairs: readonly (readonly [unknown, unknown])[]): Pick<Server, "sees"> {
  const said = pairs.filter((pair): pair is readonly [string, boolean] =>
    typeof pair[0] === "string" && typeof pair[1] === "boolean"
  );
  return said.length === 0 ? {} : { sees: Object.fromEntries(said) };
}

/** The JSON of a small answer, errors' bodies included, and its status; undefined and 0 if there is none in time. */
export async function fetch_json(
  url: string,
  { headers, signal, client }: Inquiry,
  body?: unknown,
): Promise<{ readonly value: unknown; readonly status: number }> {
  try {
    const post = body === undefined ? { headers } : {
      method: "POST",
      body: JSON.stringify(body),
      // Servers on FastAPI (vLLM, SGLang, llama-cpp-python) take nothing without it.
      headers: { ...headers, "content-type": "application/json" },
    };
    const response = await fetch(url, { signal, redirect: "manual", client, ...post });
    return { value: await small_json(response, signal), status: response.status };
  } catch {
    return { value: undefined, status: 0 };
  }
}

export async function get_json(url: string, inquiry: Inquiry, body?: unknown): Promise<unknown> {
  return (await fetch_json(url, inquiry, body)).value;
}

/** The JSON that a server answers within `limit_ms` milliseconds; undefined if there is none. */
export async function json_answer(
  url: string,
  { limit_ms, body, ...inquiry }: Omit<Inquiry, "signal"> & {
    limit_ms: number;
    body?: unknown;
  },
): Promise<unknown> {
  return await get_json(url, { ...inquiry, signal: AbortSignal.timeout(limit_ms) }, body);
}

/** The JSON of an answer of at most 4 MB; undefined if it is none. Leaves no body open. */
export async function small_json(response: Response, signal: AbortSignal): Promise<unknown> {
  const { text, complete } = await read_body_text(response, { bytes: ANSWER_BYTES, signal });
  return complete ? loose_json(text) : undefined;
}
