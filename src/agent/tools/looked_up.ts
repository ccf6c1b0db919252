/** Resolves the host of a `web_fetch`. Its owner may point it at what serves this machine alone: a database, a cloud's credentials. */
import { is_loopback } from "../../model/http/http.ts";
import { may_ask, type WebReach } from "../../permission/web.ts";

/** The network of the machine itself: 169.254.0.0/16, fe80::/10, and the addresses of clouds' own beside these (Azure, Alibaba, Oracle, AWS). */
const LINK_LOCAL =
  /^(?:169\.254\.[\d.]+|168\.63\.129\.16|100\.100\.100\.200|192\.0\.0\.192|\[(?:fe[89ab][\da-f]:[\da-f:]*|fd00:ec2::254|::ffff:a9fe:[\da-f]+)\])$/;
const ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** `at`: ask this address, whatever the name leads to next; null: as usual. `refused`: an address of this machine that nobody allowed. */
type Led =
  | { readonly kind: "go"; readonly at: URL | null }
  | { readonly kind: "refused"; readonly at: URL };

/**
 * Looks up the name of a URL, by `connect`, where it matters: not where every address is allowed, nor under TLS, as no server on this
 * machine has a certificate for that name.
 * @throws {Error} where nothing answers.
 */
export async function looked_up(
  url: URL,
  web: WebReach,
  connect: (to: { readonly hostname: string; readonly port: number }) => Promise<Deno.TcpConn>,
): Promise<Led> {
  const usual: Led = { kind: "go", at: null };
  const is_name = !ADDRESS.test(url.hostname) && !is_loopback(url.href);
  if (web.net === "all" || url.protocol === "https:" || !is_name || web.is_proxied(url.href)) {
    return usual;
  }
  const connection = await connect({ hostname: url.hostname, port: Number(url.port || "80") });
  const { hostname } = connection.remoteAddr;
  connection.close();
  const at = new URL(url);
  at.hostname = hostname.includes(":") ? `[${hostname.replace(/%.*/, "")}]` : hostname;
  const is_own = is_loopback(at.href) || LINK_LOCAL.test(at.hostname);
  return is_own && !may_ask(web, at) ? { kind: "refused", at } : { kind: "go", at };
}
