import assert from "node:assert/strict";
import type { Row } from "../tools/ledger.ts";
import {
  attempt_row,
  command_row,
  FILE_ROW,
  first_verdict,
  PLANNED_ROW,
  verdicts,
  verification_row,
  view_of,
} from "./_testing.ts";
import { status_only } from "./status_only.ts";

Deno.test("a bare status with nothing done is nudged as often as is set, then stops the run", () => {
  for (const nudges of [0, 1, 3]) {
    const all = verdicts(status_only({ nudges }), "Done.", view_of(), nudges + 2);
    assert.deepEqual(
      all.map((verdict) => verdict.kind),
      [...Array(nudges).fill("nudge"), "stop", "stop"],
    );
    const last = all.at(-1);
    assert.ok(last?.kind === "stop" && last.reason === "contract_unsatisfied");
    assert.match(last.text, /nothing was done/);
  }
});

Deno.test("what was done in the turn makes a status an ending", () => {
  const cases: [string, Row[], string][] = [
    ["nothing", [], "nudge"],
    ["a file", [FILE_ROW], "go_on"],
    ["what a dry run has planned", [PLANNED_ROW], "go_on"],
    ["a command that passed", [command_row("npm test", 0)], "go_on"],
    ["a command that failed", [command_row("npm test", 1)], "nudge"],
    ["a command that was killed", [command_row("npm test", null)], "nudge"],
    ["a verification that passed", [verification_row(0)], "go_on"],
    ["a verification that failed", [verification_row(1)], "nudge"],
    ["an edit that failed", [attempt_row(false)], "nudge"],
    ["an edit that changed nothing", [attempt_row(true)], "nudge"],
    ["one of several", [attempt_row(false), command_row("ls", 1), FILE_ROW], "go_on"],
  ];
  for (const [name, turn, expected] of cases) {
    const verdict = first_verdict(status_only({ nudges: 3 }), "Done.", view_of({ turn }));
    assert.equal(verdict.kind, expected, name);
  }
});

Deno.test("what was done in an earlier turn does not count", () => {
  const view = view_of({ ledger: [FILE_ROW], turn: [] });
  assert.equal(first_verdict(status_only({ nudges: 3 }), "Done.", view).kind, "nudge");
});

Deno.test("only endings are judged", () => {
  const gate = status_only({ nudges: 3 });
  assert.equal(gate.check({ at: "contract" }, view_of(), gate.start).verdict.kind, "go_on");
});

Deno.test("a long reply is no status, however it begins", () => {
  const gate = status_only({ nudges: 3 });
  assert.equal(first_verdict(gate, "Done. ".repeat(3)).kind, "nudge");
  assert.equal(first_verdict(gate, "Done. ".repeat(40_000)).kind, "go_on");
});

Deno.test("a status said over and over is judged at once", () => {
  // Under an unbounded repeat each of these took for ever.
  const gate = status_only({ nudges: 3 });
  for (
    const word of ["done ", "done now ", "all tasks done ", "都已", "listo ", "fait ", "fertig "]
  ) {
    const text = `${word.repeat(Math.floor(190 / word.length))}x9`;
    assert.equal(first_verdict(gate, text).kind, "go_on", word);
  }
});
