import type { Tool } from "../tool.ts";

/*
 * Both tools of memory in one file: they are offered by the first request, and each module on the way to it costs 0.2 ms.
 */

/** What a call of `search_memory` gives. */
export interface SearchMemoryArgs {
  readonly query: string;
}

/** What a call of `save_memory` gives. */
export interface SaveMemoryArgs {
  readonly fact: string;
  /*
   * Taken, but not told of in requests: with them, recordings of before would not be the same. What `search_memory` gives names them.
   */
  /** What the fact begins with whose place this one takes. */
  readonly replaces?: unknown;
  /** `project` or `user`. */
  readonly scope?: unknown;
}

const search_memory: Tool<SearchMemoryArgs> = {
  name: "search_memory",
  description: "Search facts saved in earlier sessions, by words.",
  parameters: {
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
  },
  read_only: false,
  offered: "always",
  needs: "memory",
  agent_level: true,
  summary: ({ query }) => query,
};

const save_memory: Tool<SaveMemoryArgs> = {
  name: "save_memory",
  description: "Save a lasting fact about this project for later sessions. No secrets.",
  parameters: {
    type: "object",
    properties: { fact: { type: "string" } },
    required: ["fact"],
  },
  read_only: false,
  offered: "always",
  needs: "memory",
  agent_level: true,
  summary: ({ fact }) => fact,
};

/** Offered where there is a memory, in this order. */
export const MEMORY_TOOLS: readonly Tool<unknown>[] = [search_memory, save_memory];
