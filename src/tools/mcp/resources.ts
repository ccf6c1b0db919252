/** Resources of an MCP server, offered like a tool. */
import type { Client } from "@modelcontextprotocol/client";
import { fields } from "../../config/json.ts";
import { first_line, image_of_resource, text_of_resource } from "./content.ts";
import { harmless_text } from "./described.ts";
import { pages } from "./parts.ts";
import { BETWEEN, type McpAnswer, type McpTool } from "../mcp_server.ts";

export const READ_RESOURCE = "resources/read";
const NAMED = 20;

/** What reads the resources of a server; null if it lists none. */
export async function resource_reader(
  client: Client,
  { server, timeout }: { server: string; timeout: number },
): Promise<McpTool | null> {
  const list = (method: string, of: string) =>
    pages(client, { method, of, timeout }).catch(() => []);
  const listed = [
    ...await list("resources/list", "resources"),
    ...await list("resources/templates/list", "resourceTemplates"),
  ];
  if (listed.length === 0) return null;
  const named = listed.slice(0, NAMED).map(fields)
    .map(({ uri, uriTemplate = uri }) => uriTemplate).filter((uri) => typeof uri === "string")
    .map((uri) => harmless_text(uri).slice(0, 200));
  const such = named.length === 0 ? "" : `, such as ${named.join(", ")}`;
  return {
    server,
    tool: READ_RESOURCE,
    name: `${server}${BETWEEN}read_resource`,
    description: `Read a resource of the MCP server ${server} (@${server}:URI)${such}.`,
    parameters: {
      type: "object",
      properties: { uri: { type: "string" } },
      required: ["uri"],
    },
    read_only: true,
    definition: "",
  };
}

export function resource_answer(result: unknown): McpAnswer {
  const { contents } = fields(result);
  const parts = Array.isArray(contents) ? contents : [];
  const images = parts.flatMap((part) => image_of_resource(part) ?? []);
  const { uri } = fields(parts[0]);
  return {
    ok: true,
    text: parts.map(text_of_resource).join("\n"),
    summary: first_line(String(uri ?? "")) || "nothing",
    ...(images.length === 0 ? {} : { images }),
  };
}
