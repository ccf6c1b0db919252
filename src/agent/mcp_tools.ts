/** How a run comes to know the tools of MCP servers, which start while its first request is in flight. Their lists come through the tape. */
import type { ToolCall } from "../model/message.ts";
import { schema_of } from "../tools/declared/registry.ts";
import { is_deferred, tool_search } from "../tools/declared/tool_search.ts";
import { BETWEEN, type McpTool } from "../tools/mcp_server.ts";
import type { Parameters, Tool } from "../tools/tool.ts";
import { offer } from "./offer.ts";
import type { Session } from "./session.ts";

/** Schemas of all servers that are offered without being looked for: a tenth of what a window of 32k holds beside them. */
const TOGETHER_BYTES = 3000;

/**
 * Before calls are made: takes in what servers have by now. A small window waits for them only where the model looks for a tool or calls one of
 * theirs; a large one before its second request, in which they are offered if they are few.
 */
export async function learn_tools(
  session: Session,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<void> {
  const services = await session.services();
  const { mcp } = services;
  if (mcp === null) return;
  const { context_window } = session.endpoint;
  const deferral = { setting: mcp.setting, context_window };
  const offers = !is_deferred({ name: "", offered: "deferrable" }, deferral);
  const asked = calls.some(({ name }) => name === tool_search.name || name.includes(BETWEEN));
  if (!offers && !asked) return;
  const listed = await session.tape.ask(
    "mcp_tools",
    () => Promise.race([mcp.tools(), given_up(signal)]),
  );
  if (listed === null) return;
  const tools = listed.map(tool_of);
  services.tools = [...services.tools.filter((tool) => tool.mcp === undefined), ...tools];
  const at_once = tools.filter((tool) => !is_deferred(tool, deferral));
  const bytes = at_once.reduce((sum, tool) => sum + JSON.stringify(schema_of(tool)).length, 0);
  if (mcp.setting !== "auto" || bytes <= TOGETHER_BYTES) offer(session, at_once);
}

function tool_of(
  { name, description, parameters, server, tool, read_only }: McpTool,
): Tool<unknown> {
  return {
    name,
    description,
    parameters: parameters as unknown as Parameters,
    read_only,
    offered: "deferrable",
    mcp: { server, tool, read_only },
    summary: (args) => JSON.stringify(args),
  };
}

function given_up(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}
