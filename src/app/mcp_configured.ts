/** The MCP servers of a run. Most runs have none, so the rest is loaded only if there are any. */
import { is_file } from "../config/paths.ts";
import { ConfigError, StartError } from "../config/error.ts";
import type { McpServer } from "../tools/mcp_server.ts";
import type { Flags } from "./flags.ts";
import type { RunSettings } from "./settings.ts";

export interface McpConfigured {
  readonly servers: readonly McpServer[];
  /** What is not used, and why, a line each. */
  readonly warnings: readonly string[];
}

export const NO_MCP: McpConfigured = { servers: [], warnings: [] };

/** Reads them. Throws a `StartError` for a file or a section that makes no sense, and where two servers have one name. */
export async function configured_mcp(
  place: RunSettings,
  flags: Pick<Flags, "mcp_config" | "mcp_handed" | "dry_run">,
): Promise<McpConfigured> {
  const { settings: { mcp }, workspace } = place;
  const named = Object.keys(mcp).length > 0 || flags.mcp_config.length > 0 ||
    flags.mcp_handed !== undefined;
  if (!named && !is_file(`${workspace}/.mcp.json`)) return NO_MCP;
  const { mcp_servers } = await import("./mcp_servers.ts");
  const { servers, warnings } = await mcp_servers(place, flags).catch((error) => {
    throw error instanceof ConfigError ? new StartError(error.message) : error;
  });
  if (!flags.dry_run || servers.length === 0) return { servers, warnings };
  return { servers: [], warnings: [...warnings, "dry run: MCP servers are not started"] };
}
