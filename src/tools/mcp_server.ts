/** What is known about MCP servers without contacting them. Plain data: some of it crosses threads. */

import type { McpPermissions } from "../config/key.ts";

/** A server as it is to be reached, with every `${VARIABLE}` in its place. */
export interface McpServer {
  readonly name: string;
  /** A program in the sandbox, or an address that hamr itself connects to. */
  readonly by:
    | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Program and arguments as they were written, to be shown: what `${NAME}` stands for may be a key. */
      readonly written: readonly string[];
      /** From the workspace; empty: the workspace itself. */
      readonly cwd: string;
      /** On top of the policy's. */
      readonly env: Readonly<Record<string, string>>;
      /** Where it may do less than the run; absent: it may do the same. */
      readonly permissions?: McpPermissions;
    }
    | {
      readonly kind: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Keys in these two: no word of the server's holds one when it gets to anybody. */
      readonly secrets: readonly string[];
    };
  /** Tools that may be called, by their own names; none named: all. */
  readonly tools: readonly string[];
  /** Seconds a call may take without a sign of progress; 0 is no limit. */
  readonly timeout_s: number;
  readonly where: string;
}

export interface McpRoute {
  readonly server: string;
  readonly tool: string;
  readonly read_only: boolean;
  /** Its description and its schema, hashed. */
  readonly definition: string;
}

/** A tool as a server describes it, made fit for a request. */
export interface McpTool extends McpRoute {
  /** For the model: `server__tool`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments: an object's. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What the main thread asks of the programs that the tools worker runs. Overtakes all else. */
export type McpOrder =
  | {
    readonly kind: "start";
    /** Of this process; no other has it. */
    readonly pipe: number;
    readonly argv: readonly string[];
    /** From the workspace; empty: where commands start. */
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  }
  /** A line for its standard input. */
  | { readonly kind: "write"; readonly pipe: number; readonly text: string }
  /** So many bytes of what it printed have been looked at. */
  | { readonly kind: "taken"; readonly pipe: number; readonly bytes: number }
  | { readonly kind: "end"; readonly pipe: number }
  | { readonly kind: "answer"; readonly call: number; readonly answer: McpAnswer };

export type McpNews =
  | { readonly kind: "printed"; readonly pipe: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
    readonly kind: "ended";
    readonly pipe: number;
    /** How, and the last it had to say of errors. */
    readonly why: string;
  }
  /** A call whose turn it is: the worker looks at the workspace before and after it. */
  | {
    readonly kind: "call";
    readonly call: number;
    readonly id: string;
    readonly route: McpRoute;
    readonly args: unknown;
  }
  /** Nobody waits for it anymore. */
  | { readonly kind: "cancel"; readonly call: number };

/** The one who speaks with MCP servers, as the tools client knows it. */
export interface McpLink {
  /** From here on it can ask for programs. */
  begin(order: (order: McpOrder) => void): void;
  take(news: McpNews): void;
  close(): Promise<void>;
  /** Has the programs that are not the tools worker's own stand still, or go on. */
  stand_still(on: boolean): Promise<void>;
  /** Ends them; gives whether that is done. */
  end_apart(): Promise<boolean>;
}

/** The result of a call, not yet bounded. */
export interface McpAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly summary: string;
  readonly images?: readonly { readonly media_type: string; readonly data: string }[];
}

/** Between the name of a server and that of its tool. */
export const BETWEEN = "__";

/** In words, for people; paths as they are given. */
export function permission_words({ read, deny_read, write, net }: McpPermissions): string {
  const list = (paths: readonly string[]) => paths.join(" ") || "nothing";
  return [
    ...(read === undefined ? [] : [`reads ${list(read)}`]),
    ...(deny_read === undefined ? [] : [`does not read ${list(deny_read)}`]),
    ...(write === undefined ? [] : [`writes ${list(write)}`]),
    ...(net === undefined ? [] : [`network: ${net}`]),
  ].join("; ");
}
