import assert from "node:assert/strict";
import type { Mode } from "../guards/rule.ts";
import { FILE_ROW, view_of } from "./_testing.ts";
import { patch } from "./patch.ts";

Deno.test("patch mode wants a file that differs from the start of the run", () => {
  const cases: [Mode, string[], string][] = [
    ["patch", [], "stop"],
    ["patch", ["a.ts"], "go_on"],
    ["auto", [], "go_on"],
    ["ask", [], "go_on"],
    ["verify", [], "go_on"],
  ];
  for (const [mode, changed, expected] of cases) {
    const { verdict } = patch().check({ at: "contract" }, view_of({ mode, changed }), null);
    assert.equal(verdict.kind, expected, `${mode} ${changed}`);
  }
});

Deno.test("a change that was taken back does not count, and the reason can be a task", () => {
  const view = view_of({ mode: "patch", ledger: [FILE_ROW], turn: [FILE_ROW], changed: [] });
  const { verdict } = patch().check({ at: "contract" }, view, null);
  assert.ok(verdict.kind === "stop" && verdict.reason === "contract_unsatisfied");
  assert.match(verdict.text, /No file of the workspace differs/);
});

Deno.test("only the contract is judged", () => {
  const view = view_of({ mode: "patch" });
  assert.equal(patch().check({ at: "ending", text: "Done." }, view, null).verdict.kind, "go_on");
});
