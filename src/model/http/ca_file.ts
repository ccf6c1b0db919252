import { ConfigError } from "../../config/error.ts";
import { named_text } from "../../config/file.ts";
import { message_of } from "../../config/text.ts";
import { expanded } from "../../permission/paths.ts";

/** One client a file: its connections are kept for the next request. */
const clients = new Map<string, Deno.HttpClient>();

/** A client that also believes the authorities of a PEM file: `given`, or `SSL_CERT_FILE` as for curl. Faults come back in words. */
export function client_for(
  given: string,
  env: (name: string) => string | undefined,
): Deno.HttpClient | string {
  const path = given || env("SSL_CERT_FILE") || "";
  const file = expanded(path, env("HOME") ?? "") ?? path;
  const known = clients.get(file);
  if (known !== undefined) return known;
  const shown = `${given === "" ? "SSL_CERT_FILE" : "--ca-file (provider.ca_file)"} ${path}`;
  try {
    const text = named_text(file, shown);
    if (!text.includes("-----BEGIN CERTIFICATE-----")) {
      return `${shown}: no certificate in it; it has to be a PEM file (-----BEGIN CERTIFICATE-----)`;
    }
    const client = Deno.createHttpClient({ caCerts: [text] });
    clients.set(file, client);
    return client;
  } catch (error) {
    return error instanceof ConfigError ? error.message : `${shown}: ${message_of(error)}`;
  }
}
