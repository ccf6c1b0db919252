/** Where `web_fetch` may go: the hosts that commands may reach, and those named for it alone. */
import { is_named_address } from "../config/hosts.ts";
import type { Policy } from "../sandbox/policy.ts";

type Reach = Pick<Policy, "net" | "web">;

/** What `web_fetch` may do, and where a proxy looks names up for it. */
export type WebReach = Reach & { readonly is_proxied: (url: string) => boolean };

/** Without names below `localhost`: many a resolver asks the network for them, which so learns what a model has put into one. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]"];

export function reaches_web({ net, web = [] }: Reach): boolean {
  return net === "all" || net === "loopback" || web.length > 0;
}

export function may_ask({ net, web = [] }: Reach, url: URL): boolean {
  return net === "all" ||
    is_named_address(url, net === "loopback" ? [...web, ...THIS_MACHINE] : web);
}
