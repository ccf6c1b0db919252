import type { Event } from "../agent/events.ts";
import { describe } from "../sandbox/report/describe.ts";
import type { PolicyLine } from "../sandbox/report/describe.ts";
import { type McpServer, permission_words } from "../tools/mcp_server.ts";
import { one_line } from "../config/text.ts";
import type { Started } from "./compose.ts";

/** What MCP servers add to a policy. */
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
          line: `the MCP server ${name} in a sandbox of its own, with less: ${
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
  { session, policy, support, mcp }: Pick<Started, "session" | "policy" | "support" | "mcp">,
  session_id: string,
): Event {
  const { endpoint } = session;
  const { workspace, read, deny_read, write, run, net, sandbox } = policy;
  return {
    type: "session_start",
    session_id,
    model: endpoint.model,
    provider: endpoint.provider,
    api_mode: endpoint.api_mode,
    context_window: endpoint.context_window,
    window_source: endpoint.window_source,
    workspace,
    policy: {
      ...{ workspace, read, deny_read, write, run, net, sandbox },
      env: Object.keys(policy.env),
      lines: [...describe(policy, support), ...mcp_lines(mcp)],
    },
  };
}
