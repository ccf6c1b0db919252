/** `bash` with `background`, `id` and `end`, as a model calls it and a user sees it. */
import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { bash, call, type Reply, say } from "./support/model_server.ts";
import { asleep, gone, mark, stage } from "./support/stage.ts";

const begin = (command: string) => call("bash", { command, background: true });
const END = say("NOT DONE: no reason.");

Deno.test("a server in the background is read on, its changes while it is waited for are the run's, and it ends with the run", async () => {
  const seconds = mark();
  const script = [
    begin(`echo up; until [ -e go ]; do sleep 0.05; done; echo made > made.txt; sleep ${seconds}`),
    bash("touch go; until [ -e made.txt ]; do sleep 0.05; done; echo seen"),
    call("bash", { id: "b1" }),
    call("BashOutput", { bash_id: "b1" }),
    call("bash", { id: "b7" }),
    END,
  ];
  await stage({ script }, async (s) => {
    const { result, stderr } = await s.run("Serve.");
    const [begun, seen, read, again, unknown] = s.server.results();
    assert.match(
      begun!,
      /\[b1 runs: bash \{"id": "b1"\} reads what it prints next; "end": true ends it, and so does the end of hamr\]$/,
    );
    assert.equal(seen, "seen");
    assert.match(read!, /\[b1 runs: /);
    assert.match(again!, /^\[b1 runs: /);
    assert.match(unknown!, /no background command is called "b7"; there is b1 \(echo up; /);
    assert.deepEqual(result.files_changed.map(({ path }) => path).sort(), ["go", "made.txt"]);
    assert.match(stderr, /\(in the background\)/);
    const [warning = "", ...more] = result.warnings;
    assert.match(warning, /^ended with the run: b1 \(echo up; until .+…\)$/);
    assert.deepEqual(more, []);
    await gone(seconds);
    await s.server.close();
    const replay = await s.hamr(["replay", result.session_id]);
    assert.match(replay.stdout, /every byte the same/);
    assert.equal(s.ws.exists("again"), false);
  });
});

Deno.test("polling it is not a loop, and tests that ran there are evidence", async () => {
  const script: Reply[] = [
    begin("sh test.sh"),
    ...Array.from({ length: 6 }, () => call("bash", { id: "b1" })),
    bash("touch go"),
    call("bash", { id: "b1", timeout: 60 }),
    say("All three tests passed."),
  ];
  const files = { "test.sh": "until [ -e go ]; do sleep 0.02; done; echo 3 passed" };
  await stage({ script, files }, async (s) => {
    const { code, result } = await s.run("Run the tests.");
    assert.deepEqual([code, result.stop_reason], [0, "llm_done"]);
    assert.equal(s.server.results().at(-1), "3 passed\n[b1 ended: exit code 0]");
  });
});

Deno.test("what a command may not do, it may not do in the background: the sandbox, dangerous commands, hooks, dry runs", async () => {
  const script = [
    begin("git push origin main"),
    begin("touch hooked"),
    begin('echo x > "$HOME/outside"; echo "wrote: $?"'),
    call("bash", { id: "b1", timeout: 60 }),
    END,
  ];
  const hook =
    `[[hooks.pre_tool]]\nname = "no"\ntools = ["bash"]\ncommand = "grep -q hooked && exit 2; exit 0"\n`;
  await stage({ script }, async (s) => {
    s.home.write(".config/hamr/config.toml", hook);
    await s.run("Try.");
    const [push, hooked, , outside] = s.server.results();
    assert.match(push!, /refused/);
    assert.match(hooked!, /refused by hook no/);
    assert.match(s.server.results().slice(2).join("\n"), /wrote: [12]/, outside);
    assert.equal(s.home.exists("outside"), false);
    assert.equal(s.ws.exists("hooked"), false);
  });
  await stage({ script: [begin("touch planned"), END, END] }, async (s) => {
    await s.run("Try.", "--dry-run");
    assert.equal(s.ws.exists("planned"), false);
  });
});

Deno.test("where hamr is killed, it is ended too, though it has no time limit", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const seconds = mark();
  await stage({ script: [begin(`sleep ${seconds}`), bash("touch ready; sleep 60")] }, async (s) => {
    const run = s.start(["run", "Serve."]);
    await until("it sleeps", () => s.ws.exists("ready") && asleep(seconds));
    Deno.kill(run.pid, "SIGKILL");
    await run.done;
    await gone(seconds);
  });
});

Deno.test("the result names what a command left running, but no daemon that left its session, and nothing that has ended", async () => {
  const [served, other, daemon, loop] = [mark(), mark(), mark(), mark()];
  // A child of the shell bears its name until it is another program: that is waited for.
  const begun = (seconds: string) =>
    `sh -c 'touch ${seconds}; exec sleep ${seconds}' >/dev/null 2>&1 & until [ -e ${seconds} ]; do sleep 0.05; done`;
  const words = `(sleep ${loop} || true) >/dev/null 2>&1 & true`;
  const script = [
    bash(`${begun(served)}; nohup ${begun(other)}; true & wait $!`),
    bash(`setsid ${begun(daemon)}`),
    bash(words),
    say("It runs."),
  ];
  await stage({ script }, async (s) => {
    const { code, result } = await s.run("Serve.");
    assert.equal(code, 0);
    assert.equal(result.warnings.length, 1, result.warnings.join("\n"));
    const names = result.warnings[0]!.replace("ended with the run: ", "").split("; ").sort();
    assert.deepEqual(names, [words, `sleep ${served}`, `sleep ${other}`].sort());
    for (const seconds of [served, other, daemon, loop]) await gone(seconds);
  });
});
