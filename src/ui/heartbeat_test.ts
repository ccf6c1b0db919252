import assert from "node:assert/strict";
import type { Event, Stamped } from "../agent/events.ts";
import { Heartbeat } from "./activity.ts";

const stamped = (event: Event): Stamped => ({ ...event, t: 1, step: 1 });
const OVER = stamped({ type: "result" } as Event);
const CALL: Event = {
  type: "tool_call",
  id: "1",
  name: "bash\n\x1b[2J",
  arguments: {},
  nth: 1,
  of: 1,
};
const RESULT: Event = {
  type: "tool_result",
  id: "1",
  name: "bash",
  ok: true,
  summary: "",
  bytes: 0,
  ms: 0,
  refused: null,
};

/** What the next beats say after these events. */
async function beats(events: readonly Event[], count = 1): Promise<string[]> {
  const said: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const heartbeat = new Heartbeat(5, (words) => {
    if (said.push(words) === count) resolve();
  });
  for (const event of events) heartbeat.heard(stamped(event));
  await promise;
  heartbeat.heard(OVER);
  return said;
}

Deno.test("Heartbeat says what is awaited, again and again", async () => {
  const step: Event = { type: "step_start", messages: 1, tokens: 1 };
  const text: Event = { type: "text_delta", text: "a" };
  const cases: readonly (readonly [readonly Event[], string])[] = [
    [[], "starting, 0s"],
    [[step], "waiting for the model, 0s"],
    // What comes from beside changes nothing.
    [[step, { type: "warning", message: "w" }], "waiting for the model, 0s"],
    [[step, text], "the model is writing, 0s"],
    [[step, text, { ...text, finished: true }], "working, 0s"],
    [[step, CALL], "running bash [2J, 0s"],
    [[step, CALL, RESULT], "working, 0s"],
  ];
  for (const [events, words] of cases) assert.deepEqual(await beats(events), [words]);
  assert.equal((await beats([step], 3)).length, 3);
});

Deno.test("Heartbeat is silent where it is not wanted, and after the result", async () => {
  let said = 0;
  const none = new Heartbeat(0, () => said++);
  none.heard(stamped({ type: "warning", message: "w" }));
  const over = new Heartbeat(1, () => said++);
  over.heard(OVER);
  await beats([], 3);
  assert.equal(said, 0);
});
