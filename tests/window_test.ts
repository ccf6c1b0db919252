/** The window that is really loaded: how it is found, what follows from it, and prompts that a server cuts without a word. */
import assert from "node:assert/strict";
import { ANSWER, bash, type Recorded, type Reply, say } from "./support/model_server.ts";
import { inside_stage, open_stage, stage, type StageOptions } from "./support/stage.ts";

/** 5,000 words, and about as many tokens. */
const LONG = `Summarize this. ${"word ".repeat(5000)}`;

const counted = (prompt_tokens: number, reply: Reply = say(ANSWER)): Reply => ({
  ...reply,
  usage: { prompt_tokens, completion_tokens: 5 },
});

/** The same from a server that has to load the model first: before that, it is loaded with no window at all. */
const loading = (prompt_tokens: number): Reply => ({
  ...counted(prompt_tokens),
  after: "GET /api/ps",
});

/** Refused, or cut: what is said, and the line that fixes it. */
const MENDED: readonly (readonly [string, StageOptions, readonly string[], RegExp])[] = [
  [
    "llama.cpp has no room for the task",
    { llama_ctx: 4096 },
    [],
    /is 4096 tokens \(GET \/props\), but this task needs about \d+; .*llama-server … -c 12288, or shorten/,
  ],
  [
    "a window that is set too small",
    { llama_ctx: 16_384 },
    ["--context-window", "2000"],
    /is 2000 tokens \(setting\), .*; set --context-window to what the server really has, or/,
  ],
  [
    "Ollama's /v1 has no room for the task",
    { ollama_ctx: 4096 },
    [],
    /is 4096 tokens .*--api-mode ollama_chat, or shorten the task, which is most of that$/,
  ],
  [
    "the model can hold no more",
    { ollama_ctx: null, ollama_limit: 8192 },
    ["--api-mode", "ollama_chat"],
    /is 8192 tokens \(asked for, as num_ctx\).*; scripted can hold 8192 at most: take a model/,
  ],
  [
    "the setting allows no more",
    { ollama_ctx: null, env: { HAMR_PROVIDER_MAX_NUM_CTX: "4096" } },
    ["--api-mode", "ollama_chat"],
    /; ask Ollama for more: --context-window 12288, or shorten the task/,
  ],
  [
    "Ollama's /v1 cuts to its window (as recorded: exactly as many tokens)",
    { ollama_ctx: null, script: [loading(4096)] },
    [],
    /silently cut the prompt: about \d+ tokens were sent, 4096 were read; its window is 4096; .*--api-mode ollama_chat$/,
  ],
  [
    "newer versions keep half",
    { ollama_ctx: null, script: [loading(2100)] },
    [],
    /2100 were read; its window is 4096; .*--api-mode ollama_chat$/,
  ],
  [
    "/api/chat drops the message (as recorded: 18 tokens are left)",
    { ollama_ctx: null, script: [loading(18)] },
    [],
    /18 were read; its window is 4096/,
  ],
  [
    "a server that never said how much it holds",
    { window: null, script: [counted(2048)] },
    [],
    /2048 were read; load the model with a larger window, or .*--context-window 12288$/,
  ],
];

for (const [name, options, flags, message] of MENDED) {
  Deno.test(`exit 3 and the line that fixes it: ${name}`, async () => {
    await stage({ script: [say(ANSWER)], ...options, violations: true }, async (s) => {
      const { code, result } = await s.run(LONG, ...flags);
      assert.deepEqual([code, result.stop_reason], [3, "config_error"], JSON.stringify(result));
      assert.match(result.error?.message ?? "", message);
    });
  });
}

/** What must not be taken for a cut prompt. */
const WHOLE: readonly (readonly [string, StageOptions])[] = [
  ["all was counted", { window: null, script: [counted(6000)] }],
  ["fewer tokens than estimated", { window: null, script: [counted(5100)] }],
  ["a server that only pretends to count", { window: null, script: [counted(10)] }],
  ["a server that does not count", { window: null, script: [{ ...say(ANSWER), usage: null }] }],
  ["as many as the window, by chance", { llama_ctx: 16_384, script: [counted(16_384)] }],
  [
    "a cache that is not counted, in a window with room for all (Ollama before 0.4)",
    { ollama_ctx: 32_768, script: [counted(6000, bash("true")), counted(40)] },
  ],
];

for (const [name, options] of WHOLE) {
  Deno.test(`no prompt was cut: ${name}`, async () => {
    await open_stage(options, async (s) => {
      const { code, result } = await s.run(LONG, "--mode", "ask");
      assert.deepEqual([code, result.stop_reason], [0, "llm_done"], JSON.stringify(result.error));
    });
  });
}

Deno.test("a later prompt that Ollama cuts is noticed: it counts all, and then fewer than before", async () => {
  const script = [3000, 5000, 7000, 4000].map((tokens) => counted(tokens, bash(`echo ${tokens}`)));
  await open_stage({ script, ollama_ctx: 8192, violations: true }, async (s) => {
    const { code, result } = await s.run("Go on.", "--mode", "ask");
    assert.deepEqual([code, result.stop_reason, result.steps], [3, "config_error", 3]);
    assert.match(
      result.error?.message ?? "",
      /4000 were read; its window is 8192; .*--api-mode ollama_chat$/,
    );
  });
});

Deno.test("an unknown window is 8,192 tokens, said once, and everything is sized from it", async () => {
  const script = [bash(`yes ${"0123456789".repeat(4)} | head -1500`), say(ANSWER)];
  await inside_stage({ script, window: null }, async (s) => {
    const { code, result, events } = await s.events("Count.", "--mode", "ask");
    assert.equal(code, 0);
    assert.deepEqual(
      [events[0]?.["context_window"], events[0]?.["window_source"]],
      [8192, "assumed: the server does not say"],
    );
    const said = result.warnings.filter((text) => /--context-window/.test(text));
    assert.equal(said.length, 1, String(result.warnings));
    assert.match(said[0]!, /8192 tokens are assumed/);
    assert.ok(s.server.results()[0]!.length < 4000);
    const asked = s.server.requests.map(({ body }) =>
      (body as unknown as { max_tokens: number }).max_tokens
    );
    // The first request goes out while the server is still being asked.
    assert.deepEqual(asked, [4096, 2048]);
  });
  await inside_stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--mode", "ask");
    assert.deepEqual(result.warnings, []);
    assert.ok(s.server.results()[0]!.length > 9000);
  });
});

Deno.test("a reply that is too long for the window that the server names is asked for shorter", async () => {
  // As OpenAI, vLLM and llama-cpp-python say it.
  const message =
    "This model's maximum context length is 4096 tokens. However, you requested 5140 tokens " +
    "(1044 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.";
  const asked: number[] = [];
  const script = ({ body }: Recorded): Reply => {
    const { max_tokens } = body as unknown as { max_tokens: number };
    asked.push(max_tokens);
    return max_tokens > 3000
      ? {
        status: 400,
        body: JSON.stringify({ error: { message, code: "context_length_exceeded" } }),
      }
      : asked.length < 3
      ? bash("true")
      : say(ANSWER);
  };
  await inside_stage({ script, window: null }, async (s) => {
    const { code, result, events } = await s.events("Count.", "--mode", "ask");
    assert.deepEqual([code, asked], [0, [4096, 1024, 1024]], JSON.stringify(result.error));
    assert.match(String(events.find(({ type }) => type === "retry")?.["reason"]), /4096 tokens/);
    assert.deepEqual(result.warnings, []);
  });
});

Deno.test("a window that was assumed is raised to what it was seen to hold", async () => {
  const text = Array.from({ length: 12 }, (_, n) => bash(`seq ${n}000 ${n}999`));
  const compacted = async (prompt_tokens: number) => {
    const script = [counted(prompt_tokens, bash("true")), ...text, say(ANSWER), say(ANSWER)];
    let events: readonly { readonly type: string }[] = [];
    await open_stage({ script, window: null, violations: true }, async (s) => {
      events = (await s.events("Count.", "--mode", "ask")).events;
    });
    return events.some(({ type }) => type === "compaction");
  };
  assert.deepEqual([await compacted(3000), await compacted(40_000)], [true, false]);
});

Deno.test("Ollama is asked after the load how much it has loaded, and a smaller window is told", async () => {
  // As a server does that has no memory for what it was asked for.
  const options = { ollama_ctx: null, ollama_limit: 6000, script: [say(ANSWER)] };
  await inside_stage(options, async (s) => {
    const flags = ["--api-mode", "ollama_chat", "--context-window", "16000"];
    const { code, result } = await s.run("What is it?", ...flags);
    assert.equal(code, 0);
    assert.match(
      result.warnings.join("\n"),
      /has loaded scripted with a window of 6000 tokens, not of 16000/,
    );
  });
  const v1 = { ollama_ctx: null, script: [say(ANSWER)] };
  await inside_stage(v1, async (s) => {
    const { result } = await s.run("What is it?");
    assert.deepEqual(result.warnings, [], "what it has loaded is known after the first reply");
    assert.ok(s.server.paths.filter((path) => path === "GET /api/ps").length >= 2);
  });
});

Deno.test("context says how large the window is and how that was found", async () => {
  const cases: [StageOptions, readonly string[], Record<string, unknown>, RegExp][] = [
    [
      { llama_ctx: 8192 },
      [],
      { context_window: 8192, window_source: "GET /props", model_window: 131_072, budget: 6144 },
      /^model: +scripted .*\nwindow: +8192 tokens\nsource: +GET \/props\ncould be: +131072 tokens\nbudget: +6144 tokens.* 2048 for a reply\n$/,
    ],
    [
      { ollama_ctx: 4096 },
      ["--api-mode", "ollama_chat"],
      { context_window: 24_576, window_source: "asked for, as num_ctx", model_window: 131_072 },
      /\ncan do: +completion, tools\n/,
    ],
    [
      { ollama_ctx: 4096 },
      [],
      { context_window: 4096, window_source: "GET /api/ps", capabilities: ["completion", "tools"] },
      /source: +GET \/api\/ps\n/,
    ],
    [
      { window: null },
      [],
      { context_window: 8192, window_known: false, model_window: null, capabilities: null },
      /source: +assumed.*\n.*\nnote: .*--context-window N\n$/,
    ],
    [
      { window: null },
      ["--context-window", "20000"],
      { context_window: 20_000, window_source: "setting", budget: 15_904 },
      /source: +setting\n/,
    ],
  ];
  for (const [options, flags, expected, text] of cases) {
    await open_stage({ ...options, script: [] }, async (s) => {
      const shown = await s.hamr(["context", ...flags]);
      assert.equal(shown.code, 0, shown.stderr);
      assert.match(shown.stdout, text);
      const json = await s.hamr(["context", "--json", ...flags]);
      const object = JSON.parse(json.stdout);
      assert.deepEqual({ ...object, ...expected, type: "context" }, object);
      assert.deepEqual(s.server.requests, [], "it costs no tokens");
    });
  }
  await open_stage({ script: [] }, async (s) => {
    const env = { HAMR_PROVIDER: "none-such" };
    const { code, stdout, stderr } = await s.hamr(["context"], { env });
    assert.deepEqual([code, stdout], [3, ""]);
    assert.match(stderr, /^hamr: HAMR_PROVIDER: unknown provider "none-such"/);
    s.home.write(
      ".config/hamr/config.toml",
      '[auxiliary.summary]\nprovider = "none-such"\n[provider]\ndefault = "no-such"\n',
    );
    const first = await s.hamr(["context"]);
    assert.match(first.stderr, /^hamr: \S+config\.toml:4: provider\.default: unknown provider/);
    const second = await s.hamr(["run", "--provider", "ollama", "Look."]);
    assert.match(
      second.stderr,
      /^hamr: \S+config\.toml:2: auxiliary\.summary\.provider: unknown provider/,
    );
    s.home.write(".config/hamr/config.toml", "");
    await s.server.close();
    const dead = await s.hamr(["context"]);
    assert.deepEqual([dead.code, dead.stdout], [3, ""]);
    assert.match(dead.stderr, /connection refused at http:.*\/v1\/models/);
  });
});

Deno.test("a known model is run as its makers say, unless the user or its server says otherwise", async () => {
  const bash_first = [bash("true"), say(ANSWER), bash("true"), say(ANSWER)];
  const options = {
    llama_ctx: 16_384,
    models: ["Qwen3-8B"],
    script: [...bash_first, ...bash_first],
  };
  await open_stage(
    { ...options, env: { HAMR_MODEL: "" }, one_conversation: false },
    async (s) => {
      const sent = async (...flags: string[]) => {
        const before = s.server.requests.length;
        const { code, stderr } = await s.run("Look.", ...flags);
        assert.equal(code, 0, stderr);
        return s.server.requests.slice(before).map(({ raw }) => {
          const { temperature, top_p, top_k, min_p } = JSON.parse(raw);
          return { temperature, top_p, top_k, min_p };
        });
      };
      const family = { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0 };
      assert.deepEqual(await sent(), [family, family]);
      const none = { top_p: undefined, top_k: undefined, min_p: undefined };
      const own = { temperature: 0.3, ...none };
      assert.deepEqual(await sent("--temperature", "0.3"), [own, own]);
      const { stdout } = await s.hamr(["context"]);
      assert.match(
        stdout,
        /family: +Qwen3; temperature 0\.6, top_p 0\.95, top_k 20, min_p 0 \(model/,
      );
      assert.match(stdout, /\n {10}thinks before it calls/);
      const env = { ...s.env, HAMR_AGENT_MODEL_DEFAULTS: "false" };
      const off = await s.hamr(["context", "--json"], { env });
      const { family: shown } = JSON.parse(off.stdout);
      assert.deepEqual([shown.sampling, shown.why], [null, "agent.model_defaults is off"]);
      const { code } = await s.hamr(["run", "--json", "Look."], { env });
      assert.equal(code, 0);
      assert.equal(JSON.parse(s.server.requests.at(-1)?.raw ?? "").temperature, undefined);
    },
  );
});

Deno.test("what a server refused in one run binds no later one: it may have a larger window by then", async () => {
  const refused: Reply = {
    status: 400,
    body: JSON.stringify({ error: { message: "prompt is too long" } }),
  };
  const script = [refused, say(ANSWER), say(ANSWER)];
  await open_stage({ script, one_conversation: false }, async (s) => {
    const first = await s.run("What is it?", "--mode", "ask");
    assert.deepEqual([first.code, first.result.stop_reason], [2, "context_full"]);
    for (const more of ["Go on.", `And then? ${"word ".repeat(500)}`]) {
      const again = ["resume", "--json", first.result.session_id, more];
      const { code, stdout } = await s.hamr(again);
      assert.equal(code, 0, `${stdout} after ${JSON.stringify(first.result.warnings)}`);
    }
  });
});
