/** Facts taken out of a run at its end, where `memory.extract` asks for that. */
import assert from "node:assert/strict";
import { failing } from "./support/bad_days.ts";
import { each, until } from "./support/hamr.ts";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { inside_stage, type Stage, type StageOptions } from "./support/stage.ts";

const ON = { HAMR_MEMORY_EXTRACT: "true", HAMR_RETRY_ATTEMPTS: "1" };
const LEARNED = say([
  "- REMEMBER: The tests need make db first",
  "REMEMBER: password = hunter22",
  ...[1, 2, 3, 4].map((n) => `REMEMBER: fact ${n}`),
].join("\n"));

const system = ({ body }: Recorded) => String(body.messages[0]?.content);
const is_extraction = (request: Recorded) => /^You look at what/.test(system(request));

/** A run of one call, and what the model says when it is asked what to keep. */
async function with_lessons<T>(
  lessons: Reply,
  body: (stage: Stage) => Promise<T>,
  more: StageOptions & { readonly calls?: number } = {},
): Promise<T> {
  let step = 0;
  const script = (request: Recorded): Reply => {
    if (is_extraction(request)) return lessons;
    return step++ < (more.calls ?? 1) ? bash(`echo ${step}`) : say(ANSWER);
  };
  return await inside_stage(
    { script, one_conversation: false, ...more, env: { ...ON, ...more.env } },
    body,
  );
}

const extractions = (s: Stage) => s.server.requests.filter(is_extraction);

Deno.test("what a run has taught is kept at its end, but no secrets, and at most five facts", async () => {
  await with_lessons(LEARNED, async (s) => {
    await s.hamr(["memory", "add", "Use make, not npm"]);
    const { code, result, events } = await s.events("Run the tests.", "--verify", "true");
    assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 2]);
    assert.deepEqual(result.warnings, []);
    const kept = events.filter(({ type }) => type === "memory").map(({ fact }) => fact);
    assert.deepEqual(kept, [
      "The tests need make db first",
      ...["fact 1", "fact 2", "fact 3"],
    ]);
    const [asked, ...others] = extractions(s);
    assert.equal(others.length, 0);
    const told = String(asked!.body.messages[1]?.content);
    assert.match(told, /\[already known\]\n- Use make, not npm\n/);
    assert.match(told, /Run the tests\.[^]*\[call\] bash[^]*\[agent\]\n/);
    assert.deepEqual(asked!.body.tools ?? [], []);
    // Its tokens are the run's.
    const counted = events.filter(({ type }) => type === "usage");
    assert.equal(counted.length, 3);
    const list = await s.hamr(["memory", "list", "--output", "text"]);
    assert.match(list.stdout, /make db first/);
    assert.doesNotMatch(list.stdout, /hunter22/);
  });
});

Deno.test("nobody is asked where that is off, nothing was done, nothing may be, or nothing is left", async () => {
  const cases: readonly (readonly [
    why: string,
    flags: readonly string[],
    more: Parameters<typeof with_lessons>[2],
  ])[] = [
    ["off", [], { env: { HAMR_MEMORY_EXTRACT: "false" } }],
    ["no memory", [], { env: { HAMR_MEMORY_ENABLED: "false" } }],
    ["an answer", [], { calls: 0 }],
    ["a dry run", ["--dry-run"], {}],
    ["the budget is used up", ["--token-budget", "10"], {}],
  ];
  await each(cases, ([why, flags, more]) =>
    with_lessons(LEARNED, async (s) => {
      await s.run("Look.", "--verify", "true", ...flags);
      assert.ok(s.server.requests.length > 0);
      assert.equal(extractions(s).length, 0, why);
    }, more));
});

Deno.test("how a run ended does not change by what comes of it", async () => {
  const cases: readonly (readonly [Reply, warnings: number])[] = [
    [say("NOTHING"), 0],
    [failing(400, "no"), 1],
    [failing(503, "busy"), 1],
  ];
  for (const [reply, warnings] of cases) {
    await with_lessons(reply, async (s) => {
      const { code, result } = await s.run("Look.", "--verify", "true");
      assert.deepEqual([code, result.stop_reason, result.final_output], [0, "llm_done", ANSWER]);
      assert.equal(result.warnings.length, warnings, result.warnings.join());
      assert.equal((await s.hamr(["memory"])).stdout, "");
    });
  }
  await with_lessons(LEARNED, async (s) => {
    const { code, result } = await s.run("Look.", "--verify", "false", "--repair-attempts", "0");
    assert.deepEqual([code, result.stop_reason], [2, "verification_failed"]);
    assert.equal(extractions(s).length, 1);
  });
});

Deno.test("an interrupt ends the asking, and the run has ended as it had", async () => {
  await with_lessons({ silent: true }, async (s) => {
    const running = s.start(["run", "--json", "--verify", "true", "Look."]);
    await until("it is asked", () => extractions(s).length > 0);
    running.kill("SIGINT");
    const { code, result } = await running.done;
    assert.deepEqual([code, result.stop_reason, result.final_output], [0, "llm_done", ANSWER]);
    assert.deepEqual(result.warnings, []);
  });
});

Deno.test("what is left out to make room is asked about before, also where no model sums it up", async () => {
  const line = "a line of the file that is read again and again\n";
  let step = 0;
  const script = (request: Recorded): Reply => {
    if (is_extraction(request)) return say(`REMEMBER: seen by step ${step}`);
    assert.doesNotMatch(system(request), /REMEMBER/);
    if (/^You summarize/.test(system(request))) return say("1. Task: read.");
    return step++ < 14 ? call("read", { path: `f${step}.txt` }) : say(ANSWER);
  };
  const files = Object.fromEntries(
    Array.from({ length: 14 }, (_, n) => [`f${n + 1}.txt`, `${n} ${line.repeat(60)}`]),
  );
  await inside_stage({ script, files, one_conversation: false, env: ON }, async (s) => {
    const { code, events } = await s.events(
      "Read all.",
      "--context-window",
      "8192",
      "--mode",
      "ask",
    );
    assert.equal(code, 0);
    const stages = events.filter(({ type }) => type === "compaction").map(({ stage }) => stage);
    assert.ok(stages.includes("0"), stages.join());
    // One for each, and one at the end.
    assert.equal(extractions(s).length, stages.length + 1);
    const at = (wanted: string) => events.findIndex(({ type }) => type === wanted);
    assert.ok(at("memory") >= 0 && at("memory") < at("compaction"));
  });
});
