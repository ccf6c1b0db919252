import type { Looked, PathFact } from "../changes/beyond.ts";
import type { FileFact } from "../changes/changes.ts";
import type { RefFact } from "../changes/refs.ts";

/** A command that ended, as the tool knows it. */
interface CommandFact {
  readonly kind: "command";
  readonly command: string;
  /** Null if it was ended by a signal or a time limit. */
  readonly exit_code: number | null;
  /** Where it was seen what it changed; absent where nobody looked, or something of it goes on in the background. */
  readonly looked?: Looked;
  /** Commands in it that failed; absent: none is known. */
  readonly failed?: readonly string[];
  /** And those whose turn did not come, behind `&&`, `||` and the like. */
  readonly skipped?: readonly string[];
  /** The last of those that failed is a program that is not there. */
  readonly not_found?: true;
  /** The end of its output, where it did not end in 0. */
  readonly said?: string;
  /** It ended in 0, and its output ends with a test runner's word that something failed. */
  readonly tells_failure?: true;
  /** It ended in 0, and each test runner in its output says that it found no test. */
  readonly ran_no_test?: true;
}

/** A fact for the ledger as a tool knows it: without step and call, which are the main thread's. */
export type LedgerFact = FileFact | CommandFact | RefFact | PathFact;

/** Where in a run something happened. */
interface AtStep {
  readonly step: number;
}

interface InCall extends AtStep {
  readonly call: string;
}

export type CommandRow = CommandFact & InCall;

/** What the tools really did: a row a fact. Gates read the ledger, never the model's prose. */
export type LedgerRow =
  | FileFact & AtStep & {
    /** Id of the call that changed it; null if a background process did. */
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
    /** The file that it is about, as the model named it; absent where nothing there could have been changed. */
    readonly path?: string;
  }
  | InCall & {
    /** A call that a dry run did not run: it stands for what it would have done. */
    readonly kind: "planned";
    readonly tool: string;
  }
  | InCall & {
    /** What a tool of the run itself left: a fact in memory, a todo list, a subagent's result. */
    readonly kind: "noted";
    readonly what: "memory" | "todo" | "subagent";
    readonly ok: boolean;
  }
  | InCall & {
    /** A call of an MCP server's tool that may have changed something, here or anywhere. */
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

/** Whether what was looked at before may look otherwise now. Git's index is written by a mere look. */
export function alters(fact: LedgerFact | LedgerRow): boolean {
  return fact.kind === "file" || (fact.kind === "ref" && fact.ref !== "index");
}

export function changes_file(facts: readonly LedgerFact[] = []): boolean {
  return facts.some(({ kind }) => kind === "file");
}
