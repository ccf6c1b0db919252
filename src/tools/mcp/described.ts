/** Makes an MCP server's description of its tools fit for a request. It is a stranger's text. */
import { fields } from "../../config/json.ts";
import { cut, defused } from "../../config/text.ts";
import { sha256 } from "../../permission/content_hash.ts";
import { portable } from "./portable_schema.ts";
import { BETWEEN, type McpServer, type McpTool } from "../mcp_server.ts";

/** What servers take for a tool's name (OpenAI: `^[a-zA-Z0-9_-]{1,64}$`). */
const NAME_CHARS = 64;
/** Of a description, as Claude Code does: what is longer is a manual. */
const DESCRIPTION_CHARS = 2000;
/** Of one schema; the largest of the servers in use have 12 kB. */
const SCHEMA_BYTES = 65_536;
/** Of one server: more tools nobody can tell apart. */
const MOST_TOOLS = 512;

/** What terminals act on: colors and cursors, titles. */
const ESCAPES = new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)`,
  "g",
);
/** Control characters but line breaks and tabs, and what is there and can't be seen. */
const HIDDEN = /[^\P{Cc}\n\t]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** The tools of a server, and a line for each thing that was left out of them. */
export function described(
  { name: server, tools: wanted }: Pick<McpServer, "name" | "tools">,
  listed: readonly unknown[],
): { readonly tools: readonly McpTool[]; readonly warnings: readonly string[] } {
  const tools = new Map<string, McpTool>();
  const faults: string[] = [];
  for (const raw of listed) {
    const tool = tool_of(server, raw);
    if (tool === null) continue;
    if (typeof tool === "string") faults.push(tool);
    else if (wanted.length > 0 && !wanted.includes(tool.tool)) continue;
    else if (tools.has(tool.name)) faults.push(`two tools would be called ${tool.name}`);
    else if (tools.size === MOST_TOOLS) faults.push(`more than ${MOST_TOOLS} tools`);
    else tools.set(tool.name, tool);
  }
  const missing = wanted.filter((name) => ![...tools.values()].some(({ tool }) => tool === name));
  const [first] = faults;
  return {
    tools: [...tools.values()],
    warnings: [
      ...(first === undefined ? [] : [
        faults.length === 1
          ? `a tool is left out: ${first}`
          : `${faults.length} tools are left out, the first: ${first}`,
      ]),
      ...(missing.length === 0 ? [] : [`there is no tool ${missing.join(", ")}`]),
    ],
  };
}

/** What is wrong with it, or the tool; null if it only runs as a task of the protocol, which hamr does not have. */
function tool_of(server: string, raw: unknown): McpTool | string | null {
  const { name, description, inputSchema, annotations, execution } = fields(raw);
  if (typeof name !== "string" || name === "") return "it has no name";
  if (fields(execution)["taskSupport"] === "required") return null;
  const schema = fields(inputSchema);
  const shown = cut(harmless_text(name), NAME_CHARS);
  // GitLab's server has said `{}` (zereight/gitlab-mcp#286), and a choice at the top need not say its type.
  const is_object = typeof inputSchema === "object" && (schema["type"] ?? "object") === "object";
  if (!is_object) return `${shown}: its arguments are not an object`;
  const text = JSON.stringify(schema);
  if (text.length > SCHEMA_BYTES) return `${shown}: its schema has ${text.length} bytes`;
  const said = harmless_text(typeof description === "string" ? description : "");
  return {
    server,
    tool: name,
    // As a model may write it.
    name: `${server}${BETWEEN}${name.replace(/[^A-Za-z0-9_-]/g, "_")}`.slice(0, NAME_CHARS),
    description: cut(said, DESCRIPTION_CHARS),
    parameters: portable(text),
    read_only: fields(annotations)["readOnlyHint"] === true,
    definition: sha256(new TextEncoder().encode(JSON.stringify([name, said, schema]))),
  };
}

/** Without what moves a terminal's cursor, hides itself, or looks like a word of hamr's own. */
export function harmless_text(text: string): string {
  const plain = text.replace(ESCAPES, "").replace(HIDDEN, "");
  return defused(plain, "hamr").trim();
}
