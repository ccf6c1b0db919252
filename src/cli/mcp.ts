/** `hamr mcp`: the configured MCP servers, and whether one of them answers. */
import { json_line } from "../config/json.ts";
import { cut, did_you_mean, one_line, some_of } from "../config/text.ts";
import { hide_address } from "../config/render.ts";
import { prompt_help } from "../tools/mcp/prompts.ts";
import type { ServerState } from "../tools/mcp/servers.ts";
import type { McpServer } from "../tools/mcp_server.ts";
import { configured_mcp } from "../app/mcp_configured.ts";
import { exit_code } from "../app/exit_codes.ts";
import { command_policy } from "../app/command_policy.ts";
import { load_settings } from "../app/settings.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { how_to_add, looked_at, server_rows, server_summary } from "./servers/mcp_look.ts";
import { StartError, UsageError } from "../config/error.ts";

const DESCRIPTION_CHARS = 100;

/** Runs `mcp list` or `mcp test`. Throws `UsageError`, `ConfigError` and `StartError`. */
export async function mcp(parsed: Parsed, io: Io): Promise<number> {
  const settings = await load_settings(parsed, io);
  const { servers, warnings } = await configured_mcp(settings, parsed.flags);
  for (const line of [...settings.warnings, ...warnings]) io.err(`hamr: warning: ${line}\n`);
  const { output } = parsed.flags;
  if (parsed.command === "mcp list") {
    if (output === "text") server_rows(servers).forEach((line) => io.out(`${line}\n`));
    else io.out(json_line({ type: "mcp", servers: servers.map(plain) }));
    return 0;
  }
  const [name] = parsed.operands;
  const names = servers.map(({ name }) => name);
  const known = some_of(names);
  if (name === undefined) {
    throw new UsageError(`mcp test needs a server: hamr mcp test NAME (${known || "none yet"})`);
  }
  const server = servers.find((one) => one.name === name);
  if (server === undefined) {
    const wanted = one_line(name);
    throw new StartError(
      known === ""
        ? `no MCP server ${wanted}: ${how_to_add(wanted)}`
        : `no MCP server ${wanted} can be used${did_you_mean(name, names, `; known: ${known}`)}`,
    );
  }
  const { policy } = await command_policy("mcp", settings, { flags: parsed.flags, io });
  // That it did not start is what the line on standard output says.
  const warn = (line: string) => {
    if (!line.includes(" did not start: ")) io.err(`hamr: warning: ${one_line(line)}\n`);
  };
  const looking = { servers: [server], data_dir: settings.paths.data_dir, warn };
  const { servers: [state] } = await looked_at(policy, looking);
  if (output === "text") tell(server, state, io);
  else io.out(json_line({ type: "mcp_test", ...plain_state(server, state) }));
  return state?.down === null ? 0 : exit_code("tool_error");
}

function tell({ name: server }: McpServer, state: ServerState | undefined, io: Io): void {
  if (state === undefined || state.down !== null) {
    return io.out(`✗ ${server}: ${state === undefined ? "not started" : server_summary(state)}\n`);
  }
  io.out(`✓ ${server}: ${server_summary(state)}\n`);
  for (const { name, description, read_only } of state.tools) {
    const words = cut(one_line(description.split("\n")[0] ?? ""), DESCRIPTION_CHARS);
    io.out(`  ${name}${read_only ? " (read-only)" : ""}: ${words}\n`);
  }
  for (const prompt of state.prompts) {
    io.out(`  ${cut(`/${prompt.name} ${prompt_help(prompt)}`, 2 * DESCRIPTION_CHARS)}\n`);
  }
}

/** Without values that may be secrets. */
function plain({ name, by, tools, timeout_s, where }: McpServer) {
  const at = by.kind === "http"
    ? { url: hide_address(by.url), headers: Object.keys(by.headers) }
    : plain_program(by);
  return { name, ...at, kind: by.kind, tools, timeout_s, where };
}

function plain_program({ written, env, ...by }: Extract<McpServer["by"], { kind: "stdio" }>) {
  const [command = "", ...args] = written;
  return { ...by, command, args, env: Object.keys(env) };
}

function plain_state(server: McpServer, state: ServerState | undefined) {
  const { down = "not started", tools = [], prompts = [], granted = null } = state ?? {};
  return {
    ...{ name: server.name, ok: down === null, why: down, permissions: granted },
    tools: tools.map(({ name, description, read_only, parameters }) => ({
      ...{ name, description, read_only, parameters },
    })),
    prompts: prompts.map((prompt) => ({ name: prompt.name, help: prompt_help(prompt) })),
  };
}
