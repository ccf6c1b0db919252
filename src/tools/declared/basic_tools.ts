import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { read } from "./read.ts";
import type { Tool, ToolSchema } from "../tool.ts";
import { write } from "./write.ts";

/** The tools that every first request offers, in the order in which the model is told about them; `every_tool.ts` has the rest. */
export const BASIC_TOOLS: readonly Tool<unknown>[] = [read, edit, write, bash];

/** A tool as it is offered to the model. */
export function schema_of(tool: Tool<unknown>): ToolSchema {
  const { name, description, parameters } = tool;
  return { name, description, parameters };
}
