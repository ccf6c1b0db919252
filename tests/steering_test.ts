import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { until } from "./support/hamr.ts";
import { ANSWER, bash, type Reply, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";
import type { Played } from "./support/steering_scenarios.ts";

const SCENARIOS = fileURLToPath(new URL("support/steering_scenarios.ts", import.meta.url));

const BUNDLE = Deno.env.get("HAMR_BUNDLE");
const BUNDLED: Readonly<Record<string, string>> = BUNDLE === undefined
  ? {}
  : { HAMR_BUNDLE: BUNDLE };

/** Plays a scenario in a process of its own. `said`: that is interrupted once something was said. */
async function play(
  name: string,
  options: { interrupt?: true; subagent?: true } = {},
): Promise<Played> {
  return await stage({}, async (s) => {
    const running = s.start([name], {
      program: [Deno.execPath(), "run", "-A", "--quiet", SCENARIOS],
      env: BUNDLED,
    });
    if (options.interrupt) {
      await until("something was said", () => running.stderr().includes("said\n"));
      running.kill("SIGINT");
    }
    const { stdout, stderr } = await running.done;
    assert.notEqual(stdout, "", stderr);
    const played: Played = JSON.parse(stdout);
    // A subagent's requests begin otherwise than those of the agent.
    if (!options.subagent) assert.deepEqual(played.violations, [], "a strict server refuses this");
    assert.equal(played.too_late, false, "nobody hears what is said after the end");
    return played;
  });
}

const roles = (messages: Played["requests"][number] = []) => messages.map(({ role }) => role);
const last = (messages: Played["requests"][number] = []) => messages.at(-1)?.content;

function result({ events }: Played) {
  const end = events.at(-1);
  assert.ok(end?.type === "result");
  return end;
}

function steered({ events }: Played): string[] {
  return events.flatMap((event) => event.type === "steer" ? [event.text] : []);
}

Deno.test("what is said while a tool runs is heard after its end, in the user's own name", async () => {
  const run = await play("while_a_tool_runs");
  assert.equal(run.code, 0);
  const roles_then = ["system", "user", "assistant", "tool", "assistant", "user"];
  assert.deepEqual(roles(run.requests[1]), roles_then);
  assert.equal(run.requests[1]?.[3]?.content, "ran");
  assert.equal(last(run.requests[1]), "Look at the README, too.");
  assert.deepEqual(steered(run), ["Look at the README, too."]);
});

Deno.test("what is said during the last answer keeps the run going", async () => {
  const run = await play("during_the_last_answer");
  const { final_output, steps, warnings } = result(run);
  assert.deepEqual([run.code, final_output, steps], [0, "It is 43.", 2]);
  assert.deepEqual(roles(run.requests[1]), ["system", "user", "assistant", "user"]);
  assert.equal(last(run.requests[1]), "Are you sure?\n\nCount again.");
  assert.deepEqual(steered(run), ["Are you sure?", "Count again."]);
  assert.deepEqual(warnings, []);
});

Deno.test("what is said during an answer comes before what a gate has to say of it", async () => {
  const run = await play("instead_of_a_gate");
  assert.equal(run.code, 0);
  assert.equal(last(run.requests[1]), "Write it to b.txt.");
  assert.deepEqual(run.events.filter(({ type }) => type === "nudge"), []);
});

Deno.test("what is said while the verify command runs keeps the run going, and it is verified again", async () => {
  const run = await play("while_verify_runs");
  const { final_output, verification } = result(run);
  assert.deepEqual([run.code, final_output, verification?.attempts], [0, "It is 43.", 2]);
  assert.equal(last(run.requests[1]), "Count again.");
});

Deno.test("what is said before the run is part of the task", async () => {
  const run = await play("before_the_run");
  assert.deepEqual(roles(run.requests[0]), ["system", "user"]);
  assert.equal(last(run.requests[0]), "What is it?\n\nBe short.");
});

Deno.test("the user's words begin a turn: guards start again", async () => {
  const run = await play("resets_guards");
  assert.deepEqual([run.code, result(run).steps], [0, 5]);
  assert.deepEqual(run.events.filter(({ type }) => type === "guard"), []);
});

Deno.test("what a run did not hear before its end is in a warning", async () => {
  const cases: [string, string, RegExp][] = [
    ["at_a_limit", "max_steps", /Look at the README, too\.$/],
    ["in_an_error", "auth_error", /Are you there\?$/],
  ];
  for (const [name, reason, warning] of cases) {
    const run = await play(name);
    const { stop_reason, warnings } = result(run);
    assert.equal(stop_reason, reason);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", warning);
    assert.deepEqual(steered(run), []);
    for (const messages of run.requests) {
      assert.ok(!messages.some(({ content }) => warning.test(content ?? "")), name);
    }
  }
});

Deno.test("an interrupt wins over what was said", async () => {
  const run = await play("interrupted", { interrupt: true });
  const { stop_reason, warnings } = result(run);
  assert.deepEqual([run.code, stop_reason, run.requests.length], [130, "user_interrupt", 1]);
  assert.match(warnings.join(), /look at the README first/);
});

const INSTEAD = "Look at the README instead.";

/** What the user said by interrupting. */
function interrupting({ events }: Played): string[] {
  return events.flatMap((event) => event.type === "steer" && event.interrupt ? [event.text] : []);
}

Deno.test("an interrupt drops the request under way: what was seen of its answer is kept, and the message is next", async () => {
  for (const name of ["interrupted_in_a_reply", "interrupted_before_a_reply"]) {
    const run = await play(name);
    const { steps, final_output } = result(run);
    assert.deepEqual([run.code, steps, final_output], [0, 1, ANSWER], name);
    const deltas = run.events.flatMap((event) => event.type === "text_delta" ? [event] : []);
    const first = deltas.slice(0, deltas.findIndex(({ finished }) => finished));
    const seen = name.endsWith("in_a_reply")
      ? first.map(({ text }) => text).join("").trimEnd()
      : "";
    assert.deepEqual(run.requests[1]?.map(({ role, content }) => [role, content]).slice(1), [
      ["user", "What is it?"],
      ["assistant", seen === "" ? "(no reply)" : `${seen}\n\n(interrupted)`],
      ["user", INSTEAD],
    ]);
    assert.deepEqual(interrupting(run), [INSTEAD]);
    assert.equal(
      deltas.filter(({ finished }) => finished).length,
      name.endsWith("in_a_reply") ? 2 : 1,
    );
  }
});

Deno.test("an interrupt ends the command under way, and its result says who did", async () => {
  const run = await play("interrupted_in_a_command");
  assert.deepEqual([run.code, result(run).stop_reason], [0, "llm_done"]);
  assert.deepEqual(run.requests[1]?.slice(3).map(({ role, content }) => [role, content]), [
    ["tool", "begun\n[ended: interrupted by the user]"],
    ["tool", "Error: not run, interrupted by the user"],
    ["assistant", "(no reply)"],
    ["user", INSTEAD],
  ]);
});

Deno.test("an interrupt ends the verify command, and the turn continues with the message", async () => {
  const run = await play("interrupted_while_it_verifies");
  const { final_output, verification } = result(run);
  assert.deepEqual([run.code, final_output, verification?.exit_code], [0, ANSWER, 0]);
  assert.equal(last(run.requests[1]), "Make b.txt.");
});

Deno.test("an interrupt ends the wait for a busy server", async () => {
  const run = await play("interrupted_while_it_waits");
  assert.deepEqual([run.code, result(run).final_output], [0, ANSWER]);
  assert.equal(last(run.requests[1]), INSTEAD);
});

Deno.test("an interrupt ends a subagent, too", async () => {
  const run = await play("interrupted_in_a_subagent", { subagent: true });
  assert.deepEqual([run.code, result(run).final_output], [0, ANSWER]);
  const [told] = run.requests[2]?.filter(({ role }) => role === "tool") ?? [];
  assert.match(told?.content ?? "", /^The subagent stopped: user_interrupt/);
  assert.equal(last(run.requests[2]), INSTEAD);
});

Deno.test("an interrupt without a word ends the run in 130", async () => {
  const run = await play("interrupted_without_a_word");
  const { stop_reason, error } = result(run);
  assert.deepEqual([run.code, stop_reason, run.requests.length], [130, "user_interrupt", 1]);
  assert.equal(error?.message, "interrupted by the user");
});

Deno.test("--steer: each line of standard input is heard, seen from outside", async () => {
  let say_to: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const stdin = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (at) => void (say_to = at) });
  const utter = (text: string) => say_to?.enqueue(new TextEncoder().encode(text));
  const script = (_: unknown, n: number): Reply => {
    // Said while the model thinks; heard once its call has run.
    if (n === 0) utter("Look at the REA");
    if (n === 0) utter("DME, too.\nAnd be");
    if (n === 1) utter(" quick.\n");
    return n < 2 ? { ...bash("sleep 0.5; echo ran"), delay_ms: 500 } : say(ANSWER);
  };
  await stage({ script }, async (s) => {
    const flags = ["--output", "jsonl", "--steer"];
    const { code, events, result } = await s.hamr(["run", ...flags, "Count."], { stdin });
    assert.deepEqual([code, result.final_output], [0, ANSWER]);
    const said = events.filter((event) => event.type === "steer").map(({ text }) => text);
    assert.deepEqual(said, ["Look at the README, too.", "And be quick."]);
    const last = s.server.requests.map(({ body }) => body.messages.at(-1));
    assert.deepEqual(last.slice(1), said.map((content) => ({ role: "user", content })));
  });
});

Deno.test("--steer does not hold a run up, and takes no task from standard input", async () => {
  await stage({}, async (s) => {
    const { code } = await s.hamr(["run", "--json", "--steer", "Count."], {
      stdin: { open: true },
    });
    assert.equal(code, 0);
    const wrong = await s.hamr(["run", "--steer", "-"], { stdin: "Count." });
    assert.equal(wrong.code, 3);
    assert.match(wrong.stderr, /--steer needs standard input for itself/);
  });
});

Deno.test("--steer: a line of JSON interrupts, and such a run replays", async () => {
  let say_to: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const stdin = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (at) => void (say_to = at) });
  const utter = (value: unknown) =>
    say_to?.enqueue(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
  const script = (_: unknown, n: number): Reply => {
    if (n === 0) {
      utter({ type: "interrupt", text: "First\nthe README." });
      return { text: "No, ", silent: true };
    }
    if (n === 1) {
      setTimeout(() => utter({ type: "interrupt", text: "Now count." }), 1500);
      return bash("echo begun; sleep 100");
    }
    return say(ANSWER);
  };
  await stage({ script }, async (s) => {
    const { code, events, result } = await s.hamr(
      ["run", "--output", "jsonl", "--steer", "Count."],
      { stdin },
    );
    assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 2]);
    const said = events.filter((event) => event.type === "steer");
    assert.deepEqual(said.map(({ text, interrupt }) => [text, interrupt]), [
      ["First\nthe README.", true],
      ["Now count.", true],
    ]);
    const replayed = await s.hamr(["replay", result.session_id]);
    assert.equal(replayed.code, 0, replayed.stderr);
    assert.equal(s.server.requests.length, 3);
  });
});
