/** Guesses the protocol of a server that is not asked. */
import type { ApiMode } from "../message.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";

/** What is known of a server before a request. Empty: nothing. */
export interface KnownMode {
  /** By a flag or a setting. */
  readonly explicit: ApiMode | "";
  /** By the section of the provider, or because it is built in. */
  readonly provider: ApiMode | "";
  /** Its address as a person gave it, with whatever path. */
  readonly base_url: string;
  /** What the server was found to be, where it was asked before the first request. */
  readonly found?: string;
}

/** The protocol: what was said outright, what the provider is known for, what the address says, what answered, else Chat Completions. */
export function api_mode_of({ explicit, provider, base_url, found }: KnownMode): ApiMode {
  return explicit || provider || by_address(base_url) ||
    (found === "ollama" ? "ollama_chat" : "chat_completions");
}

function by_address(base_url: string): ApiMode | undefined {
  const bare = base_url.trim().replace(/[?#].*$/s, "").replace(/\/+$/, "");
  const [mode] =
    Object.entries(PROTOCOLS).find(([, { endpoint, places }]) =>
      [endpoint, ...places].some((one) => one.test(bare))
    ) ?? [];
  return mode as ApiMode | undefined;
}
