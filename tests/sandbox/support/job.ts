/** What the sandbox tests tell the host program to do, and what it answers. Plain JSON. */
import type { Layer } from "../../../src/sandbox/enforce/apply.ts";
import type { Policy } from "../../../src/sandbox/policy.ts";
import type { Support } from "../../../src/sandbox/kernel/probe.ts";

/**
 * One thing the tools worker does after the policy was applied. In commands and paths, `{PID}`, `{TID}` and `{PGID}` become
 * the host's process id, the worker's thread id and the host's process group.
 */
export type Step =
  /** Runs a program as `bash` would be run: detached, its environment the policy's, its input closed. */
  | { readonly kind: "run"; readonly name: string; readonly argv: readonly string[]; cwd?: string }
  /** Writes a file with Deno's synchronous call, on the restricted thread itself. */
  | { readonly kind: "write"; readonly name: string; readonly path: string }
  /** Reads a file with Deno's synchronous call, on the restricted thread itself. */
  | { readonly kind: "read"; readonly name: string; readonly path: string }
  /** Times a program: the median of several runs, in ms. */
  | { readonly kind: "time"; readonly name: string; readonly argv: readonly string[]; runs: number }
  /** Counts descendants, ends them all, waits, and counts again. */
  | { readonly kind: "end"; readonly name: string; readonly count?: true }
  /** Starts a thread of Deno's inside the sandbox, which waits for this pipe: the real tools worker has some, too. */
  | { readonly kind: "thread"; readonly name: string; readonly pipe: string };

/** A job for the host program. */
export interface Job {
  readonly policy: Policy;
  /** Pretends that the kernel's Landlock is of this version. */
  readonly abi?: number;
  /** Pretends that nobody can answer for the filter. */
  readonly no_supervisor?: true;
  /** Pretends that the supervisor can't have a copy of a program's socket. */
  readonly makes_sockets?: true;
  /** Pretends that the kernel can't be asked which sockets take connections (its modules are gone). */
  readonly untold?: true;
  /** A file on which the host holds a lock (fcntl) all the while, as SQLite does. */
  readonly locked?: string;
  readonly steps: readonly Step[];
}

/** What came of a step; which fields there are depends on its kind. */
export interface StepResult {
  readonly name: string;
  readonly code?: number;
  readonly signal?: string | null;
  readonly stdout?: string;
  readonly stderr?: string;
  /** The name of the error, or "ok". */
  readonly wrote?: string;
  readonly ms?: number;
  readonly before?: number;
  readonly left?: readonly number[];
  readonly after?: number;
}

/** The host's whole answer. */
export interface Outcome {
  readonly support: Support;
  readonly probe_ms: number;
  readonly apply_ms: number;
  /**
   * For how long the main thread, on which the supervisor lives, did nothing else at most. Waiting for a processor does not count: on a
   * busy machine that says nothing about the supervisor.
   */
  readonly longest_pause_ms: number;
  /** What the supervisor refused. */
  readonly refusals: readonly string[];
  readonly layers: readonly Layer[];
  /** The message of the error that `apply` threw. */
  readonly refused?: string;
  readonly results: readonly StepResult[];
}
