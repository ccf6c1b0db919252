import assert from "node:assert/strict";
import { ANSWER, bash, call, type Reply, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const read = (path: string, more: Record<string, unknown> = {}) => call("read", { path, ...more });

/** What the last message of a request says. */
function last(request: { readonly body: { readonly messages: readonly { content?: unknown }[] } }) {
  return String(request.body.messages.at(-1)?.content);
}

Deno.test("the third identical call is answered, not run, and the next one ends the run in 1", async () => {
  const again = bash("echo x >> ../outside-count 2>/dev/null; echo same");
  await stage({ script: () => again }, async (s) => {
    const { code, result, events } = await s.events("Count.", "--max-steps", "20");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 4]);
    assert.match(last(s.server.requests[3]!), /^Not run: you have made exactly this call before/);
    const guards = events.filter((event) => event.type === "guard" && event.name === "doom_loop");
    assert.deepEqual(guards.map(({ action }) => action), ["answered", "stopped"]);
    assert.equal(result.evidence.commands, 2);
    assert.equal(result.evidence.refused, 2);
  });
});

Deno.test("a model that takes the hint goes on", async () => {
  const again = bash("echo same");
  await stage({ script: [again, again, again, bash("echo other"), say(ANSWER)] }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 5]);
  });
});

Deno.test("a command that says something new each time is no loop, nor is one that changes files", async () => {
  const grows = bash("echo x >> log; wc -l < log");
  await stage({ script: (_, n) => n < 7 ? grows : say(ANSWER) }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.steps], [0, 8]);
  });
  const same = bash("date +%s%N > stamp; echo done");
  await stage({ script: (_, n) => n < 7 ? same : say("It is 42.") }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.steps], [0, 8]);
  });
});

Deno.test("polling a build that runs in the background is no loop", async () => {
  const script: Reply[] = [
    bash("sleep 30 > /dev/null 2>&1 & echo started"),
    ...Array.from({ length: 6 }, () => bash("echo not yet")),
    say(ANSWER),
  ];
  await stage({ script }, async (s) => {
    const { code, result } = await s.run("Build.");
    assert.deepEqual([code, result.stop_reason, result.steps], [0, "llm_done", 8]);
  });
});

Deno.test("times, durations and process ids make no result a new one", async () => {
  const script = () => bash('echo "run at $(date +%H:%M:%S) took 0.$RANDOM s, pid $$"');
  await stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--max-steps", "20");
    assert.deepEqual([result.stop_reason, result.steps], ["loop_detected", 4]);
  });
});

Deno.test("the same command three times, with others between, ends the run in 1", async () => {
  const script = (_: unknown, n: number) => n % 3 === 0 ? bash("echo same") : bash(`echo ${n}`);
  await stage({ script }, async (s) => {
    const { code, result } = await s.run("Count.", "--max-steps", "30");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 7]);
    assert.match(result.error?.message ?? "", /same command was run 3 times/);
  });
});

Deno.test("two steps in turn, three times over, end the run in 1", async () => {
  const script = (_: unknown, n: number) => n % 2 === 0 ? read("a.txt") : read("b.txt");
  await stage({ script, files: { "a.txt": "a\n", "b.txt": "b\n" } }, async (s) => {
    const { code, result } = await s.run("Look.", "--max-steps", "30");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 6]);
    assert.match(result.error?.message ?? "", /two steps were taken in turn, 3 times/);
  });
});

Deno.test("the same range read five times ends the run in 1 with tool_error", async () => {
  const script = (_: unknown, n: number) => n % 2 === 0 ? read("a.txt") : read(`${n}.txt`);
  await stage({ script, files: { "a.txt": "a\n" } }, async (s) => {
    const { code, result } = await s.run("Look.", "--max-steps", "30");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "tool_error", 9]);
  });
});

Deno.test("a question about eighty files is answered", async () => {
  const names = Array.from({ length: 80 }, (_, n) => `f${n}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
  const script = (_: unknown, n: number) => n < 80 ? read(names[n] ?? "") : say(ANSWER);
  await stage({ script, files }, async (s) => {
    const { code, result } = await s.run("What is in them?", "--max-steps", "100", "--mode", "ask");
    assert.deepEqual([code, result.tool_calls], [0, 80]);
    assert.ok(!JSON.stringify(s.server.requests.at(-1)?.body).includes("STOP READING"));
  });
});

Deno.test("where a change is asked for, reading without end is warned of, then refused", async () => {
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`f${n}.txt`, "x\n"]));
  const env = { HAMR_GUARDS_READ_WARNING: "3", HAMR_GUARDS_READ_LIMIT: "5" };
  const script = (_: unknown, n: number) => n < 7 ? read(`f${n}.txt`) : say("I can't do it.");
  await stage({ script, files, env }, async (s) => {
    const { code, result } = await s.run("Mend it.", "--mode", "patch");
    assert.equal(code, 2);
    assert.match(last(s.server.requests[3]!), /STOP READING\. You have read 3 times/);
    assert.match(last(s.server.requests[6]!), /^Not run: you have read 5 times/);
    assert.equal(result.evidence.refused, 2);
  });
});

Deno.test("steps without a change are answered louder and louder, where a change is asked for", async () => {
  const env = { HAMR_GUARDS_ESCALATION_STEPS: "2,3,4" };
  const script = (_: unknown, n: number) => n < 6 ? bash(`echo ${n}`) : say("I can't do it.");
  await stage({ script, env }, async (s) => {
    const { events } = await s.events("Mend it.", "--mode", "patch");
    const said = events.filter((event) => event.type === "nudge" && event.name === "escalation");
    assert.deepEqual(said.map(({ message }) => String(message).split(/[ .]/)[0]), [
      ...["You", "STOP", "EMERGENCY:"],
    ]);
    assert.match(last(s.server.requests[2]!), /<hamr>\nYou have enough context/);
  });
});

Deno.test("the model is told once that three steps are left", async () => {
  await stage({ script: (_, n) => bash(`echo ${n}`) }, async (s) => {
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
  await stage({ script: (_, n) => n < 8 ? bash("echo same") : say(ANSWER), env }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.steps], [0, 9]);
  });
});

Deno.test("calls that no tool takes get an example of the form, five times a run, then it ends in 1", async () => {
  const script = (_: unknown, n: number): Reply => ({
    calls: [{ name: "bash", args: `{"command": "echo ${n}` }],
  });
  await stage({ script }, async (s) => {
    const { code, result, events } = await s.events("Count.");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "model_error", 7]);
    assert.match(result.error?.message ?? "", /malformed_tool_call: .* 5 recoveries/);
    const nudges = events.filter((event) => event.type === "nudge");
    assert.deepEqual(nudges.map(({ name }) => name), Array(5).fill("malformed_call"));
    assert.match(
      last(s.server.requests[2]!),
      /arguments as one JSON object, such as: read \{"path"/,
    );
    assert.equal(result.evidence.commands, 0);
  });
});

Deno.test("recoveries of a run: their number is a setting, and what goes well does not give them back", async () => {
  const bad: Reply = { calls: [{ name: "nothing", args: {} }] };
  const script = (_: unknown, n: number): Reply => n % 3 === 2 ? bash(`echo ${n}`) : bad;
  const env = { HAMR_GUARDS_RECOVERIES: "2" };
  await stage({ script, env }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "model_error", 8]);
  });
});

Deno.test("three failed commands with nothing changed: the model is told to look for the cause", async () => {
  const script = [bash("false"), bash("exit 3"), bash("no-such-program"), say(ANSWER)];
  await stage({ script }, async (s) => {
    const { code, events } = await s.events("Count.");
    const nudges = events.filter((event) => event.type === "nudge");
    assert.deepEqual([code, nudges.map(({ name }) => name)], [0, ["bash_failure"]]);
    assert.match(last(s.server.requests[3]!), /<hamr>\nYour last 3 commands failed/);
  });
});
