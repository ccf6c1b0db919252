/** What the log shows while something is awaited. */
import assert from "node:assert/strict";
import type { Event } from "../agent/events.ts";
import { RESULT, stamped } from "./_testing.ts";
import { human_log } from "./human_log.ts";

const OPTIONS = {
  ...{ quiet: false, verbose: false, color: false, live: false, asking: () => false },
  heartbeat_ms: 0,
};

/** Waits for what a live log writes. */
async function live_until(wanted: string, events: readonly Event[]): Promise<string> {
  let text = "";
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = human_log({
    ...OPTIONS,
    write: (more) => {
      text += more;
      if (text.includes(wanted)) resolve();
    },
    live: true,
  });
  for (const event of events) hear(stamped(event));
  await promise;
  hear(stamped(RESULT));
  return text;
}

const STEP: Event = { type: "step_start", messages: 2, tokens: 5000 };

Deno.test("human_log() has a live line that shows how far the prompt is read, and nothing of it elsewhere", async () => {
  const reading: Event = { type: "prefill", read: 2072, total: 5365 };
  const wanted = "reading the prompt ███████░░░░░░░░░░░░░ 38% of 5.4k tokens 0s";
  assert.ok((await live_until(wanted, [STEP, reading])).includes("\r\x1b[K"));
  let piped = "";
  const hear = human_log({ ...OPTIONS, write: (more) => void (piped += more) });
  for (const event of [STEP, reading]) hear(stamped(event));
  assert.doesNotMatch(piped, /reading|█/);
});

Deno.test("human_log() says now and then what it waits for, on a line of its own", async () => {
  let text = "";
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = human_log({
    ...OPTIONS,
    write: (more) => {
      text += more;
      if (text.split("⏳").length > 2) resolve();
    },
    heartbeat_ms: 2,
  });
  hear(stamped({ type: "text_delta", text: "So" }));
  await promise;
  hear(stamped({ type: "text_delta", text: " it is.", finished: true }));
  hear(stamped(RESULT));
  assert.match(
    text,
    /^ {3}💬 So\n( {3}⏳ the model is writing, 0s\n){2,} {3}💬 {2}it is\.\n✅ Done/,
  );
});
