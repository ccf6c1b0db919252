/** An endpoint with all that its server says of itself. Loaded where one has answered. */
import { origin_of } from "./address.ts";
import { inspect } from "./discover.ts";
import { ASSUMED, type Endpoint, type OllamaWish } from "./endpoint.ts";
import { ANSWER_MS, type Server } from "./inquiry.ts";
import { with_window } from "./window.ts";

const LEFT_OUT = "the template of the loaded model leaves tools out of what it reads";

/** What the person says, which no server overrules. */
interface Said {
  /** Tokens of the window. */
  readonly set: number | undefined;
  readonly ollama: OllamaWish;
}

/** The endpoint as its server describes it; null: that was not asked, or did not answer. */
export async function known(
  endpoint: Endpoint,
  { server, ...said }: Said & { readonly server: Server | null },
): Promise<Endpoint> {
  return seeing(
    await with_window({ ...endpoint, ...made_of(server) }, { server, ...said }),
    server,
  );
}

/**
 * The same server asked again, which may have been started again with another model or another window. Null: nobody answers, or its
 * model is still being loaded.
 *
 * @param named the model that the person asks for; empty: whichever is there
 */
export async function known_again(
  endpoint: Endpoint,
  { named, ...said }: Said & { readonly named: string },
): Promise<Endpoint | null> {
  const { base_url, headers, client, model: before } = endpoint;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ANSWER_MS);
  const asking = { headers, client, base_url, model: before, signal: over.signal };
  const server = await inspect(origin_of(base_url), asking);
  clearTimeout(timer);
  if (server === null || server.locked) return null;
  // A router loads what it is asked for; anybody else has it, or does not answer yet.
  if (server.unloaded && !server.router) return null;
  // Ollama loads the window that it is asked for.
  if (endpoint.api_mode === "ollama_chat") return endpoint;
  const model = named || (server.models.includes(before) ? before : server.models[0] ?? before);
  const bare: Endpoint = { ...without_server(endpoint), model };
  return await known(said.set === undefined ? { ...bare, ...ASSUMED } : bare, { server, ...said });
}

function without_server(endpoint: Endpoint): Endpoint {
  const { server: _, model_window: __, sees: ___, no_tools: ____, ...rest } = endpoint;
  const { hides_calls: _____, takes_reasoning: ______, ...plain } = rest;
  return plain;
}

/** What the model's template makes of a conversation. */
function made_of(server: Server | null): Partial<Endpoint> {
  const { tools = true, calls = true, reasoning = false } = server?.template ?? {};
  if (!tools) return { no_tools: LEFT_OUT };
  return {
    ...(calls ? {} : { hides_calls: true }),
    ...(reasoning ? { takes_reasoning: true } : {}),
  };
}

/** With what is known of whether the model can see. */
function seeing(endpoint: Endpoint, server: Server | null): Endpoint {
  const { capabilities, model } = endpoint;
  const said = server?.sees?.[model] ?? server?.sees?.[""];
  const sees = capabilities === undefined ? said : capabilities.includes("vision");
  return sees === undefined ? endpoint : { ...endpoint, sees };
}
