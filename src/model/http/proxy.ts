/** Proxies from the environment variables. */
import { attempt } from "../../config/attempt.ts";
import { is_loopback } from "./http.ts";

/** Keeps requests to this machine off a proxy, as Go does: Deno sends even `http://127.0.0.1` there. Before the first request. */
export function keep_loopback_direct(env: (name: string) => string | undefined): void {
  if (!has_proxy(env)) return;
  const excepted = env("NO_PROXY") ?? env("no_proxy") ?? "";
  const entries = [excepted, "localhost", "127.0.0.0/8", "::1", "0.0.0.0"].filter(Boolean);
  // Without the right to, it stays as the environment has it.
  attempt(() => Deno.env.set("NO_PROXY", entries.join(",")));
}

/** Whether requests go through a proxy. Then there is no connection to the server that could be watched. */
export function is_proxied(url: string, env: (name: string) => string | undefined): boolean {
  const { protocol = "", hostname = "" } = URL.parse(url) ?? {};
  const excepted = (env("NO_PROXY") ?? env("no_proxy") ?? "").toLowerCase().split(",")
    .map((entry) => entry.trim().replace(/^\*?\./, "")).filter(Boolean);
  return !is_loopback(url) && has_proxy(env, [protocol === "https:" ? "HTTPS" : "HTTP", "ALL"]) &&
    !excepted.some((entry) => entry === "*" || `.${hostname}`.endsWith(`.${entry}`));
}

function has_proxy(
  env: (name: string) => string | undefined,
  kinds: readonly string[] = ["HTTP", "HTTPS", "ALL"],
): boolean {
  return kinds.map((kind) => `${kind}_PROXY`)
    .some((name) => env(name) || env(name.toLowerCase()));
}
