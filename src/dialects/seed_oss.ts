import { xml_dialect } from "./xml_calls.ts";

/** Seed-OSS: a value starts right behind its tag, so that each of its line breaks is its own. */
export const seed_oss = xml_dialect({
  name: "seed-oss",
  openings: ["<seed:tool_call>"],
  anywhere: true,
  call: "<function=([^>\\s]+)>",
  argument: "<parameter=([^>]+)>",
  argument_end: "</parameter>",
  call_end: "</function>",
  after: "</seed:tool_call>",
  line_breaks: "none",
});
