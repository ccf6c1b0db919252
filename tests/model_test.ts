import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, call, type Reply, say, stream_body } from "./support/model_server.ts";
import { open_stage } from "./support/stage.ts";

/** One, two, three and four bytes a character. */
const WORDS = "The añswer 世界 is 😀 forty-two.";
const ARGS = { command: 'printf "%s" "é 世 😀 \\" \\\\ {}" > out.txt' };
const WRITTEN = 'é 世 😀 " \\ {}';

Deno.test("a stream is read whatever pieces it comes in", async () => {
  const ways: readonly Partial<Reply>[] = [
    { every: 1, eol: "\r\n" },
    { every: 5, fragment: 1, eol: "\r" },
    { every: 100_000, fragment: 3, keep_alive: true },
  ];
  await each(ways, (way) => {
    const script: Reply[] = [
      { ...way, ...call("bash", ARGS) },
      { ...way, text: WORDS, reasoning: "Hm. 世" },
    ];
    return open_stage({ script }, async (s) => {
      const { result } = await s.run("Write it.");
      assert.equal(result.final_output, WORDS, JSON.stringify(way));
      assert.equal(s.ws.read("out.txt"), WRITTEN, JSON.stringify(way));
      assert.equal(result.usage.input_tokens, 20);
    });
  });
});

Deno.test("calls are put together by their index, in whatever order the fragments come", async () => {
  const calls = ["one", "two", "three"].map((x) => ({
    name: "bash",
    args: { command: `echo ${x} >> log` },
  }));
  const ways: Partial<Reply>[] = [
    { interleave: true, fragment: 1 },
    { interleave: false, fragment: 5 },
    { interleave: true },
  ];
  await each(
    ways,
    (way) =>
      open_stage(
        { script: [{ ...way, calls }, say("All three were written down.")] },
        async (s) => {
          const { result } = await s.run("Write them.");
          assert.equal(result.tool_calls, 3);
          assert.equal(s.ws.read("log"), "one\ntwo\nthree\n");
        },
      ),
  );
});

Deno.test("a call may say finish_reason stop, and come with text", async () => {
  const script = [
    { text: "So.", ...bash("echo hi > log"), finish: "stop" },
    say("It was written."),
  ];
  await open_stage({ script }, async (s) => {
    assert.equal((await s.run("Write it.")).code, 0);
    assert.equal(s.ws.read("log"), "hi\n");
  });
});

Deno.test("a call without arguments, or with an id that was used before", async () => {
  const twice = { calls: [{ name: "bash", args: { command: "echo x >> log" }, id: "same" }] };
  const script = [
    twice,
    twice,
    { calls: [{ name: "read", args: "" }] },
    say("It was written twice."),
  ];
  await open_stage({ script }, async (s) => {
    assert.equal((await s.run("Write it.")).code, 0);
    assert.equal(s.ws.read("log"), "x\nx\n");
  });
});

Deno.test("a stream that is cut is asked for once more without streaming", async () => {
  const whole = { text: WORDS, fragment: 4 };
  const body = new TextEncoder().encode(stream_body(whole, 0, true));
  // The finish reason is a proper end: what is cut after it is whole.
  const end = stream_body({ ...whole, finish: null, usage: null }, 0, true);
  const length = new TextEncoder().encode(end).length;
  assert.ok(length < body.length);
  const cuts = [
    0,
    1,
    5,
    6,
    7,
    40,
    length >> 2,
    length >> 1,
    length - 3,
    length - 2,
    length - 1,
    length,
  ];
  await each(cuts, (cut_after, i) => {
    const cut: Reply = { ...whole, cut_after, cut: i % 2 === 0 ? "abrupt" : "clean" };
    return open_stage({ script: [cut, whole] }, async (s) => {
      const { events, result } = await s.events("What is it?");
      assert.equal(result.exit_code, 0, `cut after ${cut_after} bytes`);
      assert.equal(result.final_output, WORDS);
      const [first, second] = s.server.requests;
      assert.equal(first!.body.stream, true);
      assert.notEqual(second!.body.stream, true);
      assert.deepEqual(second!.body.messages, first!.body.messages);
      assert.equal(result.steps, 1);
      assert.equal(events.filter((event) => event.type === "retry").length, 1);
    });
  });
});

Deno.test("a call that is cut is not executed before it is whole", async () => {
  const whole: Reply = { ...bash("echo x >> log"), fragment: 3 };
  const length = stream_body({ ...whole, finish: null, usage: null }, 0, true).length;
  await each(
    [length >> 1, length - 200, length],
    (cut_after) =>
      open_stage(
        { script: [{ ...whole, cut_after }, whole, say("It was written.")] },
        async (s) => {
          const { result } = await s.run("Write it.");
          assert.equal(result.exit_code, 0);
          assert.equal(s.ws.read("log"), "x\n");
          assert.equal(result.tool_calls, 1);
        },
      ),
  );
});

Deno.test("a stream that ends after its finish reason is whole", async () => {
  const body = stream_body({ text: ANSWER, usage: null }, 0, true);
  const cut_after = body.indexOf("data: [DONE]");
  for (const cut of ["abrupt", "clean"] as const) {
    await open_stage({ script: [{ text: ANSWER, usage: null, cut_after, cut }] }, async (s) => {
      assert.equal((await s.run("What is it?")).result.final_output, ANSWER);
    });
  }
});

Deno.test("[DONE] without a finish reason is an end, and may have been a cut where one was to come", async () => {
  const body = stream_body({ text: ANSWER, finish: null }, 0, false);
  const placeless = body.replaceAll(',"finish_reason":null', "");
  const counted =
    `${body}data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\n`;
  for (const [sent, told] of [[body, 1], [placeless, 0], [counted, 0]] as const) {
    await open_stage({ script: [{ body: `${sent}data: [DONE]\n\n` }] }, async (s) => {
      const { code, result } = await s.run("What is it?");
      assert.deepEqual([code, result.final_output], [0, ANSWER]);
      const warned = result.warnings.filter((one) => /without a finish_reason: it may/.test(one));
      assert.equal(warned.length, told, result.warnings.join("; "));
    });
  }
});

Deno.test("a reply that is cut each time ends the run in 1", async () => {
  const script = () => ({ text: ANSWER, cut_after: 60 });
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("What is it?");
    assert.deepEqual([result.exit_code, result.stop_reason], [1, "llm_error"]);
    assert.ok(s.server.requests.length <= 4, `${s.server.requests.length} requests`);
  });
});

Deno.test("--no-stream does not stream, and does the same", async () => {
  const script = [
    { text: "I look.", ...bash("echo x >> log") },
    { text: WORDS, reasoning: "Hm." },
  ];
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Write it.", "--no-stream");
    assert.equal(result.final_output, WORDS);
    assert.equal(s.ws.read("log"), "x\n");
    assert.equal(result.usage.input_tokens, 20);
    for (const request of s.server.requests) assert.notEqual(request.body.stream, true);
  });
});

Deno.test("a stream that is answered with a whole reply is taken", async () => {
  const message = { role: "assistant", content: ANSWER };
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  await open_stage({ script: [{ body, type: "application/json" }] }, async (s) => {
    assert.equal((await s.run("What is it?")).result.final_output, ANSWER);
  });
});

Deno.test("the model's settings are sent", async () => {
  await open_stage({}, async (s) => {
    const flags = ["--model", "other", "--temperature", "0.25", "--max-output-tokens", "123"];
    await s.run("What is it?", ...flags);
    const [request] = s.server.requests;
    assert.equal(request!.body.model, "other");
    assert.equal(request!.body.temperature, 0.25);
    assert.match(request!.raw, /"max_(completion_)?tokens":123\b/);
  });
});

Deno.test("thinking that a server leaves in the text is neither shown as the answer nor sent back", async () => {
  const script: Reply[] = [
    { ...bash("echo hi"), text: "<think>I need the shell.</think>" },
    { text: "<think>The result is there.</think>\n\nForty-two." },
  ];
  await open_stage({ script }, async (s) => {
    const { result, events } = await s.events("Count.");
    assert.equal(result.final_output, "Forty-two.");
    const thought = events.filter((event) => event.type === "reasoning_delta")
      .map((event) => event.text).join("");
    assert.equal(thought, "I need the shell.The result is there.");
    assert.ok(!JSON.stringify(s.server.requests[1]?.body).includes("I need the shell"));
  });
});

Deno.test("thinking without an answer is an empty reply, and asked for again", async () => {
  const thinking: Reply = { text: "<think>I could go on like this for ever" };
  await open_stage({ script: [thinking, thinking, say(ANSWER)] }, async (s) => {
    const { result, events } = await s.events("Count.");
    assert.equal(result.final_output, ANSWER);
    assert.deepEqual(events.filter(({ type }) => type === "retry").map(({ reason }) => reason), [
      "the reply was empty",
    ]);
    assert.ok(events.some((event) => event.type === "nudge" && event.name === "empty"));
  });
});
