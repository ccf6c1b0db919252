/** From settings and environment to the model server of a run. */
import { origin } from "../config/load.ts";
import { lazy } from "../lazy.ts";
import {
  type Endpoint,
  endpoint_unasked,
  NoModelError,
  resolve_endpoint,
  type Sources,
  type Wish,
} from "../model/provider.ts";
import { StartError } from "./error.ts";
import type { Place } from "./settings.ts";

/** The model server, as far as it is known. Both throw `StartError`. */
export interface Asked {
  /** Enough to send a request: at once where address and model were given. */
  readonly first: Promise<Endpoint>;
  /** With what the server says of itself: its kind and its window. The first call asks it, if that was not done. */
  full(): Promise<Endpoint>;
}

/**
 * Finds the server that settings and environment lead to; asks it only where no request can be sent without.
 *
 * @param task the person's words to the model, for which the window has to be large enough
 */
export function ask_endpoint(place: Place, task = ""): Asked {
  let answer: Promise<Endpoint> | null = null;
  const full = () => answer ??= endpoint_of(place, task);
  const first = or_start_error(endpoint_unasked(wish_of(place, task), sources_of(place)))
    .then((endpoint) => endpoint ?? full());
  first.catch(() => {}); // Heard by whoever waits for it.
  return { first, full };
}

/** The model server with all that it says of itself. Throws `StartError`. */
export function endpoint_of(place: Place, task = ""): Promise<Endpoint> {
  return or_start_error(resolve_endpoint(wish_of(place, task), sources_of(place)));
}

/** What settings say about the model; `task`: the person's words to it. */
export function wish_of(place: Place, task = ""): Wish {
  const { agent, provider, providers } = place.settings;
  return {
    provider: provider.default,
    model: provider.model,
    base_url: provider.base_url,
    api_mode: provider.api_mode,
    context_window: provider.context_window,
    ollama: {
      task,
      max_output_tokens: agent.max_output_tokens,
      max_num_ctx: provider.max_num_ctx,
      keep_alive: provider.keep_alive,
    },
    providers,
    ca_file: provider.ca_file,
    base_url_untrusted: origin(place, "provider.base_url").source === "workspace",
  };
}

/** Where keys are looked for: in the environment of the start, and by commands. */
export function sources_of({ environ }: Place): Sources {
  return {
    env: (name) => environ[name] || undefined,
    key_command: async (command) => (await key_commands()).prepare(command).key(),
  };
}

/** Loaded where a provider has such a command. */
export function key_commands(): Promise<typeof import("../model/key_command.ts")> {
  return lazy<typeof import("../model/key_command.ts")>(
    "../model/key_command.ts",
    import.meta.url,
  );
}

/** A model that cannot be found is a mistake of the settings. */
export async function or_start_error<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof NoModelError ? new StartError(error.message) : error;
  }
}
