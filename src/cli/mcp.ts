/** `hamr mcp`: the MCP servers of the settings, and whether one of them answers. */
import { cut, one_line } from "../config/text.ts";
import { hide_address } from "../config/render.ts";
import { ToolsError } from "../tools/failure.ts";
import { prompt_help } from "../tools/mcp/prompts.ts";
import { type McpServer, permission_words } from "../tools/mcp_server.ts";
import { configured_mcp } from "../app/mcp_configured.ts";
import { exit_code } from "../app/exit_codes.ts";
import { enforceable_policy } from "../app/policy.ts";
import { settled } from "../app/settled.ts";
import { load_settings } from "../app/settings.ts";
import { StartError } from "../app/start_error.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { UsageError } from "./base/usage_error.ts";
import { looked_at, server_words } from "./servers/mcp_look.ts";

/** Of a description, in a list: its first line. */
const DESCRIPTION_CHARS = 100;

/** Runs `mcp list` or `mcp test`. Throws `UsageError`, `ConfigError` and `StartError`. */
export async function mcp(parsed: Parsed, io: Io): Promise<number> {
  const settings = await load_settings(parsed, io);
  const { servers, warnings } = await configured_mcp(settings, parsed.flags);
  for (const line of [...settings.warnings, ...warnings]) io.err(`hamr: warning: ${line}\n`);
  if (parsed.command === "mcp list") return list(servers, io);
  const [name] = parsed.operands;
  const known = servers.map((server) => server.name).join(", ") || "none";
  if (name === undefined) {
    throw new UsageError(`mcp test needs a server: hamr mcp test NAME (${known})`);
  }
  const server = servers.find((one) => one.name === name);
  if (server === undefined) {
    throw new StartError(`there is no MCP server ${one_line(name)}; known: ${known}`);
  }
  const { policy } = await enforceable_policy(settings, {
    flags: parsed.flags,
    io,
    session_id: `mcp-${crypto.randomUUID()}`,
  });
  return await test(server, { policy: settled(policy), io });
}

function list(servers: readonly McpServer[], io: Io): number {
  if (servers.length === 0) {
    io.out(
      "No MCP servers. Add [mcp.NAME] with a command or a url to your settings (hamr config path).\n",
    );
    return 0;
  }
  const width = Math.max(...servers.map(({ name }) => name.length));
  for (const { name, by, where } of servers) {
    const what = by.kind === "http"
      ? hide_address(by.url)
      : [by.command, ...by.args].map(one_line).join(" ");
    const less = by.kind === "stdio" && by.permissions !== undefined
      ? `  [${one_line(permission_words(by.permissions))}]`
      : "";
    io.out(`${name.padEnd(width)}  ${cut(what, 200)}${less}  (${one_line(where)})\n`);
  }
  return 0;
}

async function test(
  server: McpServer,
  { policy, io }: { readonly policy: Parameters<typeof looked_at>[0]; readonly io: Io },
): Promise<number> {
  // That it did not start is what the line on standard output says.
  const warn = (line: string) => {
    if (!line.includes(" did not start: ")) io.err(`hamr: warning: ${one_line(line)}\n`);
  };
  try {
    const { servers: [state] } = await looked_at(policy, { servers: [server], warn });
    if (state === undefined || state.down !== null) {
      io.out(`✗ ${server.name}: ${state === undefined ? "not started" : server_words(state)}\n`);
      return exit_code("tool_error");
    }
    io.out(`✓ ${server.name}: ${server_words(state)}\n`);
    for (const { name, description, read_only } of state.tools) {
      const words = cut(one_line(description.split("\n")[0] ?? ""), DESCRIPTION_CHARS);
      io.out(`  ${name}${read_only ? " (read-only)" : ""}: ${words}\n`);
    }
    for (const prompt of state.prompts) {
      io.out(`  ${cut(`/${prompt.name} ${prompt_help(prompt)}`, 2 * DESCRIPTION_CHARS)}\n`);
    }
    return 0;
  } catch (error) {
    throw error instanceof ToolsError ? new StartError(error.message) : error;
  }
}
