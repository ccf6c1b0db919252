/** Tells whether a silent server of one's own is still working on a reply. Loaded once one has been silent up to a limit. */
import { origin_of } from "./address.ts";
import { identify_server } from "./discover.ts";
import { json_answer, of_model } from "./inquiry.ts";
import { type Endpoint, is_ollama } from "./endpoint.ts";
import { field } from "../errors.ts";
import { type Heard, is_loopback } from "../http/http.ts";
import { swap_state, upstream_of } from "./llama_swap.ts";
import { read_body_text } from "../http/response_body.ts";

/** Ollama and llama.cpp answer such questions beside their work, at once; a machine that swaps takes some seconds. */
const PATIENCE_MS = 30_000;

/** What vLLM, SGLang (with `--enable-metrics`) and TGI count in `/metrics`: lines of theirs, some of them not 0 while they work. */
const COUNTS =
  /^(?:vllm:num_requests_(?:running|waiting)|sglang:num_(?:running|queue)_reqs|tgi_(?:queue_size|batch_current_size))(?:\{.*\})? .+$/gm;

const METRICS_BYTES = 4 * 1024 * 1024;

/**
 * Asks a server whether it works: one on this machine, or one elsewhere that has said what it is. Ollama sends no byte of a call before
 * all of it is written, which takes minutes at 3 tokens a second: its silence says nothing.
 *
 * @param heard what has come so far. Before the reply a server may read a prompt, load a model, or serve someone else: who can't
 * be asked, and has given no sign of that, is waited for by the `patient` only: transformers serve, llama-cpp-python.
 */
export async function is_working(
  endpoint: WatchedServer & Pick<Endpoint, "api_mode" | "server">,
  { heard, patient }: { heard: Heard; patient: boolean },
): Promise<boolean> {
  const { server, base_url } = endpoint;
  if (is_ollama(endpoint)) return await ollama(endpoint, heard);
  if (server === "llama.cpp") return await llama_cpp(endpoint, heard);
  const is_known = server !== undefined && server !== "openai-compatible";
  if (!is_known && !is_loopback(base_url)) return false;
  if (heard === "signs") return true;
  if (server === "lmstudio") return heard === "nothing" && await lmstudio(endpoint);
  // Its `idle` is 0 while it serves a request.
  if (server === "koboldcpp") return field(await get("/api/extra/perf", endpoint), "idle") === 0;
  if (server === "llama-swap") return await llama_swap(endpoint);
  const counted = is_known ? await counts_work(endpoint) : null;
  return counted ?? (patient && heard === "nothing" && is_loopback(base_url));
}

/** Null: it counts nothing. */
async function counts_work(asked: WatchedServer): Promise<boolean | null> {
  const counts = (await text_at("/metrics", asked) ?? "").match(COUNTS);
  return counts && counts.some((line) => / [^ ]*[1-9][^ ]*$/.test(line));
}

/** A model that is started takes as long as it takes; one that runs is asked itself. */
async function llama_swap(asked: WatchedServer): Promise<boolean> {
  const { ready, changes } = swap_state(await get("/running", asked));
  if (changes || !ready.includes(asked.model)) return changes;
  const own = { ...asked, base_url: upstream_of(origin_of(asked.base_url), asked.model) };
  return serves(await get("/slots", own)) || (await counts_work(own) ?? false);
}

function serves(slots: unknown): boolean {
  return Array.isArray(slots) && slots.some((slot) => field(slot, "is_processing") === true);
}

type WatchedServer =
  & Pick<Endpoint, "base_url" | "headers" | "model">
  & Partial<Pick<Endpoint, "client">>;

/** What is loaded stays in its list as long as a request is served, and is gone where its runner has died. */
async function ollama(asked: WatchedServer, heard: Heard): Promise<boolean> {
  const models = field(await get("/api/ps", asked), "models");
  if (!Array.isArray(models)) return false;
  const loaded = models.map((model): [string, number] => [String(field(model, "name")), 1]);
  if (heard !== "reply") return heard === "signs" || loaded.length > 0;
  return of_model(Object.fromEntries(loaded), asked.model) !== undefined;
}

/** It sends no byte before a prompt is read, and says of a model only that it is loaded. */
async function lmstudio({ base_url, headers, client }: WatchedServer): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const found = await identify_server(origin_of(base_url), { headers, client, signal });
  return found?.name === "lmstudio" && Object.keys(found.windows).length > 0;
}

/**
 * `/slots` waits for the batch under way, and can be switched off; `/health` is answered by another thread. Within a reply
 * what is no such answer is no sign of work.
 */
async function llama_cpp(asked: WatchedServer, heard: Heard): Promise<boolean> {
  const health = await text_at("/health", asked);
  if (health === null || heard === "reply" && !health.includes('"status"')) return false;
  const slots = await get(`/slots?model=${encodeURIComponent(asked.model)}&autoload=false`, asked);
  return !Array.isArray(slots) || serves(slots);
}

/** What it answers, an error too; null if nothing. */
async function text_at(
  path: string,
  { base_url, headers, client }: WatchedServer,
): Promise<string | null> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const asking = { headers, signal, client, redirect: "manual" } as const;
    const response = await fetch(origin_of(base_url) + path, asking);
    return (await read_body_text(response, { bytes: METRICS_BYTES, signal })).text;
  } catch {
    return null;
  }
}

async function get(path: string, { base_url, headers, client }: WatchedServer): Promise<unknown> {
  return await json_answer(origin_of(base_url) + path, { headers, client, limit_ms: PATIENCE_MS });
}
