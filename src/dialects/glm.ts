import type { Dialect } from "./dialect.ts";
import { xml_dialect } from "./xml_calls.ts";

/** A call without arguments is the bare name. */
const keys_and_values = (name: string, prefix: string): Dialect =>
  xml_dialect({
    name,
    openings: [`<${prefix}tool_call>`],
    anywhere: true,
    call: "([A-Za-z_][\\w.-]*)\\s*(?=<)",
    start: /^\s*(?:[A-Za-z_][\w.-]*\s*(?:<[^]*)?)?$/,
    argument: `<${prefix}arg_key>([^<]+)</${prefix}arg_key>\\s*<${prefix}arg_value>`,
    argument_end: `</${prefix}arg_value>`,
    call_end: `</${prefix}tool_call>`,
    after: "(?!)",
    line_breaks: "none",
  });

/** GLM 4.5 to 4.7, the last without line breaks. */
export const glm = keys_and_values("glm", "");

/** LongCat: the same tags under its own name. */
export const longcat = keys_and_values("longcat", "longcat_");
