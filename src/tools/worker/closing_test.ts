import assert from "node:assert/strict";
import { end_of } from "./closing.ts";

Deno.test("a look at what was left behind has its own time, once nothing runs anymore", async () => {
  const never = Promise.withResolvers<never>().promise;
  const done = Promise.resolve();
  /** Each time is over at once, or never. */
  const soon = 0, late = 3600_000;
  const end = (stopped: Promise<void>, closed: Promise<boolean>, end_ms: number, look_ms: number) =>
    end_of({ stopped, closed }, { end_ms, look_ms });
  const after_a_moment = new Promise<boolean>((resolve) => setTimeout(resolve, 20, true));
  assert.equal(await end(done, after_a_moment, soon, late), true);
  assert.equal(await end(done, never, late, soon), null);
  assert.equal(await end(never, never, soon, late), null);
  // A worker that is lost says no more that it has stopped.
  assert.equal(await end(never, Promise.resolve(false), late, late), false);
});
