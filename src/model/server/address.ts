/** Completes and corrects addresses of model servers as people write them. */
import { uri_decoded } from "../../config/text.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";

/** An address that cannot be one; `message` is for a person, and shows no password. */
export class AddressError extends Error {}

export interface Address {
  /** Ends in `/v1` or another version; no slash at the end, no user, no password. */
  readonly base_url: string;
  /** `USER:PASSWORD@` of the address as basic authorization, in base64; empty if there is none. */
  readonly basic: string;
  /** The password, or the user where that is all; empty if there is none. */
  readonly secret: string;
}

/** Ollama's own port, where its address names none. */
const OLLAMA_PORT = 11434;

/** An endpoint that no protocol here has, and one that only means something below a version. */
const OLD_ENDPOINT = /\/completions$/, VERSIONED_ENDPOINT = /(\/v\d[^/]*)\/models$/;

/** Reads a base URL: a scheme, no slash at the end, the version for this wire (section 5 of the contract). */
export function base_address(given: string): Address {
  const url = parse(given, "base URL");
  return { base_url: versioned(url), ...credentials(url) };
}

/** The address below which a server's own questions are asked (`/props`, `/api/ps`). */
export function origin_of(base_url: string): string {
  return base_url.replace(/\/v\d[^/]*$/, "");
}

/** `OLLAMA_HOST` as Ollama reads it (`envconfig.Host`): parts may be missing, a bad port is the default, 0.0.0.0 and [::] are this machine. */
export function ollama_address(given: string): Address {
  const text = given.trim().replace(/^["']+|["']+$/g, "").trim();
  const [, scheme = "", user = "", place = "", path = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)?([^/]*@)?([^/]*)(.*)$/is.exec(text) ?? [];
  const bare = place.split(":").length > 2 && !place.startsWith("[");
  const [, host = "", port] = bare
    ? ["", `[${place}]`]
    : /^(\[.*\]|[^:]*)(?::(.*))?$/s.exec(place) ?? [];
  const known = port !== undefined && /^\d{1,5}$/.test(port) && Number(port) <= 65535;
  const at = known ? `:${port}` : scheme === "" || port !== undefined ? `:${OLLAMA_PORT}` : "";
  const whole = `${scheme || "http://"}${user}${host || "127.0.0.1"}${at}${path}`;
  const url = parse(whole, "OLLAMA_HOST");
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return { base_url: versioned(url), ...credentials(url) };
}

function versioned(url: URL): string {
  const whole = url.pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "");
  const path = Object.values(PROTOCOLS).reduce((rest, one) => rest.replace(one.endpoint, ""), whole)
    .replace(OLD_ENDPOINT, "").replace(VERSIONED_ENDPOINT, "$1")
    // As Ollama's own documentation writes its address; elsewhere it may be a part of another one.
    .replace(url.port === String(OLLAMA_PORT) ? /^\/api$/ : /$/, "");
  const known = path.split("/").some((part) => /^v\d/.test(part));
  return `${url.origin}${path}${known ? "" : "/v1"}`;
}

function credentials(url: URL): { readonly basic: string; readonly secret: string } {
  const user = uri_decoded(url.username);
  const password = uri_decoded(url.password);
  if (user === "" && password === "") return { basic: "", secret: "" };
  const basic = new TextEncoder().encode(`${user}:${password}`).toBase64();
  return { basic, secret: password || user };
}

function parse(given: string, what: string): URL {
  // Whatever is before an @ may be a password, wherever it was put.
  const shown = given.replace(/^.*@/s, "").replace(/[?#].*$/s, "");
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given)
    ? given
    : `http://${given.replace(/^:/, "127.0.0.1:")}`;
  const url = URL.parse(text);
  if (url === null) {
    throw new AddressError(`${what} "${shown}" is not a URL; example: http://127.0.0.1:11434/v1`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressError(`${what} "${shown}" is not http or https`);
  }
  return url;
}
