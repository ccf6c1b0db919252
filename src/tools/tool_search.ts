import type { Tool } from "./tool.ts";

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
  agent_level: true,
  summary: ({ query }) => query,
};

/** The tool that needs a database. Its name stands here: its module is not on the way to the first request. */
export const SESSION_SEARCH = "session_search";

/** Tools that may be deferred, in the order in which they are offered. */
export const DEFERRABLE: readonly string[] = [
  "view_image",
  "todo",
  "delegate_task",
  SESSION_SEARCH,
];

/** Of these, what even a small window is offered unless the setting names it (section 8 of the contract). */
const USUAL: ReadonlySet<string> = new Set(["view_image"]);

/** Tokens of a window below which a schema that may never be used takes too much of it (issue on local models: 32k). */
const SMALL_WINDOW = 32_768;

/** Whether a tool is left out of requests until the model looks for it; `setting` is `tools.deferred`. */
export function is_deferred(
  name: string,
  { setting, context_window }: {
    readonly setting: "auto" | "all" | "none" | readonly string[];
    readonly context_window: number;
  },
): boolean {
  switch (setting) {
    case "auto":
      return context_window < SMALL_WINDOW && !USUAL.has(name);
    case "all":
      return true;
    case "none":
      return false;
    default:
      return setting.includes(name);
  }
}
