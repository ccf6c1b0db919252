import assert from "node:assert/strict";
import {
  type ClaudeReply,
  type ClaudeServer,
  error_body,
  KEY,
  serve_claude,
  signature_of,
  stream_message,
} from "./support/anthropic_server.ts";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { open_stage, type Stage, type StageOptions } from "./support/stage.ts";

/** A run against a scripted Claude, which refuses what Anthropic refuses. */
interface Play {
  readonly s: Stage;
  readonly claude: ClaudeServer;
  /** `hamr run --output json` by the Messages API. */
  run(task: string, ...flags: readonly string[]): ReturnType<Stage["run"]>;
}

async function play(
  script: readonly ClaudeReply[],
  body: (play: Play) => Promise<void>,
  more: Pick<StageOptions, "files" | "env"> & { readonly violations?: boolean } = {},
): Promise<void> {
  const { files = {}, env = {}, violations = false } = more;
  await using claude = serve_claude(script);
  await open_stage(
    { files, env: { HAMR_API_KEY: KEY, HAMR_PROVIDER_CONTEXT_WINDOW: "131072", ...env } },
    async (s) => {
      const spoken = ["--api-mode", "anthropic_messages", "--base-url", claude.origin];
      await body({ s, claude, run: (task, ...flags) => s.run(task, ...spoken, ...flags) });
    },
  );
  if (!violations) assert.deepEqual(claude.violations, []);
}

/** The blocks of the last message of the last request. */
function last(claude: ClaudeServer) {
  return claude.requests.at(-1)?.messages.at(-1)?.content ?? [];
}

const WORDS = "The añswer 世界 is 😀 forty-two.";
const WRITTEN = 'é 世 😀 " \\ {}';
const WRITE = { command: `printf "%s" "é 世 😀 \\" \\\\ {}" > out.txt` };

Deno.test("Claude reads, writes and answers, streamed in whatever pieces and at once", async () => {
  const ways: readonly (readonly [Partial<ClaudeReply>, ...string[]])[] = [
    [{}],
    [{}, "--no-stream"],
    [{ every: 1, fragment: 1 }],
    [{ every: 7, fragment: 3, eol: "\r\n" }],
  ];
  await each(ways, async ([way, ...flags]) => {
    const calls = [{ name: "bash", args: WRITE }, { name: "bash", args: { command: "true" } }];
    const script = [
      { ...way, text: "I write it.", reasoning: "Hm. 世", calls },
      { ...way, ...call("read", { path: "out.txt" }) },
      { ...way, text: WORDS },
    ];
    await play(script, async ({ s, claude, run }) => {
      const { code, result } = await run("Write it.", ...flags);
      assert.deepEqual([code, result.final_output, result.tool_calls], [0, WORDS, 3]);
      assert.equal(s.ws.read("out.txt"), WRITTEN);
      assert.deepEqual(claude.paths.filter((path) => path.startsWith("POST")), [
        ...Array(3).fill("POST /v1/messages"),
      ]);
      const [first, second] = claude.requests;
      assert.equal(first?.stream, flags.length === 0);
      const results = second?.messages.at(-1)?.content ?? [];
      assert.deepEqual(results.map(({ type, tool_use_id }) => [type, tool_use_id]), [
        ...[["tool_result", "toolu_0_0"], ["tool_result", "toolu_0_1"]],
      ]);
      assert.match(String(last(claude)[0]?.content), /é 世 😀/);
    });
  });
});

Deno.test("what stays the same is marked for the cache, and is sent byte for byte again", async () => {
  const reads = ["a", "b", "c", "d"].map((path) => call("read", { path }));
  const files = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, `${name}\n`]));
  const usage = [
    { written_tokens: 900, usage: { prompt_tokens: 1000, completion_tokens: 10 } },
    {
      written_tokens: 80,
      usage: { prompt_tokens: 1100, completion_tokens: 10, cached_tokens: 900 },
    },
  ];
  const script = [...reads, say(ANSWER)].map((reply, n) => ({ ...reply, ...usage[n] }));
  await play(script, async ({ claude, run }) => {
    // That request N+1 begins with request N is for the server to see: it refuses anything else.
    const { result } = await run("Read them.", "--max-steps", "9");
    assert.equal(claude.requests.length, 5);
    for (const request of claude.requests) {
      assert.deepEqual(request.cache_control, { type: "ephemeral" });
      assert.deepEqual(request.system.map((block) => block.cache_control), [{ type: "ephemeral" }]);
    }
    assert.deepEqual(result.usage, {
      ...{ input_tokens: 2130, output_tokens: 35, cached_tokens: 900, reasoning_tokens: 0 },
      cache_lost_tokens: 0,
    });
  }, { files });
});

Deno.test("a price counts what was put into the cache with its extra charge", async () => {
  const config = `[provider]\ndefault = "mine"\n[providers.mine]\napi_mode = "anthropic_messages"
api_key_env = "MY_KEY"\nmodel = "claude-x"\nprice_in = 10\nprice_out = 0\ncontext_window = 65536\n`;
  const usage = { prompt_tokens: 1000, completion_tokens: 1 };
  await play([{ ...say(ANSWER), written_tokens: 400, usage }], async ({ s, claude }) => {
    s.home.write(".config/hamr/config.toml", `${config}base_url = "${claude.origin}"\n`);
    const env = { MY_KEY: KEY };
    const { result } = await s.hamr(["run", "--json", "What is it?"], { env });
    assert.deepEqual([result.final_output, result.cost_usd], [ANSWER, 0.011]);
    assert.equal(result.provider, "mine");
  });
});

Deno.test("signed thinking goes back with the calls it led to, and nothing else of it", async () => {
  const thoughts = { reasoning: "Look first.", redacted: "opaque", second_thought: "Then go on." };
  const script: ClaudeReply[] = [
    { ...thoughts, text: "So.", ...bash("echo 1") },
    { reasoning: "No signature.", unsigned: true, ...bash("echo 2") },
    { reasoning: "Done.", text: ANSWER },
  ];
  await each([[], ["--no-stream"]], (flags) =>
    play(script, async ({ claude, run }) => {
      const { code, result } = await run("Count.", "--reasoning-effort", "low", ...flags);
      assert.deepEqual([code, result.final_output], [0, ANSWER]);
      const replies = claude.requests.at(-1)?.messages.filter(({ role }) => role === "assistant");
      assert.deepEqual(replies?.map(({ content }) => content.map(({ type }) => type)), [
        ["thinking", "redacted_thinking", "text", "thinking", "tool_use"],
        ["tool_use"],
      ]);
      assert.deepEqual(replies?.[0]?.content[0], {
        type: "thinking",
        thinking: "Look first.",
        signature: signature_of("Look first."),
      });
    }));
});

Deno.test("how hard it thinks is what the user says, within the limit of a reply", async () => {
  const said = async (...flags: readonly string[]) => {
    let found: unknown[] = [];
    await play([say(ANSWER)], async ({ claude, run }) => {
      await run("What is it?", "--temperature", "0.5", ...flags);
      const { thinking, output_config, temperature, max_tokens } = claude.requests[0] ?? {};
      found = [thinking, output_config, temperature, max_tokens];
    });
    return found;
  };
  const effort = ["--reasoning-effort", "high"];
  assert.deepEqual(await said(), [undefined, undefined, 0.5, 4096]);
  assert.deepEqual(await said(...effort, "--model", "claude-haiku-4-5"), [
    ...[{ type: "enabled", budget_tokens: 3072 }, undefined, undefined, 4096],
  ]);
  assert.deepEqual(await said(...effort, "--model", "claude-opus-5", "--max-output-tokens", "0"), [
    ...[{ type: "adaptive", display: "summarized" }, { effort: "high" }, undefined, 32_000],
  ]);
});

Deno.test("the last words after a limit come with the same tools, of which none may be called", async () => {
  const script = [bash("echo 1"), say("One of two steps is done.")];
  await play(script, async ({ claude, run }) => {
    const { code, result } = await run("Count.", "--max-steps", "1");
    assert.deepEqual([code, result.final_output], [2, "One of two steps is done."]);
    assert.deepEqual(claude.requests.map(({ tool_choice }) => tool_choice), [
      ...[{ type: "auto" }, { type: "none" }],
    ]);
  });
});

Deno.test("a broken call, an empty result and a cut answer leave a history that is taken", async () => {
  const script: ClaudeReply[] = [
    { calls: [{ name: "bash", args: '{"command": "ec' }] },
    bash("true"),
    { text: " \n", ...bash("echo x > made") },
    { text: "I made ", finish: "max_tokens" },
    say("the file."),
  ];
  await play(script, async ({ s, run }) => {
    const { code, result } = await run("Make it.");
    assert.deepEqual([code, result.final_output], [0, "I made the file."]);
    assert.equal(s.ws.read("made"), "x\n");
  });
});

Deno.test("tools in text work by this protocol too", async () => {
  const block =
    '<tool_call>\n{"name":"bash","arguments":{"command":"echo x > made"}}\n</tool_call>';
  await play([say(block), say("I made the file.")], async ({ s, claude, run }) => {
    const { code } = await run("Make it.", "--tool-call-format", "prompt");
    assert.equal(code, 0);
    assert.equal(s.ws.read("made"), "x\n");
    for (const { tools, tool_choice } of claude.requests) {
      assert.deepEqual([tools, tool_choice], [undefined, undefined]);
    }
  });
});

Deno.test("a stream that is cut or stalls is asked for once more at once, and its half is never sent back", async () => {
  const half: ClaudeReply = { text: "Half of an answer, and", ...bash("echo x >> log") };
  const length = stream_message(half, 0).length;
  const accidents: readonly Partial<ClaudeReply>[] = [
    { cut_after: Math.floor(length / 2) },
    { cut_after: Math.floor(length / 2), cut: "clean" },
    { stall_after: Math.floor(length / 2) },
    { finish: null },
  ];
  await each(
    accidents,
    (accident) =>
      play([{ ...half, ...accident }, say(ANSWER)], async ({ s, claude, run }) => {
        const { code, result } = await run("Answer.");
        assert.deepEqual([code, result.final_output], [0, ANSWER], JSON.stringify(accident));
        assert.deepEqual(claude.requests.map(({ stream }) => stream), [true, false]);
        assert.ok(!s.ws.exists("log"));
        assert.equal(claude.requests[1]?.messages.length, 1);
      }, { env: { HAMR_AGENT_IDLE_TIMEOUT_S: "5" } }),
  );
});

Deno.test("errors end the run with their own codes, and in Anthropic's words", async () => {
  const long = "prompt is too long: 221782 tokens > 200000 maximum";
  const cases: readonly (readonly [number, string, string, number, RegExp])[] = [
    [
      401,
      "authentication_error",
      "invalid x-api-key",
      4,
      /x-api-key; the request with the key in HAMR_.* refused; it was sent as x-api-key/,
    ],
    [403, "permission_error", "not for you", 4, /answered 403: not for you/],
    [400, "invalid_request_error", "max_tokens: 9 > 8", 1, /answered 400: max_tokens: 9 > 8$/],
    [404, "not_found_error", "model: x", 1, /answered 404: model: x/],
    [400, "invalid_request_error", long, 2, /prompt is too long/],
    [413, "request_too_large", "Request exceeds the maximum size", 2, /maximum size/],
  ];
  await each(cases, ([status, type, words, expected, message]) => {
    const refusal: ClaudeReply = { status, body: error_body(type, words) };
    return play([refusal, refusal, refusal], async ({ run }) => {
      const { code, result } = await run("Answer.");
      assert.equal(code, expected, result.error?.message);
      assert.match(String(result.error?.message), message);
      assert.ok(!JSON.stringify(result).includes(KEY));
    });
  });
  await play([], async ({ run }) => {
    const { code, result } = await run("Answer.");
    assert.equal(code, 4);
    assert.match(String(result.error?.message), /invalid x-api-key/);
  }, { env: { HAMR_API_KEY: "sk-wrong-0123456789" }, violations: true });
});

Deno.test("the address may be given with the version, and with the whole path", async () => {
  await each(["/v1", "/v1/messages", "/"], (path) =>
    play([say(ANSWER)], async ({ s, claude }) => {
      const flags = ["--api-mode", "anthropic_messages", "--base-url", claude.origin + path];
      const { result } = await s.run("Answer.", ...flags);
      assert.equal(result.final_output, ANSWER);
    }));
});

Deno.test("the protocol is in the first event, and in settings", async () => {
  await play([say(ANSWER)], async ({ s, claude }) => {
    const env = {
      ...s.env,
      HAMR_BASE_URL: claude.origin,
      HAMR_PROVIDER_API_MODE: "anthropic_messages",
    };
    const { events } = await s.hamr(["run", "--output", "jsonl", "Answer."], { env });
    assert.equal(events[0]?.["api_mode"], "anthropic_messages");
    const shown = await s.hamr(["config", "show"], { env });
    assert.match(shown.stdout, /api_mode = "anthropic_messages"/);
    const doctor = await s.hamr(["doctor"], { env });
    assert.ok(claude.paths.includes("GET /v1/models"), doctor.stdout);
  });
});
