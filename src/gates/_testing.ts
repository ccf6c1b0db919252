/** What the tests of gates share: views, rows and tables of sentences. */
import assert from "node:assert/strict";
import { VIEW } from "../guards/_testing.ts";
import type { Rule, Verdict, View } from "../guards/rule.ts";
import type { Row } from "../tools/ledger.ts";
import { claims } from "./claims.ts";
import { intent } from "./intent.ts";
import { status_only } from "./status_only.ts";

/** A view of a run in which nothing has happened yet, but for what is given. */
export function view_of(given: Partial<View> = {}): View {
  return { ...VIEW, steps: 1, ...given };
}

/** A file that was written by call `c1`. */
export const FILE_ROW: Extract<Row, { kind: "file" }> = {
  kind: "file",
  step: 1,
  call: "c1",
  path: "src/a.ts",
  before: null,
  after: "00ff",
};

/** A call that a dry run did not run. */
export const PLANNED_ROW: Row = { kind: "planned", step: 1, call: "c4", tool: "write" };

/** A command with its exit code. */
export function command_row(command: string, exit_code: number | null): Row {
  return { kind: "command", step: 1, call: "c2", command, exit_code, output: "00" };
}

/** A call of `edit` that worked or not. */
export function attempt_row(ok: boolean): Row {
  return { kind: "attempt", step: 1, call: "c3", tool: "edit", ok };
}

/** A run of the verify command. */
export function verification_row(exit_code: number | null, tail = ""): Row {
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

/** Replies at which a gate must speak, and at which it must not. */
export interface Table {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** The replies of one language. */
export interface Tables {
  readonly planning?: Table;
  readonly status?: Table;
  readonly claims?: Table;
}

/** Registers a test for each table of a language, on a run in which nothing was done. */
export function test_tables(language: string, tables: Tables): void {
  const gates: [string, Rule, Table | undefined][] = [
    ["planning", intent({ nudges: 3 }), tables.planning],
    ["status", status_only({ nudges: 3 }), tables.status],
    ["claims", claims({ nudges: 2 }), tables.claims],
  ];
  for (const [name, gate, table] of gates) {
    if (table === undefined) continue;
    Deno.test(`${language}: ${name}`, () => {
      const wrong = [
        ...table.yes.filter((text) => first_verdict(gate, text).kind !== "nudge")
          .map((text) => `missed: ${text}`),
        ...table.no.filter((text) => first_verdict(gate, text).kind !== "go_on")
          .map((text) => `wrongly refused: ${text}`),
      ];
      assert.deepEqual(wrong, []);
    });
  }

  // What makes no claim may still be a plan, so that table is left out.
  const answers = [tables.planning?.no, tables.status?.no, tables.claims?.yes].flatMap((texts) =>
    texts ?? []
  );
  Deno.test(`${language}: a real answer passes every gate once a file has changed`, () => {
    const view = view_of({ ledger: [FILE_ROW], turn: [FILE_ROW] });
    const wrong = gates.flatMap(([name, gate]) =>
      answers.filter((text) => first_verdict(gate, text, view).kind !== "go_on")
        .map((text) => `${name}: ${text}`)
    );
    assert.deepEqual(wrong, []);
  });
}
