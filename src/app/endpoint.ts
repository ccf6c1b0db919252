/** Finds the model server of a run, by settings and environment. */
import { mistyped_variables } from "../config/environment.ts";
import { origin } from "../config/load.ts";
import {
  type Endpoint,
  endpoint_unasked,
  resolve_endpoint,
  type Sources,
  type Wish,
} from "../model/server/provider.ts";
import { own_key } from "../model/server/credentials.ts";
import { loading_ms } from "../model/server/loading.ts";
import { ready_command } from "./key_commands.ts";
import type { RunSettings } from "./settings.ts";
import { StartError } from "../config/error.ts";

/** The model server, as far as it is known. Both throw `StartError`. */
export interface PendingEndpoint {
  /** Enough to send a request: at once where address and model were given. */
  readonly first: Promise<Endpoint>;
  /** With what the server says of itself: its kind and its window. The first call asks it, if that was not done. */
  full(): Promise<Endpoint>;
  /** Tells what is awaited while a server loads its model; `signal` ends the wait. Absent: nobody waits. */
  heard_by?(tell: (words: string) => void, signal: AbortSignal): void;
}

/**
 * Finds the server that settings and environment lead to; asks it only where no request can be sent without.
 *
 * @param task the user's words to the model, for which the window has to be large enough
 */
export function ask_endpoint(place: RunSettings, task = ""): PendingEndpoint {
  let answer: Promise<Endpoint> | null = null;
  const over = new AbortController();
  let tell: (words: string) => void = () => {};
  let holds_up = false;
  const wait = {
    tell: (words: string) => tell(words),
    holds_up: () => holds_up,
    most_ms: loading_ms(place.settings.retry),
    signal: over.signal,
  };
  const sources = { ...sources_of(place), wait };
  const wish = wish_of(place, task);
  const full = () => answer ??= resolve_endpoint(wish, sources);
  const first = endpoint_unasked(wish, sources)
    .then((endpoint) => {
      holds_up = endpoint === null;
      return endpoint ?? full();
    })
    .then((endpoint) => with_key(endpoint, place))
    .catch((error: unknown) => {
      throw with_slips(error, place);
    });
  first.catch(() => {}); // Heard by whoever waits for it.
  return {
    first,
    full,
    heard_by(hears, signal) {
      tell = hears;
      signal.addEventListener("abort", () => over.abort());
    },
  };
}

/** The variable for the key of a service that answers nobody without one; null where there is a key, or a proxy may add it. */
export function missing_key({ base_url, key, proxied }: Endpoint): string | null {
  return key !== "" || proxied ? null : own_key(base_url)[0] ?? null;
}

/** That is said before the network is asked; a fallback may need no key. */
function with_key(endpoint: Endpoint, { settings: { fallback } }: RunSettings): Endpoint {
  const variable = missing_key(endpoint);
  if (variable === null || fallback.chain.length > 0) return endpoint;
  throw new StartError(
    `${endpoint.provider} needs a key, and none is set: set it in ${variable}`,
    "auth_error",
  );
}

/** A run that never begins tells no warnings, and a variable that nobody read may be why there is no model. */
function with_slips(error: unknown, { environ }: RunSettings): unknown {
  if (!(error instanceof StartError)) return error;
  const slips = mistyped_variables(environ).map((words) => `\n  ${words}`);
  return new StartError(error.message + slips.join(""), error.reason);
}

/** The model server with all that it says of itself now. Throws `StartError`. */
export function endpoint_of(place: RunSettings): Promise<Endpoint> {
  return resolve_endpoint(wish_of(place), sources_of(place));
}

/** What settings say about the model; `task`: the user's words to it. */
export function wish_of(place: RunSettings, task = ""): Wish {
  const { agent, provider, providers } = place.settings;
  return {
    ...provider,
    provider: provider.default,
    where: given_in(place, "provider.default"),
    ollama: { ...provider, task, max_output_tokens: agent.max_output_tokens },
    providers,
    base_url_untrusted: origin(place, "provider.base_url").source === "workspace",
  };
}

/** The flag, variable or line of a file that gives a setting, which is named where that is a file. */
export function given_in(place: RunSettings, key: string): string {
  const { source, where } = origin(place, key);
  return source === "flag" || source === "env" ? where : `${where}: ${key}`;
}

/** Where keys are looked for: in the environment of the start, and by commands. */
export function sources_of(place: RunSettings): Sources {
  return {
    env: (name) => place.environ[name] || undefined,
    key_command: async (command) => {
      return await (await ready_command(command, place)).key();
    },
  };
}
