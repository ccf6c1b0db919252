/** Starts MCP servers as a run does, to check whether they answer. */
import type { RunOptions } from "../../app/run_options.ts";
import { hide_address } from "../../config/render.ts";
import { cut, one_line, plural } from "../../config/text.ts";
import { command_policy } from "../../app/command_policy.ts";
import type { Layer } from "../../sandbox/enforce/apply.ts";
import type { Policy } from "../../sandbox/policy.ts";
import { NO_RESULTS } from "../../tools/limits.ts";
import { type McpServer, permission_words } from "../../tools/mcp_server.ts";
import { McpServers, type ServerState } from "../../tools/mcp/servers.ts";
import { ToolsClient } from "../../tools/worker/client.ts";

/** Applies the policy, starts the servers under it and ends them. If more is to be asked, this thread keeps its rights. Rejects with `ToolsError`. */
export async function looked_at<Answer>(policy: Policy, { servers, warn, data_dir, ask }: {
  servers: readonly McpServer[];
  warn: (line: string) => void;
  /** Where it is written down what they must leave as it is; absent: nobody hears `warn`. */
  data_dir?: string | null;
  ask?: (servers: McpServers) => Promise<Answer>;
}): Promise<{
  readonly layers: readonly Layer[];
  readonly in_force: Policy;
  readonly servers: readonly ServerState[];
  readonly answer: Answer | undefined;
}> {
  const { workspace } = policy;
  const mcp = servers.length === 0
    ? null
    : new McpServers(servers, { folders: [workspace], warn, progress() {}, ask: null });
  const of_mcp = mcp === null
    ? {}
    : { mcp, first: mcp.confine(policy, { support: null, marked: false }) };
  const keeps = ask === undefined ? {} : { embedded: true as const };
  const watch = data_dir === undefined ? {} : { watch: { data_dir, warn } };
  const options = { limits: NO_RESULTS, bash_timeout_s: 1, ...of_mcp, ...keeps, ...watch };
  const tools_client = new ToolsClient(policy, options);
  try {
    const { layers, policy: in_force } = await tools_client.ready;
    const states = await mcp?.states() ?? [];
    const answer = mcp === null ? undefined : await ask?.(mcp);
    return { layers, in_force, servers: states, answer };
  } finally {
    await tools_client.close();
    if (tools_client.violation !== null) warn(tools_client.violation);
  }
}

export type AskingPlace = Pick<RunOptions, "place" | "flags" | "io">;

/** Asks servers that no task has started: they are started for it under the policy of a run, and ended again. */
export async function ask_apart<Answer>(
  servers: readonly McpServer[],
  { place, flags, io }: AskingPlace,
  ask: (servers: McpServers) => Promise<Answer>,
): Promise<Answer> {
  const { policy } = await command_policy("ask", place, { flags, io });
  const { answer } = await looked_at(policy, { servers, warn() {}, ask });
  return answer!;
}

/** A line a server, and where each comes from; how to add one, where there is none. */
export function server_rows(servers: readonly McpServer[]): readonly string[] {
  if (servers.length === 0) return [`No MCP servers: ${how_to_add("NAME")}`];
  const width = Math.max(...servers.map(({ name }) => name.length));
  return servers.map(({ name, by, where }) => {
    const what = by.kind === "http" ? hide_address(by.url) : by.written.map(one_line).join(" ");
    const less = by.kind === "stdio" && by.permissions !== undefined
      ? `  [${one_line(permission_words(by.permissions))}]`
      : "";
    return `${name.padEnd(width)}  ${cut(what, 200)}${less}  (${one_line(where)})`;
  });
}

export function how_to_add(name: string): string {
  return `add [mcp.${name}] with a command or a url to your settings (hamr config path)`;
}

/** What a server has, or why it can't be used; and what it was given. */
export function server_summary({ server: { by }, tools, down, granted }: ServerState): string {
  if (down !== null) return `not usable: ${down}`;
  const count = plural(tools.length, "tool");
  if (by.kind === "http") return `${count}, at ${new URL(by.url).host}`;
  const names = Object.keys(by.env);
  const given = names.length === 0 ? "" : `, with ${names.join(" ")} in its environment`;
  const less = granted === undefined ? "" : `; ${permission_words(granted)}`;
  return `${count}, in the sandbox${given}${less}`;
}
