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

/** The arguments of a tool. All of them are required unless `required` names some. */
export function takes(
  properties: Parameters["properties"],
  required: readonly string[] = Object.keys(properties),
): Parameters {
  return { type: "object", properties, required };
}

/** A tool as it is offered to the model. */
export interface ToolSchema {
  readonly name: string;
  /** Part of every request: each word costs tokens at every step. */
  readonly description: string;
  readonly parameters: Parameters;
}

export interface Done {
  readonly ok: boolean;
  readonly text: string;
  /** For the user: a few words. */
  readonly summary: string;
  /** What refused it; absent if nothing did. */
  readonly refused?: string;
  /** Flags that would allow what the sandbox refused, to offer to the person. */
  readonly flags?: readonly string[];
  readonly facts?: readonly LedgerFact[];
  /** Of a command: some of its processes keep running. */
  readonly goes_on?: true;
  /** Of a failed change: there was nothing it could have changed, or nothing that matters. */
  readonly astray?: true;
  /** Of a search: what was looked for stands somewhere, and not only in longer words. */
  readonly found?: true;
  /** Of a change of one place: the line where it begins, from 1. */
  readonly line?: number;
  /** The rest of its first and last line, unless that is longer than people read. */
  readonly around?: readonly [before: string, after: string];
  /** Of a file that was written: the text that it had; absent where that is more than people read. */
  readonly replaced?: string;
  /** For a model that can see. */
  readonly images?: readonly Image[];
}

export interface ToolResult extends Done {
  readonly ms: number;
  /** Hooks that ran after it; absent if none applies. */
  readonly hooks?: readonly HookRun[];
}

/** When requests offer a tool. The model finds deferred ones with `tool_search`; the setting `tools.deferred` overrides this. */
export type WhenOffered =
  /** From the first request on. */
  | "always"
  /** From the first request on, unless the setting defers it. */
  | "by_default"
  /** Deferred unless the window is large. */
  | "in_large_windows"
  /** `tool_search` itself: offered if anything is deferred. */
  | "finder"
  /** Never offered, but works: some models call it anyway. */
  | "never";

type Need = "memory" | "store" | "sight" | "person" | "net";

/** What a run has of that which tools need. */
export type Provided = Readonly<Record<Need, boolean>>;

/** Whether a tool is one of those that are named, or a part of one. */
export function is_among(
  { name, part_of }: Pick<Tool<unknown>, "name" | "part_of">,
  names: readonly string[],
): boolean {
  return names.includes(part_of ?? name);
}

export function is_usable({ needs }: Pick<Tool<unknown>, "needs">, has: Provided): boolean {
  return needs === undefined || has[needs];
}

/** What a tool is for, as the Agent Client Protocol names it. `search` finds things and changes none. */
export type ToolKind = "read" | "search" | "fetch" | "edit" | "execute" | "think" | "other";

/** The declaration of a tool. Its code is a `Runner` (`work/runner.ts`) or an `AgentRunner`. */
export interface Tool<A> extends ToolSchema {
  readonly kind: ToolKind;
  /** It changes nothing: such calls of one step are sent to the tools worker together. Absent: it may, or what it is given tells a server something. */
  readonly read_only?: boolean;
  /** Works on the run itself, on the main thread (`agent_tools.ts`); absent: on the machine, in the tools worker. */
  readonly agent_level?: true;
  readonly offered: WhenOffered;
  /** It changes files: the one at its `path`, or those of a patch. Not offered in modes that only answer. Absent: it changes none, or it can't be told which. */
  readonly changes?: "path" | "patch";
  /** It may be called wherever the tool of this name may be: it is a part of that. */
  readonly part_of?: string;
  /** Hooks for tools of these names are for this one, too: it does the same. */
  readonly hooked_as?: readonly string[];
  /** What a run must have for it to be offered. Absent: nothing. */
  readonly needs?: Need;
  readonly mcp?: McpRoute;
  /** One line for the person, from the arguments alone. */
  summary(args: A): string;
}
