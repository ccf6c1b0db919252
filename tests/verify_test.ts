import assert from "node:assert/strict";
import { bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { gone, inside_stage, mark, open_stage, stage, steps } from "./support/stage.ts";

const OTHERS = say("The rest is for somebody else to do.");

Deno.test("run exits with 0 when the verify command passes", async () => {
  const script = [call("write", { path: "ok", content: "" }), say("Done.")];
  await open_stage({ script }, async (s) => {
    const { events, result } = await s.events("Make it pass.", "--verify", "test -e ok");
    assert.equal(result.exit_code, 0);
    assert.deepEqual(result.verification, { command: "test -e ok", exit_code: 0, attempts: 1 });
    assert.equal(result.evidence.verified, true);
    assert.deepEqual(events.filter((e) => e.type === "verification").map((e) => e["exit_code"]), [
      0,
    ]);
  });
});

Deno.test("run in verify mode wants the command to pass, and no more", async () => {
  await open_stage({}, async (s) => {
    const { result } = await s.run("Is it fine?", "--verify", "true");
    assert.equal(result.exit_code, 0);
    assert.deepEqual(result.files_changed, []);
  });
});

Deno.test("a verify command may be a program that the run has yet to write", async () => {
  const script = [
    bash("printf '#!/bin/sh\\nexit 0\\n' > test.sh && chmod +x test.sh"),
    say("Done."),
  ];
  await open_stage({ script }, async (s) => {
    const { code, result } = await s.run("Write test.sh.", "--verify", "./test.sh");
    assert.deepEqual([code, result.verification?.exit_code], [0, 0]);
    assert.ok(s.ws.exists("test.sh"));
  });
});

Deno.test("a verify command whose program is nowhere stops the run before its first request; one that the run might make is said at the end", async () => {
  await stage({ script: () => say("It is done."), one_conversation: false }, async (s) => {
    for (
      const command of [
        "no-such-program --all",
        "cd sub && no-such-program",
        "/no/such/test",
        "env A=b sh -c no-such-program",
      ]
    ) {
      const { code, result } = await s.run("Do it.", "--verify", command);
      assert.deepEqual([code, result.stop_reason], [3, "config_error"]);
      assert.match(
        result.error!.message,
        /verify command can't start: .*\/?no.such.(program|test)/,
      );
    }
    assert.equal(s.server.requests.length, 0);
    const { code, result, stderr } = await s.run("Do it.", "--verify", "no-such-program; exit $?");
    assert.deepEqual([code, result.verification?.exit_code], [2, 127]);
    assert.match(stderr, /exit code 127 \(usually: a program that was not found\)/);
    // A program that is built here may be in PATH by a link that leads nowhere yet.
    Deno.mkdirSync(s.outside.at("bin"));
    Deno.symlinkSync(s.ws.at("out/tool"), s.outside.at("bin/tool"));
    const PATH = `${s.outside.at("bin")}:${Deno.env.get("PATH")}`;
    const linked = await s.hamr(["run", "--json", "--verify", "tool", "Do it."], {
      env: { ...s.env, PATH },
    });
    assert.deepEqual([linked.code, linked.result.verification?.exit_code], [2, 127]);
  });
});

Deno.test("run exits with 2 when the verify command fails, whatever the model says", async () => {
  const script = (_: Recorded, n: number) =>
    n === 0
      ? call("write", { path: "a.txt", content: "x" })
      : say("All tests pass now, I fixed the last of them.");
  await open_stage({ script }, async (s) => {
    const { result, stderr } = await s.run("Fix it.", "--verify", "echo still broken; exit 9");
    assert.equal(result.exit_code, 2);
    assert.equal(result.stop_reason, "verification_failed");
    assert.equal(result.verification?.exit_code, 9);
    assert.equal(result.verification?.attempts, 2, "the first turn, and one repair turn");
    assert.equal(result.evidence.verified, false);
    assert.match(stderr, /still broken|\b9\b/);
  });
});

Deno.test("a repair turn is told what failed, and can fix it", async () => {
  let told = "";
  const script = ({ body }: Recorded, n: number): Reply => {
    if (n === 0) return OTHERS;
    if (n > 1) return say("Made the file that was missing.");
    told = body.messages.at(-1)?.content ?? "";
    return bash("touch ok");
  };
  await open_stage({ script }, async (s) => {
    const command = "test -e ok || { echo the file ok is missing; exit 4; }";
    const { result } = await s.run("Make it pass.", "--verify", command);
    assert.equal(result.exit_code, 0);
    assert.equal(result.verification?.attempts, 2);
    assert.match(told, /the file ok is missing/);
    assert.match(told, /\b4\b/);
  });
});

Deno.test("--repair-attempts bounds the repair turns", async () => {
  await open_stage({ script: () => OTHERS }, async (s) => {
    const { result } = await s.run("Fix it.", "--verify", "false", "--repair-attempts", "0");
    assert.equal(result.verification?.attempts, 1);
    assert.equal(s.server.requests.length, 1);
  });
  await open_stage({ script: () => OTHERS }, async (s) => {
    const { result } = await s.run("Fix it.", "--verify", "false", "--repair-attempts", "3");
    assert.equal(result.verification?.attempts, 4);
  });
});

Deno.test("what a verify command prints reaches the model in bounds", async () => {
  await open_stage({ script: () => OTHERS }, async (s) => {
    await s.run("Fix it.", "--verify", "seq 1 300000; echo the last line; exit 1");
    const repair = s.server.requests[1]!.body.messages.at(-1)?.content ?? "";
    assert.ok(repair.length < 52_000, `${repair.length}`);
    assert.match(repair, /the last line/);
  });
});

Deno.test("a verify command has its time limit and takes its children along", async () => {
  const seconds = mark();
  const env = { HAMR_VERIFY_TIMEOUT_S: "1" };
  await open_stage({ script: () => OTHERS, env }, async (s) => {
    const command = `trap '' TERM; sleep ${seconds} & sleep ${seconds}; sleep ${seconds}`;
    const flags = ["--verify", command, "--repair-attempts", "0"];
    const { result, ms } = await s.run("Fix it.", ...flags);
    assert.equal(result.stop_reason, "verification_failed");
    assert.ok(ms < 100_000, `${ms} ms`);
    await gone(seconds);
  });
});

Deno.test("a verify command may leave a child behind without a wait", async () => {
  const seconds = mark();
  await open_stage({}, async (s) => {
    const { code, ms } = await s.run("Is it fine?", "--verify", `sleep ${seconds} & true`);
    assert.equal(code, 0);
    assert.ok(ms < 100_000, `${ms} ms`);
    await gone(seconds);
  });
});

Deno.test("a verify command runs in the workspace, under the same rules", async () => {
  await inside_stage({ script: () => OTHERS }, async (s) => {
    const target = s.outside.at("x");
    const { result } = await s.run(
      "Is it fine?",
      "--verify",
      `pwd | grep -q /ws && echo x > ${target}`,
    );
    assert.equal(result.stop_reason, "verification_failed");
    assert.ok(!s.outside.exists("x"));
  });
});

Deno.test("a verify command may come from the settings", async () => {
  await open_stage(
    { script: () => OTHERS, env: { HAMR_VERIFY_COMMAND: "exit 6" } },
    async (s) => {
      const { result } = await s.run("Fix it.", "--mode", "verify");
      assert.equal(result.stop_reason, "verification_failed");
      assert.equal(result.verification?.exit_code, 6);
    },
  );
});

Deno.test("a run that a limit stopped is not called a success by its verify command", async () => {
  const script = steps(["bash", { command: "true" }]);
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Fix it.", "--verify", "true", "--max-steps", "1");
    assert.equal(result.stop_reason, "max_steps");
  });
});
