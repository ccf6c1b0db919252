/** A limit in dollars needs a price. */
import { origin } from "../config/load.ts";
import { safe_url } from "../model/http/http.ts";
import { price_of } from "../model/pricing.ts";
import type { Endpoint } from "../model/server/provider.ts";
import type { RunSettings } from "./settings.ts";
import { StartError } from "../config/error.ts";

/** Throws `StartError` if nobody says what a model costs, the run's or the one that is `named`: a limit that cannot be kept is worse than none. */
export function refuse_unknown_price(
  endpoint: Endpoint,
  place: RunSettings,
  { named = place.settings.provider.default }: { named?: string } = {},
): void {
  if (price_of(endpoint) !== null) return;
  const url = safe_url(endpoint.base_url);
  const section = named === "auto"
    ? `a section [providers.NAME] with base_url = "${url}"`
    : `[providers.${named}]`;
  throw new StartError(
    `${
      origin(place, "budget.max_cost_usd").where
    }: the price of ${endpoint.model} at ${url} is not known: ` +
      `give price_in and price_out in ${section}, in dollars per million tokens (0 where it costs nothing)`,
  );
}
