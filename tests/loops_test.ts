import assert from "node:assert/strict";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { inside_stage, open_stage } from "./support/stage.ts";

const read = (path: string, more: Record<string, unknown> = {}) => call("read", { path, ...more });

/** What the last message of a request says. */
function last(request: { readonly body: { readonly messages: readonly { content?: unknown }[] } }) {
  return String(request.body.messages.at(-1)?.content);
}

Deno.test("what brought the same three times is answered, not run; the next one ends the run in 1, with its answer", async () => {
  const again = bash("echo x >> ../outside-count 2>/dev/null; echo same");
  const script = ({ body }: Recorded) => body.tool_choice === "none" ? say(ANSWER) : again;
  await open_stage({ script }, async (s) => {
    const { code, result, events } = await s.events("Count.", "--max-steps", "20");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 5]);
    assert.equal(result.final_output, ANSWER);
    assert.match(last(s.server.requests[4]!), /^Not run: same call, same result, 3 times\./);
    const { tools } = s.server.requests[0]!.body;
    assert.deepEqual(s.server.requests.at(-1)?.body.tools, tools);
    const guards = events.filter((event) => event.type === "guard" && event.name === "doom_loop");
    assert.deepEqual(guards.map(({ action }) => action), ["answered", "stopped"]);
    assert.equal(result.evidence.commands, 3);
    assert.equal(result.evidence.refused, 2);
  });
});

Deno.test("a model that takes the hint goes on", async () => {
  const again = bash("echo same");
  const script = [again, again, again, again, bash("echo other"), say(ANSWER)];
  await open_stage({ script }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 6]);
    assert.equal(result.evidence.refused, 1);
  });
});

/** Honest work that comes back to the same thing: none of it is answered, let alone ended. */
const HONEST: Readonly<Record<string, readonly Reply[]>> = {
  "the status, three times with other work between": [
    ...["a.txt", "b.txt", "c.txt"].flatMap((name) => [bash("git status --short"), read(name)]),
  ],
  "the same test, three times": Array.from({ length: 3 }, () => bash("sh test.sh")),
  "a log that is polled": Array.from({ length: 5 }, () => bash("sleep 1.1; tail -n 1 a.txt")),
  "five looks at one file": Array.from({ length: 5 }, () => read("a.txt")),
  "a file read again after a command has changed it": Array.from(
    { length: 5 },
    (_, n) => [read("a.txt"), bash(`echo ${n} >> a.txt`)],
  ).flat(),
  "an install that is tried twice": [
    bash("echo no network; exit 1"),
    bash("echo no network; exit 1"),
    bash("ls"),
  ],
  "greps that find nothing": Array.from({ length: 5 }, (_, n) => bash(`grep -rn missing${n} .`)),
};

for (const [what, script] of Object.entries(HONEST)) {
  Deno.test(`honest work: ${what}`, async () => {
    const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "test.sh": "echo ok\n" };
    await open_stage({ script: [...script, say(ANSWER)], files }, async (s) => {
      const { code, result, events } = await s.events("How is it?");
      assert.deepEqual([code, result.final_output], [0, ANSWER]);
      assert.deepEqual(
        events.filter(({ type }) => type === "guard" || type === "nudge").map(({ name }) => name),
        [],
      );
      assert.equal(result.steps, script.length + 1);
    });
  });
}

Deno.test("a command that says something new each time is not a loop, nor is one that changes files", async () => {
  const grows = bash("echo x >> log; wc -l < log");
  await open_stage({ script: (_, n) => n < 7 ? grows : say(ANSWER) }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.steps], [0, 8]);
  });
  const same = bash("date +%s%N > stamp; echo done");
  await open_stage({ script: (_, n) => n < 7 ? same : say("It is 42.") }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.steps], [0, 8]);
  });
});

Deno.test("polling a build that runs in the background is not a loop", async () => {
  const script: Reply[] = [
    bash("sleep 30 > /dev/null 2>&1 & echo started"),
    ...Array.from({ length: 6 }, () => bash("echo not yet")),
    say(ANSWER),
  ];
  await open_stage({ script }, async (s) => {
    const { code, result } = await s.run("Build.");
    assert.deepEqual([code, result.stop_reason, result.steps], [0, "llm_done", 8]);
  });
});

Deno.test("times, durations and process ids make no result a new one", async () => {
  const script = () => bash('echo "run at $(date +%H:%M:%S) took 0.$RANDOM s, pid $$"');
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--max-steps", "20");
    assert.deepEqual([result.stop_reason, result.steps], ["loop_detected", 5]);
  });
});

Deno.test("the same command three times, with others between, is answered; the next ends the run in 1", async () => {
  const script = (_: unknown, n: number) => n % 3 === 0 ? bash("echo same") : bash(`echo ${n}`);
  await open_stage({ script }, async (s) => {
    const { code, result } = await s.run("Count.", "--max-steps", "30");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 13]);
    assert.match(last(s.server.requests[10]!), /^Not run: same command, same result, 3 times\./);
  });
});

Deno.test("two steps in turn, three times over, are answered; then they end the run in 1", async () => {
  const script = (_: unknown, n: number) => n % 2 === 0 ? bash("echo a") : bash("echo b");
  const env = { HAMR_GUARDS_IDENTICAL_BASH: "0" };
  await open_stage({ script, env }, async (s) => {
    const { code, result } = await s.run("Look.", "--max-steps", "30");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 8]);
    assert.match(last(s.server.requests[7]!), /^Not run: the same two steps in turn/);
  });
});

Deno.test("the same range read five times is answered; the next one ends the run in 1 with tool_error", async () => {
  const script = (_: unknown, n: number) => n % 2 === 0 ? read("a.txt") : read(`${n}.txt`);
  await open_stage({ script, files: { "a.txt": "a\n" } }, async (s) => {
    const { code, result } = await s.run("Look.", "--max-steps", "30");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "tool_error", 13]);
  });
});

Deno.test("a question about eighty files is answered", async () => {
  const names = Array.from({ length: 80 }, (_, n) => `f${n}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
  const script = (_: unknown, n: number) => n < 80 ? read(names[n] ?? "") : say(ANSWER);
  await open_stage({ script, files }, async (s) => {
    const { code, result } = await s.run("What is in them?", "--max-steps", "100", "--mode", "ask");
    assert.deepEqual([code, result.tool_calls], [0, 80]);
    assert.ok(!JSON.stringify(s.server.requests.at(-1)?.body).includes("STOP READING"));
  });
});

Deno.test("reading the same over and over is spoken of, then answered; what is new can still be read", async () => {
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`f${n}.txt`, "x\n"]));
  const env = { HAMR_GUARDS_READ_WARNING: "2", HAMR_GUARDS_READ_LIMIT: "4" };
  const script = (_: unknown, n: number) =>
    n === 8 ? read("f7.txt") : n < 8 ? read(`f${n % 3}.txt`) : say("NOT DONE: it can't be done.");
  await open_stage({ script, files, env }, async (s) => {
    const { result } = await s.run("Fix it.", "--mode", "patch", "--repair-attempts", "0");
    assert.match(last(s.server.requests[5]!), /<hamr>\n2 of your reads showed only what/);
    assert.match(last(s.server.requests[8]!), /^Not run: you have read this before/);
    assert.match(last(s.server.requests[9]!), /^1:x/);
    assert.equal(result.evidence.refused, 1);
  });
});

Deno.test("steps that bring nothing new are spoken of, calmly, where a change is asked for", async () => {
  const env = { HAMR_GUARDS_ESCALATION_STEPS: "2,3,4" };
  const script = (_: unknown, n: number) => n < 7 ? bash(`echo ${n % 3}`) : say("NOT DONE: no.");
  await open_stage({ script, env }, async (s) => {
    const { events } = await s.events("Fix it.", "--mode", "patch", "--repair-attempts", "0");
    const said = events.filter((event) => event.type === "nudge" && event.name === "escalation");
    assert.deepEqual(said.map(({ message }) => /^\d steps/.exec(String(message))?.[0]), [
      ...["2 steps", "3 steps", "4 steps"],
    ]);
    assert.match(last(s.server.requests[5]!), /<hamr>\n2 steps have shown you nothing/);
    for (const { message } of said) assert.doesNotMatch(String(message), /STOP|MUST|last chance|!/);
  });
});

Deno.test("an ordinary search for a bug is not spoken to", async () => {
  const script = (_: unknown, n: number) =>
    n < 15 ? bash(`grep -rn word${n} .`) : n === 15 ? bash("echo x > a.txt") : say("I fixed it.");
  await open_stage({ script }, async (s) => {
    const { code, events } = await s.events("Fix it.", "--mode", "patch");
    assert.deepEqual([code, events.filter(({ type }) => type === "nudge")], [0, []]);
  });
});

Deno.test("the model is told once that three steps are left", async () => {
  await open_stage({ script: (_, n) => bash(`echo ${n}`) }, async (s) => {
    const { code, result } = await s.run("Count.", "--max-steps", "6");
    assert.deepEqual([code, result.stop_reason], [2, "max_steps"]);
    const told = s.server.requests.map((request) => last(request).includes("3 steps are left"));
    assert.deepEqual(told.flatMap((yes, at) => yes ? [at] : []), [3]);
  });
});

Deno.test("each guard can be switched off", async () => {
  const env = {
    HAMR_GUARDS_DOOM_LOOP_THRESHOLD: "0",
    HAMR_GUARDS_IDENTICAL_BASH: "0",
  };
  await open_stage(
    { script: (_, n) => n < 8 ? bash("echo same") : say(ANSWER), env },
    async (s) => {
      const { code, result } = await s.run("Count.");
      assert.deepEqual([code, result.steps], [0, 9]);
    },
  );
});

Deno.test("calls that no tool takes get an example of the form, five times a run, then it exits with 1", async () => {
  const script = (_: unknown, n: number): Reply => ({
    calls: [{ name: "bash", args: `{"command": "echo ${n}` }],
  });
  await open_stage({ script }, async (s) => {
    const { code, result, events } = await s.events("Count.");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "model_error", 7]);
    assert.match(result.error?.message ?? "", /malformed_tool_call: .* 5 recoveries/);
    const nudges = events.filter((event) => event.type === "nudge");
    assert.deepEqual(nudges.map(({ name }) => name), Array(5).fill("malformed_call"));
    assert.ok(s.server.requests.every(({ raw }) => !raw.includes("response_format")), "it can't");
    assert.match(
      last(s.server.requests[2]!),
      /arguments as one JSON object, such as: read \{"path"/,
    );
    assert.equal(result.evidence.commands, 0);
  });
});

Deno.test("recoveries: their number is a setting, and a command that passes gives them back", async () => {
  const bad: Reply = { calls: [{ name: "nothing", args: {} }] };
  const env = { HAMR_GUARDS_RECOVERIES: "2" };
  const scripts = [["true", 2, "max_steps"], ["false", 1, "model_error"]] as const;
  for (const [command, wanted, reason] of scripts) {
    const script = (_: unknown, n: number): Reply => n % 3 === 2 ? bash(`${command} ${n}`) : bad;
    await open_stage({ script, env }, async (s) => {
      const { code, result } = await s.run("Count.", "--max-steps", "14");
      assert.deepEqual([code, result.stop_reason], [wanted, reason]);
    });
  }
});

Deno.test("without a recovery left, a call that is one too many ends the run: neither it nor what follows is run", async () => {
  const script = ({ body }: Recorded, n: number): Reply => {
    if (body.tool_choice === "none") return say(ANSWER);
    const commands = ["echo same; exit 1", `echo ${n}; exit 1`];
    return { calls: commands.map((command) => ({ name: "bash", args: { command } })) };
  };
  await open_stage({ script, env: { HAMR_GUARDS_RECOVERIES: "1" } }, async (s) => {
    const { code, result, events } = await s.events("Count.", "--max-steps", "9");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 5]);
    assert.equal(result.final_output, ANSWER);
    const guards = events.filter((event) => event.type === "guard");
    assert.deepEqual(guards.map(({ action }) => action), ["answered", "stopped"]);
    const told = events.filter((event) => event.type === "tool_result").slice(-2);
    assert.deepEqual(told.map(({ refused }) => refused), ["guard", "guard"]);
  });
});

Deno.test("three failed commands with nothing changed: the model is told to look for the cause", async () => {
  const script = [bash("false"), bash("exit 3"), bash("no-such-program"), say(ANSWER)];
  await open_stage({ script }, async (s) => {
    const { code, events } = await s.events("Count.");
    const nudges = events.filter((event) => event.type === "nudge");
    assert.deepEqual([code, nudges.map(({ name }) => name)], [0, ["bash_failure"]]);
    assert.match(last(s.server.requests[3]!), /<hamr>\nYour last 3 commands failed/);
  });
});

Deno.test("after two calls in a row that no tool takes, a server that can holds the third to a schema", async () => {
  const bad: Reply = { calls: [{ name: "write", args: '{"file": 1}' }] };
  const held = say('{ "name": "write", "arguments": { "path": "a.txt", "content": "hi" } }');
  for (const refused of [false, true]) {
    const script = ({ raw }: { raw: string }, n: number): Reply => {
      if (n < 2) return bad;
      if (!raw.includes("response_format")) {
        return n === 3 && refused ? call("write", { path: "a.txt", content: "hi" }) : say(ANSWER);
      }
      if (!refused) return held;
      const error = {
        message: "Failed to parse grammar",
        type: "invalid_request_error",
        code: 400,
      };
      return { status: 400, body: JSON.stringify({ error }) };
    };
    await inside_stage({ script, llama_ctx: 16_384 }, async (s) => {
      const { code, result, stderr } = await s.events("Write hi to a.txt.");
      assert.equal(code, 0, stderr);
      assert.equal(s.ws.read("a.txt").trim(), "hi");
      const formats = s.server.requests.map(({ raw }) => JSON.parse(raw).response_format);
      assert.deepEqual(formats.map((format) => format !== undefined), [
        ...[false, false, true],
        ...(refused ? [false, false] : [false]),
      ]);
      const { properties, required } = formats[2].json_schema.schema;
      assert.deepEqual([properties.name, required], [{ const: "write" }, ["name", "arguments"]]);
      assert.deepEqual(properties.arguments.required, ["path", "content"]);
      // The prompt is the same, and nobody is told that the model prints its calls as text.
      assert.deepEqual(s.server.requests[2]?.body.tools, s.server.requests[1]?.body.tools);
      assert.deepEqual(result.warnings, [
        "two replies in a row had no call that could be run: llama.cpp holds the next one to the schema of write",
      ]);
    });
  }
});

Deno.test("a name that is not a tool's: the third call is held to the schemas of all", async () => {
  const bad: Reply = { calls: [{ name: "make_it_so", args: "{}" }] };
  const script = [
    bad,
    bad,
    say('{"name":"bash","arguments":{"command":"echo x > b"}}'),
    say(ANSWER),
  ];
  await open_stage({ script, llama_ctx: 16_384 }, async (s) => {
    const { code, stderr } = await s.run("Make b.");
    assert.equal(code, 0, stderr);
    assert.equal(s.ws.read("b"), "x\n");
    const { anyOf } =
      JSON.parse(s.server.requests[2]?.raw ?? "").response_format.json_schema.schema;
    const names = anyOf.map((one: { properties: { name: { const: string } } }) =>
      one.properties.name.const
    );
    const offered = s.server.requests[2]?.body.tools?.map((tool) => tool.function.name);
    assert.deepEqual(names, offered);
  });
});
