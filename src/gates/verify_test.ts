import assert from "node:assert/strict";
import type { Mode } from "../guards/rule.ts";
import type { LedgerRow } from "../tools/ledger.ts";
import { command_row, verification_row, view_of } from "./_testing.ts";
import { verify } from "./verify.ts";

function ask(turn: LedgerRow[], mode: Mode = "verify") {
  return verify().check({ at: "contract" }, view_of({ mode, turn }), null).verdict;
}

Deno.test("verify mode wants the turn's last verification to have passed", () => {
  const cases: [string, LedgerRow[], Mode, string][] = [
    ["not run", [], "verify", "stop"],
    ["run by the model only", [command_row("deno test", 0)], "verify", "stop"],
    ["passed", [verification_row(0)], "verify", "go_on"],
    ["failed", [verification_row(1)], "verify", "stop"],
    ["killed", [verification_row(null)], "verify", "stop"],
    ["failed, then passed", [verification_row(1), verification_row(0)], "verify", "go_on"],
    ["passed, then failed", [verification_row(0), verification_row(1)], "verify", "stop"],
    ["another mode", [verification_row(1)], "patch", "go_on"],
  ];
  for (const [name, turn, mode, expected] of cases) {
    assert.equal(ask(turn, mode).kind, expected, name);
  }
});

Deno.test("the reason has the command, its exit code and the end of its output", () => {
  const cases: [LedgerRow[], string][] = [
    [[], "The verify command has not run."],
    [
      [verification_row(2, "1 failed\n")],
      "The verify command `deno test` failed with exit code 2. The end of its output:\n1 failed",
    ],
    [
      [verification_row(127, "bash: deno: command not found\n")],
      "The verify command `deno test` failed with exit code 127 (usually: a program that was not " +
      "found). The end of its output:\nbash: deno: command not found",
    ],
    [
      [verification_row(126, "")],
      "The verify command `deno test` failed with exit code 126 (usually: a program that can't be " +
      "executed). It printed nothing.",
    ],
    [
      [verification_row(null, "")],
      "The verify command `deno test` was ended by a signal or a time limit. It printed nothing.",
    ],
  ];
  for (const [turn, text] of cases) {
    assert.deepEqual(ask(turn), { kind: "stop", reason: "verification_failed", text });
  }
});

Deno.test("of a long output the end is kept", () => {
  const verdict = ask([verification_row(1, `${"x".repeat(100_000)}the end`)]);
  assert.ok(verdict.kind === "stop" && verdict.text.endsWith("the end"));
  assert.ok(verdict.text.length < 5_000);
});

Deno.test("only the contract is judged", () => {
  const view = view_of({ mode: "verify" });
  assert.equal(verify().check({ at: "ending", text: "Done." }, view, null).verdict.kind, "go_on");
});
