/** `--dry-run`: what it plans, and that it changes nothing. */
import assert from "node:assert/strict";
import { play, refusals, results } from "./support/approvals.ts";
import { bash, call, say } from "./support/model_server.ts";
import { stage, tools } from "./support/stage.ts";

Deno.test("a dry run changes nothing and lists what it would have done", async () => {
  const replies = [
    call("read", { path: "a.txt" }),
    call("edit", { path: "a.txt", old: "one\n", new: "two\nthree\n" }),
    call("write", { path: "b.txt", content: "1\n2\n3\n" }),
    bash("echo x > c.txt\nls"),
    say("I changed a.txt and created b.txt and c.txt."),
  ];
  for (const flags of [["--mode", "auto"], ["--mode", "auto"], ["--confirm", "all"]]) {
    await play({ replies, files: { "a.txt": "one\n" } }, async (s) => {
      const run = await s.events("Change it.", "--dry-run", ...flags);
      assert.deepEqual([run.code, run.result.stop_reason], [0, "llm_done"], run.stderr);
      assert.deepEqual(run.events.filter((event) => event.type === "nudge"), []);
      const planned = [
        "dry run: edit → a.txt (1→2 lines)",
        "dry run: write → b.txt (3 lines)",
        "dry run: bash → echo x > c.txt\\nls",
      ];
      assert.deepEqual(run.result.warnings.filter((text) => /^dry run/.test(text)), planned);
      assert.deepEqual(run.result.files_changed, []);
      assert.deepEqual(run.result.evidence, {
        mutations: 0,
        commands: 0,
        verified: false,
        refused: 0,
      });
      assert.deepEqual([...Deno.readDirSync(s.ws.path)].map(({ name }) => name), ["a.txt"]);
      assert.equal(s.ws.read("a.txt"), "one\n");
      const [read, edit, write, command] = s.server.results();
      assert.match(read!, /1: ?one/);
      assert.equal(edit, "[dry run] not executed: would edit a.txt (1→2 lines)");
      assert.equal(write, "[dry run] not executed: would write b.txt (3 lines)");
      assert.equal(command, "[dry run] not executed: would run echo x > c.txt\\nls");
      assert.deepEqual(results(run).map((event) => [event["ok"], event["summary"]]).slice(1), [
        [true, "dry run"],
        [true, "dry run"],
        [true, "dry run"],
      ]);
    });
  }
});

Deno.test("a dry run does not verify, and what wants a change does not hold", async () => {
  const replies = [call("write", { path: "b.txt", content: "1\n" })];
  for (const flags of [["--verify", "touch verified"], ["--mode", "patch"]]) {
    await play({ replies }, async (s) => {
      const run = await s.run("Change it.", "--dry-run", ...flags);
      assert.deepEqual([run.code, run.result.stop_reason], [2, "contract_unsatisfied"]);
      assert.match(run.result.error!.message, /dry run/);
      assert.equal(run.result.verification, null);
      assert.deepEqual([...Deno.readDirSync(s.ws.path)], []);
      assert.equal(s.server.requests.length, 2, "there is nothing to repair");
    });
  }
});

Deno.test("a dry run refuses what the real one would", async () => {
  await play({ replies: [bash("git push")] }, async (s) => {
    const { run } = await tools(s, "--dry-run");
    assert.deepEqual(refusals(run), ["command"]);
    assert.deepEqual(run.result.warnings, []);
  });
});

Deno.test("a dry run in which nothing was planned makes no claim true", async () => {
  const script = () => say("I fixed the bug in parser.ts.");
  await stage({ script }, async (s) => {
    const run = await s.run("Fix it.", "--dry-run");
    assert.deepEqual([run.code, run.result.stop_reason], [2, "contract_unsatisfied"]);
  });
});
