/** Commands of the user's that look at what was edited, and follow calls: docs/hooks.md. */
import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { post_edit, post_tool, pre_tool, TOUCH, USER, with_hooks, WRITE } from "./support/hooks.ts";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { gone, mark, steps, tools } from "./support/stage.ts";

const WORKSPACE = ".hamr/config.toml";

Deno.test("what a hook says of an edited file joins the result, and is in log and events", async () => {
  const lint = 'echo "$(basename {file}):1: E225"; exit 1';
  await with_hooks(post_edit(lint), { script: steps(WRITE) }, async (s) => {
    const { texts, run } = await tools(s);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(
      texts[0],
      "created a.py (4 bytes)\n\n[hook lint: exit code 1]\na.py:1: E225",
    );
    const result = run.events.findIndex(({ type }) => type === "tool_result");
    assert.equal(run.events[result]?.["ok"], true);
    const { t: _t, step, ms, ...event } = run.events[result + 1]!;
    assert.deepEqual(event, {
      type: "hook",
      event: "post_edit",
      name: "lint",
      tool: "write",
      call: run.events[result]?.["id"],
      path: "a.py",
      exit_code: 1,
      ok: false,
      message: "a.py:1: E225",
    });
    assert.deepEqual([step, typeof ms], [1, "number"]);
    assert.match(run.stderr, /\n {6}✓ OK\n {6}\+ x=1\n {6}🔍 Hook lint: ⚠️ a\.py:1: E225\n/);
  });
});

Deno.test("a hook that is content is one short line, and nothing with --quiet", async () => {
  const script = [call(...WRITE), say(ANSWER), call(...WRITE), say(ANSWER)];
  await with_hooks(post_edit("true"), { script, one_conversation: false }, async (s) => {
    const { texts, run } = await tools(s);
    assert.equal(texts[0], "created a.py (4 bytes)\n\n[hook lint: exit code 0]");
    assert.match(run.stderr, /\n {6}🔍 Hook lint: ✓\n/);
    Deno.removeSync(s.ws.at("a.py"));
    const quiet = await s.hamr(["run", "--quiet", "--mode", "auto", "Write it."]);
    assert.equal(quiet.stderr, "");
  });
});

Deno.test("the path is the file's own, whatever it is called", async () => {
  const path = "a;touch pwned;'$(touch pwned)' b.py";
  const settings = post_edit('cat {file}; cat "$HAMR_EDITED_FILE"; cat "{file}"');
  const script = steps(["write", { path, content: "text\n" }]);
  await with_hooks(settings, { script }, async (s) => {
    const { texts } = await tools(s);
    assert.match(texts[0] ?? "", /\n\[hook lint: exit code 0\]\ntext\ntext\ntext$/);
    assert.ok(!s.ws.exists("pwned"));
  });
});

Deno.test("a formatter's work counts as changed, and the model works on with it", async () => {
  const settings = post_edit("sed -i 's/=/ = /' {file}", { file_patterns: ["*.py"] });
  const script = steps(
    WRITE,
    ["edit", { path: "a.py", old: "x = 1", new: "y=2" }],
    ["write", { path: "a.py", content: "z=3\n" }],
    ["write", { path: "a.txt", content: "z=3\n" }],
  );
  await with_hooks(settings, { script }, async (s) => {
    const { texts, run } = await tools(s);
    for (const text of texts.slice(0, 3)) assert.match(text, /\[it changed a\.py\]$/);
    assert.equal(texts[3], "created a.txt (4 bytes)");
    assert.equal(s.ws.read("a.py"), "z = 3\n");
    assert.equal(s.ws.read("a.txt"), "z=3\n");
    assert.deepEqual(run.result.files_changed.map(({ path }) => path), ["a.py", "a.txt"]);
    // Three of the model, three of the formatter, and one of a.txt.
    assert.equal(run.result.evidence.mutations, 7);
  });
});

Deno.test("what a hook changes besides is seen like a command's changes", async () => {
  await with_hooks(post_edit("echo y > other"), { script: steps(WRITE) }, async (s) => {
    const { run } = await tools(s);
    assert.deepEqual(run.result.files_changed.map(({ path }) => path), ["a.py", "other"]);
    assert.equal(run.result.evidence.mutations, 2);
  });
});

Deno.test("hooks are in the sandbox", async () => {
  const command = "echo x > $OUT; echo $SECRET; cat ~/.ssh/id; echo ./evil > .git/hooks/pre-commit";
  const cases = { post_edit: post_edit(command), post_tool: post_tool(command) };
  await each(Object.values(cases), async (settings) => {
    const more = "[permissions]\nenv = ['OUT']\n";
    await with_hooks(settings + more, { script: steps(WRITE) }, async (s) => {
      s.home.write(".ssh/id", "the key");
      s.ws.write(".git/hooks/", "");
      s.ws.write(".git/HEAD", "ref: refs/heads/main\n");
      s.ws.write(".git/config", "");
      s.ws.write(".git/objects/", "");
      s.ws.write(".git/refs/", "");
      const env = { ...s.env, OUT: s.outside.at("new"), SECRET: "hunter2" };
      const args = ["run", "--output", "json", "--mode", "auto", "Write it."];
      const run = await s.hamr(args, { env });
      assert.equal(run.code, 0, run.stderr);
      const [text = ""] = s.server.results();
      assert.ok(!s.outside.exists("new"), text);
      assert.match(text, /Permission denied/);
      assert.ok(!text.includes("the key") && !text.includes("hunter2"), text);
      assert.ok(!s.ws.exists(".git/hooks/pre-commit"));
      assert.match(run.result.warnings.join("\n"), /put back .*pre-commit/);
    });
  });
});

Deno.test("a hook that takes too long is ended with all it has started", async () => {
  const [edit, tool] = [mark(), mark()];
  const settings = post_edit(`sleep ${edit} & wait`, { timeout: 0.3 }) +
    pre_tool(`sleep ${tool} & wait`, { timeout: 0.3, tools: ["bash"] });
  await with_hooks(settings, { script: steps(WRITE, TOUCH) }, async (s) => {
    const { texts, run } = await tools(s);
    assert.match(texts[0] ?? "", /\n\[hook lint: ended: it took longer than 0\.3 s\]$/);
    assert.match(texts[1] ?? "", /refused by hook policy: the hook failed: .* longer than 0\.3 s$/);
    assert.ok(!s.ws.exists("ran"));
    const hooks = run.events.filter(({ type }) => type === "hook");
    assert.deepEqual(hooks.map(({ exit_code }) => exit_code), [null, null]);
    await gone(edit);
    await gone(tool);
  });
});

Deno.test("a run that is at its time limit does not wait for its hooks", async () => {
  const cases = { pre_tool, post_edit, post_tool };
  await each(Object.values(cases), async (make) => {
    const seconds = mark();
    const settings = make(`sleep ${seconds}`, { timeout: 0 });
    await with_hooks(settings, { script: steps(WRITE) }, async (s) => {
      const { code, result, ms } = await s.run("Write it.", "--timeout", "2", "--mode", "auto");
      assert.deepEqual([code, result.stop_reason], [5, "timeout"]);
      assert.ok(ms < 100_000);
      await gone(seconds);
    });
  });
});

Deno.test("a post_tool hook sees the call with its result, and its words join it", async () => {
  const settings = post_tool(`sed 's/^/saw /'`, { tools: ["bash"] });
  await with_hooks(settings, { script: steps(["bash", { command: "exit 3" }]) }, async (s) => {
    const { texts } = await tools(s);
    const call = JSON.stringify({
      tool: "bash",
      workspace: s.ws.path,
      arguments: { command: "exit 3" },
      ok: false,
      result: "[exit code 3]",
    });
    assert.equal(texts[0], `[exit code 3]\n\n[hook audit: exit code 0]\nsaw ${call}`);
  });
});

Deno.test("a hook that is switched off does not run, and a dry run runs none", async () => {
  const all = (enabled: boolean) =>
    [post_edit, pre_tool, post_tool].map((make) => make("touch hooked", { enabled })).join("");
  const script = steps(WRITE, ["read", { path: "a.py" }]);
  await with_hooks(all(false), { script }, async (s) => {
    const { texts } = await tools(s);
    assert.equal(texts[0], "created a.py (4 bytes)");
    assert.ok(!s.ws.exists("hooked"));
  });
  await with_hooks(all(true), { script, files: { "a.py": "" } }, async (s) => {
    const { run } = await tools(s, "--dry-run");
    assert.equal(run.code, 0, run.stderr);
    assert.ok(!s.ws.exists("hooked"));
  });
});

Deno.test("a workspace's hooks count once it is trusted, and then instead of your own", async () => {
  const script = (_: unknown, n: number) => n % 2 === 0 ? bash("touch ran") : say(ANSWER);
  const options = { script, one_conversation: false };
  await with_hooks(pre_tool("touch mine"), options, async (s) => {
    s.ws.write(WORKSPACE, pre_tool("touch theirs"));
    const before = await s.run("Do it.", "--mode", "auto");
    assert.deepEqual([s.ws.exists("theirs"), s.ws.exists("mine")], [false, true]);
    assert.match(before.result.warnings.join("\n"), /ignored hooks\.pre_tool: .*config trust/);
    const trusting = await s.hamr(["config", "trust"]);
    assert.match(
      trusting.stdout,
      /^hooks\.pre_tool = \[\{ name = "policy", command = "touch theirs" \}\]$/m,
    );
    Deno.removeSync(s.ws.at("mine"));
    const after = await s.run("Do it.", "--mode", "auto");
    assert.deepEqual(after.result.warnings, []);
    assert.deepEqual([s.ws.exists("theirs"), s.ws.exists("mine")], [true, false]);
  });
});

Deno.test("config show has every hook with where it comes from", async () => {
  const inline = 'hooks.post_edit = [{ name = "lint", command = "ruff check {file}" }]';
  await with_hooks(inline, {}, async (s) => {
    const { stdout } = await s.hamr(["config", "show"]);
    const value =
      '[{ name = "lint", command = "ruff check {file}", timeout = 30, enabled = true, ' +
      "file_patterns = [] }]";
    assert.ok(stdout.includes(`post_edit = ${value}  # user ${s.home.at(USER)}:1\n`), stdout);
    assert.match(stdout, /^pre_tool = \[\] +# default$/m);
  });
});

Deno.test("a hook that is not a hook starts nothing, and its line is named", async () => {
  const cases: [settings: string, said: RegExp][] = [
    ['[[hooks.post_edit]]\nname = "x"\n', /:1: hooks\.post_edit\.0\.command: missing$/],
    [
      post_edit("x") + post_edit("x", { timeout: -1 }),
      /:7: hooks\.post_edit\.1\.timeout: must be /,
    ],
    [pre_tool("x", { file_patterns: [] }), /:4: hooks\.pre_tool\.0\.file_patterns: unknown key/],
  ];
  await each(cases, async ([settings, said]) => {
    await with_hooks(settings, {}, async (s) => {
      const { code, stderr } = await s.hamr(["run", "Do it."]);
      assert.equal(code, 3);
      assert.match(stderr.trimEnd(), said);
      assert.deepEqual(s.server.requests, []);
    });
  });
});

Deno.test("a hook for a tool that there is not is warned of", async () => {
  const settings = pre_tool("exit 2", { tools: ["bsh"] });
  await with_hooks(settings, { script: steps(TOUCH) }, async (s) => {
    const { run } = await tools(s);
    assert.deepEqual(run.result.warnings, [
      'the pre_tool hook policy is for "bsh", but there is no such tool',
    ]);
    assert.ok(s.ws.exists("ran"));
  });
});

/** The examples of a language in the page about hooks. */
function examples(language: string): string[] {
  const page = Deno.readTextFileSync(new URL("../docs/hooks.md", import.meta.url));
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))]
    .map((match) => match[1] ?? "");
}

Deno.test("the examples of the page about hooks work", async () => {
  const [settings = ""] = examples("toml");
  const [policy = ""] = examples("sh");
  const script = steps(
    ["write", { path: "migrations/1.sql", content: "drop table users;" }],
    ["write", { path: "src/1.sql", content: "select 1;" }],
  );
  await with_hooks(settings, { script }, async (s) => {
    s.home.write("bin/policy", policy);
    Deno.chmodSync(s.home.at("bin/policy"), 0o755);
    const { texts } = await tools(s);
    assert.deepEqual(texts, [
      "Error: not run, refused by hook policy: migrations are written by people",
      "created src/1.sql (9 bytes)",
    ]);
    assert.ok(!s.ws.exists("migrations"));
  });
  const record = settings.slice(settings.indexOf("[[hooks.post_tool]]"))
    .replace("enabled = false", "");
  await with_hooks(record, { script: steps(["read", { path: "." }]) }, async (s) => {
    await tools(s);
    const { tool, ok } = JSON.parse(s.ws.read(".calls.jsonl"));
    assert.deepEqual([tool, ok], ["read", true]);
  });
});
