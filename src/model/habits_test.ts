import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { anthropic_messages } from "./protocols/anthropic_messages.ts";
import { wire_for_habits } from "./protocols/chat_completions.ts";
import { without_refused_parts } from "./protocols/fitted_calls.ts";
import type { Message, WireState } from "./message.ts";
import { ollama_chat } from "./protocols/ollama_chat.ts";
import { wire_of } from "./protocols/protocols.ts";
import { text_calls } from "./protocols/text_calls.ts";
import type { Habits, Wire } from "./wire.ts";

const CALLED: Message = {
  role: "assistant",
  content: "So:",
  reasoning: "Hm.\ud800",
  tool_calls: [{ id: "c", name: "read", arguments: '{"path": "a"}' }],
};

function sent(wire: Wire): Record<string, unknown> {
  return JSON.parse(wire.encode([CALLED]));
}

Deno.test("what the model has thought goes back to it where its template has a place for that", () => {
  let habits: Habits = {};
  for (
    const [wire, name] of [
      [wire_for_habits(() => habits), "reasoning_content"],
      [ollama_chat(() => habits), "thinking"],
    ] as const
  ) {
    habits = {};
    strictEqual(sent(wire)[name], undefined);
    // What the server is may become known after the first request.
    habits = { takes_reasoning: true };
    strictEqual(sent(wire)[name], "Hm.\ufffd");
    strictEqual(JSON.parse(wire.encode([{ role: "assistant", content: "x" }]))[name], undefined);
  }
});

Deno.test("a server that refuses replies without reasoning, or calls without a signature, gets them", () => {
  const bare: Message = { role: "assistant", content: "x" };
  const chat = wire_for_habits(() => ({ wants_reasoning: true, signs_calls: true }));
  const [called, said] = JSON.parse(`[${chat.encode([CALLED, bare])}]`);
  deepStrictEqual([called.reasoning_content, said.reasoning_content], ["Hm.\ufffd", ""]);
  strictEqual(
    called.tool_calls[0].extra_content.google.thought_signature,
    "skip_thought_signature_validator",
  );
  const blocks = JSON.parse(
    anthropic_messages(() => ({ wants_reasoning: true })).encode([CALLED]),
  ).content;
  deepStrictEqual(blocks[0], { type: "thinking", thinking: "Hm.\ufffd", signature: "" });
  strictEqual(JSON.parse(anthropic_messages().encode([CALLED])).content[0].type, "text");
});

Deno.test("a server that refuses an empty text beside calls gets none", () => {
  for (const refuses_empty_text of [true, false]) {
    const wire = wire_for_habits(() => ({ refuses_empty_text }));
    const content = (message: Message) => JSON.parse(wire.encode([message])).content;
    deepStrictEqual(content({ ...CALLED, content: "" } as Message), refuses_empty_text ? null : "");
    deepStrictEqual(content(CALLED), "So:");
  }
});

Deno.test("what a server wants back goes to that server over that protocol only", async () => {
  const from = "http://h/v1";
  const thought = { type: "thinking", thinking: "T", signature: "s" };
  const kinds = [
    ["chat_completions", { reasoning_details: ["T"], extra_content: [{ s: 1 }] }],
    ["anthropic_messages", thought],
    ["codex_responses", { kind: "reasoning", before: "c", item: { encrypted_content: "T" } }],
  ] as const;
  for (const [mode, item] of kinds) {
    const has = async (kept: WireState, base_url: string): Promise<boolean> => {
      const wire = await wire_of(mode, () => ({ base_url }));
      return wire.encode([{ ...CALLED, kept } as Message]).includes('"T"');
    };
    const own = { wire: mode, items: [item] };
    deepStrictEqual(
      await Promise.all([
        ...[has({ ...own, from }, from), has(own, from), has({ ...own, from }, "http://other/v1")],
        has({ ...own, wire: "ollama_chat" }, from),
      ]),
      [true, true, false, false],
      mode,
    );
  }
});

Deno.test("where a template hides calls, the text of the reply says them, besides", () => {
  const { content, tool_calls } = sent(wire_for_habits(() => ({ hides_calls: true })));
  strictEqual(
    content,
    'So:\n<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
  );
  deepStrictEqual(tool_calls, sent(wire_for_habits(() => ({})))["tool_calls"]);
});

Deno.test("words of hamr are a result where the template reads all again after a user's", () => {
  const words: Message = { role: "user", content: "Hm?", internal: true, after: "c" };
  const person: Message = { role: "user", content: "Go on" };
  const roles = (wire: Wire) =>
    (JSON.parse(`[${wire.encode([CALLED, words, person])}]`) as Record<string, unknown>[])
      .map(({ role, tool_call_id, content }) => [role, tool_call_id, content].join(" ").trim());
  const wire = wire_for_habits(() => ({ nudges_as_results: true }));
  deepStrictEqual(roles(wire).slice(1), ["tool c Hm?", "user  Go on"]);
  deepStrictEqual(roles(wire_for_habits(() => ({}))).slice(1), ["user  Hm?", "user  Go on"]);
  // Ids that the server takes, and calls in text, which have no results.
  match(
    roles(without_refused_parts(wire, new Set(["call_ids"])))[1] ?? "",
    /^tool [a-z0-9]{9} Hm\?$/,
  );
  deepStrictEqual(roles(text_calls(wire)).slice(1), ["user  Hm?", "user  Go on"]);
});
