/** Bad days: servers that are busy, loading, gone, or refuse a key or a parameter. */
import assert from "node:assert/strict";
import { each, type Event, until } from "./support/hamr.ts";
import {
  ANSWER,
  bash,
  call,
  type ModelServer,
  type Reply,
  say,
  type Script,
  serve_model,
} from "./support/model_server.ts";
import { type Stage, stage, type StageOptions } from "./support/stage.ts";

const USER = ".config/hamr/config.toml";

/** An error as OpenAI words it. */
function failing(status: number, message: string, more: Partial<Reply> = {}): Reply {
  return { status, body: JSON.stringify({ error: { message, code: status } }), ...more };
}

const of_type = (events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type);

/** The waits of a run, in milliseconds. */
const waits = (events: readonly Event[]) =>
  of_type(events, "retry").map(({ wait_ms }) => Number(wait_ms));

Deno.test("a busy server is asked again, after as long a wait as it asks for", async () => {
  const date = () => new Date(Date.now() + 2500).toUTCString();
  const busy: readonly (readonly [Reply, least: number, most: number])[] = [
    [failing(429, "slow down", { headers: { "retry-after": "1" } }), 1000, 1000],
    [failing(429, "slow down", { headers: { "retry-after-ms": "150" } }), 150, 150],
    [failing(503, "busy", { headers: { "retry-after": date() } }), 1, 2500],
    [failing(529, "Overloaded"), 0, 1000],
    [failing(500, "out of memory"), 0, 1000],
    [failing(500, "Failed to parse input at pos 12: <tool_call>"), 0, 1000],
    [failing(408, "timeout"), 0, 1000],
    [failing(409, "conflict"), 0, 1000],
    [failing(425, "too early"), 0, 1000],
    [failing(502, "bad gateway"), 0, 1000],
    [{ body: 'data: {"error":{"type":"overloaded_error","message":"Overloaded"}}\n\n' }, 0, 1000],
  ];
  await each(busy, ([reply, least, most]) =>
    stage({ script: [reply, say(ANSWER)] }, async (s) => {
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
    }));
});

Deno.test("a request is made so many times, and no more", async () => {
  const script = () => failing(503, "busy");
  const attempts = [["", 3], ["2", 2], ["1", 1], ["0", 1]] as const;
  await each(
    attempts,
    ([HAMR_RETRY_ATTEMPTS, times]) =>
      stage({ script, env: { HAMR_RETRY_ATTEMPTS } }, async (s) => {
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
    stage({ script: () => fault }, async (s) => {
      const { code } = await s.run("What is it?");
      assert.deepEqual([code, s.server.requests.length], [1, 1], JSON.stringify(fault));
    }));
});

Deno.test("a wait that is longer than allowed is an error now", async () => {
  const limits: Reply[] = [
    failing(429, "slow down", { headers: { "retry-after": "61" } }),
    failing(429, "slow down", {
      headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() },
    }),
  ];
  await each(limits, (limit) =>
    stage({ script: () => limit }, async (s) => {
      const { code, result, ms } = await s.run("What is it?");
      assert.deepEqual([code, s.server.requests.length], [1, 1]);
      assert.match(
        result.error?.message ?? "",
        /a wait of \d+ s.*60 s are allowed \(retry\.max_wait_s\)/,
      );
      assert.ok(ms < 30_000);
    }));
});

Deno.test("a model that is loading is waited for, and what for is said", async () => {
  const loading = failing(503, "Loading model");
  await stage({ script: [loading, loading, loading, loading, say(ANSWER)] }, async (s) => {
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
  await stage({ script: () => loading, env }, async (s) => {
    const { code, result, events } = await s.events("What is it?");
    assert.equal(code, 1);
    assert.deepEqual(waits(events), [1000]);
    assert.match(result.error?.message ?? "", /not loaded after 1 s/);
  });
});

Deno.test("an interrupt and a time limit end a wait at once", async () => {
  const script = () => failing(429, "slow down", { headers: { "retry-after": "50" } });
  await stage({ script }, async (s) => {
    const running = s.start(["run", "--output", "jsonl", "What is it?"]);
    await until("it waits", () => running.stdout().includes('"type":"retry"'));
    running.kill("SIGINT");
    const { code, result, ms } = await running.done;
    assert.deepEqual([code, result.stop_reason], [130, "user_interrupt"]);
    assert.ok(ms < 30_000, `${ms} ms`);
  });
  for (const limit of ["--timeout", "--step-timeout"]) {
    await stage({ script }, async (s) => {
      const { code, result, ms } = await s.run("What is it?", limit, "1");
      assert.deepEqual([code, result.stop_reason], [5, "timeout"]);
      assert.ok(ms < 30_000, `${ms} ms`);
    });
  }
});

Deno.test("nothing of a failed try stays, and each stream has one end", async () => {
  const script: Script = [
    { text: "half an answer that goes on", fragment: 4, cut_after: 700 },
    failing(529, "Overloaded"),
    bash("echo x >> log"),
    say(ANSWER),
  ];
  await stage({ script }, async (s) => {
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

/** A user's file with two servers, `a` and `b`. */
function sections(servers: Readonly<Record<string, string>>, more = ""): string {
  const tables = Object.entries(servers).map(([name, keys]) => `[providers.${name}]\n${keys}\n`);
  return `${more}\n${tables.join("")}`;
}

interface Two {
  readonly s: Stage;
  readonly b: ModelServer;
}

/** A run that begins with the stage's server as provider `a`, with a server `b` to go on with. */
async function two(
  { b: script, key, settings = "", ...options }: StageOptions & {
    readonly b: Script;
    /** Lines of `[providers.b]`. */
    readonly settings?: string;
  },
  play: (two: Two) => Promise<void>,
): Promise<void> {
  const b = serve_model(script, key === undefined ? {} : { key });
  const env = { HAMR_BASE_URL: "", HAMR_PROVIDER: "a", ...options.env };
  try {
    await stage({ ...options, env }, async (s) => {
      const a = `base_url = "${s.server.url}"`;
      const other = `base_url = "${b.url}"\n${settings}`;
      s.home.write(USER, sections({ a, b: other }));
      await play({ s, b });
    });
    assert.deepEqual(b.violations, []);
  } finally {
    await b.close();
  }
}

const FALLBACK = ["--fallback", "b/other"];
const QUICK = { HAMR_RETRY_ATTEMPTS: "1" };

Deno.test("another provider takes the same history, and keeps it to the end", async () => {
  const script = (_: unknown, n: number): Reply =>
    n === 0 ? bash("echo 1 >> log; echo seen") : failing(503, "busy");
  const b = [bash("echo 2 >> log"), bash("echo 3 >> log"), say(ANSWER)];
  await two({ script, b, env: QUICK }, async ({ s, b }) => {
    const { code, result, events, stderr } = await s.events("Count.", ...FALLBACK);
    assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 4]);
    assert.deepEqual([result.provider, result.model], ["b", "other"]);
    assert.equal(s.ws.read("log"), "1\n2\n3\n");
    assert.deepEqual([s.server.requests.length, b.requests.length], [2, 3]);
    const [mine] = b.requests;
    assert.deepEqual(mine!.body.messages, s.server.requests[1]!.body.messages);
    assert.equal(mine!.body.model, "other");
    const [fallback, ...more] = of_type(events, "fallback");
    assert.deepEqual([fallback?.["from"], fallback?.["to"], more], ["a/scripted", "b/other", []]);
    assert.match(result.warnings[0] ?? "", /^a\/scripted failed, b\/other took over: .*503.*busy/);
    assert.match(stderr, /⇄ a\/scripted → b\/other/);
    const [start] = of_type(events, "session_start");
    assert.deepEqual([start?.["provider"], start?.["model"]], ["a", "scripted"]);
  });
});

Deno.test("what makes another provider take over, and what does not", async () => {
  const moved: Reply[] = [
    failing(429, "slow down", { headers: { "retry-after": "3600" } }),
    failing(500, "out of memory"),
    failing(501, "not implemented"),
    failing(401, "no such key"),
    failing(403, "not yours"),
    failing(402, "Insufficient Balance"),
    { text: "half", cut_after: 100 },
    { body: 'data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n' },
  ];
  await each(
    moved,
    (reply) =>
      two({ script: () => reply, b: [say(ANSWER)], env: QUICK }, async ({ s }) => {
        const { code, result } = await s.run("What is it?", ...FALLBACK);
        assert.deepEqual([code, result.provider], [0, "b"], JSON.stringify(reply));
      }),
  );
  const stays: Reply[] = [failing(400, "bad"), failing(404, "no such model")];
  await each(stays, (reply) =>
    two({ script: () => reply, b: [], env: QUICK }, async ({ s, b }) => {
      const { code, result } = await s.run("What is it?", ...FALLBACK);
      assert.deepEqual([code, result.provider, b.requests.length], [1, "a", 0]);
    }));
});

Deno.test("no server at all is said at once, and is no reason to stop where there is another", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const gone = { HAMR_PROVIDERS_A_BASE_URL: `http://127.0.0.1:${port}/v1` };
  await two({ script: [], b: [], env: gone }, async ({ s }) => {
    const { code, result, events } = await s.events("What is it?");
    assert.deepEqual([code, result.stop_reason, of_type(events, "retry")], [1, "llm_error", []]);
    assert.match(result.error?.message ?? "", /connection refused at http:/);
  });
  await two({ script: [], b: [say(ANSWER)], env: gone }, async ({ s }) => {
    const { code, result } = await s.run("What is it?", ...FALLBACK);
    assert.deepEqual([code, result.provider], [0, "b"]);
  });
});

Deno.test("where all have failed, the last error ends the run; 4 only where each refused a key", async () => {
  const denied = () => failing(401, "no such key");
  const busy = () => failing(503, "busy");
  const endings: readonly (readonly [Script, Script, number])[] = [
    [denied, denied, 4],
    [denied, busy, 1],
    [busy, denied, 1],
    [busy, busy, 1],
  ];
  await each(endings, ([script, b, code]) =>
    two({ script, b, env: QUICK }, async ({ s }) => {
      const { result } = await s.run("What is it?", ...FALLBACK);
      assert.equal(result.exit_code, code);
      assert.equal(result.stop_reason, code === 4 ? "auth_error" : "llm_error");
      assert.match(result.error?.message ?? "", /before that failed a\/scripted: /);
    }));
});

Deno.test("a chain can stand in a file, is the person's own, and has to be sound", async () => {
  const script = () => failing(503, "busy");
  await two({ script, b: [say(ANSWER)], env: QUICK }, async ({ s }) => {
    s.home.write(USER, `[fallback]\nchain = ["a/again", "b/third"]\n${s.home.read(USER)}`);
    const { code, result, events } = await s.events("What is it?");
    assert.deepEqual([code, result.model], [0, "third"]);
    assert.deepEqual(of_type(events, "fallback").map(({ to }) => to), ["a/again", "b/third"]);
    const show = await s.hamr(["config", "show", "--fallback", "b/x", "--fallback", "b/y"]);
    assert.match(show.stdout, /chain = \["b\/x", "b\/y"\] +# flag --fallback/);
  });
  await two({ script, b: [], env: QUICK }, async ({ s }) => {
    s.ws.write(".hamr/config.toml", '[fallback]\nchain = ["b/other"]\n');
    const { code, result } = await s.run("What is it?");
    assert.deepEqual([code, result.provider], [1, "a"]);
    assert.match(result.warnings[0] ?? "", /ignored fallback\.chain/);
    for (
      const [spec, words] of [["nobody/x", /unknown provider "nobody"/], [
        "b",
        /PROVIDER\/MODEL/,
      ]] as const
    ) {
      const refused = await s.run("What is it?", "--fallback", spec);
      assert.equal(refused.code, 3);
      assert.match(refused.stderr, words);
    }
    const dear = await s.run("What is it?", "--max-cost", "1", ...FALLBACK);
    assert.equal(dear.code, 3);
    assert.match(dear.stderr, /price/);
  });
  const env = { ...QUICK, HAMR_PROVIDERS_A_PRICE_IN: "1", HAMR_PROVIDERS_A_PRICE_OUT: "1" };
  await two({ script, b: [], env }, async ({ s }) => {
    const { code, stderr } = await s.run("What is it?", "--max-cost", "1", ...FALLBACK);
    assert.equal(code, 3);
    assert.match(stderr, /the price of other at .* is not known: .*\[providers\.b\]/);
  });
});

Deno.test("a key for whatever is run does not follow it to another provider", async () => {
  const env = { ...QUICK, HAMR_API_KEY: "general-key-0123", B_KEY: "other-key-4567" };
  const script = () => failing(503, "busy");
  await two({ script, b: [say(ANSWER)], env }, async ({ s, b }) => {
    assert.equal((await s.run("What is it?", ...FALLBACK)).code, 0);
    assert.equal(s.server.requests[0]!.headers.get("authorization"), "Bearer general-key-0123");
    assert.equal(b.requests[0]!.headers.get("authorization"), null);
  });
  await two({
    script,
    b: [say(ANSWER)],
    env,
    key: "other-key-4567",
    settings: 'api_key_env = "B_KEY"',
  }, async ({ s }) => {
    assert.equal((await s.run("What is it?", ...FALLBACK)).code, 0);
  });
});

Deno.test("a key is read anew once, from its file or by its command", async () => {
  for (const way of ["file", "cmd"] as const) {
    let valid = "first-key-000";
    let renew = () => {};
    const script = ({ headers }: { headers: Headers }, n: number): Reply => {
      if (headers.get("authorization") !== `Bearer ${valid}`) return failing(401, "expired");
      // What the server is, is asked while the first request is in flight: with the key that stands there then.
      if (n === 1) renew();
      return n < 2 ? bash(`echo ${n} >> log; env | grep -c [k]ey-000`) : say(ANSWER);
    };
    await stage({ script, env: { HAMR_BASE_URL: "", HAMR_PROVIDER: "a" } }, async (s) => {
      const file = s.outside.at("key");
      const key = way === "file"
        ? `api_key_file = "${file}"`
        : `api_key_cmd = "echo asked >> ${s.outside.at("asked")}; cat ${file}"`;
      s.home.write(USER, sections({ a: `base_url = "${s.server.url}"\n${key}` }));
      s.outside.write("key", `${valid}\n`);
      renew = () => s.outside.write("key", `${valid = "second-key-000"}\n`);
      const { code, result, events, stdout, stderr } = await s.events("Count.");
      assert.deepEqual([code, result.final_output], [0, ANSWER], stderr);
      const [retry] = of_type(events, "retry");
      assert.match(String(retry?.["reason"]), /401: expired.*the key was read anew/);
      assert.ok(!`${stdout}${stderr}`.includes("key-000"));
      assert.match(s.server.results()[0] ?? "", /^0/, "no child sees it");
      if (way === "cmd") assert.equal(s.outside.read("asked"), "asked\nasked\n");
    });
  }
});

Deno.test("a key that cannot be had ends the run before it begins", async () => {
  const keys: readonly (readonly [string, RegExp])[] = [
    ['api_key_file = "/nonexistent/key"', /api_key_file of \[providers\.a\]: .*no such file/],
    [
      'api_key_cmd = "exit 3"',
      /api_key_cmd of \[providers\.a\]: the command failed \(exit code 3\)/,
    ],
    ['api_key_cmd = "true"', /the command printed nothing/],
  ];
  await each(
    keys,
    ([key, words]) =>
      stage({ script: [], env: { HAMR_BASE_URL: "", HAMR_PROVIDER: "a" } }, async (s) => {
        s.home.write(USER, sections({ a: `base_url = "${s.server.url}"\n${key}` }));
        const { code, stderr } = await s.run("What is it?");
        assert.equal(code, 3);
        assert.match(stderr, words);
      }),
  );
});

Deno.test("what a model refuses is left out, once for the run, and said", async () => {
  const refusals: readonly {
    readonly words: string;
    readonly has: RegExp;
    readonly flags?: string[];
    readonly then?: RegExp;
    readonly warns?: true;
  }[] = [
    {
      words:
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      has: /"temperature":/,
      flags: ["--temperature", "0.2"],
      warns: true,
    },
    {
      words: "Unrecognized request argument supplied: reasoning_effort",
      has: /"reasoning_effort":/,
      flags: ["--reasoning-effort", "low"],
      warns: true,
    },
    {
      words:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      has: /"max_tokens":/,
      then: /"max_completion_tokens":4096/,
    },
    { words: "Unknown parameter: 'stream_options'.", has: /"stream_options":/ },
    { words: "deepseek-reasoner does not support this tool_choice", has: /"tool_choice":/ },
  ];
  await each(refusals, ({ words, has, flags = [], then, warns }) => {
    const script = ({ raw }: { raw: string }, n: number): Reply =>
      has.test(raw) ? failing(400, words) : n === 1 ? bash("echo x >> log") : say(ANSWER);
    return stage({ script }, async (s) => {
      const { code, result, events } = await s.events("Count.", ...flags);
      assert.deepEqual([code, s.server.requests.length], [0, 3], words);
      if (then !== undefined) {
        s.server.requests.slice(1).forEach(({ raw }) => assert.match(raw, then));
      }
      assert.equal(of_type(events, "retry").length, 1);
      assert.equal(result.warnings.length, warns ? 1 : 0);
    });
  });
});

Deno.test("a model without a system role gets the system message in its task", async () => {
  const script = (
    { body }: { body: { messages: readonly { role: string }[] } },
    n: number,
  ): Reply =>
    body.messages[0]?.role === "system"
      ? failing(400, "System role not supported")
      : n === 1
      ? bash("echo x >> log")
      : say(ANSWER);
  await stage({ script, violations: true }, async (s) => {
    assert.equal((await s.run("Count the words.")).code, 0);
    const messages = s.server.requests.at(-1)!.body.messages;
    assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool"]);
    assert.match(String(messages[0]?.content), /^You are hamr[^]*Count the words\.$/);
  });
});

Deno.test("a model that takes no tools gets them in text, and it is said", async () => {
  const block =
    `<tool_call>\n{"name":"bash","arguments":{"command":"echo x >> log"}}\n</tool_call>`;
  const script = ({ body }: { body: { tools?: unknown } }, n: number): Reply =>
    body.tools !== undefined
      ? {
        status: 400,
        body: '{"error":"registry.ollama.ai/library/smol:latest does not support tools"}',
      }
      : n === 1
      ? say(block)
      : say(ANSWER);
  await stage({ script, one_conversation: false }, async (s) => {
    const { code, result, events } = await s.events("Count.");
    assert.deepEqual([code, result.final_output, s.server.requests.length], [0, ANSWER, 3]);
    assert.equal(s.ws.read("log"), "x\n");
    assert.match(result.warnings[0] ?? "", /called in text from now on.*does not support tools/);
    assert.equal(result.warnings.length, 1);
    assert.equal(of_type(events, "tool_call")[0]?.["dialect"], "hermes");
    const [system] = s.server.requests[1]!.body.messages;
    assert.match(String(system?.content), /# Tools\n/);
  });
});

Deno.test("a conversation with calls goes on over another way to call", async () => {
  const answer = (n: number): Reply =>
    n === 0
      ? say(`<tool_call>\n{"name":"bash","arguments":{"command":"echo 2 >> log"}}\n</tool_call>`)
      : say(ANSWER);
  let asked = 0;
  const b = ({ body }: { body: { tools?: unknown } }): Reply =>
    body.tools !== undefined ? failing(400, "m does not support tools") : answer(asked++);
  const script = (_: unknown, n: number): Reply =>
    n === 0 ? call("bash", { command: "echo 1 >> log" }) : failing(503, "busy");
  const server = serve_model(b, { one_conversation: false });
  try {
    const env = { ...QUICK, HAMR_BASE_URL: "", HAMR_PROVIDER: "a" };
    await stage({ script, env }, async (s) => {
      s.home.write(
        USER,
        sections({ a: `base_url = "${s.server.url}"`, b: `base_url = "${server.url}"` }),
      );
      const { code, result } = await s.run("Count.", ...FALLBACK);
      assert.deepEqual([code, result.provider, s.ws.read("log")], [0, "b", "1\n2\n"]);
      const { messages } = server.requests.at(-1)!.body;
      assert.deepEqual(messages.map(({ role }) => role), [
        ...["system", "user", "assistant", "user", "assistant", "user"],
      ]);
      assert.match(String(messages[2]?.content), /"name":"bash".*echo 1/);
    });
    assert.deepEqual(server.violations, []);
  } finally {
    await server.close();
  }
});

Deno.test("a smaller window makes room before the conversation is sent to it", async () => {
  const long = Array.from({ length: 600 }, (_, n) => `line ${n} of a file that is long`).join("\n");
  const script = (_: unknown, n: number): Reply =>
    n < 3 ? call("read", { path: `f${n}.txt` }) : failing(503, "busy");
  const files = { "f0.txt": long, "f1.txt": long, "f2.txt": long };
  await two(
    { script, b: () => say(ANSWER), files, env: QUICK, settings: "context_window = 12000" },
    async ({ s, b }) => {
      const { code, events } = await s.events("Read them.", "--mode", "ask", ...FALLBACK);
      assert.equal(code, 0);
      assert.ok(of_type(events, "compaction").length > 0);
      for (const { raw } of b.requests) assert.ok(raw.length / 4 < 12_000, `${raw.length}`);
    },
  );
});
