/** Which tools the first request offers. */
import { tools_of } from "../agent/mode.ts";
import type { Mode } from "../guards/rule.ts";
import type { Endpoint } from "../model/server/provider.ts";
import { is_deferrable, is_deferred } from "../tools/declared/deferral.ts";
import { tool_search_with } from "../tools/declared/agent_level_tools.ts";
import { EVERY_TOOL, schema_of } from "../tools/declared/every_tool.ts";
import type { Tool, ToolSchema } from "../tools/tool.ts";
import type { RunSettings } from "./settings.ts";

/** What the first request offers, without waiting for the window: if it is unknown, `auto` defers. The offer never shrinks. */
export function first_tools(
  setting: RunSettings["settings"]["tools"]["deferred"],
  run: {
    readonly mode: Mode;
    readonly endpoint: Endpoint;
    readonly describes: boolean;
    readonly memory: boolean;
    readonly sessions: boolean;
    /** Whether somebody can answer. */
    readonly person: boolean;
    /** Whether there is anything that `web_fetch` could ask. */
    readonly web: boolean;
    readonly mcp: readonly string[];
    readonly skills: readonly string[];
    /** The tools that the user has named; null: all. */
    readonly only: readonly string[] | null;
  },
): readonly ToolSchema[] {
  const { mode, endpoint: { context_window, sees }, memory, mcp, skills, only } = run;
  const basic = tools_of(mode, EVERY_TOOL.filter(({ offered }) => offered === "always"))
    .filter(({ needs }) => memory || needs !== "memory");
  const has_use = ({ needs }: Tool<unknown>) =>
    (needs !== "sight" || run.describes || sees !== false) &&
    (needs !== "store" || run.sessions) && (needs !== "person" || run.person) &&
    (needs !== "net" || run.web);
  const finder = tool_search_with({ servers: mcp, skills });
  // A user who names tools wants them offered at once; those of servers are not known yet.
  if (only !== null) {
    const named = EVERY_TOOL.filter((tool) => only.includes(tool.name) && has_use(tool));
    const usable = tools_of(mode, named).filter(({ needs }) => memory || needs !== "memory");
    const remote = only.some((name) => name.includes("__"));
    return [...usable, ...(remote ? [finder] : [])].map(schema_of);
  }
  const at_once = (tools: readonly Tool<unknown>[]) =>
    tools.filter((tool) => has_use(tool) && !is_deferred(tool, { setting, context_window }));
  const all = EVERY_TOOL.filter((tool) => is_deferrable(tool) && has_use(tool));
  const first = at_once(all);
  const hidden = first.length < all.length || mcp.length > 0 || skills.length > 0;
  return [...basic, ...first, ...(hidden ? [finder] : [])].map(schema_of);
}

/** What `tools.deferred` names and can't be deferred. */
export function deferred_warnings(
  setting: RunSettings["settings"]["tools"]["deferred"],
): readonly string[] {
  if (typeof setting === "string") return [];
  const names = EVERY_TOOL.filter(is_deferrable).map(({ name }) => name);
  return setting.filter((name) => !names.includes(name))
    .map((name) =>
      `tools.deferred: ${name} is not a tool that can be deferred; known: ${names.join(", ")}`
    );
}
