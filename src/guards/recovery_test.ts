import assert from "node:assert/strict";
import { bash_failure } from "./bash_failure.ts";
import { context_exhaustion } from "./context_exhaustion.ts";
import { malformed } from "./malformed.ts";
import type { Action, Rule, View } from "./rule.ts";

const action = (more: Partial<Action>): Action => ({
  name: "bash",
  args: "{}",
  step: 1,
  ran: true,
  valid: true,
  ok: true,
  result: "r",
  ms: 5,
  changes: 0,
  ...more,
});

/** What a rule says before a request, with these things done. */
function verdict_of(rule: Rule, seen: Partial<View>, memory: unknown = rule.start) {
  const view = { actions: [], steps: 0, calls: 0, changes: 0, compactions: [], ...seen } as Partial<
    View
  >;
  return rule.check({ at: "request" }, view as View, memory);
}

const invalid = (step: number, more: Partial<Action> = {}) =>
  action({ step, ran: false, valid: false, ok: false, ...more });

for (
  const [what, actions, steps, kind] of [
    ["one step of calls that fit nothing", [invalid(1)], 1, "go_on"],
    ["two of them", [invalid(1), invalid(2)], 2, "nudge"],
    ["two, of several calls each", [invalid(1), invalid(2), invalid(2)], 2, "nudge"],
    ["one call that fits among them", [invalid(1), invalid(2), action({ step: 2 })], 2, "go_on"],
    ["a step that fits between", [invalid(1), action({ step: 2 }), invalid(3)], 3, "go_on"],
    ["a step without calls between", [invalid(1), invalid(3)], 3, "go_on"],
    [
      "calls that were refused, not malformed",
      [action({ step: 1, ran: false }), action({ step: 2, ran: false })],
      2,
      "go_on",
    ],
    ["nothing", [], 0, "go_on"],
  ] as const
) {
  Deno.test(`malformed(): ${what}: ${kind}`, () => {
    const { verdict } = verdict_of(malformed(), { actions, steps });
    assert.equal(verdict.kind, kind);
    if (verdict.kind === "nudge") assert.equal(verdict.recovers?.otherwise, "model_error");
  });
}

const failed = (more: Partial<Action> = {}) => action({ ok: false, ...more });

for (
  const [what, actions, kind] of [
    ["two failed commands", [failed(), failed()], "go_on"],
    ["three", [failed(), failed(), failed()], "nudge"],
    ["one that worked among them", [failed(), action({}), failed()], "go_on"],
    ["a change between", [failed(), failed(), failed({ changes: 1 })], "go_on"],
    ["other tools", [failed({ name: "edit" }), failed(), failed()], "go_on"],
    ["looks, which may find nothing", [failed({ looks: true }), failed(), failed()], "go_on"],
    ["commands that were refused", [failed({ ran: false }), failed(), failed()], "go_on"],
  ] as const
) {
  Deno.test(`bash_failure(): ${what}: ${kind}`, () => {
    const changes = actions.at(-1)?.changes ?? 0;
    const view = { actions, calls: actions.length, changes };
    assert.equal(verdict_of(bash_failure(), view).verdict.kind, kind);
  });
}

Deno.test("bash_failure() says so again after three more, not after each", () => {
  const rule = bash_failure();
  let memory = rule.start;
  const said: number[] = [];
  for (let calls = 1; calls <= 9; calls++) {
    const actions = Array.from({ length: calls }, () => failed());
    const ruling = verdict_of(rule, { actions, calls }, memory);
    memory = ruling.memory;
    if (ruling.verdict.kind === "nudge") said.push(calls);
  }
  assert.deepEqual(said, [3, 6, 9]);
});

Deno.test("context_exhaustion() tells once of each compaction that comes soon after another", () => {
  const kind = (compactions: number[], steps: number) =>
    verdict_of(context_exhaustion(), { compactions, steps }).verdict.kind;
  assert.equal(kind([], 0), "go_on");
  assert.equal(kind([5], 6), "go_on");
  assert.equal(kind([5, 13], 14), "nudge");
  assert.equal(kind([5, 14], 15), "go_on");
  // A later step, perhaps of another turn: nothing has filled up since.
  assert.equal(kind([5, 13], 16), "go_on");
});
