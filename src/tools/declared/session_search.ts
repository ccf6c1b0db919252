import type { Tool } from "../tool.ts";

/** What a call of `session_search` gives. */
export interface SessionSearchArgs {
  readonly query: string;
}

/** Offered where there is a database of sessions. */
export const session_search: Tool<SessionSearchArgs> = {
  name: "session_search",
  description: "Search what was said in earlier sessions in this workspace, by words.",
  parameters: {
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
  },
  read_only: false,
  offered: "deferrable",
  needs: "store",
  agent_level: true,
  summary: ({ query }) => query,
};
