import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { extends_list, raw_value } from "./support/history.ts";
import { bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import {
  asleep,
  gone,
  inside_stage,
  mark,
  open_stage,
  type Stage,
  type StageOptions,
} from "./support/stage.ts";

const ANSWER = "The subagent was asked, and it answered.";

const is_subagent = ({ body }: Recorded) =>
  (body.messages[0]?.content ?? "").includes("You are a subagent");

/** One script for the agent, one for each subagent it starts, by task; a function goes on forever. */
type Lines = readonly Reply[] | ((n: number, request: Recorded) => Reply);

function play(agent: Lines, subagents: Readonly<Record<string, Lines>>): StageOptions {
  const said = new Map<string, number>();
  const script = (request: Recorded): Reply => {
    const told = is_subagent(request) ? request.body.messages[1]?.content ?? "" : "";
    // A reminder of how much time is left may stand below it.
    const [task = ""] = told.split("\n\n<hamr>");
    const lines = task === "" ? agent : subagents[task];
    const n = said.get(task) ?? 0;
    said.set(task, n + 1);
    const reply = typeof lines === "function" ? lines(n, request) : lines?.[n];
    if (reply === undefined) throw new Error(`no line ${n} for "${task}"`);
    return reply;
  };
  return { script, one_conversation: false };
}

const delegate = (task: string, tools?: "read" | "all") =>
  call("delegate_task", { task, ...(tools === undefined ? {} : { tools }) });

const requests_of = (s: Stage, subagent: boolean) =>
  s.server.requests.filter((request) => is_subagent(request) === subagent);
const names = ({ body }: Recorded) => (body.tools ?? []).map((tool) => tool.function.name);
/** The newest results that the agent itself got. */
function results(s: Stage): string[] {
  const messages = requests_of(s, false).at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content ?? "");
}

Deno.test("a subagent works in a context of its own, and its answer and deeds come back", async () => {
  const agent = [delegate("Write a.txt."), say("I wrote a.txt.")];
  const subagent = [
    { calls: [{ name: "write", args: { path: "a.txt", content: "a\n" } }] },
    bash("cat a.txt; exit 3"),
    say("I wrote one line into a.txt."),
  ];
  await open_stage(play(agent, { "Write a.txt.": subagent }), async (s) => {
    const { code, result, events } = await s.events("Have a.txt written.");
    // The agent's claim rests on what its subagent did.
    assert.deepEqual([code, result.stop_reason, result.final_output], [
      ...[0, "llm_done", "I wrote a.txt."],
    ]);
    assert.ok(!events.some((event) => event.type === "nudge"));
    assert.equal(s.ws.read("a.txt"), "a\n");
    assert.deepEqual(results(s), [
      "The subagent finished (3 steps).\nIts answer:\nI wrote one line into a.txt.\n" +
      "Files changed: a.txt\nCommands run: `cat a.txt; exit 3` (exit code 3)",
    ]);
    assert.deepEqual([result.steps, result.tool_calls], [2, 3]);
    assert.deepEqual(result.usage.input_tokens, 10 * s.server.requests.length);
    assert.deepEqual([result.evidence.mutations, result.evidence.commands], [1, 1]);
    assert.deepEqual(result.files_changed.map(({ path }) => path), ["a.txt"]);
    const [first] = requests_of(s, true);
    assert.deepEqual(first!.body.messages.slice(1), [{ role: "user", content: "Write a.txt." }]);
    const own = requests_of(s, false)[0]!.body.messages[0]?.content ?? "";
    assert.ok(first!.body.messages[0]?.content?.startsWith(own));
    assert.ok(!names(first!).includes("delegate_task"), names(first!).join());
  });
});

Deno.test("each conversation only grows", async () => {
  const agent = [bash("echo 1"), delegate("Look."), bash("echo 2"), say(ANSWER)];
  const subagent = [bash("echo 3"), bash("echo 4"), say("There is nothing.")];
  await open_stage(play(agent, { "Look.": subagent }), async (s) => {
    assert.equal((await s.run("Look.")).code, 0);
    for (const of_subagent of [true, false]) {
      const requests = requests_of(s, of_subagent);
      assert.ok(requests.length >= 3);
      requests.slice(1).forEach(({ raw }, at) => {
        for (const key of ["messages", "tools"]) {
          const before = raw_value(requests[at]!.raw, key)!;
          assert.ok(extends_list(before, raw_value(raw, key)!), `${key} of ${at + 1}`);
        }
      });
    }
  });
});

Deno.test("events of a subagent name the call that started it, and its own step", async () => {
  const agent = [delegate("Look."), say(ANSWER)];
  const subagent = [bash("echo 3"), say("There is nothing.")];
  await open_stage(play(agent, { "Look.": subagent }), async (s) => {
    const { events } = await s.events("Look.");
    const own = events.filter(({ agent }) => agent === "call_0_0");
    assert.deepEqual(own.map(({ type, step, agent_step }) => [type, step, agent_step]), [
      ["step_start", 1, 1],
      ["text_delta", 1, 1],
      ["usage", 1, 1],
      ["tool_call", 1, 1],
      ["tool_result", 1, 1],
      ["step_start", 1, 2],
      ["text_delta", 1, 2],
      ["text_delta", 1, 2],
      ["usage", 1, 2],
    ]);
    assert.ok(events.every(({ agent }) => agent === undefined || agent === "call_0_0"));
  });
});

Deno.test("the user sees what a subagent does, below its call", async () => {
  const agent = [delegate("Look."), say(ANSWER)];
  const subagent = [bash("echo 3"), say("There is nothing.")];
  await open_stage(play(agent, { "Look.": subagent }), async (s) => {
    const { stdout, stderr } = await s.hamr(["run", "Look."]);
    assert.equal(stdout, `${ANSWER}\n`);
    const lines = stderr.split("\n");
    const from = lines.findIndex((line) => line.includes("delegate_task → Look."));
    assert.match(lines[from + 1]!, /^ {6}│ 🔄 Step 1 → model call \(2 messages/);
    assert.deepEqual(lines.slice(from + 2, from + 5), [
      "      │    ✓ 1 tool call",
      "      │    🔧 bash → echo 3",
      "      │       ✓ OK",
    ]);
    assert.match(lines[from + 5]!, /^ {6}│ 🔄 Step 2 → /);
    assert.deepEqual(lines.slice(from + 6, from + 8), [
      "      │    💬 There is nothing.",
      "      ✓ OK",
    ]);
  });
});

Deno.test("a subagent that only reads has nothing else", async () => {
  const agent = [delegate("Look.", "read"), say(ANSWER)];
  const subagent = [
    call("read", { path: "a.txt" }),
    call("write", { path: "b.txt", content: "b" }),
    bash("touch b.txt"),
    call("delegate_task", { task: "Write." }),
    say("I fixed nothing: it says 42."),
  ];
  const files = { "a.txt": "42\n" };
  await open_stage({ ...play(agent, { "Look.": subagent }), files }, async (s) => {
    const { code } = await s.run("Look.");
    assert.equal(code, 0);
    assert.ok(!s.ws.exists("b.txt"));
    assert.deepEqual(names(requests_of(s, true)[0]!), ["read"]);
    const [seen, ...refused] = s.server.requests.at(-2)!.body.messages
      .filter(({ role }) => role === "tool").map(({ content }) => content ?? "");
    assert.match(seen!, /42/);
    assert.equal(refused.length, 3);
    for (const text of refused) {
      assert.match(text, /there is no tool .*; the tools are: read(\n|$)/);
    }
    assert.match(results(s)[0]!, /^The subagent finished \(5 steps\)\./);
  });
});

Deno.test("a subagent that goes round in circles does not end the run", async () => {
  const agent = [delegate("Look."), say(ANSWER)];
  await open_stage(play(agent, { "Look.": () => bash("echo same") }), async (s) => {
    const { code, result, events } = await s.events("Look.");
    assert.deepEqual([code, result.final_output], [0, ANSWER]);
    const [got] = events.filter(({ type, name }) =>
      type === "tool_result" && name === "delegate_task"
    );
    assert.deepEqual([got?.["ok"], got?.["summary"]], [false, "stopped: loop_detected (5 steps)"]);
    assert.match(
      results(s)[0]!,
      /^The subagent stopped: loop_detected \(5 steps\)\. Why: the same calls/,
    );
  });
});

Deno.test("a subagent has steps of its own, and says at their end what is done", async () => {
  const env = { HAMR_AGENT_DELEGATE_MAX_STEPS: "3" };
  const agent = [delegate("Count."), say(ANSWER)];
  const subagent: Lines = (n, { body }) =>
    body.tool_choice === "none" ? say("I counted to three.") : bash(`echo ${n}`);
  await open_stage({ ...play(agent, { "Count.": subagent }), env }, async (s) => {
    const { code, result } = await s.run("Count.", "--max-steps", "2");
    assert.deepEqual([code, result.steps, result.tool_calls], [0, 2, 4]);
    assert.match(
      results(s)[0]!,
      /^The subagent stopped: max_steps \(3 steps\)\. Why: .*\(agent\.delegate_max_steps\)\nLast message:\nI counted to three\./,
    );
  });
});

Deno.test("a server that fails a subagent is told to the agent", async () => {
  const agent = [delegate("Look."), say(ANSWER)];
  const subagent = () => ({ status: 400, body: '{"error":{"message":"no such thing"}}' });
  await open_stage(play(agent, { "Look.": subagent }), async (s) => {
    const { code } = await s.run("Look.");
    assert.equal(code, 0);
    assert.match(
      results(s)[0]!,
      /^The subagent stopped: llm_error \(0 steps\)\. Why: .*no such thing/,
    );
  });
});

Deno.test("calls of subagents count for the limit of the run", async () => {
  const agent: Lines = (_, { body }) =>
    body.tool_choice === "none" ? say("Some were counted.") : delegate("Count.");
  const subagent: Lines = (n, { body }) =>
    body.tool_choice === "none" ? say("I counted.") : bash(`echo ${n} >> log`);
  await open_stage(play(agent, { "Count.": subagent }), async (s) => {
    const { code, result } = await s.run("Count.", "--max-tool-calls", "4");
    assert.deepEqual([code, result.stop_reason, result.tool_calls], [2, "max_tool_calls", 4]);
    assert.equal(s.ws.read("log"), "0\n1\n2\n");
    assert.match(results(s)[0]!, /stopped: max_tool_calls/);
  });
});

Deno.test("two subagents of one reply work one after the other", async () => {
  const calls = ["First.", "Second."].map((task) => ({ name: "delegate_task", args: { task } }));
  const lines = (
    word: string,
  ) => [bash(`echo ${word} >> log; sleep 0.1; echo ${word} >> log`), say(word)];
  const subagents = { "First.": lines("one"), "Second.": lines("two") };
  await open_stage(play([{ calls }, say(ANSWER)], subagents), async (s) => {
    const { code } = await s.run("Do both.", "--mode", "patch");
    assert.equal(code, 0);
    assert.equal(s.ws.read("log"), "one\none\ntwo\ntwo\n");
    assert.deepEqual(results(s).map((text) => text.split("\n")[2]), ["one", "two"]);
  });
});

Deno.test("what the agent's own command changed is not the subagent's doing", async () => {
  const calls = [
    { name: "bash", args: { command: "echo mine > mine.txt" } },
    { name: "delegate_task", args: { task: "Look." } },
  ];
  await open_stage(
    play([{ calls }, say(ANSWER)], { "Look.": [say("There is a file.")] }),
    async (s) => {
      const { code, result } = await s.run("Look.", "--mode", "patch");
      assert.deepEqual([code, result.evidence.mutations], [0, 1]);
      assert.match(results(s)[1]!, /Files changed: none/);
    },
  );
});

Deno.test("a subagent whose claim its own deeds deny is not believed", async () => {
  const agent = [delegate("Mend it."), say(ANSWER)];
  await open_stage(
    play(agent, { "Mend it.": () => say("I fixed the bug in a.txt.") }),
    async (s) => {
      const { code } = await s.run("Have it mended.");
      assert.equal(code, 0);
      assert.match(results(s)[0]!, /^The subagent stopped: contract_unsatisfied/);
    },
  );
});

Deno.test("a dangerous command is refused to a subagent too", async () => {
  const agent = [delegate("Publish."), say(ANSWER)];
  const subagent = [bash("git push origin main"), say("It was refused.")];
  await open_stage(play(agent, { "Publish.": subagent }), async (s) => {
    const { code, result } = await s.run("Publish.");
    assert.deepEqual([code, result.evidence.refused, result.evidence.commands], [0, 1, 0]);
  });
});

Deno.test("in a dry run a subagent changes nothing either", async () => {
  const agent = [delegate("Write."), say("I would write a.txt.")];
  const subagent = [call("write", { path: "a.txt", content: "a" }), say("I would write a.txt.")];
  await inside_stage(play(agent, { "Write.": subagent }), async (s) => {
    const { code, result } = await s.run("Write.", "--dry-run");
    assert.equal(code, 0);
    assert.ok(!s.ws.exists("a.txt"));
    assert.deepEqual(result.warnings, ["dry run: write → a.txt (1 line)"]);
  });
});

Deno.test("the steps of a subagent have the time of a step each, and the agent's stands still", async () => {
  const calls = [
    { name: "delegate_task", args: { task: "Wait." } },
    { name: "bash", args: { command: "echo after > log" } },
  ];
  const agent = [{ calls }, say(ANSWER)];
  const subagent: Lines = (n) => n < 4 ? bash(`sleep 1.6; echo ${n}`) : say("I waited.");
  await open_stage(play(agent, { "Wait.": subagent }), async (s) => {
    const { code, result } = await s.run("Wait.", "--step-timeout", "5");
    assert.deepEqual([code, result.stop_reason], [0, "llm_done"]);
    assert.equal(s.ws.read("log"), "after\n");
    assert.ok(result.duration_ms > 6_000);
  });
});

Deno.test("a time limit that ends a subagent ends the run, with one closing call", async () => {
  for (const flags of [["--step-timeout", "4"], ["--timeout", "4"]]) {
    const seconds = mark();
    const calls = [
      { name: "delegate_task", args: { task: "Wait." } },
      { name: "bash", args: { command: "echo after > log" } },
    ];
    const agent: Lines = (_, { body }) =>
      body.tool_choice === "none" ? say("Nothing was done.") : { calls };
    await open_stage(play(agent, { "Wait.": () => bash(`sleep ${seconds}`) }), async (s) => {
      const { code, result, ms } = await s.run("Wait.", ...flags);
      assert.deepEqual([code, result.stop_reason], [5, "timeout"], flags[0]);
      assert.equal(result.final_output, "Nothing was done.");
      assert.ok(ms < 100_000, `${ms} ms`);
      const closing = s.server.requests.filter(({ body }) => body.tool_choice === "none");
      assert.deepEqual(closing.map(is_subagent), [false]);
      assert.match(results(s)[0]!, /^The subagent stopped: timeout/);
      assert.match(results(s)[1]!, /not run/);
      assert.ok(!s.ws.exists("log"));
      await gone(seconds);
    });
  }
});

Deno.test("an interrupt closes a subagent's request and ends the run", async () => {
  const agent = [delegate("Look.")];
  const subagent = [{ text: "a long answer", stall_after: 200 }];
  await open_stage(play(agent, { "Look.": subagent }), async (s) => {
    const running = s.start(["run", "--json", "Look."]);
    await until("the subagent asks", () => s.server.requests.length === 2);
    await until("its reply has begun", () => running.stderr().includes("│"));
    running.kill("SIGINT");
    const { code, result } = await running.done;
    assert.deepEqual([code, result.stop_reason], [130, "user_interrupt"]);
    await until("the server sees it", () => s.server.requests[1]!.aborted);
    assert.equal(s.server.requests.length, 2);
  });
});

Deno.test("an interrupt ends a subagent's command, and what was to come after it", async () => {
  const seconds = mark();
  const calls = [
    { name: "delegate_task", args: { task: "Wait." } },
    { name: "bash", args: { command: "echo after > log" } },
  ];
  await open_stage(play([{ calls }], { "Wait.": [bash(`sleep ${seconds}`)] }), async (s) => {
    const running = s.start(["run", "--json", "Wait."]);
    await until("the command runs", () => asleep(seconds));
    running.kill("SIGINT");
    const { code, result } = await running.done;
    assert.deepEqual([code, result.stop_reason, result.tool_calls], [130, "user_interrupt", 3]);
    assert.ok(!s.ws.exists("log"));
    await gone(seconds);
  });
});
