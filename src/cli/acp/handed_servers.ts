import type { McpServer } from "@agentclientprotocol/sdk";

/** MCP servers of a client in the format of `--mcp-config`. */
export function handed_json(servers: readonly McpServer[]): string {
  const table = (pairs: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  const mcpServers = Object.fromEntries(servers.map((server) => {
    if ("url" in server) {
      const { name, type, url, headers } = server;
      return [name, { type, url, headers: table(headers) }];
    }
    const { name, command, args, env } = server;
    return [name, { command, args, env: table(env) }];
  }));
  return JSON.stringify({ mcpServers });
}
