import assert from "node:assert/strict";
import { each, type Outcome } from "./support/hamr.ts";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import {
  type Item,
  type Reply,
  type ResponsesServer,
  secret,
  serve_responses,
  stream_body,
} from "./support/responses_server.ts";
import { inside_stage, open_stage, type Stage, type StageOptions } from "./support/stage.ts";

/** One, two, three and four bytes a character. */
const WORDS = "The añswer 世界 is 😀 forty-two.";

/** A run against a server of the Responses API, which must not have refused anything. */
async function play(
  script: Parameters<typeof serve_responses>[0],
  judge: (run: Outcome, server: ResponsesServer, s: Stage) => void | Promise<void>,
  options: StageOptions & { readonly flags?: readonly string[] } = {},
): Promise<void> {
  const server = serve_responses(script);
  const { flags = [], env, ...more } = options;
  const said = { HAMR_BASE_URL: server.url, HAMR_PROVIDER_API_MODE: "codex_responses", ...env };
  try {
    await open_stage({ ...more, env: said }, async (s) => {
      await judge(await s.events("Do it.", ...flags), server, s);
    });
    assert.deepEqual(server.violations, [], "a strict server refuses this");
  } finally {
    await server.close();
  }
}

function types(items: readonly Item[]): string[] {
  return items.map(({ type, role }) => type === "message" ? String(role) : type);
}

function shown(run: Outcome, type: "text_delta" | "reasoning_delta"): string {
  return run.events.filter((event) => event.type === type).map(({ text }) => text).join("");
}

const usage = { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 60, reasoning_tokens: 7 };

Deno.test("a model that takes no calls over Chat Completions is asked over the Responses API", async () => {
  const to_chat = "This model is only supported in v1/responses and not in v1/chat/completions.";
  const script = [{ reasoning: "Hm.", ...bash("echo x >> log") }, say(ANSWER)];
  const server = serve_responses(script, { to_chat });
  try {
    const env = { HAMR_BASE_URL: server.url, HAMR_PROVIDER_CONTEXT_WINDOW: "65536" };
    await inside_stage({ env }, async (s) => {
      const { code, result, events } = await s.events("Count.");
      assert.deepEqual([code, result.final_output, s.ws.read("log")], [0, ANSWER, "x\n"]);
      assert.deepEqual([result.warnings.length, events.at(0)!["api_mode"]], [
        1,
        "chat_completions",
      ]);
      assert.match(String(result.warnings[0]), /--api-mode codex_responses$/);
    });
    assert.deepEqual([server.violations, server.requests.length], [[], 2]);
  } finally {
    await server.close();
  }
});

Deno.test("a loop of tools, streamed in any pieces and not, with what the server wants back", async () => {
  const script: Reply[] = [
    {
      reasoning: "I look first.",
      text: "So.",
      phase: "commentary",
      calls: [{ name: "read", args: { path: "a.txt" } }, { name: "read", args: { path: "." } }],
      usage,
    },
    { reasoning: "Now I edit.", ...call("edit", { path: "a.txt", old: "one", new: "tẅo" }), usage },
    { reasoning: "Done.", text: WORDS, phase: "final_answer", usage },
  ];
  const ways: readonly (readonly [Partial<Reply>, ...string[]])[] = [
    [{}],
    [{ fragment: 1, every: 3 }],
    [{ fragment: 3, keep_alive: true, eol: "\r\n", bare: true }],
    [{}, "--no-stream"],
  ];
  await each(
    ways,
    ([way, ...flags]) =>
      play(script.map((reply) => ({ ...reply, ...way })), (run, server, s) => {
        const { result } = run;
        assert.deepEqual([run.code, result.final_output, result.tool_calls], [0, WORDS, 3]);
        assert.equal(s.ws.read("a.txt"), "tẅo\n");
        assert.deepEqual(result.usage, {
          input_tokens: 300,
          output_tokens: 60,
          cached_tokens: 180,
          reasoning_tokens: 21,
          cache_lost_tokens: 0,
        });
        assert.equal(run.events[0]!["api_mode"], "codex_responses");
        assert.equal(shown(run, "text_delta"), `So.${WORDS}`);
        assert.equal(shown(run, "reasoning_delta"), "I look first.Now I edit.Done.");
        const { input, stream } = server.requests[2]!.body;
        assert.equal(stream, flags.length === 0);
        assert.deepEqual(types(input), [
          ...["system", "user", "reasoning", "assistant", "function_call", "function_call"],
          ...["function_call_output", "function_call_output"],
          ...["reasoning", "function_call", "function_call_output"],
        ]);
        const secrets = input.map((item) => item.encrypted_content).filter((text) => text);
        assert.deepEqual(secrets, [secret(0), secret(1)]);
        assert.match(input[6]!.output!, /^1:one/);
      }, { files: { "a.txt": "one\n" }, flags: ["--mode", "patch", ...flags] }),
  );
});

Deno.test("the protocol can come from a flag, the environment, and the section of a provider", async () => {
  const server = serve_responses(() => say(ANSWER), { one_conversation: false });
  const section =
    `[providers.mine]\nbase_url = "${server.url}"\nmodel = "m"\napi_mode = "codex_responses"\n`;
  const ways: readonly (readonly [Record<string, string>, ...string[]])[] = [
    [{ HAMR_BASE_URL: server.url }, "--api-mode", "codex_responses"],
    [{ HAMR_BASE_URL: `${server.url}/responses`, HAMR_PROVIDER_API_MODE: "codex_responses" }],
    [{ HAMR_BASE_URL: "" }, "--provider", "mine"],
  ];
  await each(ways, ([env, ...flags]) =>
    open_stage({ env }, async (s) => {
      s.home.write(".config/hamr/config.toml", section);
      assert.equal((await s.run("What is it?", ...flags)).result.final_output, ANSWER);
      const { stdout } = await s.hamr(["config", "show"]);
      assert.match(stdout, /api_mode = "codex_responses"/);
      assert.deepEqual(s.server.requests, []);
    }));
  assert.deepEqual([server.requests.length, server.violations], [ways.length, []]);
  await server.close();
});

Deno.test("what the settings ask for is sent", async () => {
  const flags = ["--max-output-tokens", "123", "--temperature", "0.5", "--reasoning-effort", "low"];
  await play([say(ANSWER)], (_, server) => {
    const { model, max_output_tokens, temperature, reasoning, store } = server.requests[0]!.body;
    assert.deepEqual([model, max_output_tokens, temperature, reasoning, store], [
      ...["scripted", 123, 0.5, { effort: "low" }, false],
    ]);
  }, { flags });
});

Deno.test("ids that come twice or are too long, and arguments that are none, do no harm later", async () => {
  const add = { command: "echo x >> log" };
  const twice = [{ name: "bash", args: add, id: "same" }, { name: "bash", args: add, id: "same" }];
  const script: Reply[] = [
    { calls: twice, reasoning: "Twice." },
    { calls: twice },
    { calls: [{ name: "bash", args: add, id: "long".repeat(30) }] },
    { calls: [{ name: "bash", args: '{"command": nothing' }, { name: "no such tool", args: "" }] },
    say("All of it was written down."),
  ];
  await play(script, (run, _, s) => {
    assert.deepEqual([run.code, s.ws.read("log")], [0, "x\n".repeat(5)]);
  });
});

Deno.test("calls in the text of this wire's replies work as well", async () => {
  const block = (command: string) =>
    `<tool_call>\n${JSON.stringify({ name: "bash", arguments: { command } })}\n</tool_call>`;
  const script = [{ reasoning: "Hm.", text: block("echo hi > log") }, say("It was written.")];
  await play(script, (run, server, s) => {
    assert.deepEqual([run.code, s.ws.read("log")], [0, "hi\n"]);
    assert.deepEqual(types(server.requests[1]!.body.input), [
      ...["system", "user", "assistant", "user"],
    ]);
    assert.ok(!("tools" in server.requests[0]!.body));
  }, { flags: ["--tool-call-format", "prompt"] });
});

Deno.test("a reply that its limit has cut runs nothing, whatever the server calls it", async () => {
  const calls = call("bash", { command: "echo cut >> log" });
  const full = { prompt_tokens: 10, completion_tokens: 64 };
  const cut: Reply[] = [{ ...calls, finish: "length" }, { ...calls, usage: full }];
  await each(cut, (reply) =>
    play([reply, say(ANSWER)], (run, _, s) => {
      assert.deepEqual([run.code, run.result.tool_calls, s.ws.exists("log")], [0, 0, false]);
      assert.ok(run.events.some((event) => event.type === "nudge" && event.name === "truncation"));
    }, { flags: ["--max-output-tokens", "64"] }));
});

Deno.test("what the server marks as a refusal is one in any words: asked about once, and no success", async () => {
  const refusal = "Es geht leider nicht, da es anderen schadet.";
  await play([{ refusal }, { refusal }], (run) => {
    assert.deepEqual([run.code, run.result.stop_reason], [2, "not_done"]);
    assert.equal(run.result.final_output, refusal);
    assert.equal(shown(run, "text_delta"), refusal + refusal);
  }, { flags: ["--mode", "auto"] });
});

Deno.test("a refusal that follows a change leaves that a success, and says so", async () => {
  const script = [call("write", { path: "b.txt", content: "b\n" }), {
    refusal: "No more of this.",
  }];
  await play(script, (run) => {
    assert.equal(run.code, 0);
    assert.match(run.result.warnings.join("\n"), /marked the answer as a refusal/);
  }, { flags: ["--mode", "auto"] });
});

Deno.test("errors end the run as on any wire, before the reply and in the middle of it", async () => {
  const error = (code: string, message = "told") => ({ message, type: "error", code });
  const answered = (status: number, code: string): Reply => ({
    status,
    body: JSON.stringify({ error: error(code) }),
  });
  const streamed = (code: string): Reply => {
    const response = { object: "response", status: "failed", error: error(code), output: [] };
    const begin = stream_body({ text: "Hal", finish: null }, 0);
    return {
      body: `${begin}event: response.failed\ndata: ${
        JSON.stringify({ type: "response.failed", response })
      }\n\n`,
    };
  };
  const event = (code: string): Reply => ({
    body: `event: error\ndata: ${JSON.stringify({ ...error(code), type: "error" })}\n\n`,
  });
  const cases: [Reply, number, string][] = [
    [answered(401, "invalid_api_key"), 4, "auth_error"],
    [answered(403, "forbidden"), 4, "auth_error"],
    [answered(400, "invalid_value"), 1, "llm_error"],
    [answered(429, "rate_limit_exceeded"), 1, "llm_error"],
    [answered(500, "server_error"), 1, "llm_error"],
    [answered(400, "context_length_exceeded"), 2, "context_full"],
    [streamed("server_error"), 1, "llm_error"],
    [streamed("context_length_exceeded"), 2, "context_full"],
    [event("server_error"), 1, "llm_error"],
    [event("invalid_api_key"), 4, "auth_error"],
  ];
  await each(cases, ([reply, code, reason]) =>
    play(() => reply, ({ result }) => {
      assert.deepEqual([result.exit_code, result.stop_reason], [code, reason]);
      assert.match(result.error!.message, /told/);
    }, { flags: ["--context-window", "32768"] }));
});

Deno.test("a stream that is cut is asked for once more without streaming", async () => {
  const whole: Reply = { reasoning: "Hm.", text: WORDS, fragment: 4 };
  const body = new TextEncoder().encode(stream_body(whole, 0));
  const end = new TextEncoder().encode(stream_body({ ...whole, finish: null }, 0)).length;
  const cuts = [
    ...[0, 1, 6, 7, 8, 40, end - 2, end - 1, end, end + 1, end + 30, body.length - 3],
    ...Array.from({ length: 12 }, (_, i) => Math.floor(end * (i + 1) / 13)),
  ];
  await each(cuts, (cut_after, i) => {
    const cut: Reply = { ...whole, cut_after, cut: i % 2 === 0 ? "abrupt" : "clean" };
    return play([cut, whole], ({ result, events }, server) => {
      assert.deepEqual([result.exit_code, result.final_output], [0, WORDS], `after ${cut_after}`);
      assert.deepEqual(server.requests.map(({ body }) => body["stream"]), [true, false]);
      assert.equal(result.steps, 1);
      assert.equal(events.filter((event) => event.type === "retry").length, 1);
    });
  });
});

Deno.test("a call that is cut is not executed before it is whole", async () => {
  const whole: Reply = { ...bash("echo x >> log"), fragment: 3 };
  const length = stream_body({ ...whole, finish: null }, 0).length;
  const cuts = Array.from({ length: 9 }, (_, i) => Math.floor(length * (i + 1) / 9));
  await each(
    cuts,
    (cut_after) =>
      play([{ ...whole, cut_after }, whole, say("It was written.")], (run, _, s) => {
        assert.deepEqual([run.code, run.result.tool_calls, s.ws.read("log")], [0, 1, "x\n"]);
      }),
  );
});

Deno.test("a key is sent along, and without it the server says no", async () => {
  const server = serve_responses([say(ANSWER)], { key: "key-0123456789" });
  const env = { HAMR_BASE_URL: server.url, HAMR_PROVIDER_API_MODE: "codex_responses" };
  await open_stage({ env }, async (s) => {
    assert.equal((await s.run("What is it?")).code, 4);
    const keyed = await s.hamr(["run", "--json", "What is it?"], {
      env: { ...s.env, HAMR_API_KEY: "key-0123456789" },
    });
    assert.equal(keyed.result.final_output, ANSWER);
  });
  await server.close();
});
