import { json_dialect } from "./json_calls.ts";
import { xml_dialect } from "./xml_calls.ts";

/** MiniMax M2; the same tags come without their frame, too, or in the one that Claude's had. */
export const minimax_m2 = xml_dialect({
  name: "minimax-m2",
  openings: ["<minimax:tool_call>", "<function_calls>", '<invoke name="'],
  anywhere: "sentence",
  call: '<invoke name="([^"]+)">',
  argument: '<parameter name="([^"]+)">',
  argument_end: "</parameter>",
  call_end: "</invoke>",
  after: "</(?:minimax:tool_call|function_calls)>",
  line_breaks: "one",
});

/** MiniMax M3: each tag has the name of the model before it, and an argument is a tag of its own. */
export const minimax_m3 = xml_dialect({
  name: "minimax-m3",
  openings: ["]<]minimax[>[<tool_call>", ']<]minimax[>[<invoke name="'],
  anywhere: true,
  call: '(?:\\]<\\]minimax\\[>\\[)?<invoke name="([^"]+)">',
  argument: "\\]<\\]minimax\\[>\\[<([\\w.-]+)>",
  argument_end: "\\]<\\]minimax\\[>\\[</$1>",
  call_end: "(?:\\]<\\]minimax\\[>\\[)?</invoke>",
  after: "\\]<\\]minimax\\[>\\[</tool_call>",
  line_breaks: "none",
});

/** MiniMax M1 prints a line of JSON a call; Jamba, Hunyuan and Apriel a list between the same tags. */
export const tool_calls_tag = json_dialect({
  name: "tool-calls-tag",
  openings: ["<tool_calls>"],
  anywhere: "sentence",
  after: /<\/tool_calls>/,
});
