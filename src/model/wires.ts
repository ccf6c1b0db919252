import { chat_completions } from "./chat_completions.ts";
import type { ApiMode } from "./message.ts";
import type { Wire } from "./wire.ts";

/** The wire of a protocol, made anew for each session: some remember what they have sent. The usual one is at hand, others are loaded. */
export function wire_of(mode: ApiMode): Promise<Wire> {
  switch (mode) {
    case "chat_completions":
      return Promise.resolve(chat_completions);
  }
}
