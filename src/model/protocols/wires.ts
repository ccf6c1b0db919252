import { fitting } from "./chat_completions.ts";
import { lazy } from "../../lazy.ts";
import type { ApiMode } from "../message.ts";
import type { Habits, Wire } from "../wire.ts";

/**
 * The wire of a protocol, made again for each session: some remember what they have sent. The usual one is at hand, others are
 * loaded. `habits` is looked up with each message.
 */
export async function wire_of(mode: ApiMode, habits: () => Habits = () => ({})): Promise<Wire> {
  switch (mode) {
    case "chat_completions":
      return fitting(habits);
    case "codex_responses": {
      const { codex_responses } = await lazy<typeof import("./codex_responses.ts")>(
        "./codex_responses.ts",
        import.meta.url,
      );
      return codex_responses();
    }
    case "anthropic_messages": {
      const { anthropic_messages } = await lazy<typeof import("./anthropic_messages.ts")>(
        "./anthropic_messages.ts",
        import.meta.url,
      );
      return anthropic_messages();
    }
    case "ollama_chat": {
      const { ollama_chat } = await lazy<typeof import("./ollama_chat.ts")>(
        "./ollama_chat.ts",
        import.meta.url,
      );
      return ollama_chat(habits);
    }
  }
}
