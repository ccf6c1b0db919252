/** A run, and a person who writes into the same files between its calls: each is told what is theirs. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { bash, type Reply, say } from "../support/model_server.ts";
import { each } from "../support/hamr.ts";
import { stage } from "../support/stage.ts";
import { cases } from "../support/thorough.ts";
import {
  Account,
  act,
  command_of,
  type Event,
  EVENTS,
  files_in,
  present,
  START,
} from "../support/world.ts";

const RUNS = cases(8, 10);
/** One run in so many is a process; what is looked at and undone afterwards is always asked of one. */
const FROM_OUTSIDE = 5;
const ANSWER = say("The answer is 42.");

/** What the model does where an event is the run's. */
function reply_of(event: Event): Reply {
  if (event.kind !== "write") {
    return bash(event.deeds.length === 0 ? "true" : event.deeds.map(command_of).join("; "));
  }
  const { path, to } = event.deed;
  return {
    calls: [
      { name: "read", args: { path } },
      { name: "write", args: { path, content: to ?? "" } },
    ],
  };
}

const NAME =
  "what a run is told to have changed is what its calls have changed, and so is what is undone";

Deno.test(NAME, { sanitizeOps: false, sanitizeResources: false }, async () => {
  const plans = fc.sample(EVENTS, { numRuns: RUNS, seed: Date.now() });
  await each(plans, async (events, n) => {
    const account = new Account();
    for (const event of events) account.take(event);
    const left = [...events];
    const place = { path: "" };
    const script = (): Reply => {
      for (let event = left.shift(); event !== undefined; event = left.shift()) {
        if (event.kind !== "foreign") return reply_of(event);
        for (const deed of event.deeds) act(place.path, deed);
      }
      return ANSWER;
    };
    const plan = JSON.stringify(events);
    const inside = n % FROM_OUTSIDE !== 0;
    await stage({ script, files: START, inside, violations: true }, async (s) => {
      place.path = s.ws.path;
      const { code, result } = await s.run("Do it.");
      assert.equal(code, 0, plan);
      const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path);
      assert.deepEqual(paths(result.files_changed), account.net, plan);
      const shown = JSON.parse((await s.hamr(["diff", "--json"])).stdout);
      assert.deepEqual(paths(shown.files), account.left, plan);
      await s.hamr(["undo"]);
      const now = [...files_in(s.ws.path)].sort(([a], [b]) => a < b ? -1 : 1);
      assert.deepEqual(now, [...present(account.undone)], plan);
    });
  });
});
