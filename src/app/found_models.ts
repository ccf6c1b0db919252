/** All available models: of every server on this machine, and of the one that a run would use. */
import { authorization } from "../model/server/credentials.ts";
import { ollama_address, origin_of } from "../model/server/address.ts";
import { identify_server, local_servers } from "../model/server/discover.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import { ANSWER_MS, of_model, type Server } from "../model/server/inquiry.ts";
import type { RunSettings } from "./settings.ts";

export interface FoundModels {
  readonly provider: string;
  /** Without a path. */
  readonly url: string;
  /** It says what it is. */
  readonly answers: boolean;
  /** It wants a key that it did not get. */
  readonly locked: boolean;
  readonly models: readonly {
    readonly name: string;
    /** Tokens that fit it as it is loaded now, and that it could hold; null: nobody says. */
    readonly window: number | null;
    readonly limit: number | null;
    readonly used: boolean;
    /** It is only the name that a run asks for: the server does not list it. */
    readonly missing?: true;
  }[];
}

/** The one that is used comes first; `used` null: none can be. */
export async function found_models(
  { environ }: RunSettings,
  used: Endpoint | null,
): Promise<readonly FoundModels[]> {
  const host = environ["OLLAMA_HOST"]?.trim();
  const address = host ? ollama_address(host) : null;
  const here = await local_servers({
    ollama: address && { origin: origin_of(address.base_url), headers: authorization(address) },
    key: environ["HAMR_API_KEY"]?.trim() ?? "",
  });
  const servers = here.map(({ origin, server }) => listed(origin, server, used));
  if (used === null) return servers;
  const own = origin_of(used.base_url);
  const first = servers.find(({ url }) => url === own);
  if (first !== undefined) return [first, ...servers.filter((one) => one !== first)];
  const server = await asked(used);
  const named = { name: used.model, window: used.context_window, limit: null, used: true };
  const found = server === null
    ? { provider: used.provider, url: own, answers: false, locked: false, models: [named] }
    : listed(own, server, used);
  return [{ ...found, provider: used.provider }, ...servers];
}

async function asked({ base_url, headers, client, model }: Endpoint): Promise<Server | null> {
  const origin = origin_of(base_url);
  const inquiry = { headers, client, model, signal: AbortSignal.timeout(ANSWER_MS) };
  return await identify_server(origin, base_url === origin ? inquiry : { ...inquiry, base_url });
}

function listed(url: string, server: Server, used: Endpoint | null): FoundModels {
  const own = used !== null && origin_of(used.base_url) === url;
  const unnamed = own && used.model !== "" && !server.models.includes(used.model);
  const names = [...(unnamed ? [used.model] : []), ...server.models];
  return {
    provider: server.name,
    url,
    answers: true,
    locked: server.locked === true,
    models: names.map((name) => {
      const chosen = own && name === used.model;
      const known = of_model(server.windows, name) ??
        (chosen && used.window_known ? used.context_window : undefined);
      const limit = of_model(server.limits, name);
      // llama.cpp serves what is loaded, whatever it is called.
      const missing = chosen && unnamed && server.name !== "llama.cpp" &&
        server.models.length > 0 && !server.models.includes(`${name}:latest`);
      const row = { name, window: known ?? null, limit: limit ?? null, used: chosen };
      return missing ? { ...row, window: null, missing } : row;
    }),
  };
}
