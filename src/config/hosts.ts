/** Host patterns: `docs.python.org`, `*.python.org`, `wiki:8080`, `[::1]:3000`. */

interface NamedHost {
  /** As it stands in a URL: lower case, in ASCII. */
  readonly host: string;
  /** Empty: any. */
  readonly port: string;
  /** `*.`: hosts below it, and not itself. */
  readonly below: boolean;
}

/** A name without a dot is one only with a port: else a word that was misspelled would be one. */
const SHAPE =
  /^(\*\.)?(localhost|[^\s/:@?#*,[\]]+\.[^\s/:@?#*,[\]]+|[^\s/:@?#*,[\]]+(?=:)|\[[0-9a-f:]+\])(:\d{1,5})?$/i;

/** What a text names; null where it names no host. */
export function named_host(text: string): NamedHost | null {
  const [, star, name, colon = ""] = SHAPE.exec(text) ?? [];
  const url = name === undefined ? null : URL.parse(`ws://${name}${colon}`);
  if (url === null) return null;
  return { host: without_dot(url.hostname), port: colon.slice(1), below: star !== undefined };
}

export function is_named_address(
  { hostname, port, protocol }: URL,
  named: readonly string[],
): boolean {
  const host = without_dot(hostname);
  const to = port || (protocol === "https:" ? "443" : "80");
  return named.map(named_host).some((one) =>
    one !== null && (one.port === "" || one.port === to) &&
    (one.below ? host.endsWith(`.${one.host}`) : host === one.host)
  );
}

function without_dot(host: string): string {
  return host.replace(/\.$/, "");
}
