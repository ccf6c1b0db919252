import type { Tool, ToolSchema, WhenOffered } from "../tool.ts";
import { AGENT_LEVEL_TOOLS } from "./agent_level_tools.ts";
import { MACHINE_TOOLS } from "./machine_tools.ts";

const ORDER: readonly WhenOffered[] = [
  "always",
  "by_default",
  "in_large_windows",
  "finder",
  "never",
];

/** Every tool of the program, in the order in which the model sees them. */
export const EVERY_TOOL: readonly Tool<unknown>[] = ORDER.flatMap((when) =>
  [...MACHINE_TOOLS, ...AGENT_LEVEL_TOOLS].filter(({ offered }) => offered === when)
);

/** The tools that every first request offers, whatever else there is. */
export const BASIC_TOOLS: readonly Tool<unknown>[] = EVERY_TOOL.filter(({ offered, needs }) =>
  offered === "always" && needs === undefined
);

export function find_tool(name: string): Tool<unknown> | undefined {
  return EVERY_TOOL.find((tool) => tool.name === name);
}

export function schema_of(tool: Tool<unknown>): ToolSchema {
  const { name, description, parameters } = tool;
  return { name, description, parameters };
}

/** Whether a hook is for calls of a tool; one that names no tools is for all. */
export function is_for_tool({ tools }: { tools: readonly string[] }, tool: string): boolean {
  return tools.length === 0 ||
    [tool, ...find_tool(tool)?.hooked_as ?? []].some((name) => tools.includes(name));
}
