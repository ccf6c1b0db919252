import type { Tool } from "../tool.ts";

/** What a call of `tool_search` gives. */
export interface SearchArgs {
  readonly query: string;
}

/** Offered where other tools are deferred; it brings them in. */
export const tool_search: Tool<SearchArgs> = {
  name: "tool_search",
  description:
    "Find more tools, such as a todo list, subagents or earlier sessions, by words; `*` finds all.",
  parameters: {
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
  },
  read_only: false,
  offered: "search",
  agent_level: true,
  summary: ({ query }) => query,
};

/** Tokens of a window below which a schema that may never be used takes too much of it (issue on local models: 32k). */
const SMALL_WINDOW = 32_768;

/** Whether a tool may be left out of requests. */
export function is_deferrable({ offered }: Pick<Tool<unknown>, "offered">): boolean {
  return offered === "usually" || offered === "deferrable";
}

/** Whether a tool that may be is left out of requests until the model looks for it; `setting` is `tools.deferred`. */
export function is_deferred(
  { name, offered }: Pick<Tool<unknown>, "name" | "offered">,
  { setting, context_window }: {
    readonly setting: "auto" | "all" | "none" | readonly string[];
    readonly context_window: number;
  },
): boolean {
  switch (setting) {
    case "auto":
      return offered === "deferrable" && context_window < SMALL_WINDOW;
    case "all":
      return true;
    case "none":
      return false;
    default:
      return setting.includes(name);
  }
}
