/** Which tools the first request offers. */
import { tools_of } from "../agent/mode.ts";
import type { Mode } from "../guards/rule.ts";
import { type Deferral, is_deferrable, is_deferred } from "../tools/declared/deferral.ts";
import { tool_search_with } from "../tools/declared/agent_level_tools.ts";
import { EVERY_TOOL, schema_of } from "../tools/declared/every_tool.ts";
import { is_usable, type Provided, type ToolSchema } from "../tools/tool.ts";
import type { RunSettings } from "./settings.ts";

/** What the first request offers, without waiting for the window: if it is unknown, `auto` defers. The offer never shrinks. */
export function first_tools(
  deferral: Deferral,
  { mode, has, mcp, skills, only }: {
    readonly mode: Mode;
    readonly has: Provided;
    readonly mcp: readonly string[];
    readonly skills: readonly string[];
    /** The tools that the user has named; null: all. */
    readonly only: readonly string[] | null;
  },
): readonly ToolSchema[] {
  const usable = EVERY_TOOL.filter((tool) => is_usable(tool, has));
  const finder = tool_search_with({ servers: mcp, skills });
  // A user who names tools wants them offered at once; those of servers are not known yet.
  if (only !== null) {
    const named = tools_of(mode, usable.filter(({ name }) => only.includes(name)));
    const remote = only.some((name) => name.includes("__"));
    return [...named, ...(remote ? [finder] : [])].map(schema_of);
  }
  const basic = tools_of(mode, usable.filter(({ offered }) => offered === "always"));
  const all = usable.filter(is_deferrable);
  const first = all.filter((tool) => !is_deferred(tool, deferral));
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
