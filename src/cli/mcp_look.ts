/** Starts MCP servers as a run does, to see whether they answer. */
import { plural } from "../config/text.ts";
import type { Layer } from "../sandbox/enforce/apply.ts";
import type { Policy } from "../sandbox/policy.ts";
import { NO_RESULTS } from "../tools/limits.ts";
import type { McpServer } from "../tools/mcp_server.ts";
import { McpServers, type ServerState } from "../tools/mcp/servers.ts";
import { ToolsClient } from "../tools/worker/client.ts";

/** Puts the policy in force, starts the servers under it, and ends them again. Rejects with `ToolsError`. */
export async function looked_at(
  policy: Policy,
  { servers, warn }: {
    readonly servers: readonly McpServer[];
    readonly warn: (line: string) => void;
  },
): Promise<{
  readonly layers: readonly Layer[];
  readonly in_force: Policy;
  readonly servers: readonly ServerState[];
}> {
  const { workspace } = policy;
  const mcp = servers.length === 0
    ? null
    : new McpServers(servers, { workspace, warn, progress() {} });
  const options = { limits: NO_RESULTS, bash_timeout_s: 1, ...(mcp === null ? {} : { mcp }) };
  const tools_client = new ToolsClient(policy, options);
  try {
    const { layers, policy: in_force } = await tools_client.ready;
    return { layers, in_force, servers: await mcp?.states() ?? [] };
  } finally {
    await tools_client.close();
  }
}

/** What a server has, or why it can't be used; and what it was given. */
export function server_words({ server: { by }, tools, down }: ServerState): string {
  if (down !== null) return `not usable: ${down}`;
  const count = plural(tools.length, "tool");
  if (by.kind === "http") return `${count}, at ${new URL(by.url).host}`;
  const names = Object.keys(by.env);
  const given = names.length === 0 ? "" : `, with ${names.join(" ")} in its environment`;
  return `${count}, in the sandbox${given}`;
}
