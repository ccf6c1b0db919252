/** A request that failed is made again: when, how often, and when not. */
import assert from "node:assert/strict";
import { failing, of_type } from "./support/bad_days.ts";
import { each, type Event, until } from "./support/hamr.ts";
import { ANSWER, bash, type Reply, say, type Script } from "./support/model_server.ts";
import { inside_stage, open_stage } from "./support/stage.ts";

/** The waits of a run, in milliseconds. */
const waits = (events: readonly Event[]) =>
  of_type(events, "retry").map(({ wait_ms }) => Number(wait_ms));

Deno.test("a busy server is asked again, after as long a wait as it asks for", async () => {
  const by_its_clock = {
    date: "Sun, 06 Nov 1994 08:49:37 GMT",
    "retry-after": "Sun, 06 Nov 1994 08:49:38 GMT",
  };
  const busy: readonly (readonly [Reply, least: number, most: number])[] = [
    [failing(429, "slow down", { headers: { "retry-after": "1" } }), 1000, 1000],
    [failing(429, "slow down", { headers: { "retry-after-ms": "150" } }), 150, 150],
    [failing(503, "busy", { headers: by_its_clock }), 1000, 1000],
    [failing(529, "Overloaded"), 0, 1000],
    [failing(500, "out of memory"), 0, 1000],
    [failing(500, "Failed to parse input at pos 12: <tool_call>"), 0, 1000],
    [failing(408, "timeout"), 0, 1000],
    [failing(409, "conflict"), 0, 1000],
    [failing(425, "too early"), 0, 1000],
    [failing(502, "bad gateway"), 0, 1000],
    [{ body: 'data: {"error":{"type":"overloaded_error","message":"Overloaded"}}\n\n' }, 0, 1000],
  ];
  await each(
    busy,
    ([reply, least, most]) =>
      inside_stage({ script: [reply, say(ANSWER)] }, async (s) => {
        const { code, result, events } = await s.events("What is it?");
        assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 1]);
        const [retry, ...more] = of_type(events, "retry");
        assert.deepEqual(more, []);
        assert.equal(retry?.["attempt"], 1);
        const ms = Number(retry?.["wait_ms"]);
        assert.ok(ms >= least && ms <= most, `${ms} ms: ${JSON.stringify(reply)}`);
        const [first, second] = s.server.requests;
        assert.ok(second!.at - first!.at >= ms - 5, "it was waited for");
        assert.equal(second!.raw, first!.raw);
        assert.deepEqual(result.warnings, []);
      }),
  );
});

Deno.test("a request is made so many times, and no more", async () => {
  const script = () => failing(503, "busy");
  const attempts = [["", 3], ["2", 2], ["1", 1], ["0", 1]] as const;
  await each(
    attempts,
    ([HAMR_RETRY_ATTEMPTS, times]) =>
      open_stage({ script, env: { HAMR_RETRY_ATTEMPTS } }, async (s) => {
        const { result, events } = await s.events("What is it?");
        assert.deepEqual([result.exit_code, result.stop_reason], [1, "llm_error"]);
        assert.equal(s.server.requests.length, times);
        assert.deepEqual(
          of_type(events, "retry").map(({ attempt }) => attempt),
          [1, 2].slice(0, times - 1),
        );
      }),
  );
});

Deno.test("what is the request's own fault is not asked again", async () => {
  const faults = [
    failing(500, "[json.exception.parse_error.101] parse error at line 1, column 15"),
    failing(500, "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]"),
    failing(500, "image input is not supported - hint: you may need to provide the mmproj"),
    failing(400, "bad"),
    failing(404, "no such model"),
    failing(501, "not implemented"),
    failing(429, "You exceeded your current quota", {
      body: JSON.stringify({
        error: { message: "You exceeded your current quota", code: "insufficient_quota" },
      }),
    }),
  ];
  await each(faults, (fault) =>
    open_stage({ script: () => fault }, async (s) => {
      const { code } = await s.run("What is it?");
      assert.deepEqual([code, s.server.requests.length], [1, 1], JSON.stringify(fault));
    }));
});

Deno.test("of a model that is not there it is said which are", () => {
  const models = ["one", "two"];
  const script = () => failing(404, "The model `onee` does not exist.");
  return inside_stage({ script, models }, async (s) => {
    const { code, result } = await s.run("What is it?", "--model", "onee");
    assert.deepEqual([code, result.stop_reason], [1, "llm_error"]);
    assert.match(
      String(result.error?.message),
      /`onee` does not exist; the models there: one, two$/,
    );
  });
});

Deno.test("a wait that is longer than allowed is an error now", async () => {
  const limits: Reply[] = [
    failing(429, "slow down", { headers: { "retry-after": "61" } }),
    failing(429, "slow down", {
      headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() },
    }),
  ];
  await each(limits, (limit) =>
    open_stage({ script: () => limit }, async (s) => {
      const { code, result, ms } = await s.run("What is it?");
      assert.deepEqual([code, s.server.requests.length], [1, 1]);
      assert.match(
        result.error?.message ?? "",
        /a wait of \d+ s.*60 s are allowed \(retry\.max_wait_s\)/,
      );
      assert.ok(ms < 100_000);
    }));
});

Deno.test("a model that is loading is waited for, and what for is said", async () => {
  const loading = failing(503, "Loading model");
  await open_stage({ script: [loading, loading, loading, loading, say(ANSWER)] }, async (s) => {
    const { code, events, stderr } = await s.events("What is it?");
    assert.equal(code, 0);
    assert.deepEqual(
      waits(events),
      [1000, 2000, 4000, 5000],
      "more looks than a request has tries",
    );
    assert.match(stderr, /asking again in 1\.0 s: .*Loading model \(waiting until it is loaded\)/);
  });
  const env = { HAMR_RETRY_MAX_WAIT_S: "0.5" };
  await open_stage({ script: () => loading, env }, async (s) => {
    const { code, result, events } = await s.events("What is it?");
    assert.equal(code, 1);
    assert.deepEqual(waits(events), [1000]);
    assert.match(result.error?.message ?? "", /not loaded after 1 s/);
  });
});

Deno.test("an interrupt and a time limit end a wait at once", async () => {
  const script = () => failing(429, "slow down", { headers: { "retry-after": "50" } });
  await open_stage({ script }, async (s) => {
    const running = s.start(["run", "--output", "jsonl", "What is it?"]);
    await until("it waits", () => running.stdout().includes('"type":"retry"'));
    running.kill("SIGINT");
    const { code, result, ms } = await running.done;
    assert.deepEqual([code, result.stop_reason], [130, "user_interrupt"]);
    assert.ok(ms < 45_000, `${ms} ms`);
  });
  for (const limit of ["--timeout", "--step-timeout"]) {
    await open_stage({ script }, async (s) => {
      const { code, result, ms } = await s.run("What is it?", limit, "1");
      assert.deepEqual([code, result.stop_reason], [5, "timeout"]);
      assert.ok(ms < 45_000, `${ms} ms`);
    });
  }
});

Deno.test("where no stream ever comes, and whole replies do, they come so from then on", async () => {
  const script: Script = ({ body }, n) =>
    body.stream !== true
      ? n < 5 ? bash("echo x >> log") : say(ANSWER)
      : n < 2
      ? failing(500, "Something went wrong")
      : { body: "" };
  await inside_stage({ script }, async (s) => {
    const { result } = await s.events("Count.");
    const bodies = s.server.requests.map(({ body }) => body.stream === true);
    assert.deepEqual(bodies, [true, true, false, true, false, false]);
    assert.equal(result.warnings.length, 1);
  });
});

Deno.test("a stream that breaks off behind a gateway, over and over, is asked for in one piece", async () => {
  // LiteLLM 1.108.7, where the server behind it closes the connection.
  const gone = {
    message: "litellm.APIConnectionError: APIConnectionError: OpenAIException - Connection error.",
    ...{ type: null, param: null, code: "500" },
  };
  const begun = { choices: [{ index: 0, delta: { content: "The" } }] };
  const body = [begun, { error: gone }].map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  const script: Script = ({ body: asked }) =>
    asked.stream === true ? { body, type: "text/event-stream" } : say(ANSWER);
  await inside_stage({ script }, async (s) => {
    const { code, result } = await s.events("What is it?");
    assert.deepEqual([code, result.final_output, result.warnings], [0, ANSWER, []]);
    const bodies = s.server.requests.map(({ body }) => body.stream === true);
    assert.deepEqual(bodies, [true, true, false]);
  });
});

Deno.test("nothing of a failed try stays, and each stream has one end", async () => {
  const script: Script = [
    { text: "half an answer that goes on", fragment: 4, cut_after: 700 },
    failing(529, "Overloaded"),
    bash("echo x >> log"),
    say(ANSWER),
  ];
  await open_stage({ script }, async (s) => {
    const { code, result, events } = await s.events("What is it?");
    assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 2]);
    assert.equal(s.ws.read("log"), "x\n");
    assert.ok(s.server.requests.every(({ raw }) => !raw.includes("half an")));
    const ends = of_type(events, "text_delta").filter(({ finished }) => finished === true);
    assert.equal(ends.length, 3, "the one that was cut, and two replies");
    const bodies = s.server.requests.map(({ body }) => body.stream === true);
    assert.deepEqual(bodies, [true, false, false, true], "the next step streams again");
  });
});
