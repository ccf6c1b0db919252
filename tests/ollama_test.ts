/** Ollama in its own protocol: what is asked of it, and what comes of its answers. */
import assert from "node:assert/strict";
import { ANSWER, bash, call, type Recorded, say } from "./support/model_server.ts";
import { open_stage, type Stage, type StageOptions } from "./support/stage.ts";

/** What a request asks for besides its messages. */
interface Asked {
  readonly options: Readonly<Record<string, unknown>>;
  readonly think?: unknown;
  readonly keep_alive?: unknown;
  readonly truncate?: unknown;
}

const asked = ({ body }: Recorded) => body as unknown as Asked;
/** Without a model in the environment, so that the one that is there is found. */
const found = (s: Stage) => ({ env: { OLLAMA_HOST: s.server.origin } });

Deno.test("a run in Ollama's own protocol: calls, results and an answer, streamed and not", async () => {
  const script = [
    { text: "Let me look.", calls: [{ name: "read", args: { path: "a.txt" }, id: "" }] },
    // Older servers give no ids; two calls must not get one.
    {
      calls: ["one", "two"].map((word) => ({
        name: "bash",
        args: { command: `echo ${word}` },
        id: "",
      })),
    },
    { reasoning: "Hm.", text: ANSWER, fragment: 3, every: 7 },
  ];
  for (const flags of [[], ["--no-stream"]]) {
    await open_stage({ script, ollama_ctx: null, files: { "a.txt": "alpha\n" } }, async (s) => {
      const run = ["run", "--output", "jsonl", "--mode", "ask", ...flags, "What is it?"];
      const { code, result, events, stderr } = await s.hamr(run, found(s));
      assert.deepEqual([code, result.final_output], [0, ANSWER], stderr);
      assert.equal(events[0]?.["api_mode"], "ollama_chat");
      const [read, ...echoes] = s.server.results();
      assert.match(read ?? "", /alpha/);
      assert.deepEqual(echoes.map((text) => /one|two/.exec(text)?.[0]), ["one", "two"]);
      assert.equal(
        new Set(events.filter(({ type }) => type === "tool_call").map(({ id }) => id)).size,
        3,
      );
      assert.ok(events.some(({ type, text }) => type === "reasoning_delta" && text === "Hm."));
      assert.equal(result.usage.input_tokens, 30);
      // Another window would make it load the model again.
      assert.deepEqual(s.server.requests.map((one) => asked(one).options["num_ctx"]), [
        24_576,
        24_576,
        24_576,
      ]);
      for (const { native, body } of s.server.requests) {
        assert.ok(native);
        assert.equal(
          (body as unknown as Asked).truncate,
          false,
          "cutting is not left to the server",
        );
        assert.equal(body.stream, flags.length === 0);
      }
    });
  }
});

Deno.test("the protocol: as set, by the provider, by the address, by what is found, with /v1 and without", async () => {
  const native = ["--model", "scripted"];
  const cases: [readonly string[], boolean][] = [
    [["--api-mode", "ollama_chat", "--base-url", "ORIGIN", ...native], true],
    [["--api-mode", "ollama_chat", "--base-url", "ORIGIN/v1/", ...native], true],
    [["--base-url", "ORIGIN/api/chat", ...native], true],
    [["--provider", "ollama", "--base-url", "ORIGIN/v1", ...native], true],
    [["--provider", "ollama", "--base-url", "ORIGIN"], true],
    [["--base-url", "ORIGIN"], true],
    // Address and model are known: the request is on its way before the server is asked what it is.
    [["--base-url", "ORIGIN", ...native], false],
    [["--provider", "ollama", "--api-mode", "chat_completions", "--base-url", "ORIGIN"], false],
  ];
  for (const [flags, expected] of cases) {
    await open_stage({ ollama_ctx: 16_384 }, async (s) => {
      const args = flags.map((flag) => flag.replace("ORIGIN", s.server.origin));
      const { code, stderr } = await s.hamr(["run", ...args, "What is it?"], { env: {} });
      assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
      assert.deepEqual(s.server.requests.map(({ native }) => native), [expected], args.join(" "));
    });
  }
});

Deno.test("the window that is asked for: what the task needs, what the model holds, what settings allow", async () => {
  const long = "word ".repeat(6000);
  const cases: [string, StageOptions, readonly string[], number][] = [
    ["nothing is loaded", { ollama_ctx: null }, [], 24_576],
    ["too little is loaded", { ollama_ctx: 4096 }, [], 24_576],
    ["enough is loaded: it need not be loaded again", { ollama_ctx: 13_000 }, [], 13_000],
    ["much is loaded", { ollama_ctx: 131_072 }, [], 131_072],
    ["the model holds less", { ollama_ctx: null, ollama_limit: 8192 }, [], 8192],
    ["all that it holds is loaded", { ollama_ctx: 8192, ollama_limit: 8192 }, [], 8192],
    ["a longer task", { ollama_ctx: null }, [long], 32_768],
    [
      "a longer task, where more is allowed",
      { ollama_ctx: null, env: { HAMR_PROVIDER_MAX_NUM_CTX: "0" } },
      [long],
      32_768,
    ],
    [
      "less is allowed",
      { ollama_ctx: null, env: { HAMR_PROVIDER_MAX_NUM_CTX: "8192" } },
      [],
      8192,
    ],
    ["it is set", { ollama_ctx: 4096 }, ["--context-window", "40000"], 40_000],
    ["it is set to less", { ollama_ctx: 65_536 }, ["--context-window", "8192"], 8192],
  ];
  for (const [name, options, more, expected] of cases) {
    await open_stage(options, async (s) => {
      const task = more.length === 1 ? more : [...more, "What is it?"];
      const env = { ...options.env, OLLAMA_HOST: s.server.origin };
      const { code, events, stderr } = await s.hamr(["run", "--output", "jsonl", ...task], { env });
      assert.equal(code, 0, `${name}: ${stderr}`);
      assert.equal(asked(s.server.requests[0]!).options["num_ctx"], expected, name);
      assert.equal(events[0]?.["context_window"], expected, name);
    });
  }
});

Deno.test("temperature, thinking, length and how long the model stays are Ollama's own words", async () => {
  const cases: [string, unknown][] = [
    ["low", "low"],
    ["high", "high"],
    ["minimal", "low"],
    ["xhigh", true],
    ["none", false],
  ];
  for (const [effort, think] of cases) {
    const can = ["completion", "tools", "thinking"];
    const env = { HAMR_PROVIDER_KEEP_ALIVE: "30m" };
    await open_stage({ ollama_ctx: null, ollama_can: can }, async (s) => {
      const flags = [
        "--temperature",
        "0.5",
        "--max-output-tokens",
        "900",
        "--reasoning-effort",
        effort,
      ];
      const more = { env: { ...env, OLLAMA_HOST: s.server.origin } };
      const { code, stderr } = await s.hamr(["run", ...flags, "What is it?"], more);
      assert.equal(code, 0, stderr);
      const { options, ...rest } = asked(s.server.requests[0]!);
      assert.deepEqual([options["temperature"], options["num_predict"]], [0.5, 900]);
      assert.deepEqual([rest.think, rest.keep_alive], [think, "30m"]);
    });
  }
  await open_stage({ ollama_ctx: null }, async (s) => {
    await s.hamr(["run", "What is it?"], found(s));
    assert.ok(
      !("keep_alive" in s.server.requests[0]!.body) && !("think" in s.server.requests[0]!.body),
    );
  });
});

Deno.test("a model that Ollama does not have: the line that gets it", async () => {
  await open_stage({ script: [], ollama_ctx: null }, async (s) => {
    const { code, result } = await s.hamr(["run", "--json", "--model", "nope", "Hi?"], found(s));
    assert.deepEqual([code, result.stop_reason], [1, "llm_error"]);
    assert.match(
      result.error?.message ?? "",
      /model 'nope' not found; get it with: ollama pull nope \(hamr models: what is there\)$/,
    );
  });
});

Deno.test("a stream that breaks off, or brings an error, is not taken for a reply", async () => {
  const broken = { text: "The beginning of an answer.", fragment: 2, cut_after: 300 };
  const failing = {
    body:
      '{"message":{"content":"The"},"done":false}\n{"error":"llama runner process has terminated"}\n',
    type: "application/x-ndjson",
  };
  await open_stage({ script: [broken, say(ANSWER)], ollama_ctx: null }, async (s) => {
    const { result, events } = await s.hamr(["run", "--output", "jsonl", "Hi?"], found(s));
    assert.equal(result.final_output, ANSWER);
    assert.equal(events.filter(({ type }) => type === "retry").length, 1);
  });
  await open_stage({ script: () => failing, ollama_ctx: null }, async (s) => {
    const env = { ...found(s).env, HAMR_RETRY_ATTEMPTS: "1" };
    const { result } = await s.hamr(["run", "--json", "Hi?"], { env });
    assert.equal(result.stop_reason, "llm_error");
    assert.match(result.error?.message ?? "", /reported: llama runner process has terminated/);
  });
});

Deno.test("a prompt that Ollama calls too long is made smaller and sent again", async () => {
  const refused = {
    status: 400,
    body: '{"error":"the input length exceeds the context length"}',
    type: "application/json",
  };
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`f${n}.txt`, `${n} some text\n`.repeat(300)]),
  );
  const script = [
    ...Object.keys(files).map((path) => call("read", { path })),
    refused,
    say("1. Task: read."),
    say(ANSWER),
  ];
  await open_stage({ script, files, ollama_ctx: null, violations: true }, async (s) => {
    const { code, events } = await s.hamr(["run", "--output", "jsonl", "Read all."], found(s));
    assert.equal(code, 0);
    assert.ok(events.some(({ type }) => type === "compaction"));
  });
});

Deno.test("the closing call keeps the tools, so that the server's cache holds", async () => {
  const script = [bash("echo 1"), {
    text: "Still to do: all.",
    calls: [{ name: "bash", args: { command: "touch x" } }],
  }];
  await open_stage({ script, ollama_ctx: null }, async (s) => {
    const { code, result } = await s.hamr(
      ["run", "--json", "--max-steps", "1", "Do it."],
      found(s),
    );
    assert.deepEqual([code, result.stop_reason], [2, "max_steps"]);
    assert.equal(result.final_output, "Still to do: all.");
    const [first, last] = s.server.requests;
    assert.deepEqual(last?.body.tools, first?.body.tools);
    assert.ok(!s.ws.exists("x"), "its calls are not run");
  });
});

Deno.test("a model that Ollama says can't call tools is asked for calls in text, from the first request on", async () => {
  const call = `<tool_call>\n{"name":"bash","arguments":{"command":"echo x >> log"}}\n</tool_call>`;
  const options = {
    ollama_ctx: null,
    ollama_can: ["completion"],
    script: [say(call), say(ANSWER)],
  };
  await open_stage(options, async (s) => {
    const { code, result, stderr } = await s.hamr(["run", "--json", "Count."], found(s));
    assert.deepEqual([code, result.final_output], [0, ANSWER], stderr);
    assert.equal(s.ws.read("log"), "x\n");
    assert.ok(s.server.requests.every(({ body }) => body.tools === undefined));
    assert.deepEqual(result.warnings, [
      "tools are called in text, as with --tool-call-format prompt: " +
      "Ollama says that scripted can't call tools",
    ]);
  });
});

Deno.test("a window that is too small for the task, as only Ollama's refusal says, is a matter of settings", async () => {
  const words = "the input length exceeds the context length";
  const script = () => ({ status: 400, body: JSON.stringify({ error: words }) });
  await open_stage({ script, ollama_ctx: null }, async (s) => {
    const { code, result } = await s.run("What is it?", "--api-mode", "ollama_chat");
    assert.deepEqual([code, result.stop_reason, s.server.requests.length], [3, "config_error", 1]);
    assert.match(
      result.error?.message ?? "",
      /input length exceeds the context length; ask Ollama for more: --context-window \d+$/,
    );
  });
  // What is advised is more than what it was asked for.
  await open_stage({ script, ollama_ctx: null }, async (s) => {
    const more = await s.run("What?", "--api-mode", "ollama_chat", "--context-window", "40960");
    assert.match(more.result.error?.message ?? "", /ask Ollama for more: --context-window 45056$/);
  });
  // A limit of a proxy's on the way is none of Ollama's.
  const page = () => ({ status: 413, body: "<html>413 Request Entity Too Large</html>" });
  await open_stage({ script: page, ollama_ctx: null }, async (s) => {
    const { result } = await s.run("What is it?", "--api-mode", "ollama_chat");
    assert.equal(result.stop_reason, "context_full");
    assert.doesNotMatch(result.error?.message ?? "", /ask Ollama/);
  });
});
