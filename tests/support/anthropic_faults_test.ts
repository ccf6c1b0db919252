/** The scripted Claude is as strict as it says. */
import assert from "node:assert/strict";
import { anthropic_faults } from "./anthropic_faults.ts";

type Obj = Readonly<Record<string, unknown>>;

const text = (text: string) => ({ type: "text", text });
const user = (...content: readonly unknown[]) => ({ role: "user", content });
const reply = (...content: readonly unknown[]) => ({ role: "assistant", content });
const use = (id: string, more: Obj = {}) => ({
  type: "tool_use",
  id,
  name: "t",
  input: {},
  ...more,
});
const result = (tool_use_id: string, more: Obj = {}) => ({
  type: "tool_result",
  tool_use_id,
  content: "x",
  ...more,
});
const thought = (signature: string) => ({ type: "thinking", thinking: "T", signature });
const TOOL = { name: "t", description: "d", input_schema: { type: "object" } };
const MARK = { type: "ephemeral" };

function faults(more: Obj): string[] {
  const body = { model: "m", max_tokens: 2048, messages: [user(text("U"))], ...more };
  return anthropic_faults(body, (_, signature) => signature === "good");
}

const talk = (...messages: readonly unknown[]) => ({ messages: [user(text("U")), ...messages] });

const GOOD: readonly Obj[] = [
  {},
  { tools: [TOOL], tool_choice: { type: "none" }, cache_control: MARK, temperature: 1 },
  { system: [{ ...text("S"), cache_control: MARK }], stream: true },
  { thinking: { type: "enabled", budget_tokens: 1024 } },
  { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
  talk(reply(thought("good"), text("So."), use("a"), use("b")), user(result("b"), result("a"))),
  talk(reply(use("a")), user(result("a", { content: undefined }), text("More."))),
];

const BAD: readonly (readonly [Obj, RegExp])[] = [
  [{ max_tokens: undefined }, /^max_tokens: Field required$/],
  [{ max_tokens: 0 }, /^max_tokens/],
  [{ model: "" }, /^model/],
  [{ reasoning_effort: "low" }, /^reasoning_effort: Extra inputs/],
  [{ messages: [] }, /at least one message/],
  [{ tools: [] }, /^tools/],
  [{ tool_choice: { type: "auto" } }, /^tool_choice/],
  [{ tools: [TOOL], tool_choice: "auto" }, /^tool_choice/],
  [{ tools: [{ ...TOOL, type: "function" }] }, /^tools\.0\.type: Extra/],
  [{ tools: [{ ...TOOL, input_schema: undefined }] }, /^tools\.0\.input_schema/],
  [{ system: [text(" ")] }, /non-whitespace/],
  [{ temperature: 1.5 }, /^temperature/],
  [{ temperature: 0.5, thinking: { type: "adaptive" } }, /^`temperature`/],
  [{ thinking: { type: "enabled", budget_tokens: 1000 } }, /1024/],
  [{ thinking: { type: "enabled", budget_tokens: 2048 } }, /must be greater/],
  [{ messages: [user(...Array(5).fill({ ...text("x"), cache_control: MARK }))] }, /maximum of 4/],
  [{ messages: [user()] }, /non-empty content/],
  [{ messages: [{ role: "user", content: "U", name: "x" }] }, /name: Extra/],
  [{ messages: [user(text("\n"))] }, /non-whitespace/],
  [{ messages: [reply(text("x"))] }, /alternate/],
  [talk(user(text("x"))), /alternate/],
  [talk(reply(text("x"))), /end with a user message/],
  [talk(reply(use("a")), user(text("x"))), /without `tool_result`/],
  [talk(reply(use("a")), user(text("x"), result("a"))), /results come first/],
  [talk(reply(text("x")), user(result("a"))), /unexpected `tool_use_id`/],
  [talk(reply(use("a"), use("a")), user(result("a"))), /must be unique/],
  [talk(reply(use("a:0")), user(result("a:0"))), /should match pattern/],
  [talk(reply(use("a", { input: "{}" })), user(result("a"))), /not a dictionary/],
  [talk(reply(use("a")), user(result("a", { content: "" }))), /content: empty/],
  [talk(reply(use("a")), user(result("a", { content: [text("")] }))), /non-whitespace/],
  [talk(reply(use("a")), user(result("a", { ok: false }))), /ok: Extra/],
  [talk(reply(thought("bad"), use("a")), user(result("a"))), /Invalid `signature`/],
  [talk(reply(result("a")), user(text("x"))), /no block of a message of assistant/],
  [{ messages: [user({ type: "image", source: { type: "url" } })] }, /not an image/],
];

Deno.test("the scripted Claude takes what Anthropic takes", () => {
  for (const body of GOOD) assert.deepEqual(faults(body), [], JSON.stringify(body));
});

Deno.test("the scripted Claude refuses what Anthropic refuses", () => {
  for (const [body, words] of BAD) {
    const found = faults(body);
    assert.ok(found.some((fault) => words.test(fault)), `${JSON.stringify(body)}: ${found}`);
  }
});
