/** From settings and environment to the model server of a run. */
import { origin } from "../config/load.ts";
import { type Endpoint, NoModelError, resolve_endpoint } from "../model/provider.ts";
import { StartError } from "./error.ts";
import type { Io } from "./io.ts";
import type { Place } from "./settings.ts";

/** The model server that settings and environment lead to. Throws `StartError`. */
export async function endpoint_of(place: Place, io: Pick<Io, "env">): Promise<Endpoint> {
  const { provider, providers } = place.settings;
  try {
    return await resolve_endpoint({
      provider: provider.default,
      model: provider.model,
      base_url: provider.base_url,
      context_window: provider.context_window,
      providers,
      base_url_untrusted: origin(place, "provider.base_url").source === "workspace",
    }, io.env);
  } catch (error) {
    throw error instanceof NoModelError ? new StartError(error.message) : error;
  }
}
