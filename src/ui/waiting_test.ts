/** What the log shows while something is awaited. */
import assert from "node:assert/strict";
import type { Event } from "../agent/events.ts";
import { RESULT, stamped } from "./_testing.ts";
import { human_log } from "./human_log.ts";
import { new_screen } from "./human_log_options.ts";
import { Activity } from "./activity.ts";

const OPTIONS = {
  ...{
    quiet: false,
    verbose: false,
    requests: false,
    color: false,
    width: 100,
    live: false,
    screen: new_screen(),
  },
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

Deno.test("human_log() tells reading, thinking and writing a call apart", async () => {
  const read: Event = { type: "prefill", read: 5000, total: 5000 };
  const thought: Event = { type: "reasoning_delta", text: "Hm." };
  const writing: Event = { type: "writing", name: "write", chars: 1234 };
  for (
    const [wanted, events] of [
      ["   writing 0s", [STEP, { ...read, read: 100 }, read]],
      ["   thinking 0s", [STEP, read, thought, thought]],
      ["   writing a call: write, 1.2k characters 0s", [STEP, read, thought, writing]],
      ["   writing a call: write, 1.2k characters 0s", [
        STEP,
        { type: "text_delta", text: "I write it." },
        writing,
      ]],
    ] as [string, Event[]][]
  ) {
    const text = await live_until(wanted, events);
    assert.doesNotMatch(text, /100%/);
  }
});

Deno.test("human_log() says what it waits for: a call that is streamed, and thoughts", async () => {
  for (
    const [expected, events] of [
      [/⏳ the model is writing a call: write, 12 characters, \ds/, [
        STEP,
        { type: "writing", name: "write", chars: 12 },
      ]],
      [/⏳ the model is thinking, \ds/, [STEP, { type: "reasoning_delta", text: "Hm." }]],
    ] as [RegExp, Event[]][]
  ) {
    let text = "";
    const { promise, resolve } = Promise.withResolvers<void>();
    const hear = human_log({
      ...OPTIONS,
      write: (more) => {
        text += more;
        if (expected.test(text)) resolve();
      },
      heartbeat_ms: 20,
    });
    for (const event of events) hear(stamped(event));
    await promise;
    hear(stamped(RESULT));
  }
});

Deno.test("a reply that falls silent is writing a call, where the server tells of none before its end", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const log = {
    streams: () => true,
    interrupt: () => {},
    tell: (words: string) => words.includes("call") && resolve(words),
  };
  const activity = new Activity({ ...OPTIONS, write: () => {}, heartbeat_ms: 20 }, log, 20);
  const start = { type: "session_start", api_mode: "ollama_chat" } as Event;
  for (const event of [start, STEP, { type: "text_delta", text: "I write it." } as Event, RESULT]) {
    if (event === RESULT) assert.match(await promise, /^ {3}⏳ the model is writing a call, \ds$/);
    assert.equal(activity.progress(stamped(event)), false);
    activity.over(stamped(event));
    activity.begin(stamped(event));
  }
});

Deno.test("human_log() says why a server is asked again once, as long as it stays the same", () => {
  const retry = (reason: string, attempt: number): Event => ({
    ...{ type: "retry", reason, attempt, wait_ms: Math.min(attempt, 3) * 1000 },
  });
  let text = "";
  const hear = human_log({ ...OPTIONS, write: (more) => void (text += more) });
  const gone = [1, 2, 3, 4, 5, 6].map((attempt) => retry("gone", attempt));
  const events = [...gone, retry("busy", 3), STEP, retry("busy", 1)];
  for (const event of events) hear(stamped(event));
  assert.deepEqual(text.split("\n").filter((one) => one.includes("↻")), [
    "   ↻ asking again in 1.0 s: gone",
    "   ↻ asking again in 2.0 s",
    "   ↻ asking again in 3.0 s",
    "   ↻ asking again in 3.0 s: busy",
    "   ↻ asking again in 1.0 s: busy",
  ]);
});

Deno.test("line breaks before and behind an answer are not shown, however they come", () => {
  for (const words of [[..."\n\nHello.\n\nBye.\n\n"], ["\n", " \nHello.\n\nBye.\n"]]) {
    let text = "";
    const hear = human_log({ ...OPTIONS, write: (more) => text += more });
    for (const one of words) hear(stamped({ type: "text_delta", text: one }));
    hear(stamped({ type: "text_delta", text: "", finished: true }));
    assert.equal(text, "   💬 Hello.\n\n      Bye.\n");
  }
});

Deno.test("whoever writes beside the log ends the line that is streamed, the word it holds back too", () => {
  let text = "";
  const screen = new_screen();
  const hear = human_log({
    ...OPTIONS,
    ...{ screen, write: (more: string) => void (text += more) },
  });
  assert.equal(screen.end_line(), false);
  hear(stamped({ type: "text_delta", text: "One two" }));
  assert.equal(screen.end_line(), true);
  text += "Stopping…\n";
  hear(stamped({ type: "text_delta", text: "", finished: true }));
  assert.equal(text, "   💬 One two\nStopping…\n");
});

Deno.test("whoever writes beside the log takes the live line away", () => {
  let text = "";
  const screen = new_screen();
  const hear = human_log({
    ...{ ...OPTIONS, screen, live: true },
    write: (more: string) => void (text += more),
  });
  hear(stamped(STEP));
  text = "";
  assert.equal(screen.end_line(), true);
  assert.equal(text, "\r\x1b[K");
  hear(stamped(RESULT));
});
