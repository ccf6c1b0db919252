import type { Looked, PathFact } from "../changes/beyond.ts";
import type { RefFact } from "../changes/refs.ts";

/**
 * What the tools really did: a row a fact. Gates read the ledger, never the model's prose.
 *
 * `before` and `after` are content hashes (hex); null if the file did not exist.
 */
export type LedgerRow =
  | {
    readonly kind: "file";
    readonly step: number;
    /** Id of the call that changed it; null if a background process did. */
    readonly call: string | null;
    readonly path: string;
    readonly before: string | null;
    readonly after: string | null;
  }
  | {
    readonly kind: "command";
    readonly step: number;
    readonly call: string;
    readonly command: string;
    /** Null if it was ended by a signal or a time limit. */
    readonly exit_code: number | null;
    /** Where it was seen what it changed; absent where nobody looked, or something of it goes on in the background. */
    readonly looked?: Looked;
    /** First lines of the commands in it that failed, though it went on behind them; absent: none is known. */
    readonly failed?: readonly string[];
    /** It ended in 0, and its output ends with a test runner's word that something failed. */
    readonly tells_failure?: true;
    /** It ended in 0, and each test runner in its output says that it found no test. */
    readonly ran_no_test?: true;
  }
  | {
    /** A call of a mutating tool (`edit`, `write`), whether it worked or not. */
    readonly kind: "attempt";
    readonly step: number;
    readonly call: string;
    readonly tool: string;
    readonly ok: boolean;
    /** The file that it is about, as the model named it; absent where nothing there could have been changed. */
    readonly path?: string;
  }
  | {
    /** A call that a dry run did not run: it stands for what it would have done. */
    readonly kind: "planned";
    readonly step: number;
    readonly call: string;
    readonly tool: string;
  }
  | {
    /** A git ref, or git's index, that came, went or changed while a command ran. */
    readonly kind: "ref";
    readonly step: number;
    readonly call: string;
    /** `HEAD`, `refs/…`, or `index`. */
    readonly ref: string;
    /** What it named; null if it was not there. */
    readonly before: string | null;
    readonly after: string | null;
    /** It is new, and what it names was named by another before: no commit was made for it. Absent: that is not so, or is not known. */
    readonly known?: true;
  }
  | {
    /** A path that came, went or changed while a command ran, and is not a change: it is ignored, or is outside the workspace. */
    readonly kind: "path";
    readonly step: number;
    readonly call: string;
    /** Relative to the workspace where it is inside. */
    readonly path: string;
    readonly became: "added" | "modified" | "deleted";
  }
  | {
    /** What a tool of the run itself left: a fact in memory, a todo list, a subagent's result. */
    readonly kind: "noted";
    readonly step: number;
    readonly call: string;
    readonly what: "memory" | "todo" | "subagent";
    readonly ok: boolean;
  }
  | {
    /** A call of an MCP server's tool that may have changed something, here or anywhere. */
    readonly kind: "served";
    readonly step: number;
    readonly call: string;
    readonly tool: string;
    readonly ok: boolean;
  }
  | {
    /** The verify command, run by `hamr` itself after a turn. */
    readonly kind: "verification";
    readonly step: number;
    readonly command: string;
    readonly exit_code: number | null;
    /** The end of its output, for the repair turn. */
    readonly tail: string;
  };

/** A command that ended. */
export type CommandRow = Extract<LedgerRow, { readonly kind: "command" }>;

/** A fact for the ledger as a tool knows it: without step and call, which are the main thread's. */
export type LedgerFact =
  | {
    readonly kind: "file";
    /** Relative to the workspace where it is inside. */
    readonly path: string;
    /** Content hashes (hex); null if there is no file. */
    readonly before: string | null;
    readonly after: string | null;
  }
  | {
    readonly kind: "command";
    readonly command: string;
    /** Null if a signal or a time limit ended it. */
    readonly exit_code: number | null;
    readonly looked?: Looked;
    readonly failed?: readonly string[];
    readonly tells_failure?: true;
    readonly ran_no_test?: true;
  }
  | RefFact
  | PathFact;

/**
 * The files that are others than when the ledger began, in the order in which they first changed: what was put back has not
 * changed. A row with the same contents before and after is of a changed mode, which counts.
 */
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

/** Whether one of these is a changed file. */
export function changes_file(facts: readonly LedgerFact[] = []): boolean {
  return facts.some(({ kind }) => kind === "file");
}
