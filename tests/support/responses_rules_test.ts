import assert from "node:assert/strict";
import { responses_faults } from "./responses_rules.ts";

const SYSTEM = { type: "message", role: "system", content: "you" };
const USER = { type: "message", role: "user", content: "hi" };
const REASONING = { type: "reasoning", id: "rs", summary: [], encrypted_content: "known" };
const CALL = { type: "function_call", call_id: "c", name: "ls", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "c", output: "out" };
const IMAGE = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" };
const TOOL = {
  type: "function",
  name: "ls",
  description: "Lists.",
  parameters: { type: "object", properties: {} },
  strict: false,
};

type Fields = Readonly<Record<string, unknown>>;

function said(text: unknown, more: Fields = {}): Fields {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", role: "assistant", status: "completed", content, ...more };
}

function shown(role: string, ...content: unknown[]): Fields {
  return { type: "message", role, content };
}

function faults(input: unknown, more: Fields = {}): string[] {
  const body = { model: "m", input, store: false, stream: true, ...more };
  return responses_faults(body, new Set(["known"]));
}

Deno.test("strict server of the Responses API takes what is in order", () => {
  const tools = { tools: [TOOL], tool_choice: "auto", parallel_tool_calls: true };
  const inputs: unknown[][] = [
    [USER],
    [SYSTEM, USER],
    [SYSTEM, USER, REASONING, said("a"), REASONING, CALL, OUTPUT],
    [USER, CALL, { ...CALL, call_id: "d" }, { ...OUTPUT, call_id: "d" }, OUTPUT],
    [USER, CALL, OUTPUT, shown("user", { type: "input_text", text: "Output of c:" }, IMAGE)],
    [USER, CALL, OUTPUT, said("(no reply)"), USER],
  ];
  for (const input of inputs) assert.deepEqual(faults(input, tools), [], JSON.stringify(input));
});

Deno.test("strict server of the Responses API refuses what the real one refuses", () => {
  const cases: [unknown, Fields, RegExp][] = [
    [[USER], { messages: [] }, /Unknown parameter: 'messages'/],
    [[USER], { store: true }, /stored/],
    [[USER], { max_output_tokens: 15 }, /below minimum/],
    [[USER], { include: ["everything"] }, /include/],
    [[USER], { tool_choice: "auto" }, /without tools/],
    [
      [USER],
      { tools: [{ type: "function", function: TOOL }], tool_choice: "auto" },
      /'tools\[0\]\.name'/,
    ],
    [
      [USER],
      { tools: [{ ...TOOL, name: "a b" }], tool_choice: "auto" },
      /Invalid 'tools\[0\]\.name'/,
    ],
    [[USER], { tools: [{ ...TOOL, strict: true }], tool_choice: "auto" }, /strict/],
    [[], {}, /not a list/],
    ["hi", {}, /not a list/],
    [[{ role: "user", content: "hi" }], {}, /Invalid value/],
    [[USER, USER], {}, /said after said/],
    [[USER, SYSTEM], {}, /system after the first/],
    [[USER, said("a")], {}, /last item is of answer/],
    [[USER, OUTPUT], {}, /No tool call found/],
    [[USER, CALL], {}, /No tool output found for function call c/],
    [[USER, CALL, said("a"), USER], {}, /No tool output found/],
    [[USER, CALL, OUTPUT, OUTPUT], {}, /No tool call found/],
    [[USER, CALL, OUTPUT, CALL, OUTPUT], {}, /one call_id for two calls/],
    [[USER, CALL, OUTPUT, USER], {}, /said after output/],
    [[USER, { ...CALL, arguments: "{" }, OUTPUT], {}, /do not parse/],
    [[USER, { ...CALL, arguments: "[]" }, OUTPUT], {}, /do not parse/],
    [[USER, { ...CALL, status: null }, OUTPUT], {}, /Unknown parameter: 'input\[1\]\.status'/],
    [[USER, { ...CALL, name: "a b" }, OUTPUT], {}, /Invalid 'input\[1\]\.name'/],
    [[USER, { ...CALL, call_id: "c".repeat(65) }], {}, /too long/],
    [[USER, CALL, { ...OUTPUT, output: [IMAGE] }], {}, /input\[2\]\.output/],
    [[USER, REASONING], {}, /last item is of reasoning/],
    [[USER, REASONING, USER], {}, /said after reasoning/],
    [[USER, CALL, REASONING, OUTPUT], {}, /output after reasoning/],
    [[USER, { ...REASONING, encrypted_content: "x" }, CALL, OUTPUT], {}, /could not be verified/],
    [[USER, { ...REASONING, status: "completed" }, CALL, OUTPUT], {}, /Unknown parameter/],
    [[shown("system", { type: "input_text", text: "a" }), USER], {}, /text only/],
    [[shown("user", { type: "output_text", text: "a" })], {}, /'output_text'/],
    [[shown("user", { ...IMAGE, image_url: "a.png" })], {}, /no image/],
    [[USER, shown("assistant", IMAGE), USER], {}, /'input_image'/],
    [[USER, said("a", { status: undefined }), USER], {}, /status/],
    [[USER, said(5), USER], {}, /text/],
  ];
  for (const [input, more, words] of cases) {
    assert.match(faults(input, more).join("\n"), words, JSON.stringify(input));
  }
});
