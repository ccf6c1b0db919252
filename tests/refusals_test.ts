/** What a model or its server refuses of a request is left out, or said in another way. */
import assert from "node:assert/strict";
import { failing, FALLBACK, of_type, QUICK, sections, two, USER } from "./support/bad_days.ts";
import { FAULT_WIRES } from "./support/fault_wires.ts";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, call, type Reply, say, serve_model } from "./support/model_server.ts";
import { inside_stage, open_stage } from "./support/stage.ts";

Deno.test("what a model refuses is left out, once for the run, and said", async () => {
  const refusals: readonly {
    readonly words: string;
    readonly has: RegExp;
    readonly flags?: string[];
    readonly then?: RegExp;
    readonly warns?: true;
    readonly status?: number;
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
    {
      words: "parameter.enable_thinking must be set to false for non-streaming calls",
      has: /"stream":false/,
      flags: ["--no-stream"],
    },
    // llama.cpp, for some months.
    { words: "Cannot use tools with stream", has: /"stream":true/, status: 500 },
  ];
  await each(refusals, ({ words, has, flags = [], then, warns, status = 400 }) => {
    const script = ({ raw }: { raw: string }, n: number): Reply =>
      has.test(raw) ? failing(status, words) : n === 1 ? bash("echo x >> log") : say(ANSWER);
    return inside_stage({ script }, async (s) => {
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

/** What gateways before Azure, Bedrock, Vertex AI and ChatGPT refuse of each protocol, one after the other. */
const BY_GATEWAYS: Readonly<Record<string, readonly (readonly [path: string, words: string])[]>> = {
  codex_responses: [
    ["include", "Encrypted content is not supported with this model."],
    [
      "parallel_tool_calls",
      "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    ],
    ["max_output_tokens", "Unsupported parameter: max_output_tokens"],
    [
      "tool_choice",
      "litellm.UnsupportedParamsError: openai does not support parameters: ['tool_choice'], for model=m",
    ],
  ],
  anthropic_messages: [
    ["cache_control", "cache_control: Extra inputs are not permitted"],
    ["system.0.cache_control", "system.0.cache_control: Extra inputs are not permitted"],
    [
      "tool_choice",
      "tool_choice: Input tag 'none' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool'",
    ],
  ],
};

Deno.test("what gateways refuse of other protocols is left out, too", async () => {
  await each(Object.entries(BY_GATEWAYS), async ([api_mode, refusals]) => {
    const bodies: unknown[] = [];
    const { addr, shutdown } = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        if (request.method !== "POST") return new Response("", { status: 404 });
        const body = await request.json();
        const n = bodies.push(body) - 1;
        const [, words] = refusals.find(([path]) => at(body, path) !== undefined) ?? [];
        if (words !== undefined) {
          return Response.json({ error: { message: words } }, { status: 400 });
        }
        const { body: write, type } = FAULT_WIRES[api_mode]!;
        const reply = n === refusals.length ? bash("echo x >> log") : say(ANSWER);
        return new Response(write(reply, n, true), { headers: { "content-type": type } });
      },
    );
    const env = {
      ...{ HAMR_PROVIDER_API_MODE: api_mode, HAMR_MODEL: "m", HAMR_API_KEY: "k" },
      HAMR_BASE_URL: `http://127.0.0.1:${addr.port}/v1`,
    };
    await open_stage({ env }, async (s) => {
      const { code, result } = await s.events("Count.");
      assert.deepEqual([code, bodies.length], [0, refusals.length + 2], JSON.stringify(result));
      // What a person pays for is told.
      const told = result.warnings.filter((one) => one.includes("takes no cache_control"));
      assert.equal(told.length, api_mode === "anthropic_messages" ? 1 : 0);
    });
    await shutdown();
  });
});

function at(body: unknown, path: string): unknown {
  return path.split(".").reduce(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    body,
  );
}

Deno.test("a server that wants the reasoning of earlier replies gets it, from the first refusal on", async () => {
  const words = "thinking is enabled but reasoning_content is missing in assistant tool call " +
    "message at index 2";
  const script = ({ raw }: { raw: string }, n: number): Reply =>
    /"content":"[^"]*","tool_calls"/.test(raw)
      ? failing(400, words)
      : n < 3
      ? { reasoning: `Thought ${n}.`, ...bash(`echo ${n} >> log`) }
      : say(ANSWER);
  await inside_stage({ script, violations: true }, async (s) => {
    const { code, result, events } = await s.events("Count.");
    assert.deepEqual([code, result.warnings, s.server.requests.length], [0, [], 4]);
    assert.equal(of_type(events, "retry").length, 1);
    const thoughts = s.server.requests.at(-1)!.raw.match(/"reasoning_content":"[^"]*"/g);
    assert.deepEqual(thoughts, [0, 2].map((n) => `"reasoning_content":"Thought ${n}."`));
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
  await open_stage({ script, violations: true }, async (s) => {
    assert.equal((await s.run("Count the words.")).code, 0);
    const messages = s.server.requests.at(-1)!.body.messages;
    assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool"]);
    assert.match(String(messages[0]?.content), /^You are hamr[^]*Count the words\.$/);
  });
});

/** OpenAI's words to the role of a message that it does not take. */
const unsupported = (role: string) =>
  failing(400, `Unsupported value: 'messages[0].role' does not support '${role}' with this model.`);

Deno.test("a model that refuses the role `system` is tried with `developer` before it gets none", async () => {
  for (const known of ["developer", "user"]) {
    const script = (
      { body }: { body: { messages: readonly { role: string }[] } },
      n: number,
    ): Reply => {
      const role = body.messages[0]?.role ?? "";
      if (role !== known) return unsupported(role);
      return n < 3 ? bash("echo x >> log") : say(ANSWER);
    };
    await open_stage({ script, violations: true }, async (s) => {
      const { code, events } = await s.events("Count the words.");
      assert.equal(code, 0);
      const roles = s.server.requests.map(({ body }) => body.messages[0]?.role);
      const tried = known === "developer" ? ["system"] : ["system", "developer"];
      assert.deepEqual(roles.slice(0, tried.length), tried);
      assert.deepEqual([...new Set(roles.slice(tried.length))], [known]);
      assert.equal(of_type(events, "retry").length, tried.length);
      const [first, second] = s.server.requests.at(-1)!.body.messages;
      assert.match(String(first?.content), /^You are hamr/);
      const task = known === "developer" ? second : first;
      assert.match(String(task?.content), /Count the words\.$/);
    });
  }
});

Deno.test("a model beside the conversation is asked without what it has refused before", async () => {
  const MET = '{"verdict": "satisfied", "feedback": ""}';
  const UNMET = '{"verdict": "needs_revision", "feedback": "Say more."}';
  const b = ({ body }: { body: { messages: readonly { role: string }[] } }, n: number): Reply =>
    body.messages[0]?.role === "system"
      ? failing(400, "System role not supported")
      : say(n < 2 ? UNMET : MET);
  const env = {
    ...QUICK,
    HAMR_AUXILIARY_GRADER_PROVIDER: "b",
    HAMR_AUXILIARY_GRADER_MODEL: "judge",
  };
  const b_options = { one_conversation: false };
  await two({ script: () => say(ANSWER), b, b_options, env }, async ({ s, b }) => {
    const { code, result } = await s.run("What is it?", "--rubric", "It is said.");
    assert.deepEqual([code, result.warnings], [0, []]);
    assert.deepEqual(b.requests.map(({ body }) => body.messages.map(({ role }) => role)), [
      ["system", "user"],
      ["user"],
      ["user"],
    ]);
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
  await inside_stage({ script, one_conversation: false }, async (s) => {
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
    await open_stage({ script, env }, async (s) => {
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

Deno.test("a server that says it leaves tools out gets them in text, whenever it says so", async () => {
  const block =
    `<tool_call>\n{"name":"bash","arguments":{"command":"echo x >> log"}}\n</tool_call>`;
  let told = 0;
  const script = ({ body }: { body: { tools?: unknown } }): Reply =>
    body.tools !== undefined
      ? say("I would run a command, but I know of none.")
      : told++ === 0
      ? say(block)
      : say(ANSWER);
  const server = { llama_ctx: 16_384, llama_no_tools: true, one_conversation: false } as const;
  // With the model's name known, the first request is sent before the server is asked.
  for (const HAMR_MODEL of ["scripted", ""]) {
    told = 0;
    await inside_stage({ script, ...server, env: { HAMR_MODEL } }, async (s) => {
      const { code, result } = await s.events("Count.");
      assert.deepEqual([code, result.final_output], [0, ANSWER]);
      assert.equal(s.ws.read("log"), "x\n");
      assert.equal(s.server.requests.length, HAMR_MODEL === "" ? 2 : 3);
      assert.equal(result.warnings.length, 1);
      assert.match(result.warnings[0] ?? "", /in text.*leaves tools out/);
    });
  }
});

Deno.test("a server that says nothing about templates leaves tools out: that is seen from the counts", async () => {
  const block =
    `<tool_call>\n{"name":"bash","arguments":{"command":"echo x >> log"}}\n</tool_call>`;
  let asked = 0;
  let told = 0;
  const script = ({ body }: { body: { messages: unknown; tools?: unknown } }): Reply => {
    asked++;
    const prompt_tokens = Math.ceil(JSON.stringify(body.messages).length / 4);
    const reply = asked === 1
      ? say("Now I will run the command.")
      : body.tools !== undefined
      ? say("I would run a command, but I know of none.")
      : told++ === 1
      ? say(block)
      : say(ANSWER);
    return { ...reply, usage: { prompt_tokens, completion_tokens: 5 } };
  };
  await inside_stage({ script, one_conversation: false, validate: false }, async (s) => {
    const { code, result } = await s.events("Count.");
    assert.deepEqual([code, result.final_output], [0, ANSWER]);
    assert.equal(s.ws.read("log"), "x\n");
    assert.equal(
      asked,
      6,
      "two whose counts grow, two short ones that are compared, and two in text",
    );
    assert.equal(result.warnings.length, 1);
    assert.match(result.warnings[0] ?? "", /in text.*scripted does not see them/);
    // A replay asks nobody.
    const replay = await s.hamr(["replay", result.session_id]);
    assert.deepEqual([replay.code, asked], [0, 6], replay.stderr);
  });
});
