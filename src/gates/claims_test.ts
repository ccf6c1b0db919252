import assert from "node:assert/strict";
import type { Mode } from "../guards/rule.ts";
import type { Row } from "../tools/ledger.ts";
import {
  attempt_row,
  command_row,
  FILE_ROW,
  first_verdict,
  PLANNED_ROW,
  verdicts,
  view_of,
} from "./_testing.ts";
import { claims } from "./claims.ts";

const CLAIM = "I fixed the bug.";
const ANSWER = "The index starts at 1.";
const BACK: Row = { ...FILE_ROW, before: "00ff", after: null };

Deno.test("a claim that the ledger denies is nudged as often as is set, then stops the run", () => {
  for (const nudges of [0, 1, 2]) {
    const all = verdicts(claims({ nudges }), CLAIM, view_of(), nudges + 2);
    assert.deepEqual(
      all.map((verdict) => verdict.kind),
      [...Array(nudges).fill("nudge"), "stop", "stop"],
    );
    const last = all.at(-1);
    assert.ok(last?.kind === "stop" && last.reason === "contract_unsatisfied");
  }
});

Deno.test("who is asked for evidence depends on the mode, the reply and what was tried", () => {
  const tried = [attempt_row(false)];
  const cases: [Mode, string, Row[], string][] = [
    ["auto", CLAIM, [], "nudge"],
    ["patch", CLAIM, [], "nudge"],
    ["verify", CLAIM, [], "nudge"],
    ["ask", CLAIM, [], "go_on"],
    ["auto", ANSWER, [], "go_on"],
    ["auto", ANSWER, tried, "nudge"],
    ["auto", ANSWER, [attempt_row(true)], "nudge"],
    ["auto", CLAIM, [PLANNED_ROW], "go_on"],
    ["patch", ANSWER, tried, "go_on"],
    ["verify", ANSWER, tried, "go_on"],
    ["ask", ANSWER, tried, "go_on"],
    ["auto", CLAIM, [command_row("npm test", 0)], "nudge"],
    ["auto", CLAIM, [FILE_ROW], "go_on"],
    ["auto", ANSWER, [...tried, FILE_ROW], "go_on"],
    ["auto", CLAIM, [FILE_ROW, BACK], "nudge"],
    ["auto", CLAIM, [FILE_ROW, BACK, { ...FILE_ROW, path: "b" }], "go_on"],
    ["auto", CLAIM, [FILE_ROW, { ...FILE_ROW, before: "00ff", after: "11" }], "go_on"],
    ["auto", CLAIM, [{ ...FILE_ROW, before: "00ff" }], "go_on"], // `chmod`
    ["auto", ANSWER, [attempt_row(true), FILE_ROW, BACK], "go_on"],
  ];
  for (const [mode, text, rows, expected] of cases) {
    const view = view_of({ mode, ledger: rows, turn: rows });
    const verdict = first_verdict(claims({ nudges: 2 }), text, view);
    assert.equal(verdict.kind, expected, `${mode} ${text} ${JSON.stringify(rows)}`);
  }
});

Deno.test("the whole session backs a claim, but only this turn's attempts ask for one", () => {
  const gate = claims({ nudges: 2 });
  const changed = view_of({ ledger: [FILE_ROW], turn: [attempt_row(false)] });
  assert.equal(first_verdict(gate, CLAIM, changed).kind, "go_on");
  const tried_before = view_of({ ledger: [attempt_row(false)], turn: [] });
  assert.equal(first_verdict(gate, ANSWER, tried_before).kind, "go_on");
});

Deno.test("a nudge names what the ledger shows and what to do", () => {
  const cases: [Partial<Parameters<typeof view_of>[0]>, string][] = [
    [
      {},
      "No file of the workspace has changed. Commands run: none; edits tried: 0, failed: 0. " +
      "Make the change with a tool now, or say that nothing was changed.",
    ],
    [
      { ledger: [FILE_ROW, BACK] },
      "Every file that was changed is back as it was. Commands run: none; edits tried: 0, " +
      "failed: 0. Make the change with a tool now, or say that nothing was changed.",
    ],
    [
      { mode: "patch", ledger: [command_row("npm test", 1)] },
      "No file of the workspace has changed. Commands run: 1, last `npm test` (exit code 1); " +
      "edits tried: 0, failed: 0. Make the change with a tool now.",
    ],
    [
      { ledger: [attempt_row(false), attempt_row(true)], turn: [attempt_row(false)] },
      "No file of the workspace has changed. Commands run: none; edits tried: 2, failed: 1. " +
      "Make the change with a tool now.",
    ],
    [
      {
        mode: "patch",
        ledger: ["a", "b", "c", "d\n  e"].map((command) => command_row(command, null)),
      },
      "No file of the workspace has changed. Commands run: 4, last `b` (exit code none), " +
      "`c` (exit code none), `d e` (exit code none); edits tried: 0, failed: 0. " +
      "Make the change with a tool now.",
    ],
  ];
  for (const [given, expected] of cases) {
    const verdict = first_verdict(claims({ nudges: 2 }), CLAIM, view_of(given));
    assert.deepEqual(verdict, { kind: "nudge", text: expected });
  }
});

Deno.test("a huge command does not make a huge nudge", () => {
  const view = view_of({ ledger: [command_row("x".repeat(100_000), 0)] });
  const verdict = first_verdict(claims({ nudges: 2 }), CLAIM, view);
  assert.ok(verdict.kind === "nudge" && verdict.text.length < 300);
});

Deno.test("only endings are judged", () => {
  const gate = claims({ nudges: 2 });
  const view = view_of({ turn: [attempt_row(false)] });
  assert.equal(gate.check({ at: "request" }, view, gate.start).verdict.kind, "go_on");
});

Deno.test("a claim is found at both ends of a long reply", () => {
  const essay = "The parser reads a header and returns a map of its fields.\n\n".repeat(4_000);
  const gate = claims({ nudges: 2 });
  const cases: [string, string][] = [
    [`${CLAIM} ${essay}`, "nudge"],
    [`${essay}${CLAIM}`, "nudge"],
    [essay, "go_on"],
  ];
  for (const [text, expected] of cases) assert.equal(first_verdict(gate, text).kind, expected);
});
