/** The library: an agent in another program's process. */
import assert from "node:assert/strict";
import {
  type Agent,
  AgentError,
  type AgentOptions,
  createAgent,
  type PersonAnswer,
} from "../mod.ts";
import { agent_on } from "./support/agent.ts";
import { installed } from "./support/installed.ts";
import {
  bash,
  call,
  type ModelServer,
  say,
  type Script,
  serve_model,
} from "./support/model_server.ts";
import { asleep, gone, mark, type Stage, stage } from "./support/stage.ts";

/** Its requests need not belong to one conversation. */
const LOOSE = { violations: true, validate: false } as const;

function with_agent(
  script: Script,
  body: (agent: Agent, s: Stage) => Promise<void>,
  options: AgentOptions = {},
): Promise<void> {
  return stage({ script }, async (s) => {
    await using agent = await agent_on(s, options);
    await body(agent, s);
  });
}

/** The text of a request's messages: the next one begins with it. */
const messages_of = (s: Stage, nth: number) =>
  JSON.stringify(s.server.requests[nth]!.body.messages).slice(0, -1);

Deno.test("library: task after task on one session, which the program resumes, undoes and replays", async () => {
  const seconds = mark();
  const script = [
    ...[
      call("write", { path: "a.txt", content: "one\n" }),
      bash(`sleep ${seconds} & echo $! > pid`),
      say("I wrote a.txt."),
    ],
    ...[bash("kill -0 $(cat pid) && cat a.txt"), say("It says one. Shall I go on?")],
    ...[call("edit", { path: "a.txt", old: "one", new: "two" }), say("I changed a.txt.")],
    say("Twice."),
  ];
  await stage({ script }, async (s) => {
    const agent = await agent_on(s);
    // What can't begin leaves nothing for what does.
    const unusable = { userMessage: 5 as unknown as string, systemMessage: "Never said." };
    await assert.rejects(agent.runConversation(unusable), /a task must be a string/);
    const first = await agent.run("Write a.txt").result;
    assert.ok(!s.server.requests[0]?.raw.includes("Never said."));
    assert.deepEqual([first.exit_code, first.steps, first.tool_calls], [0, 3, 2]);
    assert.deepEqual(first.files_changed.map(({ path }) => path), ["a.txt", "pid"]);
    assert.match(agent.lastTurnDiff, /\+one/);
    assert.equal(await agent.chat("What does it say?"), "It says one. Shall I go on?");
    // What the first task has left running is still there.
    assert.match(s.server.results().at(-1) ?? "", /^one/);
    const third = await agent.run("Yes").result;
    assert.deepEqual(third.files_changed.map(({ path, added }) => [path, added]), [["a.txt", 1]]);
    assert.equal(third.session_id, agent.sessionId);
    for (let nth = 1; nth < s.server.requests.length; nth++) {
      assert.ok(messages_of(s, nth).startsWith(messages_of(s, nth - 1)), `request ${nth}`);
    }
    assert.ok(asleep(seconds));
    // Who asks twice waits for the same end.
    await Promise.all([agent.close(), agent.close()]);
    // What the agent started has ended.
    await gone(seconds);
    assert.throws(() => agent.run("more"), /closed/);

    const { code, result } = await s.hamr(["resume", "How often?", "--json"]);
    assert.deepEqual([code, result.session_id, result.final_output], [
      0,
      agent.sessionId,
      "Twice.",
    ]);
    const replayed = await s.hamr(["replay", agent.sessionId]);
    assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
    assert.equal((await s.hamr(["undo"])).code, 0);
    assert.ok(!s.ws.exists("a.txt"));
  });
});

Deno.test("library: a question is a good ending where somebody answers, and only there", async () => {
  const question = "Which of the two files do you mean?";
  await with_agent([say(question), say(question), say(question)], async (agent) => {
    assert.equal(await agent.chat("Fix the file"), question);
    const { stop_reason } = await agent.run("Fix the file").result;
    assert.equal(stop_reason, "not_done");
  });
});

Deno.test("library: the model asks where somebody answers; what may run is answered with words", async () => {
  const script = [
    call("clarify", { question: "Which?", choices: ["red", "blue"] }),
    bash("git push --force"),
    bash("git push --force"),
    say("Done."),
  ];
  const asked: unknown[] = [];
  const answers: PersonAnswer[] = [{ no: "not today" }, { instead: "touch pushed" }];
  const options: AgentOptions = {
    confirm: "sensitive",
    clarify: (question) => {
      asked.push(question);
      return Promise.resolve("green");
    },
    approval: ({ command, why }) => {
      asked.push([command, why]);
      return Promise.resolve(answers.shift() ?? "no");
    },
  };
  await with_agent(script, async (agent, s) => {
    await agent.chat("Push it");
    const why = "it sends commits to another repository";
    assert.deepEqual(asked, [
      { id: "call_0_0", question: "Which?", choices: ["red", "blue"] },
      ["git push --force", why],
      ["git push --force", why],
    ]);
    const told = s.server.requests.at(-1)!.body.messages.filter(({ role }) => role === "tool");
    assert.deepEqual(told.map(({ content }) => content), [
      "The user says: green",
      "Error: refused: the user said no: not today. Do as they say.",
      "[no output]\n\n[the user changed the command to: touch pushed]",
    ]);
    assert.ok(s.ws.exists("pushed"));
    const { code, stdout } = await s.hamr(["replay"]);
    assert.equal(code, 0, stdout);
  }, options);
  await with_agent([call("clarify", { question: "Which?" }), say("Red.")], async (agent, s) => {
    await agent.chat("Push it");
    const offered = s.server.requests[0]!.body.tools?.map((tool) => tool.function.name) ?? [];
    assert.ok(!offered.includes("clarify"));
    assert.match(
      String(s.server.requests[1]!.body.messages.at(-1)?.content),
      /there is no tool "clarify" in this run: decide from the task/,
    );
  });
});

Deno.test("library: what is said to a task under way is heard; another task has to wait", async () => {
  const script = [bash("touch began; sleep 60"), say("I stopped."), say("Ready."), say("Ready.")];
  await with_agent(script, async (agent, s) => {
    assert.equal(agent.steer("early"), false);
    const states: string[] = [];
    const run = agent.run("Wait");
    assert.throws(() => agent.run("Another"), /under way/);
    for await (const { type } of run) {
      states.push(agent.state);
      if (type !== "tool_call") continue;
      assert.ok(agent.steer("Never mind."));
      assert.ok(agent.takeBack("Never mind."));
      assert.ok(!agent.takeBack("Never mind."));
      assert.ok(agent.interrupt("Stop that, and say so."));
    }
    assert.equal((await run.result).final_output, "I stopped.");
    assert.ok(states.includes("waiting_for_tool"), states.join());
    assert.equal(agent.state, "llm_done");
    assert.match(JSON.stringify(s.server.requests[1]?.body.messages), /Stop that, and say so\./);
    assert.ok(!s.server.requests.some(({ raw }) => raw.includes("Never mind")));

    const stopping = new AbortController();
    stopping.abort();
    const { stop_reason } = await agent.run("Another", { signal: stopping.signal }).result;
    assert.equal(stop_reason, "user_interrupt");
    assert.equal(await agent.chat("And now?"), "Ready.");
  });
});

/** A model that thinks, then writes a call in pieces. */
const THOUGHT_AND_WRITTEN = [
  {
    ...call("write", { path: "a.txt", content: "x\n" }),
    reasoning: "Hm.",
    fragment: 3,
    every: 99,
  },
  say("Done: a.txt is there."),
];

Deno.test("library: a conversation from elsewhere, other rules, callbacks, a task's name for hooks, a budget", async () => {
  const heard: string[] = [];
  const post_edit = [{ name: "id", command: "printf %s $HAMR_TASK_ID > id" }];
  await stage({ script: THOUGHT_AND_WRITTEN }, async (s) => {
    s.ws.write(
      ".config/config.toml",
      `[[hooks.post_edit]]\nname = "${post_edit[0]!.name}"\ncommand = '${post_edit[0]!.command}'\n`,
    );
    await using agent = await agent_on(s, {
      configFile: s.ws.at(".config/config.toml"),
      settings: { "budget.token_budget": 1_000_000 },
      callbacks: {
        toolProgress: ({ name, ended }) => heard.push(`${name} ${ended?.summary ?? "begins"}`),
        thinking: (thinks) => heard.push(`thinks: ${thinks}`),
        reasoning: (text) => heard.push(`because: ${text}`),
        toolGen: ({ name }) => heard.push(`writes ${name}`),
        step: (step) => heard.push(`step ${step}`),
        streamDelta: (text) => heard.push(text),
        status: (state) => heard.push(state),
      },
    });
    assert.match((await agent.compact().result).error?.message ?? "", /^nothing to compact/);
    heard.length = 0;
    const { messages, result, usage } = await agent.runConversation({
      userMessage: "Write a.txt",
      systemMessage: "Answer in one line.",
      conversationHistory: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hello!" },
      ],
      taskId: "task-7",
    });
    assert.equal(result.exit_code, 0, JSON.stringify(result.error));
    assert.deepEqual(messages.slice(0, 4).map(({ role }) => role), [
      "system",
      "user",
      "assistant",
      "user",
    ]);
    assert.match(messages[0]?.content ?? "", /Answer in one line\./);
    assert.equal(s.ws.read("id"), "task-7");
    const in_order = ["step 1", "thinks: true", "thinks: false", "writes write", "write begins"];
    for (const expected of [...in_order, "write created", "running", "llm_done"]) {
      assert.ok(heard.includes(expected), `${expected}: ${heard.join(", ")}`);
    }
    assert.deepEqual([...new Set(heard)].filter((one) => in_order.includes(one)), in_order);
    assert.ok(heard.some((one) => one.startsWith("because: ")), heard.join(", "));
    assert.equal(agent.totalTokens, usage.input_tokens + usage.output_tokens);
    assert.deepEqual([agent.nearBudget(), agent.totalCost], [false, null]);
    for (const content of [undefined, 5, []] as unknown as string[]) {
      const said = [{ role: "user" as const, content }, { role: "assistant" as const, content }];
      const conversation = { userMessage: "x", conversationHistory: said };
      await assert.rejects(agent.runConversation(conversation), /must be a string/);
    }
    await assert.rejects(
      agent.runConversation({ userMessage: "x", systemMessage: "y" }),
      /has begun/,
    );
  });
});

Deno.test("library: the events say what begins and what ends: thinking, a call being written, a step, a state", async () => {
  await stage({ script: THOUGHT_AND_WRITTEN }, async (s) => {
    await using agent = await agent_on(s);
    const told: string[] = [];
    let t = 0;
    for await (const event of agent.run("Write a.txt")) {
      assert.ok(event.t >= t && Number.isInteger(event.t), JSON.stringify(event));
      t = event.t;
      const { type } = event;
      // The last piece of a reply's thoughts, which is none anymore.
      if (type === "reasoning_delta" && event.text === "") continue;
      const more = type === "thinking"
        ? ` ${event.thinks}`
        : type === "state"
        ? ` ${event.state}`
        : type === "step_end"
        ? ` ${event.step}, ${event.calls}`
        : "";
      if (told.at(-1) !== type + more) told.push(type + more);
    }
    const spans = /^(thinking|state|step|writing|tool|result|reasoning)/;
    assert.deepEqual(told.filter((one) => spans.test(one)), [
      "state running",
      "step_start",
      "thinking true",
      "reasoning_delta",
      "thinking false",
      "writing",
      "state waiting_for_tool",
      "tool_call",
      "state running",
      "tool_result",
      "step_end 1, 1",
      "step_start",
      "step_end 2, 0",
      "state llm_done",
      "result",
    ]);
  });
});

Deno.test("library: two agents in one process have their own folders and policies, and the program keeps what is its own", async () => {
  const outside = "cat /etc/hostname >/dev/null; touch ../outside/x || echo refused";
  const first = [bash(outside), say("It was refused."), say("Hello.")];
  const script: Script = (_, n) => first[n] ?? bash("echo again");
  await stage({ script }, async (one) => {
    await stage({ script: [bash(outside), say("I made x.")] }, async (two) => {
      const own = new Deno.Command("sleep", { args: ["300"] }).spawn();
      const agents = [
        await agent_on(one),
        await agent_on(two, { allowWrite: [two.outside.path], net: "none" }),
      ];
      const results = await Promise.all(agents.map((agent) => agent.run("Try it").result));
      assert.deepEqual(results.map(({ exit_code }) => exit_code), [2, 0], "one was refused");
      assert.match(one.server.results()[0] ?? "", /refused/);
      assert.deepEqual([one.outside.exists("x"), two.outside.exists("x")], [false, true]);
      await agents[1]!.close();
      // The first goes on, and so does what the program itself has started.
      assert.equal(await agents[0]!.chat("Hi"), "Hello.");
      // What the program has running is nothing that the model waits for.
      assert.equal((await agents[0]!.run("Go on").result).stop_reason, "loop_detected");
      await agents[0]!.close();
      one.outside.write("y", "");
      own.kill("SIGTERM");
      assert.equal((await own.status).signal, "SIGTERM");
    });
  });
});

Deno.test("library: another mode and another model from the next task on", async () => {
  const script = [
    ...[bash("touch x || echo refused"), say("A plan: touch x.")],
    ...[bash("touch x"), say("I made x.")],
  ];
  await with_agent(script, async (agent, s) => {
    agent.setMode("plan");
    assert.equal((await agent.run("Make x").result).exit_code, 0);
    assert.match(s.server.results()[0] ?? "", /refused/);
    agent.setMode("auto");
    agent.setModel("other");
    const { exit_code, files_changed, model, error } = await agent.run("Go").result;
    assert.equal(error, null);
    assert.deepEqual([exit_code, files_changed[0]?.path, model], [0, "x", "other"]);
  });
});

Deno.test({
  name: "library: the port of a model that is chosen later is no command's to take over either",
  ignore: !installed("python3"),
  async fn() {
    const other: ModelServer = serve_model(({ n }) => n === 0 ? take() : say("Tried."), LOOSE);
    const take = () =>
      bash(
        "python3 -c 'import socket; s = socket.socket(); " +
          `s.bind(("127.0.0.2", ${other.port})); s.listen(); print("took")' 2>&1 | tail -1`,
      );
    await stage({ script: [bash("true"), say("Done.")], ...LOOSE }, async (s) => {
      const servers = { a: s.server.url, b: other.url };
      const settings = Object.entries(servers).map(([name, url]) =>
        `[providers.${name}]\nbase_url = "${url}"\nmodel = "scripted"\n`
      );
      s.home.write(".config/hamr/config.toml", settings.join(""));
      const env = { HOME: s.home.path, PATH: Deno.env.get("PATH") ?? "" };
      await using agent = await createAgent({ workspace: s.ws.path, provider: "a", env });
      await agent.run("Begin.").result;
      agent.setModel("scripted", "b");
      await agent.run("Try.").result;
      assert.match(other.results().join(), /in use/);
      await other.close();
    });
  },
});

Deno.test("library: in a web server, three conversations at once", async () => {
  const answers: Script = ({ body }) => say(`You said ${body.messages.at(-1)?.content}.`);
  // Requests of three conversations come in any order.
  await stage({ script: answers, violations: true }, async (s) => {
    const agents = new Map<string, Agent>();
    const web = Deno.serve({ port: 0, onListen() {} }, async (request) => {
      const name = new URL(request.url).pathname;
      const agent = agents.get(name) ?? await agent_on(s);
      agents.set(name, agent);
      return new Response(await agent.chat(await request.text()));
    });
    const post = async (name: string, body: string) =>
      await (await fetch(`http://127.0.0.1:${web.addr.port}/${name}`, { method: "POST", body }))
        .text();
    for (const round of [1, 2]) {
      const all = await Promise.all(["a", "b", "c"].map((name) => post(name, `${name}${round}`)));
      assert.deepEqual(all, ["a", "b", "c"].map((name) => `You said ${name}${round}.`));
    }
    await Promise.all([...agents.values()].map((agent) => agent.close()));
    assert.equal(new Set([...agents.values()].map(({ sessionId }) => sessionId)).size, 3);
    await web.shutdown();
  });
});

Deno.test("library: what can't be used is said in a line, and a run that can't begin has a result", async () => {
  await assert.rejects(
    createAgent({ settings: { "agent.max_step": 1 } }),
    /unknown setting agent\.max_step/,
  );
  await assert.rejects(
    createAgent({ maxSteps: -1 }),
    /agent\.max_model_steps must be a whole number/,
  );
  // What only a program without types can say, or one that has computed it.
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ readonly: true }, /unknown option readonly; did you mean readOnly\?/],
    [{ readOnly: "yes" }, /readOnly must be of type boolean/],
    [{ sandbox: "on" }, /sandbox must be auto or off/],
    [{ callbacks: null }, /callbacks must be of type object/],
    [{ allowRun: [] }, /allowRun is empty/],
    [{ allowRead: [] }, /allowRead is empty/],
    [{ denyRead: [5] }, /denyRead must be a list of paths/],
    [{ denyRead: {} }, /denyRead must be a list of paths/],
    [{ callbacks: { steps() {} } }, /unknown callback steps; did you mean step\?/],
    [{ callbacks: { step: "yes" } }, /callbacks\.step must be of type function/],
  ];
  for (const [options, said] of wrong) await assert.rejects(createAgent(options), said);
  await stage({}, async (s) => {
    await assert.rejects(agent_on(s, { resume: "newest" }), /no saved session/);
    await using agent = await agent_on(s, { workspace: s.ws.at("none") });
    const { exit_code, error } = await agent.run("x").result;
    assert.deepEqual([exit_code, error?.kind], [3, "config_error"]);
    await assert.rejects(agent.chat("x"), AgentError);
    assert.throws(() => agent.setMode("fast" as "auto"), /agent\.mode must be auto, ask/);
  });
});

Deno.test("library: of two that iterate over a task's events each gets its own, and both end", async () => {
  await stage({ script: [say("Hello.")] }, async (s) => {
    await using agent = await agent_on(s);
    const run = agent.run("Hello");
    const taken = async () => {
      const types: string[] = [];
      for await (const { type } of run) types.push(type);
      return types;
    };
    const both = (await Promise.all([taken(), taken()])).flat();
    assert.equal(both.filter((type) => type === "result").length, 1);
    assert.equal((await run.result).stop_reason, "llm_done");
  });
});
