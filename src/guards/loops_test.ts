import assert from "node:assert/strict";
import { bash, edit, play, read, type Step } from "./_testing.ts";
import { doom_loop } from "./doom_loop.ts";
import { CALM_STEPS, escalation } from "./escalation.ts";
import { notices } from "./notices.ts";
import { reads } from "./reads.ts";
import { repetition } from "./repetition.ts";

const NO_BUDGET = {
  token_budget: 0,
  max_cost_usd: 0,
  reserve_tokens: 512,
  reserve_cost_fraction: 0.1,
};

const none = (count: number): string[] => Array(count).fill("");
const others = (count: number) => Array.from({ length: count }, (_, i) => bash(`other ${i}`));

const DOOM = [doom_loop({ threshold: 3 })];

Deno.test("doom_loop() answers the call that has brought the same three times in a row, and ends the run at the next", () => {
  const x = bash("x");
  assert.deepEqual(play(DOOM, [x, x, x, x, x]), ["", "", "", "answer", "loop_detected"]);
  assert.deepEqual(play(DOOM, [x, x, x, x, bash("y"), x]), ["", "", "", "answer", "", ""]);
});

Deno.test("doom_loop() lets calls that only look be made twice as often", () => {
  const look = bash("git status --short");
  assert.deepEqual(play(DOOM, Array(8).fill(look)), [...none(6), "answer", "loop_detected"]);
  const both: Step = { calls: [...look.calls, ...bash("make").calls] };
  assert.deepEqual(play(DOOM, Array(5).fill(both)), [...none(3), "answer", "loop_detected"]);
});

Deno.test("doom_loop() and repetition() take a refusal for a result", () => {
  const [x, y] = [bash("rm x", { refused: true }), bash("rm y", { refused: true })];
  assert.deepEqual(play(DOOM, [x, x, x, x, x]), ["", "", "", "answer", "loop_detected"]);
  const guard = [repetition({ identical_reads: 0, identical_bash: 0 })];
  const said = play(guard, [x, y, x, y, x, y, x, y]);
  assert.deepEqual(said, [...none(6), "answer", "loop_detected"]);
});

Deno.test("doom_loop() leaves alone what is not a loop", () => {
  const silent = (steps: Step[]) => assert.deepEqual(play(DOOM, steps), none(steps.length));
  silent([1, 2, 3, 4, 5].map((n) => bash("x", { result: `${n}` })));
  silent([bash("x"), bash("y"), bash("x"), bash("y"), bash("x"), bash("y"), bash("x")]);
  silent([bash("x"), bash("x"), bash("x", { changes: 1 }), bash("x"), bash("x"), bash("x")]);
  silent(Array.from({ length: 9 }, () => bash("make", { ms: 10_000 })));
  silent(Array.from({ length: 9 }, () => bash("sleep 2; tail log", { ms: 2_000 })));
  silent(Array.from({ length: 9 }, () => bash("tail log", { background: true })));
  silent(
    Array.from({ length: 9 }, (_, n) => bash("x", n === 2 ? { compacted: true } : {})).slice(0, 6),
  );
  assert.deepEqual(play([doom_loop({ threshold: 0 })], Array(9).fill(bash("x"))), none(9));
});

Deno.test("doom_loop() takes the calls of one reply as one", () => {
  const both: Step = { calls: [{ name: "edit", args: "a" }, { name: "edit", args: "b" }] };
  assert.deepEqual(play(DOOM, Array(5).fill(both)), [...none(3), "answer", "loop_detected"]);
  assert.deepEqual(play(DOOM, [both, bash("a"), both, bash("b"), both]), none(5));
});

const GUARD = [repetition({ identical_reads: 5, identical_bash: 3 })];

Deno.test("repetition() answers a command that has brought the same three times, however far apart", () => {
  const x = bash("x");
  const far = [x, ...others(3), x, ...others(2), x, bash("y"), x];
  assert.deepEqual(play(GUARD, far), [...none(9), "answer"]);
  assert.equal(play(GUARD, [...far, bash("z"), x]).at(-1), "loop_detected");
  const fixed = [x, ...others(1), bash("x", { changes: 1 }), ...others(2), x, bash("y"), x];
  assert.equal(play(GUARD, fixed).join(""), "");
  const flaky = ["1", "2", "1", "2", "1", "1"].map((result) => bash("x", { result }));
  assert.equal(play(GUARD, flaky).join(""), "");
  const off = [repetition({ identical_reads: 0, identical_bash: 0 })];
  assert.equal(play(off, far).join(""), "");
});

Deno.test("repetition() forgets what it answered once a file has changed, or the model no longer knows it", () => {
  const x = bash("x");
  const answered = [x, bash("a"), x, bash("b"), x, bash("c"), x];
  assert.equal(play(GUARD, answered).at(-1), "answer");
  assert.equal(play(GUARD, [...answered, edit("a.ts"), x]).at(-1), "");
  assert.equal(play(GUARD, [...answered, bash("d", { compacted: true }), x]).at(-1), "");
});

Deno.test("repetition() does not end a run whose reply does something else first", () => {
  const x = bash("x");
  const answered = [x, bash("a"), x, bash("b"), x, bash("c"), x];
  const with_edit: Step = { calls: [...edit("a.ts").calls, ...x.calls], changes: 1 };
  assert.equal(play(GUARD, [...answered, with_edit]).at(-1), "answer");
});

Deno.test("repetition() answers the sixth read of the same range, and ends the run at the next", () => {
  const steps = Array.from({ length: 13 }, (_, i) => read(i % 2 === 0 ? "a:1" : `other ${i}`));
  assert.deepEqual(play(GUARD, steps), [...none(10), "answer", "", "tool_error"]);
});

Deno.test("repetition() sees two steps that alternate", () => {
  const guard = [repetition({ identical_reads: 0, identical_bash: 0 })];
  const [a, b] = [bash("a"), bash("b")];
  assert.deepEqual(play(guard, [a, b, a, b, a, b, a, b]), [...none(6), "answer", "loop_detected"]);
  assert.equal(play(guard, [a, b, a, b, a, bash("c"), a, b]).join(""), "");
  assert.equal(play(guard, [a, b, a, bash("b", { result: "other" }), a, b, a]).join(""), "");
  const look = [read("a"), bash("git diff")];
  assert.equal(play(guard, [...look, ...look, ...look, ...look]).join(""), "");
});

Deno.test("reads() counts what was read before: a note, then answers, and what is new can still be read", () => {
  const guard = [reads({ read_warning: 3, read_limit: 5 })];
  const [a, b] = [read("a"), read("b")];
  const said = play(guard, [a, b, a, b, a, b, a, b, read("c"), a]);
  assert.deepEqual(said, ["", "", "", "", "nudge", "", "", "answer", "", "answer"]);
  const worked = [a, a, a, a, edit("a.ts"), a, a];
  assert.deepEqual(play(guard, worked), ["", "", "", "nudge", "", "", ""]);
  const polled = Array.from({ length: 9 }, (_, n) => read("log", { result: `${n}` }));
  assert.equal(play(guard, polled).join(""), "");
});

Deno.test("reads() lets a task be about eighty files, but not about four files forty times", () => {
  const guard = [reads({ read_warning: 32, read_limit: 64 })];
  const eighty = Array.from({ length: 80 }, (_, i) => read(`file ${i}`));
  for (const mode of ["ask", "auto", "patch", "verify"] as const) {
    assert.equal(play(guard, eighty, { mode }).join(""), "", mode);
  }
  const again = Array.from({ length: 40 }, (_, i) => read(`file ${i % 4}`));
  assert.equal(play(guard, again, { mode: "ask" }).filter((word) => word === "nudge").length, 1);
});

const ESCALATION = [escalation({ steps: [8, 9, 10] })];
const nudged = (said: readonly string[]) =>
  said.flatMap((word, at) => word === "nudge" ? [at + 1] : []);

Deno.test("escalation() counts steps that brought nothing new, where a change is asked for", () => {
  const rounds = Array.from({ length: 16 }, (_, i) => read(`${i % 4}`));
  for (const mode of ["patch", "verify"] as const) {
    assert.deepEqual(nudged(play(ESCALATION, rounds, { mode })), [12, 13, 14], mode);
  }
  for (const mode of ["ask", "auto"] as const) {
    assert.equal(play(ESCALATION, rounds, { mode }).join(""), "", mode);
  }
  const worked = rounds.map((step, at) => at === 10 ? { ...step, changes: 1 } : step);
  assert.equal(play(ESCALATION, worked, { mode: "verify" }).join(""), "");
  const news = rounds.map((step, at) => ({ ...step, result: `${at}` }));
  assert.equal(play(ESCALATION, news, { mode: "patch" }).join(""), "");
  const compacted = rounds.map((step, at) =>
    at === 8 ? { ...step, compacted: true } as const : step
  );
  assert.equal(play(ESCALATION, compacted, { mode: "patch" }).join(""), "");
});

Deno.test("escalation() says once, calmly, that there were twenty steps without a change", () => {
  const search = Array.from({ length: 50 }, (_, i) => bash(`grep -n word${i} src`));
  assert.deepEqual(nudged(play(ESCALATION, search, { mode: "patch" })), [CALM_STEPS]);
  const off = [escalation({ steps: [] })];
  assert.equal(play(off, search, { mode: "patch" }).join(""), "");
});

Deno.test("notices() tells once each that time and steps run out", () => {
  const guard = [notices({ ...NO_BUDGET, max_steps: 6, timeout_s: 100 })];
  const steps = Array.from({ length: 6 }, (_, i) => bash(`${i}`));
  assert.deepEqual(play(guard, steps), ["", "", "nudge", "", "", ""]);
  assert.deepEqual(play(guard, steps, { elapsed_ms: 80_000 }).slice(0, 3), ["nudge", "", "nudge"]);
  const off = [notices({ ...NO_BUDGET, max_steps: 0, timeout_s: 0 })];
  assert.equal(play(off, steps, { elapsed_ms: 1e9 }).join(""), "");
});
