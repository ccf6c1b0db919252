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

/** Of names of servers, or of skills, in a description. */
const NAMES_CHARS = 120;

/** The same tool where there are MCP servers or skills, which it names. */
export function tool_search_with(
  { servers, skills }: { readonly servers: readonly string[]; readonly skills: readonly string[] },
): Tool<SearchArgs> {
  const more = [...named("MCP servers", servers), ...named("Skills", skills)].join("");
  return more === ""
    ? tool_search
    : { ...tool_search, description: tool_search.description + more };
}

function named(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const all = names.join(", ");
  const shown = all.length <= NAMES_CHARS ? all : `${all.slice(0, NAMES_CHARS - 1)}…`;
  return [` ${what}: ${shown}.`];
}

/** By what it is decided. */
export interface Deferral {
  /** `tools.deferred`. */
  readonly setting: "auto" | "all" | "none" | readonly string[];
  readonly context_window: number;
}

/** Whether a tool that may be is left out of requests until the model looks for it. */
export function is_deferred(
  { name, offered }: Pick<Tool<unknown>, "name" | "offered">,
  { setting, context_window }: Deferral,
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
