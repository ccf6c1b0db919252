import { named_dialect } from "./named_calls.ts";
import { xml_dialect } from "./xml_calls.ts";

/** What Kimi K2 writes around the arguments of a call. */
const AROUND_ARGUMENTS = {
  between: "(?:<\\|tool_call_argument_begin\\|>)?",
  after: "(?:<\\|tool_call_end\\|>)?\\s*(?:<\\|tool_calls_section_end\\|>)?",
};

/** Kimi K2. The name is part of an id, `functions.read:0`; servers drop some of the marks, or all. */
export const kimi_k2 = named_dialect({
  name: "kimi-k2",
  openings: ["<|tool_calls_section_begin|>", "<|tool_call_begin|>"],
  anywhere: true,
  name_part: "(?:<\\|tool_call_begin\\|>)?\\s*(?:functions\\.)?([\\w-]+)(?::\\d+)?",
  ...AROUND_ARGUMENTS,
});

/** Kimi K2 without its first marks. */
export const kimi_k2_bare = named_dialect({
  name: "kimi-k2",
  openings: ["functions."],
  name_part: "([\\w-]+):\\d+",
  ...AROUND_ARGUMENTS,
});

export const kimi_k3 = xml_dialect({
  name: "kimi-k3",
  openings: ["<|open|>tools<|sep|>", '<|open|>call tool="'],
  anywhere: true,
  call: '<\\|open\\|>call tool="([^"]+)"(?: index="\\d+")?<\\|sep\\|>',
  argument: '<\\|open\\|>argument key="([^"]+)"(?: type="\\w+")?<\\|sep\\|>',
  argument_end: "<\\|close\\|>argument<\\|sep\\|>",
  call_end: "<\\|close\\|>call<\\|sep\\|>",
  after: "<\\|close\\|>tools<\\|sep\\|>(?:\\s*<\\|close\\|>message<\\|sep\\|>)?",
  line_breaks: "none",
});
