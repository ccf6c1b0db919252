import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, call, type ChatRequest, type Reply, say } from "./support/model_server.ts";
import { open_stage, type Stage, type StageOptions } from "./support/stage.ts";

/** A call as a model without tools of its own prints it. */
function block(name: string, args: unknown): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
}

const echo = (word: string) => block("bash", { command: `echo ${word} >> log; echo ${word}` });

/** A run in which tools are called in text. */
async function play(
  options: StageOptions,
  judge: (run: Awaited<ReturnType<Stage["events"]>>, s: Stage) => void,
  ...flags: readonly string[]
): Promise<void> {
  await open_stage(options, async (s) => {
    judge(await s.events("Do it.", "--tool-call-format", "prompt", ...flags), s);
  });
}

const contents = (body: ChatRequest) => body.messages.map(({ content }) => content ?? "");
const last = (s: Stage) => contents(s.server.requests.at(-1)!.body).at(-1)!;

Deno.test("a model without tools of its own reads, edits and answers, in text alone", async () => {
  const script: Reply[] = [
    say(`I look first.\n${block("read", { path: "a.txt" })}\n${block("read", { path: "." })}`),
    say(block("edit", { path: "a.txt", old: "one", new: "</tool_call>two" })),
    say("I replaced one by two in a.txt."),
  ];
  await play(
    { script, files: { "a.txt": "one\n" } },
    (run, s) => {
      assert.deepEqual([run.code, run.result.steps, run.result.tool_calls], [0, 3, 3]);
      assert.equal(run.result.final_output, "I replaced one by two in a.txt.");
      assert.equal(s.ws.read("a.txt"), "</tool_call>two\n");
      const bodies = s.server.requests.map(({ body }) => body);
      for (const body of bodies) {
        assert.ok(!("tools" in body) && !("tool_choice" in body));
        assert.deepEqual(
          new Set(body.messages.flatMap((message) => Object.keys(message))),
          new Set(["role", "content"]),
        );
      }
      assert.deepEqual(bodies[2]!.messages.map(({ role }) => role), [
        ...["system", "user", "assistant", "user", "assistant", "user"],
      ]);
      const [system, , said, results] = contents(bodies[2]!);
      for (const name of ["read", "edit", "write", "bash"]) {
        assert.ok(system!.includes(`{"name":"${name}",`), name);
      }
      assert.equal(said, script[0]!.text);
      assert.match(
        results!,
        /^<tool_response>\n1:one\n[^]*<\/tool_response>\n<tool_response>\na\.txt/,
      );
      const calls = run.events.filter(({ type }) => type === "tool_call");
      assert.deepEqual(calls.map(({ id, dialect }) => [id, dialect]), [
        ...[["text_1", "hermes"], ["text_2", "hermes"], ["text_3", "hermes"]],
      ]);
    },
    "--mode",
    "patch",
  );
});

Deno.test("the setting can come from the environment and a file", async () => {
  const script = [say(echo("x")), say(ANSWER)];
  await open_stage({ script, env: { HAMR_AGENT_TOOL_CALL_FORMAT: "prompt" } }, async (s) => {
    await s.run("Count.", "--mode", "auto");
    assert.equal(s.ws.read("log"), "x\n");
  });
  const files = { ".hamr/config.toml": '[agent]\ntool_call_format = "prompt"\n' };
  await open_stage({ script, files }, async (s) => {
    const shown = await s.hamr(["config", "show"]);
    assert.match(shown.stdout, /tool_call_format = "prompt"/);
    await s.run("Count.", "--mode", "auto");
    assert.equal(s.ws.read("log"), "x\n");
    const wrong = await s.hamr(["run", "--json", "--tool-call-format", "xml", "Count."]);
    assert.equal(wrong.code, 3);
    assert.match(wrong.result.error!.message, /--tool-call-format: must be native or prompt/);
  });
});

Deno.test("a block is never shown as prose, however the stream is cut, and streaming or not", async () => {
  const text = `I look.\n${echo("x")}\n${echo("y")}`;
  const ways: readonly (readonly [Partial<Reply>, ...string[]])[] = [
    [{}],
    [{ fragment: 1 }],
    [{ fragment: 3, every: 7 }],
    [{ fragment: 11 }],
    [{}, "--no-stream"],
  ];
  await each(ways, ([way, ...flags]) => {
    const script = [{ ...way, text }, { ...way, text: ANSWER }];
    return play({ script }, (run, s) => {
      const shown = run.events.filter(({ type }) => type === "text_delta")
        .map((event) => event["text"]).join("");
      assert.equal(shown.replaceAll("\n", ""), `I look.${ANSWER}`);
      assert.equal(s.ws.read("log"), "x\ny\n");
      assert.ok(!run.stderr.includes("tool_call"), run.stderr);
      assert.equal(run.result.final_output, ANSWER);
    }, ...flags);
  });
});

Deno.test("an answer about such blocks is an answer", async () => {
  const command = "touch ran";
  const fenced = "A model calls like this:\n```xml\n" + block("bash", { command }) + "\n```";
  const inline = `It writes \`${block("bash", { command }).replaceAll("\n", " ")}\` to call.`;
  await each([fenced, inline], (text) =>
    play({ script: [say(text)] }, (run, s) => {
      assert.deepEqual([run.code, run.result.final_output, run.result.tool_calls], [0, text, 0]);
      assert.ok(!s.ws.exists("ran"));
    }));
});

Deno.test("of a reply that is cut the whole calls run, and the model is told", async () => {
  const cut: Reply = {
    text: `${echo("x")}\n<tool_call>\n{"name":"bash","arguments":{"command":"echo cut >> log"}`,
    finish: "length",
  };
  await play({ script: [cut, say(ANSWER)] }, (run, s) => {
    assert.deepEqual([run.code, run.result.tool_calls, s.ws.read("log")], [0, 1, "x\n"]);
    assert.match(
      last(s),
      /^<tool_response>\nx\n[^]*<hamr>\nYour reply was cut [^]*\(bash\)[^]*<\/hamr>\n<\/tool_response>$/,
    );
    assert.ok(run.events.some((event) => event.type === "nudge" && event.name === "truncation"));
  });
  await play({ script: () => cut }, (run, s) => {
    assert.deepEqual([run.code, run.result.stop_reason], [1, "model_error"]);
    assert.equal(s.ws.read("log"), "x\nx\n");
  });
});

Deno.test("a cut reply with no whole call runs nothing, and is not an answer to continue with", async () => {
  const cut: Reply = { text: 'Now.\n<tool_call>\n{"name":"bash","argum', finish: "length" };
  await play({ script: [cut, say(ANSWER)] }, (run, s) => {
    assert.deepEqual([run.code, run.result.final_output], [0, ANSWER]);
    assert.match(last(s), /tool calls were not run/);
  });
});

Deno.test("native calls of a cut reply are dropped, whole or not", async () => {
  const cut: Reply = { ...call("bash", { command: "echo x >> log" }), finish: "length" };
  await open_stage({ script: [cut, say(ANSWER)] }, async (s) => {
    const { code } = await s.run("Count.");
    assert.deepEqual([code, s.ws.exists("log")], [0, false]);
  });
});

Deno.test("a malformed block is answered with what is wrong and a format example", async () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['<tool_call>\n{"name":"bash","arguments":{"command":"ls}}\n</tool_call>', "bash", /"command"/],
    ["<tool_call>\n{bash: ls}\n</tool_call>", "_", /"path"/],
    ['<tool_call>\n{"name":"bash","command":"ls"}\n</tool_call>', "bash", /"command"/],
  ];
  await each(
    cases,
    ([text, name, shown]) =>
      play({ script: [say(text), say(ANSWER)] }, (run, s) => {
        assert.deepEqual([run.code, run.result.tool_calls], [0, 1]);
        const told = run.events.find((event) => event.type === "tool_call");
        assert.deepEqual([told?.["name"], told?.["arguments"]], [name, {}]);
        const result = run.events.find((event) => event.type === "tool_result");
        assert.equal(result?.["ok"], false);
        assert.match(
          last(s),
          /^<tool_response>\nError: not run: the call [^]*<tool_call>\n\{"name":/,
        );
        assert.match(last(s), shown);
        assert.equal(run.result.evidence.commands, 0);
      }),
  );
});

Deno.test("arguments are repaired, said to be, and stored as they were meant", async () => {
  const command = "echo x >> log";
  const ways: readonly string[] = [
    "```json\n" + JSON.stringify({ command }) + "\n```",
    JSON.stringify(JSON.stringify({ command })),
    `{'command': '${command}', 'timeout': None}`,
    `{"command":"${command}",}`,
    `Sure: {"command":"${command}"}`,
    `{"command":"${command}"`,
    `{"command":"${command}","timeout":"5"}`,
  ];
  await each(
    ways,
    (args) =>
      open_stage({ script: [call("bash", args), say(ANSWER)] }, async (s) => {
        const { code, events } = await s.events("Count.", "--mode", "auto");
        assert.deepEqual([code, s.ws.read("log")], [0, "x\n"], args);
        const told = events.find((event) => event.type === "tool_call");
        const stored = s.server.requests[1]!.body.messages
          .flatMap(({ tool_calls }) => tool_calls ?? [])[0]!.function.arguments;
        assert.equal(told?.["repaired"], true, args);
        assert.deepEqual(told?.["arguments"], JSON.parse(stored), args);
        assert.equal(JSON.parse(stored).command, command);
      }),
  );
});

Deno.test("arguments that nobody can make out are not run, and the history stays valid", async () => {
  const ways = ['{"command":"echo x >> log', '{"command":"echo x >> log","timeout":1', "ls"];
  await each(
    ways,
    (args) =>
      open_stage({ script: [call("bash", args), say(ANSWER)] }, async (s) => {
        const { code, events } = await s.events("Count.", "--mode", "auto");
        assert.deepEqual([code, s.ws.exists("log")], [0, false], args);
        assert.match(
          s.server.results()[0]!,
          /not a JSON object[^]*For example: \{"command":"\.\.\."\}/,
        );
        const told = events.find((event) => event.type === "tool_call");
        assert.equal(told?.["repaired"], undefined);
      }),
  );
});

Deno.test("a right call is not said to be repaired, nor to be of a dialect", async () => {
  await open_stage({ script: [call("bash", { command: "ls" }), say(ANSWER)] }, async (s) => {
    const { events } = await s.events("Count.", "--mode", "auto");
    const told = events.find((event) => event.type === "tool_call")!;
    assert.ok(!("repaired" in told) && !("dialect" in told));
  });
});

Deno.test("hamr's own words, repeated by the model, are never its answer", async () => {
  const echo = "<hamr>\nGo on.\n</hamr>";
  await open_stage({ script: [say(echo), say(echo), say(`${ANSWER}\n${echo}`)] }, async (s) => {
    const { code, result, stderr } = await s.events("What is it?");
    assert.deepEqual([code, result.final_output], [0, ANSWER], stderr);
    assert.doesNotMatch(stderr, /Go on\./);
  });
});

Deno.test("calls that Groq could not read are made all the same, or the model is told what is wrong", async () => {
  const wrote = (failed_generation: string) => ({
    error: {
      message: "Failed to call a function. Please adjust your prompt. See 'failed_generation'.",
      ...{ type: "invalid_request_error", code: "tool_use_failed", failed_generation },
    },
  });
  const refused = (written: string): Reply => ({
    status: 400,
    body: JSON.stringify(wrote(written)),
  });
  const script: Reply[] = [
    refused('{"name": "read_file", "arguments": {"path": "a.txt"}}'),
    // In the middle of a stream (anomalyco/opencode#1018).
    {
      body: `event: error\ndata: ${
        JSON.stringify(wrote('<function=bash{"command": "echo x >> log"}</function>'))
      }\n\n`,
    },
    refused('{"name": "repo_browser.open_file", "arguments": {"path": "a.txt"}}'),
    // No call is in it: it is asked for again.
    refused("The file says one."),
    say(ANSWER),
  ];
  await open_stage({ script, files: { "a.txt": "one\n" } }, async (s) => {
    const { code, events, result } = await s.events("What does a.txt say?");
    assert.deepEqual([code, result.steps, result.tool_calls], [0, 4, 3]);
    assert.equal(s.ws.read("log"), "x\n");
    const oks = events.flatMap(({ type, ok }) => type === "tool_result" ? [ok] : []);
    assert.deepEqual(oks, [true, true, false]);
    assert.equal(events.filter(({ type }) => type === "retry").length, 1);
  });
});

Deno.test("a call that its server can't read, however often it is asked, is told to the model, which sends it again", async () => {
  const message = "The model produced output that does not match the expected peg-native format";
  const refused: Reply = {
    status: 500,
    body: JSON.stringify({ error: { code: 500, message, type: "server_error" } }),
  };
  const script = [refused, call("read", { path: "a.txt" }), refused, say(ANSWER)];
  const env = { HAMR_RETRY_ATTEMPTS: "1" };
  await open_stage({ script, env, files: { "a.txt": "one\n" } }, async (s) => {
    const { code, events, result } = await s.events("What does a.txt say?");
    assert.deepEqual([code, result.tool_calls, result.final_output], [0, 1, ANSWER]);
    const told = events.filter(({ type }) => type === "nudge");
    assert.equal(told.length, 2);
    assert.match(String(told[0]?.["message"]), /could not be read, .*expected peg-native format\)/);
    assert.match(s.server.requests[1]?.raw ?? "", /could not be read/);
  });
});
