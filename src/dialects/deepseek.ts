import { named_dialect } from "./named_calls.ts";
import { xml_dialect } from "./xml_calls.ts";

/** The bars are full-width and the blanks a mark of their own; some gateways print plain ones of either (of both, Kimi does). */
const token = (words: string) => {
  const [marked, plain] = [words.replaceAll(" ", "▁"), words.replaceAll(" ", "_")];
  return [`<｜${marked}｜>`, `<｜${plain}｜>`, `<|${marked}|>`];
};
const OPENINGS = [...token("tool calls begin"), ...token("tool call begin")];
const mark = (words: string) => `<[｜|]${words.replaceAll(" ", "[▁_]")}[｜|]>`;
const AFTER = `(?:${mark("tool call end")})?\\s*(?:${mark("tool calls end")})?`;

/** DeepSeek V3 and R1: the word `function` is where later models have the name, and the arguments are fenced. */
export const deepseek_v3 = named_dialect({
  name: "deepseek-v3",
  openings: OPENINGS,
  anywhere: true,
  name_part: `(?:${mark("tool call begin")})?\\s*function\\s*${mark("tool sep")}\\s*([\\w.-]+)`,
  between: "(?:```(?:json)?)?",
  after: `(?:\`\`\`)?\\s*${AFTER}`,
});

export const deepseek_v31 = named_dialect({
  name: "deepseek-v3.1",
  openings: OPENINGS,
  anywhere: true,
  name_part: `(?:${mark("tool call begin")})?\\s*(?!function\\s*<)([\\w.-]+)`,
  between: mark("tool sep"),
  after: AFTER,
});

/** Step 3 puts tags between DeepSeek's marks. */
export const step3 = xml_dialect({
  name: "step3",
  openings: [...OPENINGS, '<steptml:invoke name="'],
  anywhere: true,
  call: `(?:${mark("tool call begin")})?\\s*(?:function\\s*${
    mark("tool sep")
  })?\\s*<steptml:invoke name="([^"]+)">`,
  argument: '<steptml:parameter name="([^"]+)">',
  argument_end: "</steptml:parameter>",
  call_end: "</steptml:invoke>",
  after: AFTER,
  line_breaks: "one",
});

/** DeepSeek V3.2 and V4: each argument says itself whether it is text. */
export const deepseek_dsml = xml_dialect({
  name: "deepseek-dsml",
  openings: ["<｜DSML｜function_calls>", "<｜DSML｜tool_calls>", '<｜DSML｜invoke name="'],
  anywhere: true,
  call: '<｜DSML｜invoke name="([^"]+)">',
  argument: '<｜DSML｜parameter name="([^"]+)"(?: string="(?:true|false)")?>',
  argument_end: "</｜DSML｜parameter>",
  call_end: "</｜DSML｜invoke>",
  after: "</｜DSML｜(?:function|tool)_calls>",
  line_breaks: "none",
});
