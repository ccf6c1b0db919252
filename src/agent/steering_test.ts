import assert from "node:assert/strict";
import { Steering } from "./steering.ts";

Deno.test("steer() queues words in their order while the run lives", () => {
  const steering = new Steering();
  assert.equal(steering.pending, false);
  assert.deepEqual(["one", "  \n", "two"].map((text) => steering.steer(text)), [true, true, true]);
  assert.equal(steering.pending, true);
  assert.deepEqual(steering.take(), ["one", "two"]);
  assert.equal(steering.pending, false);
  assert.deepEqual(steering.take(), []);
});

Deno.test("steer() says that a run has ended, and what it did not hear can still be taken", () => {
  const steering = new Steering();
  steering.steer("one");
  steering.end();
  assert.equal(steering.steer("two"), false);
  assert.deepEqual(steering.take(), ["one"]);
});

Deno.test("take_back() takes back what nobody has taken, the last of the same words, and says so", () => {
  const steering = new Steering();
  ["one", "two", "one", "three"].forEach((text) => steering.steer(text));
  assert.deepEqual(["one", "three", "four"].map((text) => steering.take_back(text)), [
    true,
    true,
    false,
  ]);
  assert.deepEqual(steering.take(), ["one", "two"]);
  assert.equal(steering.take_back("one"), false);
});

Deno.test("interrupt() cuts, and says its text; without one nothing is said", () => {
  const steering = new Steering();
  let cuts = 0;
  steering.on_interrupt(() => cuts++);
  assert.equal(steering.interrupting, false);
  assert.equal(steering.interrupt("stop that"), true);
  assert.deepEqual([cuts, steering.interrupting, steering.pending], [1, true, true]);
  assert.deepEqual(steering.take(), ["stop that"]);
  assert.equal(steering.interrupting, false);
  steering.on_interrupt(null);
  steering.interrupt();
  assert.deepEqual([cuts, steering.interrupting, steering.pending], [1, true, false]);
  steering.end();
  assert.equal(steering.interrupt("too late"), false);
});
