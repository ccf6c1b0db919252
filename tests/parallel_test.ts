/** Which calls of one reply run at once, and in which order their results stand. */
import assert from "node:assert/strict";
import { say } from "./support/model_server.ts";
import { inside_stage, type Stage } from "./support/stage.ts";

/** Says "met" where the other command runs at the same time; else "alone", after a while. */
const meets = (own: string, other: string, tries: number) =>
  `touch $TMPDIR/${own}; for i in $(seq ${tries}); do [ -e $TMPDIR/${other} ] && echo ${own} met && ` +
  `touch $TMPDIR/${own} && exit; sleep .05; done; echo ${own} alone`;
const bash = (command: string) => ({ name: "bash", args: { command } });
const FILES = { "a.py": "x = 1\n" };

/** The results of the calls of one reply. */
function results(
  calls: readonly { readonly name: string; readonly args: unknown }[],
  flags: readonly string[],
  body: (texts: readonly string[], s: Stage) => void,
): Promise<void> {
  const script = (_: unknown, n: number) => n === 0 ? { calls } : say("x is 1.");
  return inside_stage({ files: FILES, script: script as never }, async (s) => {
    const run = await s.run("What is x?", ...flags);
    assert.equal(run.code, 0, run.stderr);
    body(s.server.results(), s);
  });
}

Deno.test("commands that can't change the workspace run at once, results in the order of the calls", async () => {
  const calls = [
    bash(meets("a", "b", 1200)),
    { name: "read", args: { path: "a.py" } },
    bash(meets("b", "a", 1200)),
    { name: "edit", args: { path: "a.py", old: "x", new: "y" } },
    bash("echo last"),
  ];
  for (const flags of [["--mode", "plan"], ["--mode", "ask", "--read-only"]]) {
    await results(calls, flags, ([a, read, b, edit, last]) => {
      assert.equal(a, "a met");
      assert.equal(read, "1:x = 1");
      assert.equal(b, "b met");
      assert.match(edit ?? "", /not run: mode/);
      assert.equal(last, "last");
    });
  }
});

Deno.test("commands that may change something run one after the other, and so does all with parallel_tools=false", async () => {
  const calls = [bash(meets("a", "b", 4)), bash(meets("b", "a", 4))];
  await results(calls, ["--mode", "ask"], ([a, b]) => {
    assert.deepEqual([a, b], ["a alone", "b met"]);
  });
  await inside_stage({
    files: FILES,
    script: ((_: unknown, n: number) => n === 0 ? { calls } : say("x is 1.")) as never,
    env: { HAMR_AGENT_PARALLEL_TOOLS: "false" },
  }, async (s) => {
    await s.run("What is x?", "--mode", "plan");
    assert.deepEqual(s.server.results(), ["a alone", "b met"]);
  });
});

Deno.test("reads around a change are grouped with their neighbors, never moved past it", async () => {
  const calls = [
    { name: "read", args: { path: "a.py" } },
    { name: "edit", args: { path: "a.py", old: "x = 1", new: "x = 2" } },
    { name: "read", args: { path: "a.py" } },
    { name: "read", args: { path: "." } },
  ];
  await results(calls, [], ([before, , after]) => {
    assert.equal(before, "1:x = 1");
    assert.equal(after, "1:x = 2");
  });
});

Deno.test("a run whose commands ran at once is replayed byte by byte", async () => {
  const calls = [bash("echo a"), bash("echo b"), { name: "search_memory", args: { query: "x" } }];
  const script = (_: unknown, n: number) => n === 0 ? { calls } : say("x is 1.");
  await inside_stage({ files: FILES, script: script as never }, async (s) => {
    const { result } = await s.run("What is x?", "--mode", "plan");
    const replayed = await s.hamr(["replay", result.session_id]);
    assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  });
});
