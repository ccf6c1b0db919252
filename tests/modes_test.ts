/** What the modes that want an answer alone, and --read-only, do and do not allow. */
import assert from "node:assert/strict";
import { bash, call, say } from "./support/model_server.ts";
import { inside_stage, type Stage, stage } from "./support/stage.ts";

const PLAN = say("Change x in a.py to 2, then run the tests.");
const FILES = { "a.py": "x = 1\n" };

const first = (s: Stage) => s.server.requests[0]?.body;
const offered = (s: Stage) => (first(s)?.tools ?? []).map((tool) => tool.function.name);
const told = (s: Stage) => first(s)?.messages[1]?.content ?? "";

Deno.test("ask offers neither edit nor write, says so, and answers in 0", async () => {
  await inside_stage({ files: FILES, script: [bash("cat a.py"), say("x is 1.")] }, async (s) => {
    const { result } = await s.run("What is x?", "--mode", "ask");
    assert.equal(result.exit_code, 0);
    assert.ok(!offered(s).includes("edit") && !offered(s).includes("write"), String(offered(s)));
    assert.match(told(s), /^What is x\?\n\n<hamr>\nMode ask: .*\n<\/hamr>$/);
  });
});

Deno.test("auto tells nothing of itself; patch and verify say what done means", async () => {
  const cases = [
    [[], /^Do it\.$/],
    [["--mode", "patch"], /Mode patch\. Done means: a file/],
    [["--verify", "test -e a.py"], /Mode verify\. Done means: this command passes: test -e a\.py/],
  ] as const;
  for (const [flags, words] of cases) {
    await inside_stage({ files: FILES, script: [bash("echo 'x = 2' > a.py"), PLAN] }, async (s) => {
      await s.run("Do it.", ...flags);
      assert.match(told(s), words);
    });
  }
});

Deno.test("ask: a call may leave ignored files, and files as they were", async () => {
  const script = [
    bash("mkdir -p __pycache__ && touch __pycache__/a.pyc && touch probe && rm probe"),
    bash("cp a.py $TMPDIR/a && echo 'x = 2' > a.py && cp $TMPDIR/a a.py"),
    bash("cp a.py $TMPDIR/b.py && echo 'x = 2' > $TMPDIR/b.py"),
    say("x is 1."),
  ];
  await inside_stage({ files: FILES, script }, async (s) => {
    const { result } = await s.run("What is x?", "--mode", "ask");
    assert.equal(result.exit_code, 0, JSON.stringify(result.error));
  });
});

Deno.test("ask: what one call changes and a later one puts back was changed", async () => {
  const script = [bash("echo 'x = 2' > a.py"), bash("echo 'x = 1' > a.py"), say("x is 1.")];
  await inside_stage({ files: FILES, script }, async (s) => {
    const { result } = await s.run("What is x?", "--mode", "ask");
    assert.deepEqual([result.exit_code, result.stop_reason], [2, "contract_unsatisfied"]);
    assert.match(result.error?.message ?? "", /changed a\.py; it was put back.*hamr undo/);
    assert.deepEqual(result.files_changed, []);
  });
});

Deno.test("ask: a change is an error of the run that names the file and how to undo it", async () => {
  const script = [bash("echo 'x = 2' > a.py"), say("x is 2.")];
  await inside_stage({ files: FILES, script }, async (s) => {
    const { result } = await s.run("What is x?", "--mode", "ask");
    assert.equal(result.stop_reason, "contract_unsatisfied");
    assert.equal(result.exit_code, 2);
    assert.match(result.error?.message ?? "", /a\.py.*hamr undo/);
    assert.equal(result.steps, 2, "no turn to repair it");
    assert.equal((await s.hamr(["undo"])).code, 0);
    assert.equal(s.ws.read("a.py"), "x = 1\n");
  });
});

Deno.test("ask: a call of edit is answered, without counting as malformed", async () => {
  const edit = call("edit", { path: "a.py", old: "x = 1", new: "x = 2" });
  const script = [edit, call("write", { path: "b.py", content: "" }), edit, edit, say("x is 1.")];
  await inside_stage({ files: FILES, script }, async (s) => {
    const run = await s.events("What is x?", "--mode", "ask");
    assert.equal(run.result.exit_code, 0, JSON.stringify(run.result.error));
    assert.match(s.server.results()[0] ?? "", /edit was not run: mode ask changes no files/);
    const refused = run.events.filter(({ type }) => type === "tool_result")
      .map((event) => [event["refused"], event["summary"]]);
    assert.deepEqual(refused[0], ["mode", "not run: mode ask"]);
    assert.equal(s.ws.read("a.py"), "x = 1\n");
  });
});

Deno.test("plan: nothing can write the workspace, $TMPDIR can be written, and resume carries it out", async () => {
  const script = [
    bash(
      "echo 'x = 2' > a.py; rm -f a.py; mkdir d; touch b; git init -q . ; echo no > $TMPDIR/n && cat $TMPDIR/n",
    ),
    PLAN,
    call("edit", { path: "a.py", old: "x = 1", new: "x = 2" }),
    say("I changed a.py."),
  ];
  await stage({ files: FILES, script }, async (s) => {
    const plan = await s.run("Make x 2.", "--mode", "plan");
    assert.equal(plan.result.exit_code, 0, JSON.stringify(plan.result.error));
    assert.match(told(s), /Mode plan: the workspace is read-only/);
    assert.match(s.server.results()[0] ?? "", /Permission denied[^]*no$/m);
    assert.deepEqual([...Deno.readDirSync(s.ws.path)].map(({ name }) => name), ["a.py"]);
    const { session_id } = plan.result;
    assert.match(
      plan.stderr,
      new RegExp(`To carry out the plan in auto mode: hamr resume ${session_id} "go"`),
    );
    const done = await s.hamr(["resume", session_id, "go", "--output", "json"]);
    assert.equal(done.result.exit_code, 0, JSON.stringify(done.result.error));
    assert.equal(s.ws.read("a.py"), "x = 2\n");
    const last = s.server.requests.at(-1)?.body;
    assert.deepEqual(last?.tools?.map((tool) => tool.function.name).slice(-2), ["edit", "write"]);
    assert.ok(last?.messages.some(({ content }) => /go\n\n<hamr>\nMode auto/.test(content ?? "")));
  });
});

Deno.test("--read-only holds in any mode, for edit and write, too", async () => {
  const calls = [
    call("edit", { path: "a.py", old: "x = 1", new: "x = 2" }),
    call("write", { path: "b.py", content: "" }),
    bash("touch c.py"),
  ];
  const answer = say("x is 1.");
  await inside_stage({ files: FILES, script: (_, n) => calls[n] ?? answer }, async (s) => {
    await s.run("Make x 2.", "--read-only");
    const results = s.server.results();
    assert.match(results[0] ?? "", /a\.py can't be written: the workspace is read-only/);
    assert.match(results[1] ?? "", /b\.py can't be written: the workspace is read-only/);
    assert.match(results[2] ?? "", /read-only in this run; use \$TMPDIR/);
    assert.match(told(s), /The workspace is read-only in this run\./);
    assert.deepEqual([...Deno.readDirSync(s.ws.path)].map(({ name }) => name), ["a.py"]);
  });
});

Deno.test("--read-only and --allow-write: another folder is writable, the workspace is not", async () => {
  await inside_stage({ files: FILES, script: [bash("touch a.py x")] }, async (s) => {
    const ways = [`--allow-write=${s.outside.path}`, "--allow-write", `--allow-write=${s.ws.path}`];
    for (const [at, way] of ways.entries()) {
      const command = `touch ${s.outside.path}/o${at} ; echo no > a.py`;
      const { stderr } = await s.hamr(["sandbox", "--read-only", way, "--", "bash", "-c", command]);
      assert.match(stderr, /a\.py: Permission denied/);
      assert.equal(s.outside.exists(`o${at}`), at === 0, way);
      assert.equal(/is ignored/.test(stderr), at > 0, stderr);
    }
    assert.equal(s.ws.read("a.py"), "x = 1\n");
  });
});

Deno.test("what can't be enforced is refused; doctor names what is", async () => {
  await stage({}, async (s) => {
    for (const flags of [["--read-only"], ["--mode", "plan"], ["--deny-net"], ["--allow-run=ls"]]) {
      const run = await s.run("Look.", "--sandbox", "off", ...flags);
      assert.equal(run.code, 3);
      assert.match(run.stderr, /and --sandbox off contradict each other/);
    }
    const { stdout } = await s.hamr(["doctor", "-v", "--read-only"]);
    assert.match(stdout, /may not write: the workspace .* \(read-only\)/);
  });
});

Deno.test("a resumed session stays read-only unless that is taken back", async () => {
  const script = [
    say("x is 1."),
    bash("touch b.py"),
    say("b.py could not be made."),
    bash("touch c.py"),
    say("c.py is there."),
  ];
  await inside_stage({ files: FILES, script }, async (s) => {
    await s.run("What is x?", "--read-only");
    await s.here(["resume", "make b.py"]);
    assert.ok(!s.ws.exists("b.py"));
    await s.here(["resume", "make c.py", "--read-only=false"]);
    assert.ok(s.ws.exists("c.py"));
  });
});

Deno.test("-m, -q, -o, -c and --add-dir: short forms, the answer in a file, another folder", async () => {
  await inside_stage(
    {
      files: FILES,
      script: (_, n) => n === 0 ? bash("cat a.py") : say(n === 1 ? "x is 1." : "x is 1.\n"),
    },
    async (s) => {
      const more = s.outside.path;
      s.outside.write("b.py", "y = 1\n");
      const run = await s.hamr([
        "run",
        "-m",
        "scripted",
        "-q",
        "-o",
        "answer.txt",
        "--add-dir",
        more,
        "Look.",
      ]);
      assert.equal(run.code, 0, run.stderr);
      assert.equal(run.stderr, "");
      assert.equal(s.ws.read("answer.txt"), "x is 1.\n");
      assert.match(first(s)?.messages[0]?.content ?? "", new RegExp(`\nAlso: ${more}$`));
      const shell = `echo z > ${more}/c.py`;
      assert.equal(
        (await s.hamr(["sandbox", "--add-dir", more, "--", "bash", "-c", shell])).code,
        0,
      );
      assert.ok(s.outside.exists("c.py"));
      assert.equal((await s.hamr(["run", "-c", "-q", "-o", "answer.txt", "And now?"])).code, 0);
      assert.equal(s.ws.read("answer.txt"), "x is 1.\n", "a line break of its own is enough");
      assert.match(s.server.requests.at(-1)?.raw ?? "", /And now\?/);
    },
  );
});
