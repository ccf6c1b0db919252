/** How large a request's window is: set, loaded, or asked for. */
import { show_ollama_model } from "./discover.ts";
import { ANSWER_MS, of_model, type Server } from "./inquiry.ts";
import { origin_of } from "./address.ts";
import type { Endpoint, OllamaWish } from "./endpoint.ts";

/** Prompt and tools, by estimate: 5,200 bytes of JSON, and what a workspace's own instructions may add (8 kB). */
const PROMPT_TOKENS = 3500;
/** Room for a few results, without which no task gets anywhere. A loaded window that has it is kept as it is. */
const LEAST_ROOM = 4096;
/** Room for results before the first compaction that is worth loading a model for. */
const ROOM = 16_384;
/** Windows are asked for in steps, so that tasks of much the same length find the model as the last one left it. */
const STEP = 4096;

export async function with_window(endpoint: Endpoint, { server, set, ollama }: {
  /** What the server said of itself; null if it was not asked or did not answer. */
  server: Server | null;
  /** What the user says; it is not questioned here. */
  set: number | undefined;
  ollama: OllamaWish;
}): Promise<Endpoint> {
  const { model } = endpoint;
  const loaded = server === null ? undefined : of_model(server.windows, model);
  const known = server === null ? endpoint : {
    ...endpoint,
    ...could_hold(of_model(server.limits, model)),
    ...(set !== undefined || loaded === undefined
      ? {}
      : { context_window: loaded, window_known: true, window_source: server.window_source }),
    server: server.name,
  };
  if (endpoint.api_mode !== "ollama_chat" && server?.name !== "ollama") return known;
  return await with_ollama(known, { ...ollama, set, loaded });
}

function could_hold(limit: number | undefined): Pick<Endpoint, "model_window"> {
  return limit === undefined ? {} : { model_window: limit };
}

/** What Ollama says of the model, and, for its own protocol, the window that is asked for. */
async function with_ollama(endpoint: Endpoint, wish: OllamaWish & Sizes): Promise<Endpoint> {
  // A server that was not asked before is not asked now: all that is needed is set, or nobody answers.
  const { server, base_url, model, headers } = endpoint;
  const shown = server === undefined ? null : await show_ollama_model(origin_of(base_url), model, {
    headers,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const known: Endpoint = shown === null ? endpoint : {
    ...endpoint,
    ...could_hold(shown.limit),
    capabilities: shown.capabilities,
    // It would refuse a request with tools: 400 "… does not support tools". Versions before 0.6.4 name no capabilities.
    ...(shown.capabilities.length === 0 || shown.capabilities.includes("tools")
      ? {}
      : { no_tools: `Ollama says that ${model} can't call tools` }),
    ...(shown.capabilities.includes("thinking") ? { takes_reasoning: true } : {}),
  };
  if (endpoint.api_mode !== "ollama_chat") return known;
  const num_ctx = num_ctx_of(wish, shown?.limit);
  return {
    ...known,
    ollama: { num_ctx, keep_alive: wish.keep_alive },
    context_window: num_ctx,
    window_known: true,
    ...(wish.set !== undefined || num_ctx === wish.loaded ? {} : { window_source: ASKED_FOR }),
  };
}

/** Where a window comes from that Ollama loads with the first request, in words for a person. */
const ASKED_FOR = "asked for, as num_ctx";

interface Sizes {
  readonly set: number | undefined;
  /** As the model is loaded now. */
  readonly loaded: number | undefined;
}

/** Tokens of the window to ask for: what the task needs, within what the model can hold and may take of the memory. */
export function num_ctx_of(
  { set, loaded, task, max_output_tokens, max_num_ctx }: Omit<OllamaWish, "keep_alive"> & Sizes,
  limit: number | undefined,
): number {
  if (set !== undefined) return set;
  // As the history estimates: ASCII/4 plus one for each other character.
  const ascii = task.replace(/[^\0-\x7f]/gu, "").length;
  const tokens = Math.ceil(ascii / 4) + [...task].length - ascii;
  const needed = PROMPT_TOKENS + tokens + max_output_tokens;
  if (loaded !== undefined && loaded >= Math.min(needed + LEAST_ROOM, limit ?? Infinity)) {
    return loaded;
  }
  const wanted = Math.ceil((needed + ROOM) / STEP) * STEP;
  return Math.min(wanted, max_num_ctx || Infinity, limit ?? Infinity);
}
