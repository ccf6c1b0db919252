/** Describes tools to a model without native tool calls, in the words that Qwen and Hermes models were trained on. */
import { defused } from "../config/text.ts";
import type { ToolSchema } from "../tools/tool.ts";
import { hermes_block } from "./hermes.ts";

/** The tools and how they are called, for the system message. The same bytes for the same tools. */
export function catalog(tools: readonly ToolSchema[]): string {
  return `# Tools
These are your tools, with a JSON schema of their arguments:
<tools>
${tools.map((tool) => JSON.stringify(tool)).join("\n")}
</tools>
To call one, write a block like this, on lines of its own and outside of code fences:
${hermes_block("read", '{"path":"README.md"}')}
Inside it is one JSON object: in strings, line breaks are \\n and quotes are \\". Several blocks may follow one another. ` +
    `After your calls, stop: the results come back in <tool_response> tags, in the same order. To end, answer without a block.`;
}

/** The result of a call as the model reads it. Only `hamr` may speak in this tag. */
export function response(content: string): string {
  return `<tool_response>\n${defused(content, "tool_response")}\n</tool_response>`;
}
