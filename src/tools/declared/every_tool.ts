import { apply_patch } from "./apply_patch.ts";
import { background } from "./background.ts";
import { clarify } from "./clarify.ts";
import { delegate_task } from "./delegate_task.ts";
import { insert_lines } from "./insert_lines.ts";
import { MEMORY_TOOLS } from "./memory.ts";
import { BASIC_TOOLS } from "./basic_tools.ts";
import { session_search } from "./session_search.ts";
import { skill } from "./skill.ts";
import { todo } from "./todo.ts";
import type { Tool } from "../tool.ts";
import { view_image } from "./view_image.ts";
import { tool_search } from "./tool_search.ts";

/** Every tool of the program, those among them that a first request may leave out. */
export const EVERY_TOOL: readonly Tool<unknown>[] = [
  ...BASIC_TOOLS,
  ...MEMORY_TOOLS,
  view_image,
  todo,
  clarify,
  delegate_task,
  session_search,
  tool_search,
  apply_patch,
  insert_lines,
  background,
  skill,
];

/** The tool of that name, if there is one. */
export function find_tool(name: string): Tool<unknown> | undefined {
  return EVERY_TOOL.find((tool) => tool.name === name);
}
