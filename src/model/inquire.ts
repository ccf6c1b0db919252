/** What a server says of itself. Loaded where one is asked, or has answered. */
import { origin_of } from "./address.ts";
import { NoModelError, own_key, type Place } from "./credentials.ts";
import { default_model } from "./default_model.ts";
import { DISCOVERY_MS, type Inquiry, inspect, type Server } from "./discover.ts";
import { is_loopback } from "./http.ts";

/** Asks a server what is not known yet. Throws `NoModelError` where no model can be chosen. */
export async function inquire(
  place: Place,
  { model, window, ask, ...asking }: {
    /** What settings say; empty and undefined: nothing. */
    readonly model: string;
    readonly window: number | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly client: Deno.HttpClient | undefined;
    readonly ask: boolean;
  },
): Promise<{ readonly server: Server | null; readonly model: string }> {
  // Hosted services are not asked: their window is not theirs to tell, and it would cost a round trip.
  const hosted = own_key(place.base_url).length > 0;
  const settled = hosted || (model !== "" && window !== undefined);
  const server = place.server ?? (ask && !settled ? await ask_server(place, asking) : null);
  if (model !== "") return { server, model };
  const { base_url, name } = place;
  const choice = default_model({ base_url, name, server, hosted });
  if ("problem" in choice) throw new NoModelError(choice.problem);
  return { server, model: choice.model };
}

async function ask_server(
  { base_url }: Place,
  asking: Pick<Inquiry, "headers" | "client">,
): Promise<Server | null> {
  const limit = is_loopback(base_url) ? DISCOVERY_MS : 10 * DISCOVERY_MS;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), limit);
  const server = await inspect(origin_of(base_url), { ...asking, signal: over.signal, base_url });
  clearTimeout(timer);
  return server;
}
