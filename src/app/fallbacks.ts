/** A run's other models: the fallback chain, models for auxiliary work, and keys that may have changed. */
import type { Auxiliary, Fallbacks, Helper, Spare } from "../agent/session.ts";
import {
  type Endpoint,
  endpoint_unasked,
  resolve_endpoint,
  type Sources,
  type Wish,
} from "../model/server/provider.ts";
import { given_in, missing_key, sources_of, wish_of } from "./endpoint.ts";
import { ready_command } from "./key_commands.ts";
import { refuse_unknown_price } from "./price.ts";
import type { RunSettings } from "./settings.ts";
import { StartError } from "../config/error.ts";

/** Checks the other models that settings name, as far as possible without asking. Returns a warning for each without its key. Throws `StartError`. */
export async function check_fallbacks(place: RunSettings): Promise<readonly string[]> {
  const { budget } = place.settings;
  const warnings = new Set<string>();
  let has_command = false;
  // A command is run when its key is needed; by then `hamr` may not start programs anymore.
  const key_command = async (command: string) => {
    await ready_command(command, place);
    has_command = true;
    return "";
  };
  for (const wish of other_wishes(place)) {
    has_command = false;
    const sources = { ...sources_of(place), key_command };
    const endpoint = await endpoint_unasked(wish, sources);
    if (endpoint === null) continue;
    const variable = has_command ? null : missing_key(endpoint);
    if (variable !== null) {
      const named = `${endpoint.provider}/${wish.model}`;
      const why = `it needs a key, and none is set: set it in ${variable}`;
      warnings.add(`${named} can't be used: ${why}`);
    }
    if (budget.max_cost_usd > 0) refuse_unknown_price(endpoint, place, { named: wish.provider });
  }
  return [...warnings];
}

function other_wishes(place: RunSettings): readonly Wish[] {
  const { fallback, auxiliary } = place.settings;
  return [
    ...fallback.chain.map((spec) => wish_for(place, spec, "fallback.chain")),
    ...Object.entries(auxiliary).flatMap(([work, { provider, model, chain }]) => [
      ...(provider === "" && model === ""
        ? []
        : [helper_wish(place, { provider, model, key: `auxiliary.${work}.provider` })]),
      ...chain.map((spec) => wish_for(place, spec, `auxiliary.${work}.chain`)),
    ]),
  ];
}

/** Where a server is does not depend on its model. */
const ANY_MODEL = { model: "any", context_window: 1 };

/** Where these are, as far as that can be told without asking: each with its provider and its address, null for what is looked for. */
export async function other_addresses(
  place: RunSettings,
): Promise<readonly { readonly provider: string; readonly url: string | null }[]> {
  // No key is needed to know an address.
  const sources = { ...sources_of(place), key_command: () => Promise.resolve("") };
  return await Promise.all(
    other_wishes(place).map(async (wish) => ({
      provider: wish.provider,
      url: (await endpoint_unasked({ ...wish, ...ANY_MODEL }, sources))?.base_url ?? null,
    })),
  );
}

export function fallbacks_of(place: RunSettings): Fallbacks {
  return chain_of(place, {
    main: wish_of(place),
    chain: place.settings.fallback.chain,
    helpers: new Map(),
  });
}

function chain_of(place: RunSettings, { main, chain, helpers }: {
  main: Wish;
  chain: readonly string[];
  helpers: Map<Auxiliary, Promise<Helper | null>>;
}): Fallbacks {
  const left = chain.map((spec): Spare & { readonly wish: Wish } => {
    const wish = wish_for(place, spec);
    return { name: spec, wish, endpoint: () => with_key(wish, place) };
  });
  // Whose key would be read again.
  let current = main;
  const refused = new Set<string>();
  return {
    renewed: (endpoint) =>
      renewed(endpoint, { ...current, model: endpoint.model }, { place, refused }),
    asked_again: (endpoint) => asked_again(endpoint, current),
    next() {
      const spare = left.shift();
      if (spare === undefined) return null;
      current = spare.wish;
      return spare;
    },
    async named(model) {
      const wish = { ...current, model, context_window: undefined };
      const endpoint = await resolve_endpoint(wish, sources_of(place));
      if (place.settings.budget.max_cost_usd > 0) {
        refuse_unknown_price(endpoint, place, { named: wish.provider });
      }
      const fallbacks = chain_of(place, { main: wish, chain, helpers: new Map() });
      return { endpoint, refused: new Set(), fallbacks };
    },
    auxiliary(work) {
      const known = helpers.get(work);
      if (known !== undefined) return known;
      const made = helper_for(place, work);
      helpers.set(work, made);
      return made;
    },
  };
}

/** Throws `StartError` for a service that answers nobody without a key, as nothing is sent to it then. */
async function with_key(wish: Wish, place: RunSettings): Promise<Endpoint> {
  const endpoint = await resolve_endpoint(wish, sources_of(place));
  const variable = missing_key(endpoint);
  if (variable !== null) throw new StartError(`it needs a key: set it in ${variable}`);
  return endpoint;
}

async function helper_for(place: RunSettings, work: Auxiliary): Promise<Helper | null> {
  const { provider, model, chain } = place.settings.auxiliary[work];
  const named = provider !== "" || model !== "";
  const [first = "", ...rest] = chain;
  if (!named && first === "") return null;
  const wish = named ? helper_wish(place, { provider, model }) : wish_for(place, first);
  const left = named ? chain : rest;
  return {
    endpoint: await resolve_endpoint(wish, sources_of(place)),
    refused: new Set(),
    fallbacks: chain_of(place, { main: wish, chain: left, helpers: new Map() }),
  };
}

async function asked_again(endpoint: Endpoint, wish: Wish): Promise<Endpoint | null> {
  const { known_again } = await import("../model/server/known.ts");
  const { ollama, providers, provider } = wish;
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const named = wish.model || own?.model || "";
  const set = wish.context_window ?? own?.context_window;
  return await known_again(endpoint, { named, set, ollama });
}

/** The same endpoint with its key as it is now, or with another one that is meant for it; null if none is left. */
async function renewed(
  endpoint: Endpoint,
  wish: Wish,
  { place, refused }: { readonly place: RunSettings; readonly refused: Set<string> },
): Promise<Endpoint | null> {
  refused.add(endpoint.key);
  const { env } = sources_of(place);
  const sources: Sources = {
    env: (name) => refused.has(env(name)?.trim() ?? "") ? undefined : env(name),
    key_command: async (command) => {
      return await (await ready_command(command, place)).renewed();
    },
  };
  const now = await endpoint_unasked(wish, sources);
  if (now === null || now.key === "" || refused.has(now.key)) return null;
  const { key, key_env, headers } = now;
  return { ...endpoint, key, key_env, headers };
}

/** The wish for PROVIDER/MODEL, of the setting `key`. A key that is for whatever the user runs goes to no other provider. */
function wish_for(place: RunSettings, spec: string, key?: string): Wish {
  const [provider, model] = [spec.slice(0, spec.indexOf("/")), spec.slice(spec.indexOf("/") + 1)];
  return helper_wish(place, { provider, model, key });
}

function helper_wish(
  place: RunSettings,
  { provider, model, key }: { provider: string; model: string; key?: string | undefined },
): Wish {
  const own = wish_of(place);
  if (provider === "") return { ...own, model, context_window: undefined };
  return {
    provider,
    ...(key === undefined ? {} : { where: given_in(place, key) }),
    model,
    base_url: "",
    api_mode: "",
    context_window: undefined,
    ollama: own.ollama,
    providers: own.providers,
    base_url_untrusted: false,
    ...(provider === own.provider ? {} : { general_key_elsewhere: true }),
  };
}
