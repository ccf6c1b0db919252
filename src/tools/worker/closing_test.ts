import assert from "node:assert/strict";
import { on_giving_up, wait_for_end } from "./closing.ts";

Deno.test("a look at what was left behind has its own time, once nothing runs anymore", async () => {
  const never = Promise.withResolvers<never>().promise;
  const done = Promise.resolve();
  /** Each time is over at once, or never. */
  const soon = 0, late = 3600_000;
  const end = (stopped: Promise<void>, closed: Promise<boolean>, end_ms: number, look_ms: number) =>
    wait_for_end({ stopped, closed }, { end_ms, look_ms });
  const after_a_moment = new Promise<boolean>((resolve) => setTimeout(resolve, 20, true));
  assert.equal(await end(done, after_a_moment, soon, late), true);
  assert.equal(await end(done, never, late, soon), null);
  assert.equal(await end(never, never, soon, late), null);
  // A worker that is lost says no more that it has stopped.
  assert.equal(await end(never, Promise.resolve(false), late, late), false);
});

Deno.test("a worker that does not give up what it does is lost; one that has ended it, or was not told to, is not", async () => {
  const log: string[] = [];
  const watch = (signal: AbortSignal | null) => {
    const lost = Promise.withResolvers<string>();
    const tell = () => void log.push("told");
    return {
      over: on_giving_up(signal, { tell, lose: ({ message }) => lost.resolve(message) }, 0),
      lost: lost.promise,
    };
  };
  const given_up = new AbortController();
  const stuck = watch(given_up.signal);
  const ended = watch(given_up.signal);
  ended.over();
  const untold = watch(null);
  given_up.abort();
  const late = watch(given_up.signal);
  const first = Promise.race([ended.lost, untold.lost, stuck.lost]);
  assert.match(await first, /was abandoned .* it may be waiting for a disk that does not answer/);
  await late.lost;
  assert.deepEqual(log, ["told", "told"]);
});
