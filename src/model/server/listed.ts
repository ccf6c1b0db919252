/** Recognizes servers by their list of models, `GET /v1/models`. */
import { field } from "../errors.ts";
import {
  ANSWER_MS,
  chat_first,
  ids,
  json_answer,
  limits_in,
  seeing,
  type Server,
  type ServerAt,
  windows,
} from "./inquiry.ts";

/** Where else a server says something, of whatever model it has. */
type Place = readonly [path: string, name: string];

interface ServerKind {
  readonly name: Server["name"];
  /** `owned_by`; null: it says nobody; `ITSELF`: each model is its own. */
  readonly owner: string | typeof ITSELF | null;
  readonly window?: Place;
  readonly sees?: Place;
  /** Where the list is that also says what each model can do. Without one it is another server. */
  readonly list?: string;
}

const ITSELF = Symbol("the model's own name");

/** As their source code has it; what each answers is in tests/wire/servers. */
const KINDS: readonly ServerKind[] = [
  { name: "vllm", owner: "vllm" },
  { name: "sglang", owner: "sglang", sees: ["/get_model_info", "has_image_understanding"] },
  {
    name: "koboldcpp",
    owner: "koboldcpp",
    window: ["/api/extra/true_max_context_length", "value"],
    sees: ["/api/extra/version", "vision"],
  },
  { name: "tgi", owner: ITSELF, window: ["/info", "max_total_tokens"] },
  { name: "localai", owner: null, list: "/v1/models/capabilities" },
];

/** Fields of a model that tell its window, the surest first. */
const WINDOWS: readonly (readonly string[])[] = [
  ["max_model_len"], // vLLM, SGLang
  ["meta", "n_ctx"], // llama.cpp and its kin
  ["context_length"], // OpenRouter, Together
  ["context_window"], // Groq
  ["max_context_length"], // Mistral
  ["max_input_tokens"], // LiteLLM
];

/** Fields that tell whether it sees: a list of what it takes, or yes and no. */
const EYES: readonly (readonly string[])[] = [
  ["architecture", "input_modalities"], // OpenRouter
  ["input_modalities"], // LocalAI
  ["capabilities", "vision"], // Mistral
];

/** A server that says by its list who it is. Some of them answer the questions of Ollama and llama.cpp, too: they are asked for first. */
export async function owned(
  models: unknown,
  { origin, inquiry }: ServerAt,
): Promise<Server | null> {
  const data = field(models, "data");
  if (!Array.isArray(data) || data.length === 0) return null;
  const [id, by = null] = [field(data[0], "id"), field(data[0], "owned_by")];
  const kind = KINDS.find(({ owner }) => owner === (by === id ? ITSELF : by));
  if (kind === undefined) return null;
  const ask = async (place: Place | undefined) =>
    place &&
    field(await json_answer(origin + place[0], { ...inquiry, limit_ms: ANSWER_MS }), place[1]);
  const [window, sees, list] = await Promise.all([
    ask(kind.window),
    ask(kind.sees),
    ask(kind.list === undefined ? undefined : [kind.list, "data"]),
  ]);
  const proven = typeof kind.owner === "string" || window !== undefined ||
    Array.isArray(list) && Array.isArray(field(list[0], "capabilities"));
  const server = proven ? server_of_list(kind.list === undefined ? models : { data: list }) : null;
  return server && {
    ...server,
    name: kind.name,
    ...(window === undefined
      ? {}
      : { windows: windows([["", window]]), window_source: `GET ${kind.window?.[0]}` }),
    ...seeing([["", sees]]),
  };
}

export function server_of_list(models: unknown): Server | null {
  const data = field(models, "data");
  if (!Array.isArray(data)) return null;
  const of = (model: unknown, path: readonly string[]) => path.reduce(field, model);
  const first_of = (model: unknown, paths: readonly (readonly string[])[]) =>
    paths.map((path) => of(model, path)).find((value) => value !== undefined && value !== null);
  const eyes = (model: unknown) => {
    const said = first_of(model, EYES);
    return Array.isArray(said) ? said.includes("image") : said;
  };
  return {
    name: of(data[0], ["max_model_len"]) === undefined ? "openai-compatible" : "vllm",
    models: chat_first(ids(models)),
    windows: windows(data.map((model) => [field(model, "id"), first_of(model, WINDOWS)])),
    window_source: "GET /v1/models",
    limits: limits_in(models, (model) => of(model, ["meta", "n_ctx_train"])),
    ...seeing(data.map((model) => [field(model, "id"), eyes(model)])),
  };
}
