import assert from "node:assert/strict";
import { Clock } from "./clock.ts";

const NO_LIMITS = { run_ms: 0, step_ms: 0 };

Deno.test("an interrupt reaches the step that lends its time, and the one it is lent to", async () => {
  const interrupt = new AbortController();
  const clock = new Clock(NO_LIMITS, interrupt.signal);
  const outer = clock.begin_step();
  await clock.lend((lent) => {
    const inner = lent.begin_step();
    assert.deepEqual([outer.aborted, inner.aborted], [false, false]);
    interrupt.abort();
    assert.deepEqual([outer.aborted, inner.aborted], [true, true]);
    assert.ok(lent.interrupted);
    return Promise.resolve();
  });
});

Deno.test("a step lives through lending, and a later interrupt still reaches it", async () => {
  const interrupt = new AbortController();
  const clock = new Clock(NO_LIMITS, interrupt.signal);
  const outer = clock.begin_step();
  const value = await clock.lend((lent) => {
    lent.begin_step();
    return Promise.resolve(42);
  });
  assert.deepEqual([value, outer.aborted], [42, false]);
  interrupt.abort();
  assert.ok(outer.aborted);
});

Deno.test("the time of a run counts from when it began, for its limit as for who asks how long it takes", async () => {
  const limits = { run_ms: 300, step_ms: 0 };
  const began = performance.now() - 290;
  const clock = new Clock(limits, new AbortController().signal, undefined, began);
  const step = clock.begin_step();
  await new Promise((resolve) => step.addEventListener("abort", resolve));
  // Timers and the clock differ by a little.
  assert.ok(clock.elapsed_ms > 298, String(clock.elapsed_ms));
  assert.ok(clock.step_ms < clock.elapsed_ms - 280);
});
