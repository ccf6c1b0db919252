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
