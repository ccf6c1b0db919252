import type { Event } from "../agent/events.ts";
import { describe, type PolicyLine } from "../sandbox/report/describe.ts";
import { type McpServer, permission_words } from "../tools/mcp_server.ts";
import { one_line } from "../config/text.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import type { Run } from "./run.ts";

export function mcp_lines(servers: readonly McpServer[]): PolicyLine[] {
  const inside = servers.filter(({ by }) => by.kind === "stdio" && by.permissions === undefined)
    .map(({ name }) => name);
  return [
    ...(inside.length === 0 ? [] : [{
      line: `MCP servers inside the sandbox, with its rights: ${inside.join(", ")}`,
      enforced_by: "as for commands",
    }]),
    ...servers.flatMap(({ name, by }) =>
      by.kind === "stdio"
        ? by.permissions === undefined ? [] : [{
          line: `the MCP server ${name} in a sandbox of its own, with fewer permissions: ${
            one_line(permission_words(by.permissions))
          }`,
          enforced_by: "as for commands",
        }]
        : [{
          line: `hamr itself sends calls of the MCP server ${name} to ${new URL(by.url).host}`,
          enforced_by: "hamr (no other host, no redirects to one)",
        }]
    ),
  ];
}

/** The first event of a run: the model, and the policy with who enforces each line of it. */
export function session_start(
  { enforced: { policy, support }, mcp, session_id }: Pick<Run, "enforced" | "mcp" | "session_id">,
  { model, provider, api_mode, context_window, window_source }: Endpoint,
): Event {
  const { workspace, read, deny_read, write, run, net, sandbox } = policy;
  return {
    type: "session_start",
    session_id,
    ...{ model, provider, api_mode, context_window, window_source, workspace },
    policy: {
      ...{ workspace, read, write, run, net, sandbox },
      deny_read: those_there(deny_read),
      env: Object.keys(policy.env),
      lines: [...describe(policy, support), ...mcp_lines(mcp.servers)],
    },
  };
}

/** The paths that exist: a machine has a few of the places where 200 programs keep keys. If that can't be found out, it counts as there. */
export function those_there(paths: readonly string[]): string[] {
  const known = new Map<string, ReadonlySet<string> | null>();
  const is_there = (path: string): boolean => {
    const at = path.lastIndexOf("/");
    const folder = path.slice(0, at) || "/";
    let names = known.get(folder);
    if (names === undefined) {
      names = folder === "/" || is_there(folder) ? names_in(folder) : new Set();
      known.set(folder, names);
    }
    return names === null || names.has(path.slice(at + 1));
  };
  return paths.filter(is_there);
}

function names_in(folder: string): ReadonlySet<string> | null {
  try {
    return new Set([...Deno.readDirSync(folder)].map(({ name }) => name));
  } catch (error) {
    const is_none = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    return is_none ? new Set() : null;
  }
}
