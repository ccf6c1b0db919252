/** Which protocol a server speaks, where nobody asks it. */
import type { ApiMode } from "../message.ts";

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

/** What an address says, the first that fits: what people copy out of documentation, then hosts and ports. */
const BY_ADDRESS: readonly (readonly [address: RegExp, mode: ApiMode])[] = [
  [/\/chat\/completions$/, "chat_completions"],
  [/\/responses$/, "codex_responses"],
  [/\/messages$/, "anthropic_messages"],
  [/\/api\/(chat|generate|tags|ps)$/, "ollama_chat"],
  [/^(https?:\/\/)?([^/]*@)?api\.anthropic\.com(:\d+)?(\/|$)/i, "anthropic_messages"],
  // DeepSeek, Moonshot, Z.ai and others serve Anthropic's protocol below this path.
  [/\/anthropic(\/v\d+)?$/, "anthropic_messages"],
  [/^([a-z]+:\/\/)?([^/]*@)?[^/]*:11434(\/|$)/i, "ollama_chat"],
];

/** The protocol: what was said outright, what the provider is known for, what the address says, what answered, else Chat Completions. */
export function api_mode_of({ explicit, provider, base_url, found }: KnownMode): ApiMode {
  return explicit || provider || by_address(base_url) ||
    (found === "ollama" ? "ollama_chat" : "chat_completions");
}

function by_address(base_url: string): ApiMode | undefined {
  const bare = base_url.trim().replace(/[?#].*$/s, "").replace(/\/+$/, "");
  return BY_ADDRESS.find(([address]) => address.test(bare))?.[1];
}
