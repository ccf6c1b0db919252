/** Calls in the words of other agents, from outside. */
import assert from "node:assert/strict";
import { bash, call, say } from "./support/model_server.ts";
import { inside_stage, open_stage } from "./support/stage.ts";

const FILES = { "a.py": "x = 1\ny = 2\n" };
const PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch";

Deno.test("other agents' calls run; the history keeps what the model wrote, and events tell what was understood", async () => {
  const script = [
    call("Read", { file_path: "a.py", start_line: 2 }),
    call("functions.shell", { command: ["bash", "-lc", "echo hi"], timeout_ms: 9000 }),
    call("str_replace_editor", {
      command: "str_replace",
      path: "a.py",
      old_str: "x = 1",
      new_str: "x = 2",
    }),
    say("I changed x in a.py to 2."),
  ];
  await open_stage({ files: FILES, script }, async (s) => {
    const run = await s.events("Make x 2.");
    assert.equal(run.result.exit_code, 0, JSON.stringify(run.result.error));
    assert.equal(s.ws.read("a.py"), "x = 2\ny = 2\n");
    const [first, second] = s.server.results();
    assert.equal(first, "2:y = 2");
    assert.equal(second, "hi");
    const calls = run.events.filter(({ type }) => type === "tool_call");
    assert.deepEqual(calls.map(({ name, arguments: args }) => [name, args]), [
      ["read", { path: "a.py", offset: 2 }],
      ["bash", { command: "echo hi", timeout: 9 }],
      ["edit", { path: "a.py", old: "x = 1", new: "x = 2" }],
    ]);
    const written = s.server.requests.at(-1)?.body.messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((one) => [one.function.name, JSON.parse(one.function.arguments)])
    );
    assert.deepEqual(written?.[0], ["Read", { file_path: "a.py", start_line: 2 }]);
    assert.equal(written?.[1]?.[0], "functions_shell");
    const offered = s.server.requests.at(-1)?.body.tools?.map((tool) => tool.function.name) ?? [];
    assert.ok(!offered.includes("apply_patch") && offered.includes("edit"));
  });
});

Deno.test("a patch is applied as a call and as a command, counts as a change, and is undone", async () => {
  const ways = [
    call("apply_patch", { input: PATCH }),
    bash(`apply_patch <<'EOF'\n${PATCH}\nEOF`),
  ];
  for (const way of ways) {
    await open_stage(
      { files: FILES, script: [way, say("I changed x in a.py to 2.")] },
      async (s) => {
        const { result } = await s.run("Make x 2.", "--mode", "patch");
        assert.equal(result.exit_code, 0, JSON.stringify(result.error));
        assert.deepEqual(result.files_changed, [{
          path: "a.py",
          status: "modified",
          added: 1,
          removed: 1,
        }]);
        assert.equal(s.ws.read("a.py"), "x = 2\ny = 2\n");
        assert.equal((await s.hamr(["undo"])).code, 0);
        assert.equal(s.ws.read("a.py"), FILES["a.py"]);
      },
    );
  }
});

Deno.test("in ask and plan a patch is not applied, whatever it is called", async () => {
  const script = [
    call("apply_patch", { patch: PATCH }),
    bash(`apply_patch <<'EOF'\n${PATCH}\nEOF`),
    say("x is 1."),
  ];
  for (const mode of ["ask", "plan"]) {
    await inside_stage({ files: FILES, script }, async (s) => {
      const { result } = await s.run("What is x?", "--mode", mode);
      assert.equal(result.exit_code, 0, JSON.stringify(result.error));
      for (const text of s.server.results()) assert.match(text, /apply_patch was not run: mode/);
      assert.equal(s.ws.read("a.py"), FILES["a.py"]);
    });
  }
});

Deno.test("an argument that nobody knows is named, and nothing runs", async () => {
  const script = [call("read", { path: "a.py", line_strat: 2 }), say("x is 1.")];
  await open_stage({ files: FILES, script }, async (s) => {
    await s.run("What is x?");
    assert.match(
      s.server.results()[0] ?? "",
      /read takes no "line_strat"; it takes path, offset, limit, search/,
    );
  });
});

Deno.test("a reply that is a patch and nothing else is applied; one that shows a patch is an answer", async () => {
  await open_stage(
    { files: FILES, script: [say(PATCH), say("I changed x in a.py to 2.")] },
    async (s) => {
      const run = await s.events("Make x 2.");
      assert.equal(run.result.exit_code, 0, JSON.stringify(run.result.error));
      assert.equal(s.ws.read("a.py"), "x = 2\ny = 2\n");
      const calls = run.events.filter(({ type }) => type === "tool_call");
      assert.deepEqual(calls.map((event) => [event["name"], event["dialect"]]), [[
        "apply_patch",
        "apply_patch",
      ]]);
    },
  );
  const shown = [
    `The patch would be:\n\n${PATCH}`,
    `${PATCH}\n\nApply it when you like.`,
    `\`\`\`\n${PATCH}\n\`\`\``,
  ];
  for (const text of shown) {
    await open_stage({ files: FILES, script: [say(text)] }, async (s) => {
      const { result } = await s.run("Show me a patch.", "--mode", "ask");
      assert.equal(result.final_output, text);
      assert.equal(s.ws.read("a.py"), FILES["a.py"]);
    });
  }
  await open_stage({ files: FILES, script: (_, n) => say(shown[n] ?? "x is 1.") }, async (s) => {
    await s.run("Show me a patch.");
    assert.equal(s.ws.read("a.py"), FILES["a.py"]);
  });
});

Deno.test("calls that models print are read under other agents' names, too", async () => {
  const printed = '<tool_call>\n{"name": "Read", "arguments": {"file_path": "a.py"}}\n</tool_call>';
  await open_stage({ files: FILES, script: [say(printed), say("x is 1.")] }, async (s) => {
    await s.run("What is x?");
    assert.equal(s.server.results()[0], "1:x = 1\n2:y = 2");
  });
});

Deno.test("a post_edit hook looks at each file of a patch, and a pre_tool hook for edit can refuse it", async () => {
  const settings = '[[hooks.post_edit]]\nname = "look"\ncommand = "echo saw {file}"\n';
  const gate =
    '[[hooks.pre_tool]]\nname = "gate"\ntools = ["edit"]\ncommand = "echo no patches >&2; exit 2"\n';
  const script = [call("apply_patch", { input: PATCH }), say("x in a.py is as it is.")];
  for (const [text, applied] of [[settings, true], [gate, false]] as const) {
    await open_stage({ files: FILES, script }, async (s) => {
      s.home.write(".config/hamr/config.toml", text);
      await s.run("Make x 2.", "--verify", "true");
      assert.match(s.server.results()[0] ?? "", applied ? /saw .*a\.py/ : /no patches/);
      assert.equal(s.ws.read("a.py") !== FILES["a.py"], applied);
    });
  }
});

Deno.test("a file that a patch deletes comes back by undo", async () => {
  const input = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch";
  await open_stage(
    { files: FILES, script: [call("apply_patch", { input }), say("I deleted a.py.")] },
    async (s) => {
      const { result } = await s.run("Delete a.py.", "--mode", "patch");
      assert.deepEqual(result.files_changed.map(({ path, status }) => [path, status]), [[
        "a.py",
        "deleted",
      ]]);
      assert.equal((await s.hamr(["undo"])).code, 0);
      assert.equal(s.ws.read("a.py"), FILES["a.py"]);
    },
  );
});
