import { json_dialect } from "./json_calls.ts";

/** Qwen, Hermes and many others, where nobody has asked them for it. */
export const hermes_leak = json_dialect({
  name: "hermes",
  openings: ["<tool_call>"],
  anywhere: "sentence",
  after: /<\/tool_call>/,
});

/** Phi 4 mini, Firefunction. */
export const functools = json_dialect({
  name: "functools",
  openings: ["functools[", "functools ["],
});

/** Qwen2.5-Coder uses the tag in which its prompt lists the tools. */
export const tools_tag = json_dialect({
  name: "qwen2.5-coder",
  openings: ["<tools>"],
  after: /<\/tools>/,
});

/** Nemotron v2. */
export const nemotron = json_dialect({
  name: "nemotron",
  openings: ["<TOOLCALL>"],
  anywhere: true,
  after: /<\/TOOLCALL>/,
});

export const internlm2 = json_dialect({
  name: "internlm2",
  openings: ["<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"],
  anywhere: true,
  after: /<\|action_end\|>/,
});

/** Apertus: the name is the key. */
export const apertus = json_dialect({
  name: "apertus",
  openings: ["<|tools_prefix|>"],
  anywhere: true,
  after: /<\|tools_suffix\|>/,
  keyed: true,
});

/** GigaChat 3. */
export const gigachat = json_dialect({
  name: "gigachat",
  openings: [
    "<|function_call|>",
    "<|message_sep|>function call",
    "<|message_sep|>function call<|role_sep|>",
  ],
  anywhere: true,
});

/** Command R7B; Command R+ writes a fenced list behind `Action:`. */
export const command_r = json_dialect({
  name: "command-r",
  openings: ["<|START_ACTION|>", "Action: ```json", "Action:```json", "Action:\n```json"],
  after: /<\|END_ACTION\|>/,
});
