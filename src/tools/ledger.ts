import type { Looked, PathFact } from "../changes/uncounted_paths.ts";
import type { FileFact } from "../changes/changes.ts";
import type { RefFact } from "../changes/refs.ts";

export interface CommandFact {
  readonly kind: "command";
  readonly command: string;
  /** Null if a signal or a time limit ended it. */
  readonly exit_code: number | null;
  /** Set if its changes were looked for; absent if nobody looked, or some of its processes keep running. */
  readonly looked?: Looked;
  /** Commands in it that failed, as far as known: as they are written there. */
  readonly failed?: readonly string[];
  /** Commands in it that were skipped, after `&&`, `||` and the like. */
  readonly skipped?: readonly string[];
  /** The last one that failed is a program that does not exist. */
  readonly not_found?: true;
  /** The end of its output, unless it exited with 0. */
  readonly said?: string;
  /** Its output ends with a test runner's report of a failure. */
  readonly tells_failure?: true;
  /** It exited with 0, but every test runner in its output found no tests. */
  readonly ran_no_test?: true;
}

/** A fact for the ledger as a tool reports it. The main thread adds step and call. */
export type LedgerFact = FileFact | CommandFact | RefFact | PathFact;

interface AtStep {
  readonly step: number;
}

interface InCall extends AtStep {
  readonly call: string;
}

export type CommandRow = CommandFact & InCall;

/** What the tools really did, one row per fact. Gates read the ledger, never the model's prose. */
export type LedgerRow =
  | FileFact & AtStep & {
    /** The ID of the call that changed it; null if a background process did. */
    readonly call: string | null;
  }
  | CommandRow
  | RefFact & InCall
  | PathFact & InCall
  | InCall & {
    /** A call of a mutating tool (`edit`, `write`), whether it worked or not. */
    readonly kind: "attempt";
    readonly tool: string;
    readonly ok: boolean;
    /** Its file, as the model named it; absent if nothing there could have been changed. */
    readonly path?: string;
  }
  | InCall & {
    /** A call that a dry run did not run. */
    readonly kind: "planned";
    readonly tool: string;
  }
  | InCall & {
    /** The effect of an agent-level tool: a fact in memory, a todo list, a subagent's result. */
    readonly kind: "noted";
    readonly what: "memory" | "todo" | "subagent";
    readonly ok: boolean;
  }
  | InCall & {
    /** A call of an MCP tool that may have changed something, here or elsewhere. */
    readonly kind: "served";
    readonly tool: string;
    readonly ok: boolean;
  }
  | AtStep & {
    /** The verify command, run by `hamr` itself after a turn. */
    readonly kind: "verification";
    readonly command: string;
    readonly exit_code: number | null;
    /** The end of its output, for the repair turn. */
    readonly tail: string;
  };

/** The files that differ from the start of the ledger, in the order of their first change. Rows with equal contents are changed modes and count. */
export function changed_paths(ledger: readonly LedgerRow[]): readonly string[] {
  const first = new Map<string, string | null>();
  const changed = new Map<string, boolean>();
  const modes = new Set<string>();
  for (const row of ledger) {
    if (row.kind !== "file") continue;
    if (!first.has(row.path)) first.set(row.path, row.before);
    if (row.before === row.after) modes.add(row.path);
    changed.set(row.path, modes.has(row.path) || first.get(row.path) !== row.after);
  }
  return [...changed].filter(([, differs]) => differs).map(([path]) => path);
}

/** Whether earlier reads may be outdated after this. Merely looking can write Git's index. */
export function alters(fact: LedgerFact | LedgerRow): boolean {
  return fact.kind === "file" || (fact.kind === "ref" && fact.ref !== "index");
}

export function changes_file(facts: readonly LedgerFact[] = []): boolean {
  return facts.some(({ kind }) => kind === "file");
}
