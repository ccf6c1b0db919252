import assert from "node:assert/strict";
import type { Message } from "../model/message.ts";
import { compact, type CompactOptions } from "./compact.ts";
import { ends_of, stub_exchange } from "./clean.ts";
import { tokens_in } from "./estimate.ts";

const SYSTEM: Message = { role: "system", content: "You are hamr." };
const TASK: Message = { role: "user", content: "Fix the parser." };
const tokens_of = (message: Message) => Math.ceil(JSON.stringify(message).length / 4);

/** One step: a reply with calls and their results. */
function step(n: number, ...results: string[]): Message[] {
  const tool_calls = results.map((_, at) => ({
    id: `c${n}_${at}`,
    name: "read",
    arguments: `{"path":"f${n}"}`,
  }));
  return [
    { role: "assistant", content: `Step ${n}.`, tool_calls },
    ...results.map((content, at) => ({
      role: "tool" as const,
      tool_call_id: `c${n}_${at}`,
      content,
    })),
  ];
}

function history(...steps: Message[][]): Message[] {
  return [SYSTEM, TASK, ...steps.flat()];
}

function options(more: Partial<CompactOptions> = {}): CompactOptions {
  return {
    strategy: "compact",
    budget: 2000,
    fits: 0.75,
    protect_last: 20,
    summarize_after_steps: 2,
    tokens_of,
    before: "",
    task: "",
    summarize: () => Promise.resolve("All nine sections."),
    assemble: (summary, tail) => [
      SYSTEM,
      summary === "" ? TASK : { ...TASK, content: `${TASK.content}\n${summary}` },
      ...tail,
    ],
    ...more,
  };
}

/** Every call is answered once, in order; nothing else is. */
function assert_whole(messages: readonly Message[]): void {
  let owed: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") assert.equal(owed.shift(), message.tool_call_id);
    else assert.deepEqual(owed, []);
    if (message.role === "assistant") owed = (message.tool_calls ?? []).map(({ id }) => id);
  }
  assert.deepEqual(owed, []);
}

const noise = (n: number) => `\x1b[32mline ${n}\x1b[0m\n${"same\n".repeat(300)}end ${n}`;
const text = (n: number, length: number) =>
  Array.from({ length: length / 10 }, (_, at) => `${n}.${at} abcde`).join("\n");

Deno.test("stage 0: colors and repeats go first, and that may be enough", async () => {
  const messages = history(...[1, 2, 3, 4, 5, 6].map((n) => step(n, noise(n))));
  const done = await compact(messages, options({ protect_last: 2 }));
  assert.equal(done.stage, "0");
  assert.equal(done.messages.length, messages.length);
  const [first, last] = [done.messages[3]?.content, done.messages.at(-1)?.content];
  assert.equal(first, "line 1\nsame\n[the line above: 300 times]\nend 1");
  assert.equal(last, noise(6), "the tail stays as it is");
  assert_whole(done.messages);
});

Deno.test("stage 0: then old results are named instead of told, the oldest first, at most needed", async () => {
  const messages = history(...[1, 2, 3, 4, 5, 6, 7].map((n) => step(n, text(n, 1400))));
  const done = await compact(messages, options({ protect_last: 2, budget: 5000 }));
  assert.equal(done.stage, "0");
  assert.match(done.messages[3]?.content ?? "", /^1\.0 abcde\n\[old result of 140 lines left out/);
  assert.equal(done.messages[13]?.content, text(6, 1400));
  assert_whole(done.messages);
});

Deno.test("stage 1: older steps become a summary, the last ones stay word for word", async () => {
  let asked = "";
  const steps = Array.from({ length: 40 }, (_, n) => step(n, text(n, 100)));
  const done = await compact(
    history(...steps),
    options({
      protect_last: 8,
      summarize: (transcript) => {
        asked = transcript;
        return Promise.resolve("All nine sections.");
      },
    }),
  );
  assert.equal(done.stage, "1");
  assert.deepEqual(done.messages.slice(2), steps.slice(-4).flat());
  assert.equal(done.messages[1]?.content, "Fix the parser.\nAll nine sections.");
  assert.match(asked, /\[call\] read \{"path":"f35"\}\n\n\[result\]\n35\.0 abcde/);
  assert.doesNotMatch(asked, /f36/);
  assert_whole(done.messages);
});

Deno.test("a summary of before is carried on, and calls and results are never divided", async () => {
  const asked: string[] = [];
  const summarize = (transcript: string) => {
    asked.push(transcript);
    return Promise.resolve("Second.");
  };
  const steps = Array.from({ length: 30 }, (_, n) => step(n, text(n, 90), text(n, 80)));
  const more = { before: "First.", summarize, protect_last: 7 };
  const done = await compact(history(...steps), options(more));
  assert.match(asked[0] ?? "", /^\[summary of what came before\]\nFirst\./);
  assert.equal(done.summary, "Second.");
  assert.deepEqual(
    done.messages.slice(2),
    steps.slice(-2).flat(),
    "7 messages hold two whole steps",
  );
  assert_whole(done.messages);
});

Deno.test("without a model's summary, and for few steps, the calls are listed", async () => {
  const steps = Array.from({ length: 40 }, (_, n) => step(n, text(n, 100)));
  const failed = await compact(
    history(...steps),
    options({ protect_last: 4, summarize: () => Promise.resolve(null) }),
  );
  assert.match(failed.summary, /- read \{"path":"f37"\}: 37\.0 abcde/);
  assert.match(failed.summary, /Your last text: Step 37\./);
  const few = await compact(
    history(...steps),
    options({
      protect_last: 4,
      summarize_after_steps: 99,
      summarize: () => Promise.reject(new Error("not asked")),
    }),
  );
  assert.equal(few.summary, failed.summary);
});

Deno.test("stages 2, 2b and 3: the less room the task leaves, the shorter the tail, and at last the summary", async () => {
  const steps = Array.from({ length: 60 }, (_, n) => step(n, text(n, 200)));
  const stage_at = async (chars: number) => {
    const task: Message = { role: "user", content: "x".repeat(chars) };
    const assemble = (summary: string, tail: readonly Message[]) => [
      SYSTEM,
      { ...task, content: task.content + summary },
      ...tail,
    ];
    const summarize = () => Promise.resolve("s".repeat(9000));
    const more = { budget: 10_000, assemble, summarize, protect_last: 99 };
    const done = await compact([SYSTEM, task, ...steps.flat()], options(more));
    assert_whole(done.messages);
    return { stage: done.stage, kept: done.messages.length, summary: done.summary.length };
  };
  const stages = [];
  for (const chars of [4000, 13_000, 18_000, 22_000, 60_000]) stages.push(await stage_at(chars));
  assert.deepEqual(stages.map(({ stage }) => stage), ["1", "2", "2b", "3", "3"]);
  const kept = stages.map(({ kept }) => kept);
  assert.deepEqual(kept, kept.toSorted((a, b) => b - a));
  const [long, , , cut] = stages.map(({ summary }) => summary);
  assert.ok((long ?? 0) > 3900 && (cut ?? 9999) < 1300, `${long} ${cut}`);
});

Deno.test("a last step too large for the tail is shortened, its head and its end stay", async () => {
  const messages = history(step(1, "a"), step(2, text(2, 30_000), text(3, 30_000)));
  const done = await compact(messages, options({ budget: 4000 }));
  assert.ok(done.tokens <= 3000, String(done.tokens));
  const content = done.messages.at(-1)?.content ?? "";
  assert.match(content, /^3\.0 abcde\n/);
  assert.match(content, /characters left out …\]/);
  assert.match(content, /3\.2999 abcde$/);
  assert_whole(done.messages);
});

Deno.test("the sliding window drops the oldest steps, asks nobody, and counts what it dropped", async () => {
  const steps = Array.from({ length: 60 }, (_, n) => step(n, text(n, 200)));
  const more = {
    strategy: "sliding_window" as const,
    summarize: () => Promise.reject(new Error("not asked")),
  };
  const done = await compact(history(...steps), options(more));
  assert.equal(done.stage, "window");
  const dropped = 120 - (done.messages.length - 2);
  assert.equal(done.summary, `${dropped} earlier messages were left out.`);
  assert.deepEqual(done.messages.slice(2), steps.flat().slice(dropped));
  assert.ok(done.tokens <= 0.75 * 2000);
  const again = await compact(history(...steps), options({ ...more, before: done.summary }));
  assert.equal(again.summary, `${2 * dropped} earlier messages were left out.`);
});

Deno.test("what is not ASCII is measured in tokens: no more of it is told, or kept, than there is room for", async () => {
  for (const char of ["x", "海"]) {
    let asked = 0;
    const steps = Array.from({ length: 40 }, (_, n) => step(n, char.repeat(600)));
    const summarize = (transcript: string) => {
      asked = tokens_in(transcript);
      return Promise.resolve(char.repeat(50_000));
    };
    const more = { tokens_of: (message: Message) => tokens_in(JSON.stringify(message)) };
    const done = await compact(history(...steps), options({ budget: 8000, summarize, ...more }));
    assert.ok(asked > 1000 && asked <= 0.75 * 8000, `${char}: ${asked} to tell`);
    const kept = tokens_in(done.summary);
    assert.ok(kept > 700 && kept <= 850, `${char}: ${kept} kept`);
  }
});

Deno.test("characters that are not ASCII, and results of nothing, are no hindrance", async () => {
  const steps = Array.from({ length: 40 }, (_, n) => step(n, n % 2 ? "" : "深い海😀".repeat(30)));
  const done = await compact(history(...steps), options({ protect_last: 4 }));
  assert_whole(done.messages);
  assert.ok(done.tokens < 1500);
});

Deno.test("old images are left out first, and the last ones stay", async () => {
  const images = [{ media_type: "image/png", data: "A".repeat(4000) }];
  const steps = [1, 2, 3, 4, 5, 6].map((n) =>
    step(n, "a.png: PNG image").map((message) =>
      message.role === "tool" ? { ...message, images } : message
    )
  );
  const done = await compact(history(...steps), options({ protect_last: 4, budget: 5000 }));
  assert.equal(done.stage, "0");
  const results = done.messages.filter((message) => message.role === "tool");
  assert.deepEqual(results.map((result) => result.images?.length ?? 0), [0, 0, 0, 0, 0, 1]);
  assert.match(results[0]?.content ?? "", /^a\.png: PNG image\n\[image left out; /);
  assert_whole(done.messages);
});

Deno.test("what is left of a result tells how it ended: its last line and the notes below, not the last line of a file", () => {
  const cases = [
    [
      `....... [ 50%]\n${
        "....\n".repeat(200)
      }1 failed, 477 passed in 9 s\n[exit code 1]\n\n<hamr>\nGo on.\n</hamr>`,
      "....... [ 50%]",
      "1 failed, 477 passed in 9 s",
      "[exit code 1]",
    ],
    [
      `1:import a\n${"2:code\n".repeat(200)}[lines 1-201 of 300; go on with offset=202]`,
      "1:import a",
      "[lines 1-201 of 300; go on with offset=202]",
    ],
    [
      `[  1%] Building\n${"[ 50%] Building\n".repeat(50)}[100%] Built target a`,
      "[  1%] Building",
      "[ 50%] Building",
      "[100%] Built target a",
    ],
    [`one line ${"x".repeat(500)}`, `one line ${"x".repeat(71)}`],
    [""],
  ] as const;
  for (const [content, ...ends] of cases) {
    assert.deepEqual(ends_of(content), ends);
    const [stubbed] = stub_exchange([{ role: "tool", tool_call_id: "1", content }]);
    assert.deepEqual(ends_of(stubbed?.content ?? ""), ends, "the same of what was left out before");
    assert.ok((stubbed?.content.length ?? 0) <= Math.max(400, content.length));
  }
});
