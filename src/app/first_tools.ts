/** Which tools the first request offers. */
import { tools_of } from "../agent/mode.ts";
import type { Mode } from "../guards/rule.ts";
import { lazy } from "../lazy.ts";
import type { Endpoint } from "../model/server/provider.ts";
import { MEMORY_TOOLS } from "../tools/declared/memory.ts";
import { BASIC_TOOLS, schema_of } from "../tools/declared/basic_tools.ts";
import { is_deferrable, is_deferred, tool_search_with } from "../tools/declared/tool_search.ts";
import { view_image } from "../tools/declared/view_image.ts";
import type { Tool, ToolSchema } from "../tools/tool.ts";
import type { RunSettings } from "./settings.ts";

/**
 * What the first request offers. It does not wait for a server to say how large its window is, and what is offered never
 * shrinks: where the window is not known by then, `auto` defers.
 */
export async function first_tools(
  setting: RunSettings["settings"]["tools"]["deferred"],
  {
    mode,
    endpoint: { context_window, sees },
    describes,
    memory,
    sessions,
    person,
    mcp,
    skills,
    only,
  }: {
    readonly mode: Mode;
    readonly endpoint: Endpoint;
    readonly describes: boolean;
    readonly memory: boolean;
    readonly sessions: boolean;
    /** Whether somebody can answer. */
    readonly person: boolean;
    /** Names of servers. */
    readonly mcp: readonly string[];
    readonly skills: readonly string[];
    /** The tools that the user has named; null: all. */
    readonly only: readonly string[] | null;
  },
): Promise<readonly ToolSchema[]> {
  const basic = tools_of(mode, [...BASIC_TOOLS, ...(memory ? MEMORY_TOOLS : [])]);
  const has_use = ({ needs }: Tool<unknown>) =>
    (needs !== "sight" || describes || sees !== false) && (needs !== "store" || sessions) &&
    (needs !== "person" || person);
  const finder = tool_search_with({ servers: mcp, skills });
  // Who names them wants them in sight; what a server has is not known yet.
  if (only !== null) {
    const named = (await every_tool()).filter((tool) => only.includes(tool.name) && has_use(tool));
    const usable = tools_of(mode, named).filter(({ needs }) => memory || needs !== "memory");
    const remote = only.some((name) => name.includes("__"));
    return [...usable, ...(remote ? [finder] : [])].map(schema_of);
  }
  const at_once = (tools: readonly Tool<unknown>[]) =>
    tools.filter((tool) => has_use(tool) && !is_deferred(tool, { setting, context_window }));
  // Where all the others are deferred, their modules are not needed either.
  if (is_deferred({ name: "", offered: "deferrable" }, { setting, context_window })) {
    return [...basic, ...at_once([view_image]), finder].map(schema_of);
  }
  const all = (await every_tool()).filter((tool) => is_deferrable(tool) && has_use(tool));
  const first = at_once(all);
  const hidden = first.length < all.length || mcp.length > 0 || skills.length > 0;
  return [...basic, ...first, ...(hidden ? [finder] : [])].map(schema_of);
}

/** What `tools.deferred` names and can't be deferred. */
export async function deferred_warnings(
  setting: RunSettings["settings"]["tools"]["deferred"],
): Promise<readonly string[]> {
  if (typeof setting === "string") return [];
  const names = (await every_tool()).filter(is_deferrable).map(({ name }) => name);
  return setting.filter((name) => !names.includes(name))
    .map((name) =>
      `tools.deferred: ${name} is not a tool that can be deferred; known: ${names.join(", ")}`
    );
}

async function every_tool(): Promise<readonly Tool<unknown>[]> {
  const { EVERY_TOOL } = await lazy<typeof import("../tools/declared/every_tool.ts")>(
    "../tools/declared/every_tool.ts",
    import.meta.url,
  );
  return EVERY_TOOL;
}
