import assert from "node:assert/strict";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { extends_prefix } from "./support/history.ts";
import { until } from "./support/hamr.ts";
import { open_stage } from "./support/stage.ts";

const SUMMARY = "1. Task: count. 9. Next: read on.";
const TASK = "Count the lines of everything, and keep MARK-4711 in mind.";

const is_summary = (request: Recorded) =>
  /^You summarize/.test(String(request.body.messages[0]?.content));

/** A file of about `tokens` tokens, different in each line. */
const long = (name: string, tokens: number) =>
  Array.from({ length: tokens / 4 }, (_, at) => `${name} ${at} abcdefg`).join("\n");

const FILES = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, long(`f${n}`, 900)]),
);

/** Reads one file a step, then answers; a request for a summary is answered by `summary`. */
function reader(steps: number, summary: Reply = say(SUMMARY)) {
  let step = 0;
  return (request: Recorded): Reply => {
    if (is_summary(request)) return summary;
    return step++ < steps
      ? call("read", { path: `f${(step - 1) % 12}.txt`, limit: 300 })
      : say(ANSWER);
  };
}

/** Requests of the conversation itself. */
const talk = (requests: readonly Recorded[]) => requests.filter((request) => !is_summary(request));
const size = (request: Recorded) => JSON.stringify(request.body.messages).length / 4;
const count = "read_limit=0".replace("read_limit", "HAMR_GUARDS_READ_LIMIT");
const env = Object.fromEntries([count.split("=") as [string, string]]);

/** Every request begins with the one before it, but where a compaction lies between; nothing else is amiss. */
function assert_steady(requests: readonly Recorded[], compactions: number): void {
  let breaks = 0;
  for (let at = 1; at < requests.length; at++) {
    if (!extends_prefix(requests[at - 1]!.raw, requests[at]!.raw)) breaks++;
  }
  assert.equal(breaks, compactions);
}

const STRICT = (violations: readonly string[]) =>
  violations.filter((line) => !/do not begin with the bytes|: other tools$/.test(line));

Deno.test("a history that outgrows the window is compacted, again and again; the task stays word for word", async () => {
  const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
  const options = { script: reader(30), files: FILES, env, violations: true };
  await open_stage(options, async (s) => {
    const { code, result, events } = await s.events(TASK, ...flags);
    assert.deepEqual([code, result.stop_reason, result.steps], [0, "llm_done", 31]);
    const done = events.filter((event) => event.type === "compaction");
    assert.ok(done.length >= 3, `${done.length} compactions`);
    assert.ok(done.some(({ stage }) => stage === "0") && done.some(({ stage }) => stage === "1"));
    for (const { tokens_before, tokens_after } of done) {
      assert.ok(Number(tokens_after) < 0.75 * 7192 && Number(tokens_after) < Number(tokens_before));
    }
    const requests = talk(s.server.requests);
    for (const request of requests) {
      assert.ok(size(request) < 7192, `${size(request)} tokens`);
      assert.ok(String(request.body.messages[1]?.content).startsWith(TASK));
    }
    assert.ok(String(requests.at(-1)?.body.messages[1]?.content).includes(SUMMARY));
    assert_steady(requests, done.length);
    assert.deepEqual(STRICT(s.server.violations), []);
    const summaries = s.server.requests.filter(is_summary);
    assert.ok(
      summaries.every(({ body: { messages } }) =>
        String(messages[1]?.content).startsWith(`[task]\n${TASK}\n`)
      ),
      "who summarizes sees the task",
    );
    assert.equal(result.usage.input_tokens, 10 * s.server.requests.length, "summaries count");
  });
});

Deno.test("a figure and an output that a compaction left out of old results are no invention", async () => {
  const measured = "Parsed the whole of it\nServed all pages\ntook 412 ms";
  const files = {
    ...FILES,
    "bench.sh": `cat bench.txt`,
    "bench.txt": `${measured}\n${FILES["f0.txt"]}`,
  };
  const read = reader(7);
  const answer = say(`I ran the benchmark:\n\`\`\`\n${measured}\n\`\`\`\nA page takes 412 ms.`);
  let step = 0;
  const script = (request: Recorded): Reply => {
    if (step++ === 0) return bash("sh bench.sh");
    return step < 8 ? read(request) : answer;
  };
  await open_stage({ script, files, env, violations: true }, async (s) => {
    const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
    const { code, result, events } = await s.events("Measure how fast it is.", ...flags);
    const stages = events.filter(({ type }) => type === "compaction").map(({ stage }) => stage);
    assert.deepEqual([...new Set(stages)], ["0"]);
    assert.deepEqual([code, result.stop_reason, result.steps], [0, "llm_done", 8]);
  });
});

Deno.test("where the model gives no summary, the calls are listed; the run goes on", async () => {
  const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
  for (const summary of [{ status: 500 }, { text: "" }, { cut_after: 10 }] satisfies Reply[]) {
    const options = { script: reader(16, summary), files: FILES, env, violations: true };
    await open_stage(options, async (s) => {
      const { code, result } = await s.run(TASK, ...flags);
      assert.deepEqual([code, result.stop_reason], [0, "llm_done"], JSON.stringify(result));
      const task = String(talk(s.server.requests).at(-1)?.body.messages[1]?.content);
      assert.match(task, /- read \{"path":"f0\.txt","limit":300\}: 1:f0 0 abcdefg/);
      assert.deepEqual(STRICT(s.server.violations), []);
    });
  }
});

Deno.test("a summary that uses up the budget is the last thing that is bought, except for the last words", async () => {
  const read = reader(30, {
    ...say(SUMMARY),
    usage: { prompt_tokens: 9000, completion_tokens: 9 },
  });
  const script = (request: Recorded): Reply =>
    request.body.tool_choice === "none" && !is_summary(request) ? say("Half done.") : read(request);
  await open_stage({ script, files: FILES, env, violations: true }, async (s) => {
    const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
    const { code, result } = await s.run(TASK, ...flags, "--token-budget", "5000");
    assert.deepEqual([code, result.stop_reason], [2, "budget_exceeded"]);
    assert.equal(result.final_output, "Half done.");
    const after = s.server.requests.slice(s.server.requests.findIndex(is_summary) + 1);
    assert.deepEqual(after.map(({ body }) => body.tool_choice), ["none"]);
  });
});

Deno.test("what the user said in the meantime outlasts every compaction", async () => {
  const words = "Spaces are out; KEEP-TABS-4712.";
  const flags = ["--context-window", "8192", "--max-output-tokens", "1000", "--steer"];
  for (const strategy of ["compact", "sliding_window"]) {
    const more = { ...env, HAMR_CONTEXT_STRATEGY: strategy };
    const read = reader(30);
    let say_it: () => void = () => {};
    const first_request = new Promise<void>((resolve) => say_it = resolve);
    const script = async (request: Recorded): Promise<Reply> => {
      say_it();
      if (request.n === 1) await until("it was heard", () => heard);
      return read(request);
    };
    let heard = false;
    const stdin = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async start(controller) {
        await first_request;
        controller.enqueue(new TextEncoder().encode(`${words}\n`));
        controller.close();
        heard = true;
      },
    });
    await open_stage({ script, files: FILES, env: more, violations: true }, async (s) => {
      const run = await s.start(["run", "--output", "jsonl", ...flags, TASK], { stdin }).done;
      assert.equal(run.code, 0, run.stdout);
      const done = run.events.filter((event) => event.type === "compaction");
      assert.ok(done.filter(({ stage }) => stage !== "0").length >= 2, strategy);
      const texts = talk(s.server.requests).map(({ body }) => JSON.stringify(body.messages));
      const first = texts.findIndex((text) => text.includes(words));
      assert.ok(first > 0, "the model is told");
      for (const text of texts.slice(first)) assert.equal(text.split(words).length, 2, strategy);
      assert.match(
        String(talk(s.server.requests).at(-1)?.body.messages[1]?.content),
        /Meanwhile the user said:\nSpaces are out; KEEP-TABS-4712\.\n/,
      );
      assert.deepEqual(STRICT(s.server.violations), []);
    });
  }
});

Deno.test("the sliding window drops old steps and asks nobody", async () => {
  const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
  const more = { ...env, HAMR_CONTEXT_STRATEGY: "sliding_window" };
  await open_stage(
    { script: reader(16), files: FILES, env: more, violations: true },
    async (s) => {
      const { code, events } = await s.events(TASK, ...flags);
      assert.equal(code, 0);
      const stages = events.filter((event) => event.type === "compaction").map(({ stage }) =>
        stage
      );
      assert.ok(stages.length > 0 && stages.every((stage) => stage === "window"), String(stages));
      assert.equal(s.server.requests.filter(is_summary).length, 0);
      const task = String(s.server.requests.at(-1)?.body.messages[1]?.content);
      assert.match(task, /^Count the lines[^]*\d+ earlier messages were left out/);
      assert.deepEqual(STRICT(s.server.violations), []);
    },
  );
});

Deno.test("a task that leaves no room ends in budget_exhausted, not in a loop", async () => {
  const task = `Count. ${"word ".repeat(5200)}`;
  const options = { script: reader(30), files: FILES, env, violations: true };
  await open_stage(options, async (s) => {
    const flags = ["--context-window", "10000", "--max-output-tokens", "1000"];
    const { code, result } = await s.run(task, ...flags);
    assert.deepEqual([code, result.status], [2, "partial"]);
    assert.match(result.stop_reason, /^budget_exhausted|context_full$/);
    assert.match(result.error?.message ?? "", /of the 9000 tokens that fit/);
    assert.ok(s.server.requests.length < 12, `${s.server.requests.length} requests`);
  });
});

Deno.test("a prompt that the server calls too long is made smaller and sent again", async () => {
  const overflow = { error: { message: "prompt is too long: exceeds context size", code: 400 } };
  let refused = 0;
  const read = reader(14);
  const script = (request: Recorded): Reply => {
    if (!is_summary(request) && size(request) > 5000) {
      refused++;
      return { status: 400, body: JSON.stringify(overflow) };
    }
    return read(request);
  };
  await open_stage({ script, files: FILES, env, violations: true }, async (s) => {
    const { code, result, events } = await s.events(TASK);
    assert.deepEqual([code, result.stop_reason], [0, "llm_done"], JSON.stringify(result.error));
    assert.ok(refused > 0 && refused < 4, `${refused} refused`);
    assert.ok(events.some((event) => event.type === "compaction"));
  });
  // Where nothing can be left out, the run ends.
  const never = () => ({ status: 400, body: JSON.stringify(overflow) });
  await open_stage({ script: never, violations: true }, async (s) => {
    const { code, result } = await s.run(TASK);
    assert.deepEqual([code, result.stop_reason], [2, "context_full"]);
    assert.equal(s.server.requests.length, 1);
  });
});

Deno.test("the server's own counts correct the estimate", async () => {
  // A tokenizer that needs twice as many: compaction comes at half the length.
  const first = async (factor: number) => {
    const read = reader(8);
    const script = (request: Recorded): Reply => ({
      ...read(request),
      usage: { prompt_tokens: Math.ceil(size(request) * factor), completion_tokens: 5 },
    });
    let at = 0;
    await open_stage({ script, files: FILES, env, violations: true }, async (s) => {
      const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
      const { events } = await s.events(TASK, ...flags);
      at = events.find((event) => event.type === "compaction")?.step ?? 99;
    });
    return at;
  };
  const [plain, twice] = [await first(1), await first(2)];
  assert.ok(twice < plain, `step ${twice} and step ${plain}`);
});

Deno.test("in verify mode the criterion is told again after a compaction", async () => {
  const options = { script: reader(30), files: FILES, env, violations: true };
  await open_stage(options, async (s) => {
    const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
    const { code } = await s.run(TASK, ...flags, "--verify", "test -f f1.txt");
    assert.equal(code, 0);
    const task = String(talk(s.server.requests).at(-1)?.body.messages[1]?.content);
    assert.match(task, /Done means: this command passes: test -f f1\.txt/);
  });
});

Deno.test("compaction can be turned off", async () => {
  const more = { ...env, HAMR_CONTEXT_COMPACT_AT: "0", HAMR_CONTEXT_CRITICAL_AT: "0" };
  await open_stage({ script: reader(14), files: FILES, env: more }, async (s) => {
    const { code, events } = await s.events(TASK, "--context-window", "8192");
    assert.deepEqual([code, events.some((event) => event.type === "compaction")], [0, false]);
  });
  const critical = { ...more, HAMR_CONTEXT_CRITICAL_AT: "" };
  await open_stage({ script: reader(14), files: FILES, env: critical }, async (s) => {
    const { code, result } = await s.run(TASK, "--context-window", "8192");
    assert.deepEqual([code, result.stop_reason], [2, "budget_exhausted"]);
    assert.match(result.error?.message ?? "", /nothing is compacted: context\.compact_at is 0/);
  });
});

Deno.test("a window that is known limits one result", async () => {
  const script = [bash("seq 1 100000"), say(ANSWER)];
  await open_stage({ script, llama_ctx: 8192 }, async (s) => {
    await s.run("Count.");
    assert.ok(s.server.results()[0]!.length < 9000);
  });
});
