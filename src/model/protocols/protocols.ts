/** The table of protocols that servers speak. A new one has its name in `config/key.ts`, and its code in a file here. */
import type { ApiMode, Message } from "../message.ts";
import type { Habits, Wire } from "../wire.ts";
import { wire_for_habits } from "./chat_completions.ts";
import { without_returned } from "./returned.ts";

/** What has to be known of a protocol, besides how its messages are written and read. */
interface Protocol {
  /** Made again for each session: some remember what they have sent. `habits` is looked up with each message. */
  readonly load: (habits: () => Habits) => Wire | Promise<Wire>;
  /** How the address of a request of it ends: people copy that out of documentation, and it is taken off a base URL. */
  readonly endpoint: RegExp;
  /** Base URLs that imply it: hosts, ports, paths. */
  readonly places: readonly RegExp[];
  /** Whether the version stands in the base URL, as in `…/v1`; else its paths have it (section 5 of the contract). */
  readonly versioned_base: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly key_header: "authorization" | "x-api-key";
  /** The role of the system message where a server rejects `system`; null: the protocol has a separate field for it. */
  readonly instead_of_system: "developer" | "user" | null;
  /** A call is sent only once all of it is written, so silence does not mean that the server is stuck. */
  readonly holds_calls: boolean;
}

const USUAL = {
  places: [],
  versioned_base: true,
  headers: {},
  key_header: "authorization",
  instead_of_system: "developer",
  holds_calls: false,
} as const;

export const PROTOCOLS: Readonly<Record<ApiMode, Protocol>> = {
  chat_completions: { ...USUAL, load: wire_for_habits, endpoint: /\/chat\/completions$/ },
  codex_responses: {
    ...USUAL,
    load: async () => (await import("./codex_responses.ts")).codex_responses(),
    endpoint: /\/responses$/,
  },
  anthropic_messages: {
    ...USUAL,
    load: async (habits) => (await import("./anthropic_messages.ts")).anthropic_messages(habits),
    endpoint: /\/messages$/,
    places: [
      /^(https?:\/\/)?([^/]*@)?api\.anthropic\.com(:\d+)?(\/|$)/i,
      // DeepSeek, Moonshot, Z.ai and others serve Anthropic's protocol below this path.
      /\/anthropic(\/v\d+)?$/,
    ],
    versioned_base: false,
    // The version that it is written for here.
    headers: { "anthropic-version": "2023-06-01" },
    key_header: "x-api-key",
    instead_of_system: null,
  },
  ollama_chat: {
    ...USUAL,
    load: async (habits) => (await import("./ollama_chat.ts")).ollama_chat(habits),
    endpoint: /\/api\/(chat|generate|tags|ps)$/,
    places: [/^([a-z]+:\/\/)?([^/]*@)?[^/]*:11434(\/|$)/i],
    versioned_base: false,
    instead_of_system: "user",
    holds_calls: true,
  },
};

/** What a server wants back goes to that server only: another may refuse the field, or a signature that is not its own. */
export async function wire_of(
  mode: ApiMode,
  habits: () => Habits & { readonly base_url?: string } = () => ({}),
): Promise<Wire> {
  const wire = await PROTOCOLS[mode].load(habits);
  const own = (message: Message): Message => {
    if (message.role !== "assistant" || message.kept === undefined) return message;
    const { wire: by, from } = message.kept;
    const { base_url } = habits();
    return by === mode && (from ?? base_url) === base_url ? message : without_returned(message);
  };
  return { ...wire, encode: (messages) => wire.encode(messages.map(own)) };
}
