/** What the tests of gates share: views and rows. */
import { VIEW } from "../guards/_testing.ts";
import type { Rule, Verdict, View } from "../guards/rule.ts";
import type { CommandRow, LedgerRow } from "../tools/ledger.ts";

/** A view of a run in which nothing has happened yet, except for what is given. */
export function view_of(given: Partial<View> = {}): View {
  return { ...VIEW, steps: 1, run: given.ledger ?? [], ...given };
}

/** A file that was written by call `c1`. */
export const FILE_ROW: Extract<LedgerRow, { kind: "file" }> = {
  kind: "file",
  step: 1,
  call: "c1",
  path: "src/a.ts",
  before: null,
  after: "00ff",
};

/** A command with its exit code. */
export function command_row(command: string, exit_code: number | null): CommandRow {
  return { kind: "command", step: 1, call: "c2", command, exit_code };
}

/** A run of the verify command. */
export function verification_row(exit_code: number | null, tail = ""): LedgerRow {
  return { kind: "verification", step: 1, command: "deno test", exit_code, tail };
}

/** Asks a rule that has not been asked before. */
export function first_verdict(asked: Rule, text: string, view = view_of()): Verdict {
  return asked.check({ at: "ending", text }, view, asked.start).verdict;
}

/** Asks a rule `times` times about the same ending, carrying its memory. */
export function verdicts(asked: Rule, text: string, view: View, times: number): Verdict[] {
  let memory: unknown = asked.start;
  return Array.from({ length: times }, () => {
    const ruling = asked.check({ at: "ending", text }, view, memory);
    memory = ruling.memory;
    return ruling.verdict;
  });
}
