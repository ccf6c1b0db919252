import { port_of } from "../http/http.ts";
import { is_text } from "../../config/json.ts";
import { patience } from "../../config/within.ts";
import { field } from "../errors.ts";
import {
  ANSWER_MS,
  chat_first,
  fetch_json,
  get_json,
  ids,
  type Inquiry,
  list_in,
  of_model,
  seeing,
  type Server,
  type ServerAt,
  windows,
} from "./inquiry.ts";
import { owned, server_of_list } from "./listed.ts";
import { llama_cpp } from "./llama_cpp.ts";
import { llama_swap } from "./llama_swap.ts";

interface OllamaModel {
  /** Tokens that it could hold; undefined if that is not said. */
  readonly limit: number | undefined;
  /** `completion`, `tools`, `vision`, `thinking`, …; none where they are not said. */
  readonly capabilities: readonly string[];
}

/** Whether anybody listens on this machine is found within this time (section 6 of the contract). */
const LISTENS_MS = 300;
/**
 * Where local servers listen, in the order in which they are preferred (section 6 of the contract). llama.cpp has announced
 * 9931 as its next default (ggml-org/llama.cpp#26508). Then SGLang, KoboldCpp and Jan; MLX and LocalAI listen on 8080. TGI's
 * 3000 is left alone: that is where web pages are developed.
 */
const LOCAL_PORTS = [11434, 8080, 9931, 1234, 8000, 30000, 5001, 1337];

interface FoundServer {
  readonly origin: string;
  readonly server: Server;
  /** It is asked with the key that was given. */
  readonly keyed?: true;
}

interface Search {
  readonly ollama: { readonly origin: string; readonly headers: Inquiry["headers"] } | null;
  readonly key?: string;
  readonly model?: string;
  readonly ports?: readonly number[];
  readonly answer_ms?: number;
}

export async function local_servers(search: Search): Promise<readonly FoundServer[]> {
  return await asked_all(search, async (asked) => {
    const answers = await Promise.all(asked);
    return answers.filter((found) => found !== null);
  });
}

/** The first local server, by port, that says what it is; null if none does. One that wants another key comes last. */
export async function find_local(search: Search): Promise<FoundServer | null> {
  return await asked_all(search, async (asked) => {
    let locked: FoundServer | null = null;
    for (const answer of asked) {
      const found = await answer;
      if (found === null) continue;
      if (!found.server.locked) return found;
      locked ??= found;
    }
    return locked;
  });
}

/** Asks all that listen at once, and lets go of those whose answer is not waited for. */
async function asked_all<T>(
  { ollama, key = "", model = "", ports = LOCAL_PORTS, answer_ms = ANSWER_MS }: Search,
  choose: (asked: readonly Promise<FoundServer | null>[]) => Promise<T>,
): Promise<T> {
  const usual = ports.slice(ollama === null ? 0 : 1).map((port) => ({
    origin: here(port),
    headers: {},
  }));
  const listening = await those_that_listen([...(ollama === null ? [] : [ollama]), ...usual]);
  const theirs = await strangers(listening.filter((place) => place !== ollama));
  const there = listening.filter((place) => !theirs.includes(place));
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), answer_ms);
  // Without the key first: only a server that wants it gets it.
  const asked = there.map(async ({ origin, headers }): Promise<FoundServer | null> => {
    const inquiry = { headers, model, signal: over.signal };
    const server = await identify_server(origin, inquiry);
    if (server === null || !server.locked || key === "") return server && { origin, server };
    const keyed = { ...inquiry, headers: { ...headers, authorization: `Bearer ${key}` } };
    return { origin, server: await identify_server(origin, keyed) ?? server, keyed: true };
  });
  try {
    return await choose(asked);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Which of these local places another user's program listens at. */
async function strangers<T extends { readonly origin: string }>(
  places: readonly T[],
): Promise<readonly T[]> {
  if (places.length === 0) return [];
  const { strangers_ports } = await import("./strangers.ts");
  const theirs = strangers_ports(places.map(({ origin }) => port_of(origin)));
  return places.filter(({ origin }) => theirs.includes(port_of(origin)));
}

/** What there is of other users at the usual ports, and is not used unless it is named; addresses. */
export async function strangers_servers(): Promise<readonly string[]> {
  const places = LOCAL_PORTS.map((port) => ({ origin: here(port) }));
  return (await strangers(places)).map(({ origin }) => origin);
}

/** Whether another user's program, or a run's, listens at an address of this machine. */
export async function is_strangers(address: string): Promise<boolean> {
  const { strangers_ports } = await import("./strangers.ts");
  const anywhere = new URL(address).hostname !== "127.0.0.1";
  return strangers_ports([port_of(address)], { anywhere }).length > 0;
}

function here(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** The kernel answers for a server that is busy: who listens is known at once. */
async function those_that_listen<T extends { readonly origin: string }>(
  places: readonly T[],
): Promise<readonly T[]> {
  const { late: signal, over } = patience(LISTENS_MS);
  const listens = await Promise.all(places.map(async ({ origin }) => {
    const hostname = new URL(origin).hostname.replace(/^\[|\]$/g, "");
    try {
      (await Deno.connect({ hostname, port: port_of(origin), signal })).close();
      return true;
    } catch {
      return false;
    }
  }));
  over();
  return places.filter((_, at) => listens[at]);
}

/** Asks one server what it is, by questions that only some kinds answer. Null if nothing answers. */
export async function identify_server(origin: string, inquiry: Inquiry): Promise<Server | null> {
  const { base_url = `${origin}/v1`, signal } = inquiry;
  // Once a server answers, what it leaves open is no longer waited for than a busy one takes.
  const late = new AbortController();
  const give_up = () => late.abort();
  signal.addEventListener("abort", give_up);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const others = { ...inquiry, signal: late.signal };
  const [props, ps, { value: models, status }] = await Promise.all([
    get_json(`${origin}/props`, others),
    get_json(`${origin}/api/ps`, others),
    fetch_json(`${base_url}/models`, inquiry).then((list) => {
      timer = setTimeout(give_up, ANSWER_MS);
      return list;
    }),
  ]);
  clearTimeout(timer);
  signal.removeEventListener("abort", give_up);
  const at = { origin, inquiry };
  return await owned(models, at) ?? await llama_swap(models, at, identify_server) ??
    await llama_cpp(props, models, at) ??
    await ollama(ps, models, at) ??
    await lmstudio(models, at) ?? server_of_list(models) ?? locked(models, status);
}

/** A model server that wants a key says so as APIs do: 401 with an error in JSON. A web page does not. */
function locked(models: unknown, status: number): Server | null {
  if (status !== 401 || field(models, "error") === undefined) return null;
  const nothing = { models: [], windows: {}, limits: {} };
  return { name: "openai-compatible", ...nothing, window_source: "GET /v1/models", locked: true };
}

/** `POST /api/show`: what a model could do. Null if Ollama does not answer, or does not have it. */
export async function show_ollama_model(
  origin: string,
  model: string,
  inquiry: Inquiry,
): Promise<OllamaModel | null> {
  const said = await get_json(`${origin}/api/show`, inquiry, { model });
  const info = field(said, "model_info");
  if (typeof info !== "object" || info === null) return null;
  const length = field(info, `${String(field(info, "general.architecture"))}.context_length`);
  return {
    limit: windows([["", length]])[""],
    capabilities: list_in(said, "capabilities").filter(is_text),
  };
}

/** `GET /api/ps`: tokens that the window of a model has as Ollama has loaded it; undefined if it is not loaded. */
export async function loaded_by_ollama(
  origin: string,
  model: string,
  inquiry: Inquiry,
): Promise<number | undefined> {
  const loaded = list_in(await get_json(`${origin}/api/ps`, inquiry), "models");
  return of_model(loaded_windows(loaded), model);
}

function loaded_windows(models: readonly unknown[]): Record<string, number> {
  return windows(models.map((model) => [field(model, "name"), field(model, "context_length")]));
}

/** Ollama: `/api/ps` has the window of what is loaded; `/api/tags` has what could be. */
async function ollama(ps: unknown, models: unknown, at: ServerAt): Promise<Server | null> {
  const loaded = field(ps, "models");
  if (!Array.isArray(loaded)) return null;
  const names_of = (list: readonly unknown[]) =>
    list.map((model) => field(model, "name")).filter(is_text);
  const tags = ids(models).length > 0
    ? ids(models)
    : names_of(list_in(await get_json(`${at.origin}/api/tags`, at.inquiry), "models"));
  return {
    name: "ollama",
    models: chat_first([...names_of(loaded), ...tags]),
    windows: loaded_windows(loaded),
    window_source: "GET /api/ps",
    limits: {},
  };
}

/** LM Studio: `/v1/models` has all that could be loaded and no window; its own list has what is, and how. */
async function lmstudio(models: unknown, at: ServerAt): Promise<Server | null> {
  const data = field(models, "data");
  if (!Array.isArray(data) || field(data[0], "owned_by") !== "organization_owner") return null;
  const { origin, inquiry } = at;
  const newer = instances_in(await get_json(`${origin}/api/v1/models`, inquiry));
  const known = newer ?? states_in(await get_json(`${origin}/api/v0/models`, inquiry)) ?? [];
  const loaded = known.filter((model) => model.window !== undefined);
  return {
    name: "lmstudio",
    models: chat_first([...loaded.map(({ name }) => name).filter(is_text), ...ids(models)]),
    windows: windows(loaded.map(({ name, window }) => [name, window])),
    window_source: `GET /api/${newer === null ? "v0" : "v1"}/models`,
    limits: windows(known.map(({ name, limit }) => [name, limit])),
    ...seeing(known.map(({ name, sees }) => [name, sees])),
  };
}

/** A model of LM Studio; `window` is undefined if it is not loaded. */
type Instance = Readonly<Record<"name" | "sees" | "window" | "limit", unknown>>;

/** LM Studio 0.4 and newer: a model may be loaded more than once, each time under a name of its own. */
function instances_in(list: unknown): Instance[] | null {
  const models = field(list, "models");
  if (!Array.isArray(models)) return null;
  return models.filter((model) => field(model, "type") !== "embedding").flatMap((model) => {
    const limit = field(model, "max_context_length");
    const sees = field(field(model, "capabilities"), "vision");
    return [
      ...list_in(model, "loaded_instances").map((one) => ({
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
