/** Adds the tools that the first request does not wait for: those of MCP servers, and skills. All of it comes through the tape. */
import { null_on_abort } from "./interrupt.ts";
import type { ToolCall } from "../model/message.ts";
import { schema_of } from "../tools/declared/every_tool.ts";
import { skill, skill_with, tool_search } from "../tools/declared/agent_level_tools.ts";
import { is_deferred } from "../tools/declared/deferral.ts";
import { BETWEEN, type McpTool } from "../tools/mcp_server.ts";
import type { Parameters, Tool } from "../tools/tool.ts";
import { offer_tools } from "./offer_tools.ts";
import type { Session } from "./session.ts";

/** Schemas of all servers that are offered without being looked for: a tenth of what a window of 32k holds beside them. */
const TOGETHER_BYTES = 3000;

/**
 * Before calls are made: takes in what there is by now. A small window waits for servers only where the model looks for a tool or calls one of
 * theirs; a large one before its second request, in which their tools are offered if they are few, and so are skills.
 */
export async function learn_tools(
  session: Session,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<void> {
  const services = await session.services();
  const { mcp, skills, tools: before } = services;
  if (mcp === null && skills === null) return;
  const { context_window } = session.endpoint;
  const deferral = { setting: (mcp ?? skills)?.setting ?? "auto", context_window };
  const offers = !is_deferred({ name: "", offered: "in_large_windows" }, deferral);
  const wanted = (...names: readonly string[]) => calls.some(({ name }) => names.includes(name));
  // A subagent has what its parent knows of.
  const seeks = offers || wanted(tool_search.name, "delegate_task");
  if (mcp !== null && (seeks || calls.some(({ name }) => name.includes(BETWEEN)))) {
    const listed = await session.tape.ask(
      "mcp_tools",
      () => Promise.race([mcp.tools(), null_on_abort(signal)]),
    );
    const others = services.tools.filter((tool) => tool.mcp === undefined);
    if (listed !== null) services.tools = [...others, ...listed.map(tool_of)];
  }
  const described = before.some(({ name, offered }) => name === skill.name && offered !== "never");
  if (skills !== null && !described && (seeks || wanted(skill.name))) {
    const known = skill_with(await session.tape.ask("skills", () => skills.list()));
    services.tools = services.tools.map((tool) => tool.name === skill.name ? known : tool);
  }
  const news = services.tools.filter((tool) => !before.includes(tool));
  const at_once = news.filter((tool) => !is_deferred(tool, deferral));
  const bytes = at_once.reduce((sum, tool) => sum + JSON.stringify(schema_of(tool)).length, 0);
  if (deferral.setting !== "auto" || bytes <= TOGETHER_BYTES) offer_tools(session, at_once);
}

function tool_of(
  { name, description, parameters, server, tool, read_only, definition }: McpTool,
): Tool<unknown> {
  return {
    name,
    description,
    parameters: parameters as unknown as Parameters,
    kind: "other",
    read_only,
    offered: "in_large_windows",
    mcp: { server, tool, read_only, definition },
    summary: (args) => JSON.stringify(args),
  };
}
