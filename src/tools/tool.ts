import type { GenericSchema } from "valibot";
import type { Machine } from "./machine.ts";

/** A fact for the ledger as a tool knows it: without step and call, which are the main thread's. */
export type Fact =
  | {
    readonly kind: "file";
    /** Relative to the workspace where it lies inside. */
    readonly path: string;
    /** Content hashes (hex); null where there is no file. */
    readonly before: string | null;
    readonly after: string | null;
  }
  | {
    readonly kind: "command";
    readonly command: string;
    /** Null where a signal or a time limit ended it. */
    readonly exit_code: number | null;
    /** Hash of the whole output. */
    readonly output: string;
  };

/** What a tool's own code gives back. */
export interface Done {
  readonly ok: boolean;
  /** For the model. */
  readonly text: string;
  /** For the person: a few words. */
  readonly summary: string;
  /** What refused it, or absent. */
  readonly refused?: string;
  readonly facts?: readonly Fact[];
}

/** What a call came to, with the time it took. */
export interface ToolResult extends Done {
  readonly ms: number;
}

/** One tool: what the model is told of it, and what it does. A file each. */
export interface Tool<A> {
  readonly name: string;
  /** Part of every request: each word costs tokens at every step. */
  readonly description: string;
  readonly schema: GenericSchema<unknown, A>;
  /** Calls of one step that are all read-only cross the hatch together. */
  readonly read_only: boolean;
  /** One line for the person, from the arguments alone. */
  summary(args: A): string;
  /** Runs on the tools worker. Throws `Refusal` or `ToolFailure` for what the model should be told. */
  run(args: A, machine: Machine): Done | Promise<Done>;
}

/** The call could not be done; the message says why and what to do instead. */
export class ToolFailure extends Error {}

/** The policy does not allow it; the message names the flag that would. */
export class Refusal extends Error {}

/** Hides a tool's type of arguments, so that tools fit into one list. */
export function tool<A>(spec: Tool<A>): Tool<unknown> {
  return {
    ...spec,
    summary: (args) => spec.summary(args as A),
    run: (args, machine) => spec.run(args as A, machine),
  };
}
