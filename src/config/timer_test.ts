/** Timers that are called off. */
import assert from "node:assert/strict";
import { later } from "./timer.ts";

/** Deno 2.6 gave a cleared timer's call in a third of these. */
const TRIES = 40;

Deno.test("later() does nothing once it is called off, also in the turn in which it is due", async () => {
  let late = 0;
  await new Promise<void>((resolve) => later(0, resolve));
  for (let nth = 0; nth < TRIES; nth++) {
    let is_off = false;
    // Where the system's answer comes in a later turn, it is called in time.
    const stop = later(2, () => late += is_off ? 1 : 0);
    const called_off = Deno.lstat("/").then(() => {
      stop();
      is_off = true;
    });
    const due = performance.now() + 8;
    while (performance.now() < due);
    await called_off;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assert.equal(late, 0);
});
