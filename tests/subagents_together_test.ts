/** Subagents that only read work at the same time, and nothing of the run depends on who is faster. */
import assert from "node:assert/strict";
import { failing, FALLBACK, QUICK, two } from "./support/bad_days.ts";
import { within } from "../src/config/within.ts";
import { type Outcome, until } from "./support/hamr.ts";
import { type Recorded, type Reply, say } from "./support/model_server.ts";
import { open_stage, type Stage } from "./support/stage.ts";

const ANSWER = "All were asked.";
const TASKS = ["One.", "Two.", "Three.", "Four.", "Five."];
const files = { "a.txt": "42\n" };
const reads = { calls: [{ name: "read", args: { path: "a.txt" } }] };

const task_of = ({ body }: Recorded) =>
  (body.messages[0]?.content ?? "").includes("You are a subagent")
    ? body.messages[1]?.content ?? ""
    : "";
const asked = ({ body }: Recorded) => body.messages.filter(({ role }) => role === "tool").length;
const results = ({ body }: Recorded) =>
  body.messages.flatMap(({ role, content }) => role === "tool" ? [content ?? ""] : []);
const delegate = (tasks: readonly string[]): Reply => ({
  calls: tasks.map((task) => ({ name: "delegate_task", args: { task, tools: "read" } })),
});

/** The agent sends them all in one reply; each reads a file, then answers. `first` is waited for at the first request of each. */
function asking(tasks: readonly string[], first: (task: string) => Promise<Reply | void>) {
  const script = async (request: Recorded): Promise<Reply> => {
    const task = task_of(request);
    if (task === "") return asked(request) === 0 ? delegate(tasks) : say(ANSWER);
    if (asked(request) === 0) return await first(task) ?? reads;
    return say(`${task} It says 42.`);
  };
  return { script, files, one_conversation: false, env: QUICK } as const;
}

/** Says how many stand in it at the same time, at most; nobody leaves before `wanted` are in it, or a minute. */
function crowd(wanted: number) {
  let [inside, most] = [0, 0];
  const full = Promise.withResolvers<void>();
  return {
    most: () => most,
    async enter() {
      most = Math.max(most, ++inside);
      if (inside === wanted) full.resolve();
      await within(60_000, full.promise);
      inside--;
    },
  };
}

async function replays(s: Stage, { result }: Outcome): Promise<void> {
  const { code, stdout, stderr } = await s.hamr(["replay", result.session_id]);
  assert.deepEqual([code, stderr], [0, ""], stdout);
  assert.match(stdout, /every byte the same/);
}

Deno.test("four that read work at once, are heard one after the other, and the run can be replayed", async () => {
  const { most, enter } = crowd(4);
  await open_stage(asking(TASKS, enter), async (s) => {
    const run = await s.events("Ask them all.");
    const { code, result, events } = run;
    assert.deepEqual([code, result.final_output, most()], [0, ANSWER, 4]);
    assert.deepEqual(
      results(s.server.requests.at(-1)!).map((text) => text.split("\n")[2]),
      TASKS.map((task) => `${task} It says 42.`),
    );
    assert.deepEqual([result.tool_calls, result.usage.input_tokens], [
      ...[10, 10 * s.server.requests.length],
    ]);
    const heard = events.flatMap(({ agent }) => typeof agent === "string" ? [agent] : []);
    const turns = heard.filter((agent, at) => agent !== heard[at - 1]);
    assert.deepEqual(turns, TASKS.map((_, at) => `call_0_${at}`));
    await replays(s, run);
    const bundle = await s.hamr(["sessions", "export", "--bundle", result.session_id]);
    s.outside.write("bundle", bundle.stdout);
    const home = s.outside.path;
    const got = await s.hamr(["sessions", "import", s.outside.at("bundle")], { home });
    assert.equal(got.code, 0, got.stderr);
    const again = await s.hamr(["replay", result.session_id], { home });
    assert.match(again.stdout, /every byte the same/, again.stderr);
  });
});

Deno.test("they follow one another where a limit holds their sum, and where the user wants it", async () => {
  const ways: readonly (readonly [Readonly<Record<string, string>>, ...string[]])[] = [
    [{}, "--token-budget", "100000"],
    [{}, "--max-tool-calls", "20"],
    [{ HAMR_AGENT_PARALLEL_TOOLS: "false" }],
  ];
  for (const [env, ...flags] of ways) {
    let [inside, most] = [0, 0];
    const alone = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 50));
      inside--;
    };
    await open_stage({ ...asking(TASKS.slice(0, 2), alone), env }, async (s) => {
      const { code } = await s.run("Ask them all.", ...flags);
      assert.deepEqual([code, most], [0, 1], flags.join(" "));
    });
  }
});

Deno.test("an interrupt ends them all", async () => {
  const never = () => Promise.resolve({ text: "a long answer", stall_after: 200 });
  await open_stage({ ...asking(TASKS.slice(0, 3), never), violations: true }, async (s) => {
    const running = s.start(["run", "--json", "Ask them all."]);
    await until("all have asked", () => s.server.requests.length === 4);
    running.kill("SIGINT");
    const run = await running.done;
    assert.deepEqual([run.code, run.result.stop_reason], [130, "user_interrupt"]);
    await until("the server sees it", () => s.server.requests.slice(1).every((r) => r.aborted));
    assert.equal(s.server.requests.length, 4);
    await replays(s, run);
  });
});

Deno.test("where one has to go on with another model, so do the agent and those that come after", async () => {
  const { enter } = crowd(3);
  const fails = async (task: string): Promise<Reply | void> => {
    await enter();
    if (task === "Two.") return failing(401, "no such key");
  };
  const { script, ...more } = asking(TASKS.slice(0, 3), fails);
  await two(
    { ...more, script, b: script, b_options: { one_conversation: false } },
    async ({ s, b }) => {
      const run = await s.run("Ask them all.", ...FALLBACK);
      assert.deepEqual([run.code, run.result.provider], [0, "b"]);
      assert.deepEqual(b.requests.map(task_of), ["Two.", ""]);
      assert.equal(results(b.requests.at(-1)!).length, 3);
      await replays(s, run);
    },
  );
});

Deno.test("a run that is killed while they work goes on, and what was heard of it replays", async () => {
  let killed = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = async (task: string) => {
    if (!killed && task !== "One.") await promise;
  };
  await open_stage({ ...asking(TASKS.slice(0, 3), first), violations: true }, async (s) => {
    const running = s.start(["run", "--json", "Ask them all."]);
    await until("one has its answer", () => s.server.requests.length === 5);
    running.kill("SIGKILL");
    await running.done.catch(() => {});
    killed = true;
    resolve();
    const run = await s.hamr(["run", "--json", "--continue", "Go on."]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(results(s.server.requests.at(-1)!)[2]!, /cut off/);
    const { stdout } = await s.hamr(["replay", run.result.session_id]);
    assert.match(stdout, /every byte the same/);
  });
});
