/** An endpoint with everything its server says about itself. Loaded once one has answered. */
import { origin_of } from "./address.ts";
import { identify_server } from "./discover.ts";
import { ASSUMED, type Endpoint, type OllamaWish } from "./endpoint.ts";
import { sampling_for } from "./families.ts";
import { ANSWER_MS, type Server, type Template } from "./inquiry.ts";
import { with_window } from "./window.ts";

const LEFT_OUT = "the template of the loaded model leaves tools out of what it reads";

/** What the user says, which no server overrules. */
interface PersonSettings {
  readonly set: number | undefined;
  readonly ollama: OllamaWish;
}

/** The endpoint as its server describes it; null: that was not asked, or did not answer. */
export async function described_endpoint(
  endpoint: Endpoint,
  { server, ...said }: PersonSettings & { server: Server | null },
): Promise<Endpoint> {
  const with_template = { ...endpoint, ...made_of(server) };
  const found = seeing(await with_window(with_template, { server, ...said }), server);
  const full = server?.samples_itself ? { ...found, samples_itself: true as const } : found;
  const sampling = sampling_for(full);
  return typeof sampling === "string" ? full : { ...full, sampling };
}

/**
 * The same server asked again, which may have been started again with another model or another window. Null: nobody answers, or its
 * model is still being loaded.
 *
 * @param named the model that the user asks for; empty: whichever is there
 */
export async function known_again(
  endpoint: Endpoint,
  { named, ...said }: PersonSettings & { named: string },
): Promise<Endpoint | null> {
  const { base_url, headers, client, model: before } = endpoint;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const asking = { headers, client, base_url, model: before, signal };
  const server = await identify_server(origin_of(base_url), asking);
  if (server === null || server.locked) return null;
  // A router loads what it is asked for; anybody else has it, or does not answer yet.
  if (server.unloaded && !server.router) return null;
  // Ollama loads the window that it is asked for.
  if (endpoint.api_mode === "ollama_chat") return endpoint;
  const model = named || (server.models.includes(before) ? before : server.models[0] ?? before);
  // Without what is only there where a server says it.
  const rest = Object.entries(endpoint).filter(([key]) => !OF_SERVER.has(key));
  const bare = { ...Object.fromEntries(rest), model } as unknown as Endpoint;
  return await described_endpoint(said.set === undefined ? { ...bare, ...ASSUMED } : bare, {
    server,
    ...said,
  });
}

const OF_SERVER: ReadonlySet<string> = new Set<keyof Endpoint>([
  ...["server", "model_window", "sees", "no_tools", "hides_calls", "takes_reasoning"] as const,
  ...["nudges_as_results", "sampling", "samples_itself"] as const,
]);

function made_of(server: Server | null): Partial<Endpoint> {
  const { tools = true, calls = true, reasoning, nudges_as_results } = server?.template ??
    {} as Partial<Template>;
  if (!tools) return { no_tools: LEFT_OUT };
  return {
    ...(calls ? {} : { hides_calls: true }),
    ...(reasoning ? { takes_reasoning: true } : {}),
    ...(nudges_as_results ? { nudges_as_results: true } : {}),
  };
}

function seeing(endpoint: Endpoint, server: Server | null): Endpoint {
  const { capabilities, model } = endpoint;
  const said = server?.sees?.[model] ?? server?.sees?.[""];
  const sees = capabilities === undefined ? said : capabilities.includes("vision");
  return sees === undefined ? endpoint : { ...endpoint, sees };
}
