import { xml_dialect } from "./xml_calls.ts";

/** GLM 4.5 to 4.7, the last without line breaks. A call without arguments is the bare name. */
export const glm = xml_dialect({
  name: "glm",
  openings: ["<tool_call>"],
  anywhere: true,
  call: "([A-Za-z_][\\w.-]*)\\s*(?=<)",
  start: /^\s*(?:[A-Za-z_][\w.-]*\s*(?:<[^]*)?)?$/,
  argument: "<arg_key>([^<]+)</arg_key>\\s*<arg_value>",
  argument_end: "</arg_value>",
  call_end: "</tool_call>",
  after: "(?!)",
  line_breaks: "none",
});
