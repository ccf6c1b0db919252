import { strictEqual } from "node:assert/strict";
import { api_mode_of, type KnownMode } from "./provider.ts";

const NOTHING: KnownMode = { explicit: "", provider: "", base_url: "" };

Deno.test("api_mode_of() asks who says it, in this order: the user, the provider, the address", () => {
  const address = "https://api.anthropic.com";
  strictEqual(api_mode_of(NOTHING), "chat_completions");
  strictEqual(api_mode_of({ ...NOTHING, base_url: address }), "anthropic_messages");
  const provider = { ...NOTHING, base_url: address, provider: "codex_responses" } as const;
  strictEqual(api_mode_of(provider), "codex_responses");
  strictEqual(api_mode_of({ ...provider, explicit: "ollama_chat" }), "ollama_chat");
});

Deno.test("api_mode_of() reads addresses as people write them", () => {
  const addresses: readonly (readonly [string, string])[] = [
    ["https://api.openai.com/v1", "chat_completions"],
    ["https://api.openai.com/v1/responses", "codex_responses"],
    ["https://api.openai.com/v1/responses/?x=1", "codex_responses"],
    ["https://api.openai.com/v1/chat/completions", "chat_completions"],
    ["https://api.anthropic.com/", "anthropic_messages"],
    ["api.anthropic.com/v1", "anthropic_messages"],
    ["https://API.Anthropic.com:443/v1/messages", "anthropic_messages"],
    ["https://me:pw@api.anthropic.com", "anthropic_messages"],
    ["https://api.anthropic.com.evil.example/v1", "chat_completions"],
    ["https://example.org/api.anthropic.com", "chat_completions"],
    ["http://localhost:9/v1/messages", "anthropic_messages"],
    ["https://api.deepseek.com/anthropic", "anthropic_messages"],
    ["http://127.0.0.1:11434", "ollama_chat"],
    ["http://127.0.0.1:11434/v1", "ollama_chat"],
    ["localhost:11434/", "ollama_chat"],
    ["[::1]:11434", "ollama_chat"],
    ["http://127.0.0.1:11434/v1/chat/completions", "chat_completions"],
    ["http://box:8080/api/chat", "ollama_chat"],
    ["http://box:8080/api/tags/?x=1", "ollama_chat"],
    ["http://box:8080/api/chat/completions", "chat_completions"],
    ["http://box:8080/11434", "chat_completions"],
    ["http://127.0.0.1:114344/v1", "chat_completions"],
    ["http://127.0.0.1:8080/v1", "chat_completions"],
    ["https://host/v1?next=http://x:11434", "chat_completions"],
  ];
  for (const [base_url, mode] of addresses) {
    strictEqual(api_mode_of({ ...NOTHING, base_url }), mode, base_url);
  }
});
