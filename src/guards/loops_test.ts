import assert from "node:assert/strict";
import { VIEW } from "./_testing.ts";
import { doom_loop } from "./doom_loop.ts";
import { escalation } from "./escalation.ts";
import { notices } from "./notices.ts";
import { reads } from "./reads.ts";
import { repetition } from "./repetition.ts";
import type { Action, Asked, Moment, Rule, Verdict, View } from "./rule.ts";

const NO_BUDGET = {
  token_budget: 0,
  max_cost_usd: 0,
  reserve_tokens: 512,
  reserve_cost_fraction: 0.1,
};
const REQUEST: Moment = { at: "request" };

/** A step of the model: what it calls, and what comes of it. */
interface Step {
  readonly calls: readonly Asked[];
  readonly result?: string;
  readonly ms?: number;
  /** Files that it changes. */
  readonly changes?: number;
  readonly background?: boolean;
  /** Somebody who is no guard refuses its calls. */
  readonly refused?: true;
}

const bash = (args: string, more: Partial<Step> = {}): Step => ({
  calls: [{ name: "bash", args }],
  ...more,
});
const read = (args: string, more: Partial<Step> = {}): Step => ({
  calls: [{ name: "read", args }],
  ...more,
});

/** Plays steps to a rule as the loop would; what it said at each, before the calls ran and after. */
function play(rule: Rule, steps: readonly Step[], view: Partial<View> = {}): string[] {
  let memory = rule.start;
  const actions: Action[] = [];
  let changes = 0;
  const said: string[] = [];
  const ask = (moment: Moment, more: Partial<View>): Verdict => {
    const seen = { ...VIEW, ...view, actions, changes, ...more };
    const ruling = rule.check(moment, seen, memory);
    memory = JSON.parse(JSON.stringify(ruling.memory ?? null));
    return ruling.verdict;
  };
  const word = (verdict: Verdict) =>
    verdict.kind === "stop" ? verdict.reason : verdict.kind === "go_on" ? "" : verdict.kind;
  for (const [at, { calls, result = "r", ms = 5, ...more }] of steps.entries()) {
    const now = { steps: at + 1, run_steps: at + 1, background: more.background ?? false };
    const before = ask({ at: "calls", calls }, now);
    const each = calls.map(({ name, args }) =>
      ask({ at: "call", call: { id: "x", name, arguments: args } }, now)
    );
    const refused = [before, ...each].find(({ kind }) => kind !== "go_on");
    for (const asked of calls) {
      actions.push({
        ...asked,
        step: at + 1,
        ran: refused === undefined && !more.refused,
        ...(more.refused ? { refused: true } : {}),
        valid: true,
        ok: true,
        result,
        ms,
        changes,
      });
    }
    changes += more.changes ?? 0;
    said.push(word(refused ?? ask(REQUEST, now)));
  }
  return said;
}

Deno.test("doom_loop() answers the third identical call, and ends the run at the next", () => {
  const guard = doom_loop({ threshold: 3 });
  assert.deepEqual(play(guard, [bash("x"), bash("x"), bash("x"), bash("x")]), [
    "",
    "",
    "answer",
    "loop_detected",
  ]);
  assert.deepEqual(play(guard, [bash("x"), bash("x"), bash("x"), bash("y"), bash("x")]), [
    ...["", "", "answer", "", ""],
  ]);
});

Deno.test("doom_loop() and repetition() take a refusal for a result", () => {
  const [x, y] = [bash("rm x", { refused: true }), bash("rm y", { refused: true })];
  const said = play(doom_loop({ threshold: 3 }), [x, x, x, x]);
  assert.deepEqual(said, ["", "", "answer", "loop_detected"]);
  const guard = repetition({ identical_reads: 0, identical_bash: 0 });
  assert.equal(play(guard, [x, y, x, y, x, y]).at(-1), "loop_detected");
});

Deno.test("doom_loop() leaves alone what is no loop", () => {
  const guard = doom_loop({ threshold: 3 });
  const none = (steps: Step[]) => assert.deepEqual(play(guard, steps), steps.map(() => ""));
  none([bash("x", { result: "1" }), bash("x", { result: "2" }), bash("x", { result: "3" })]);
  none([bash("x"), bash("y"), bash("x"), bash("y"), bash("x")]);
  none([bash("x"), bash("x", { changes: 1 }), bash("x"), bash("y")]);
  none(Array.from({ length: 5 }, () => bash("sleep 10", { ms: 10_000 })));
  none(Array.from({ length: 5 }, () => bash("tail log", { background: true })));
  assert.deepEqual(play(doom_loop({ threshold: 0 }), Array(6).fill(bash("x"))), Array(6).fill(""));
});

Deno.test("doom_loop() takes the calls of one reply as one", () => {
  const both: Step = { calls: [{ name: "read", args: "a" }, { name: "read", args: "b" }] };
  const guard = doom_loop({ threshold: 3 });
  assert.deepEqual(play(guard, [both, both, both, both]), ["", "", "answer", "loop_detected"]);
  assert.deepEqual(play(guard, [both, read("a"), both, read("b"), both]), ["", "", "", "", ""]);
});

Deno.test("repetition() ends the run at the third run of a command, however far apart", () => {
  const guard = repetition({ identical_reads: 5, identical_bash: 3 });
  const others = (n: number) => Array.from({ length: n }, (_, i) => bash(`other ${n} ${i}`));
  const far = [bash("x"), ...others(3), bash("x"), ...others(4), bash("x")];
  assert.equal(play(guard, far).at(-1), "loop_detected");
  assert.equal(play(guard, far).slice(0, -1).join(""), "");
  const mended = [bash("x"), ...others(1), bash("x", { changes: 1 }), ...others(2), bash("x")];
  assert.equal(play(guard, mended).join(""), "");
  const answered = [bash("x", { result: "1" }), bash("x", { result: "2" }), bash("x")];
  assert.equal(play(guard, answered).join(""), "");
  assert.equal(play(repetition({ identical_reads: 0, identical_bash: 0 }), far).join(""), "");
});

Deno.test("repetition() ends the run at the fifth read of the same range", () => {
  const guard = repetition({ identical_reads: 5, identical_bash: 3 });
  const steps = Array.from({ length: 9 }, (_, i) => read(i % 2 === 0 ? "a:1" : `other ${i}`));
  assert.deepEqual(play(guard, steps), [...Array(8).fill(""), "tool_error"]);
});

Deno.test("repetition() sees two steps that alternate", () => {
  const guard = repetition({ identical_reads: 0, identical_bash: 0 });
  const [a, b] = [bash("a"), read("b")];
  assert.deepEqual(play(guard, [a, b, a, b, a, b]), ["", "", "", "", "", "loop_detected"]);
  assert.equal(play(guard, [a, b, a, b, a, read("c"), a]).join(""), "");
  assert.equal(play(guard, [a, b, a, bash("a", { result: "other" }), a, b]).join(""), "");
  assert.equal(play(guard, [a, a, a, a, a, a]).join(""), "");
});

Deno.test("reads() warns, then refuses, until a file changes", () => {
  const guard = reads({ read_warning: 3, read_limit: 5 });
  const many = Array.from({ length: 7 }, (_, i) => read(`${i}`));
  assert.deepEqual(play(guard, many, { mode: "patch" }), [
    ...["", "", "nudge", "", "", "answer", "answer"],
  ]);
  const worked = [read("1"), read("2"), read("3"), bash("x", { changes: 1 }), read("4"), read("5")];
  assert.deepEqual(play(guard, worked, { mode: "patch" }), ["", "", "nudge", "", "", ""]);
});

Deno.test("reads() lets a question be about eighty files, but not about one file eighty times", () => {
  const guard = reads({ read_warning: 32, read_limit: 64 });
  const eighty = Array.from({ length: 80 }, (_, i) => read(`file ${i}`));
  for (const mode of ["ask", "auto"] as const) {
    assert.equal(play(guard, eighty, { mode }).join(""), "", mode);
  }
  const again = Array.from({ length: 40 }, (_, i) => read(`file ${i % 4}`));
  assert.equal(play(guard, again, { mode: "ask" }).filter((word) => word === "nudge").length, 1);
});

Deno.test("escalation() grows louder while nothing changes, where a change is asked for", () => {
  const guard = escalation({ steps: [8, 9, 10] });
  const idle = Array.from({ length: 13 }, (_, i) => bash(`${i}`));
  const said = play(guard, idle, { mode: "patch" });
  assert.deepEqual(said.flatMap((word, at) => word === "nudge" ? [at] : []), [7, 8, 9]);
  for (const mode of ["ask", "auto"] as const) {
    assert.equal(play(guard, idle, { mode }).join(""), "", mode);
  }
  const worked = idle.map((step, at) => at === 6 ? { ...step, changes: 1 } : step);
  assert.equal(play(guard, worked, { mode: "verify" }).join(""), "");
});

Deno.test("notices() tells once each that time and steps run out", () => {
  const guard = notices({ ...NO_BUDGET, max_steps: 6, timeout_s: 100 });
  const steps = Array.from({ length: 6 }, (_, i) => bash(`${i}`));
  assert.deepEqual(play(guard, steps), ["", "", "nudge", "", "", ""]);
  assert.deepEqual(play(guard, steps, { elapsed_ms: 80_000 }).slice(0, 3), ["nudge", "", "nudge"]);
  const none = notices({ ...NO_BUDGET, max_steps: 0, timeout_s: 0 });
  assert.equal(play(none, steps, { elapsed_ms: 1e9 }).join(""), "");
});
