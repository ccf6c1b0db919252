/** Asks a server about itself. Loaded when one is asked, or has answered. */
import { origin_of } from "./address.ts";
import { NoModelError, own_key, type ServerPlace } from "./credentials.ts";
import { default_model } from "./default_model.ts";
import { identify_server } from "./discover.ts";
import { is_loopback } from "../http/http.ts";
import { telling } from "../../config/timer.ts";
import { ANSWER_MS, get_json, type Inquiry, type Server } from "./inquiry.ts";
import { upstream_of } from "./llama_swap.ts";

/** How a server is waited for that is there, but has not loaded its model. */
export interface Wait {
  /** Told once what is waited for, in words for a person. */
  readonly tell: (words: string) => void;
  /** Whether the first request is not sent before the server has said what it is. */
  readonly holds_up: () => boolean;
  /** Milliseconds in all; Infinity: no limit. */
  readonly most_ms: number;
  readonly signal: AbortSignal;
}

/** A llama.cpp server on this machine answers after the batch under way, which takes half a minute where it is slow. */
const LOCAL_ANSWER_MS = 60_000;
/** Between two looks whether a model is loaded. */
const LOOK_MS = 500;

type Asking = Pick<Inquiry, "headers" | "client" | "model"> & { readonly wait: Wait | null };

/** Asks a server what is not known yet. Throws `NoModelError` if no model can be chosen. */
export async function inquire(place: ServerPlace, { model, window, may_ask, ...more }: {
  /** What settings say; empty and undefined: nothing. */
  model: string;
  window: number | undefined;
  headers: Readonly<Record<string, string>>;
  client: Deno.HttpClient | undefined;
  may_ask: boolean;
  wait: Wait | null;
}): Promise<{ readonly server: Server | null; readonly model: string }> {
  const asking = { ...more, model };
  // Hosted services are not asked: their window is not theirs to tell, and it would cost a round trip.
  const hosted = own_key(place.base_url).length > 0;
  const settled = hosted || (model !== "" && window !== undefined);
  const found = place.server ?? (may_ask && !settled ? await ask_server(place, asking) : null);
  const server = may_ask && found?.unloaded ? await loaded(place, { ...asking, found }) : found;
  if (model !== "") return { server, model };
  const { base_url, name } = place;
  const choice = default_model({ base_url, name, server, hosted });
  if ("problem" in choice) throw new NoModelError(choice.problem);
  return { server, model: choice.model };
}

async function ask_server(
  { base_url }: ServerPlace,
  { headers, client, model = "", wait }: Asking,
): Promise<Server | null> {
  const most_ms = is_loopback(base_url) ? LOCAL_ANSWER_MS : ANSWER_MS;
  const asking = { headers, client, model, signal: AbortSignal.timeout(most_ms), base_url };
  const at = origin_of(base_url);
  const server = await telling(identify_server(at, asking), () => {
    if (!wait?.holds_up()) return;
    wait.tell(
      `waiting for ${at}: it has not said yet what it serves (${most_ms / 1000} s at most)`,
    );
  });
  // A server that wants another key says so of the first request.
  return server?.locked ? null : server;
}

/** The server once it has loaded the model that is meant, or as it was where nobody waits. Throws `NoModelError` after the wait. */
async function loaded(
  place: ServerPlace,
  { found, wait, ...asking }: Asking & { found: Server },
): Promise<Server | null> {
  if (wait === null) return found;
  const { tell, most_ms, signal } = wait;
  const at = origin_of(place.base_url);
  const model = asking.model || (found.models[0] ?? "");
  tell(`waiting for ${at}: it is loading ${model === "" ? "its model" : model}`);
  const until = performance.now() + most_ms;
  if (found.router) {
    // It answers once the model is loaded, or can't be: then the first request says why.
    const url = found.name === "llama-swap"
      ? `${upstream_of(at, model)}/props`
      : `${at}/props?model=${encodeURIComponent(model)}`;
    await get_json(url, { ...asking, signal });
    return await ask_server(place, { ...asking, wait: null }) ?? found;
  }
  for (let server: Server | null = found;;) {
    server = await ask_server(place, { ...asking, wait: null });
    if (server === null || !server.unloaded) return server;
    if (signal.aborted) throw new NoModelError(`gave up while ${at} was loading its model`);
    if (performance.now() > until) {
      const seconds = Math.round(most_ms / 1000);
      throw new NoModelError(
        `${at} was still loading its model after ${seconds} s (5 times retry.max_wait_s)`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
