import { xml_dialect } from "./xml_calls.ts";

/** Qwen3-Coder, Qwen3.5, Nemotron 3, Step 3.5. They often leave out the outer opening tag. */
export const qwen3_coder = xml_dialect({
  name: "qwen3-coder-xml",
  openings: ["<tool_call>", "<function="],
  anywhere: "sentence",
  call: "<function=([^>\\s]+)>",
  argument: "<parameter=([^>]+)>",
  argument_end: "</parameter>",
  call_end: "</function>",
  after: "</tool_call>(?:\\s*</tool_call>)?",
  line_breaks: "one",
});
