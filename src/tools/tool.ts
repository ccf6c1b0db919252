import type { HookRun } from "./hook.ts";
import type { Image } from "./image.ts";
import type { LedgerFact } from "./ledger.ts";
import type { McpRoute } from "./mcp_server.ts";

/** JSON Schema of a call's arguments: what the model is shown, and what a call is checked against. */
export interface Parameters {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
}

export const TEXT_ARGUMENT = { type: "string" } as const;

/** The arguments of a tool; all of them are required, unless it is said which are. */
export function takes(
  properties: Parameters["properties"],
  required: readonly string[] = Object.keys(properties),
): Parameters {
  return { type: "object", properties, required };
}

/** A tool as it is offered to the model. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
}

/** What a tool's own code gives back. */
export interface Done {
  readonly ok: boolean;
  readonly text: string;
  /** For the user: a few words. */
  readonly summary: string;
  /** What refused it, or absent. */
  readonly refused?: string;
  /** Flags that would allow what the sandbox refused, to be offered to the person. Absent: none. */
  readonly flags?: readonly string[];
  readonly facts?: readonly LedgerFact[];
  /** Of a command: something of it goes on in the background. */
  readonly goes_on?: true;
  /** Of a change that failed: there was nothing that it could have changed, or nothing that would be missed. */
  readonly astray?: true;
  /** Of an edit of one place: the number of the line, from 1, in which that begins. */
  readonly line?: number;
  /** What stands around it in its first and its last line, where these are no longer than a person reads. */
  readonly around?: readonly [before: string, after: string];
  /** For a model that can see. */
  readonly images?: readonly Image[];
}

/** What a call came to, with the time it took. */
export interface ToolResult extends Done {
  readonly ms: number;
  /** Hooks that ran after it; absent if none is for it. */
  readonly hooks?: readonly HookRun[];
}

/** When requests offer a tool. What is deferred, the model finds with `tool_search`; `tools.deferred` has the last word on it. */
export type WhenOffered =
  /** From the first request on. */
  | "always"
  /** The same, unless the setting defers it. */
  | "by_default"
  /** Deferred, except where the window is large. */
  | "in_large_windows"
  /** It is `tool_search` itself: offered where anything is deferred. */
  | "finder"
  /** For models that call it whatever they are offered. */
  | "never";

/** One tool, as it is described to the model. What it does is a `Runner` (`work/runner.ts`), or an `AgentRunner`. */
export interface Tool<A> {
  readonly name: string;
  /** Part of every request: each word costs tokens at every step. */
  readonly description: string;
  readonly parameters: Parameters;
  /** Calls of one step that are all read-only are sent to the tools worker together. */
  readonly read_only: boolean;
  /** Works on the run itself, on the main thread (`agent_tools.ts`); absent: on the machine, in the tools worker. */
  readonly agent_level?: true;
  /** When requests offer it; the lists are made by this. */
  readonly offered: WhenOffered;
  /** It changes files: the one at its `path`, or those of a patch. Not offered in modes that want only an answer. Absent: none, or anything. */
  readonly changes?: "path" | "patch";
  /** Without one of these, it is not offered. Absent: it needs none. */
  readonly needs?: "memory" | "store" | "sight" | "person" | "net";
  /** Whose it is, where it is one of an MCP server. */
  readonly mcp?: McpRoute;
  /** One line for the person, from the arguments alone. */
  summary(args: A): string;
}
