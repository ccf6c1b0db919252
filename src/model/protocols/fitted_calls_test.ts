import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { chat_completions } from "./chat_completions.ts";
import { without_refused_parts } from "./fitted_calls.ts";
import type { Message, ToolCall } from "../message.ts";
import type { RefusedPart } from "../refusals.ts";

const call = (id: string): ToolCall => ({ id, name: "read", arguments: '{"path":"a"}' });
const result = (id: string): Message => ({ role: "tool", tool_call_id: id, content: `of ${id}` });
const LONG = "hqNsR3Vmx7a8bPqLzK0WJ5dC2uYtE6gf";
const MESSAGES: readonly Message[] = [
  { role: "system", content: "S" },
  { role: "user", content: "U" },
  { role: "assistant", content: "Two.", tool_calls: [call("call_1"), call("abcdefgh1")] },
  result("call_1"),
  result("abcdefgh1"),
  { role: "assistant", content: "", tool_calls: [call(LONG)] },
  result(LONG),
];

interface Wired {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

function sent(refused: readonly RefusedPart[], messages = MESSAGES): Wired[] {
  return JSON.parse(
    `[${without_refused_parts(chat_completions, new Set(refused)).encode(messages)}]`,
  );
}

const shape = (messages: readonly Wired[]) =>
  messages.map(({ role, tool_calls = [], tool_call_id }) =>
    [role, ...tool_calls.map(({ id }) => id), tool_call_id ?? ""].join(" ").trim()
  );

Deno.test("what no server has refused is sent as it is", () => {
  strictEqual(without_refused_parts(chat_completions, new Set(["tool_choice"])), chat_completions);
});

Deno.test("no text beside calls, and all other text", () => {
  deepStrictEqual(
    sent(["text_with_calls"], [...MESSAGES, { role: "assistant", content: "A" }])
      .map(({ role, content }) => role === "assistant" ? content : ""),
    ["", "", "", "", "", "", "", "A"],
  );
});

Deno.test("nothing goes back to who refuses it", () => {
  const items = [{ reasoning_details: ["T"], extra_content: [] }];
  const kept = { wire: "chat_completions", items } as const;
  const said = { role: "assistant", content: "A", kept } as const;
  const details = (refused: readonly RefusedPart[]) =>
    sent(refused, [said]).map((message) => "reasoning_details" in message);
  deepStrictEqual([details([]), details(["returned"])], [[true], [false]]);
});

Deno.test("one call a message: each with its result behind it", () => {
  deepStrictEqual(shape(sent(["several_calls"])), [
    "system",
    "user",
    "assistant call_1",
    "tool call_1",
    "assistant abcdefgh1",
    "tool abcdefgh1",
    `assistant ${LONG}`,
    `tool ${LONG}`,
  ]);
  deepStrictEqual(sent(["several_calls"]).map(({ content }) => content).slice(2, 6), [
    "Two.",
    "of call_1",
    "",
    "of abcdefgh1",
  ]);
});

Deno.test("ids of nine letters and digits: the same for a call and its result, and in every request", () => {
  const messages = sent(["call_ids"]);
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const results = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  deepStrictEqual(ids, results);
  for (const id of ids) match(id, /^[a-z0-9]{9}$/);
  strictEqual(new Set(ids).size, 3);
  strictEqual(ids[1], "abcdefgh1", "one that fits stays");
  deepStrictEqual(sent(["call_ids"], MESSAGES.slice(5)), messages.slice(5));
});

Deno.test("both at once", () => {
  const messages = sent(["several_calls", "call_ids"]);
  deepStrictEqual(
    messages.map(({ role }) => role).join(" "),
    "system user assistant tool " +
      "assistant tool assistant tool",
  );
  for (const [at, { tool_calls }] of messages.entries()) {
    if (tool_calls !== undefined) strictEqual(messages[at + 1]?.tool_call_id, tool_calls[0]?.id);
  }
});
