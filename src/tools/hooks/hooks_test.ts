import assert from "node:assert/strict";
import { type Bench, bench, type BenchOptions } from "../_testing.ts";
import type { Hooks } from "../hook.ts";
import { HookRunner } from "./hooks.ts";
import type { Done } from "../tool.ts";

type PostEdit = Hooks["post_edit"][number];
type OnTool = Hooks["pre_tool"][number];

const BASE = { timeout: 30, enabled: true };

function edit_hook(name: string, command: string, more: Partial<PostEdit> = {}): PostEdit {
  return { ...BASE, name, command, file_patterns: [], ...more };
}

function tool_hook(name: string, command: string, more: Partial<OnTool> = {}): OnTool {
  return { ...BASE, name, command, tools: [], ...more };
}

/** Runs a tool, and the hooks after it. */
async function hooked(
  b: Bench,
  hooks: Partial<Hooks>,
  [tool, args]: [tool: string, args: Readonly<Record<string, unknown>>],
) {
  const runner = new HookRunner(
    { post_edit: [], pre_tool: [], post_tool: [], ...hooks },
    b.machine,
  );
  const done: Done = await b.call(tool, args);
  return { done, after: await runner.after({ id: "1", tool, args }, done) };
}

function screen(b: Bench, pre_tool: readonly OnTool[], args: unknown, tool = "bash") {
  const runner = new HookRunner({ post_edit: [], pre_tool, post_tool: [] }, b.machine);
  return runner.screen({ id: "1", tool, args });
}

const WRITE = { path: "src/a.py", content: "x=1\n" };

Deno.test("a post_edit hook gets the file, and what it says follows the result", async () => {
  const cases: [command: string, added: string, run: Partial<Record<string, unknown>>][] = [
    ["cat {file}", "[hook lint: exit code 0]\nx=1", { ok: true, exit_code: 0, message: "x=1" }],
    ['cat "$HAMR_EDITED_FILE"', "[hook lint: exit code 0]\nx=1", { ok: true }],
    ["true", "[hook lint: exit code 0]", { ok: true, message: "" }],
    ["pwd >&2", "[hook lint: exit code 0]\n$WORKSPACE", {}],
    ["cat", "[hook lint: exit code 0]", {}],
    [
      "echo; echo first; echo second; exit 3",
      "[hook lint: exit code 3]\n\nfirst\nsecond",
      { ok: false, exit_code: 3, message: "first" },
    ],
    ["exit 4", "[hook lint: exit code 4]", { ok: false, exit_code: 4, message: "exit code 4" }],
    [
      "echo begun; kill -9 $$",
      "[hook lint: ended by signal SIGKILL]\nbegun",
      { ok: false, exit_code: null, message: "ended by signal SIGKILL" },
    ],
  ];
  for (const [command, added, expected] of cases) {
    await bench({}, async (b) => {
      const hooks = { post_edit: [edit_hook("lint", command)] };
      const { done, after } = await hooked(b, hooks, ["write", WRITE]);
      const text = added.replace("$WORKSPACE", b.workspace);
      assert.equal(after?.text, `${done.text}\n\n${text}`, command);
      assert.equal(after?.ok, true);
      const [run] = after?.hooks ?? [];
      assert.deepEqual({ ...run, ...expected, event: "post_edit", path: "src/a.py" }, run, command);
    });
  }
});

Deno.test("a post_edit hook runs after what was edited, and for its patterns only", async () => {
  const py = { post_edit: [edit_hook("py", "true", { file_patterns: ["*.py"] })] };
  const cases: [string, Readonly<Record<string, unknown>>, boolean][] = [
    ["write", WRITE, true],
    ["write", { path: "a.txt", content: "x" }, false],
    ["edit", { path: "old.py", old: "a", new: "b" }, true],
    ["edit", { path: "old.py", old: "no such text", new: "b" }, false],
    ["write", { path: "old.py", content: "not read before" }, false],
    ["read", { path: "old.py" }, false],
    ["bash", { command: "echo x > new.py" }, false],
  ];
  for (const [tool, args, ran] of cases) {
    await bench({ files: { "old.py": "a\n" } }, async (b) => {
      const { after } = await hooked(b, py, [tool, args]);
      assert.equal(after !== null, ran, `${tool} ${JSON.stringify(args)}`);
    });
  }
});

Deno.test("a hook that takes too long is ended with all it has started", async () => {
  await bench({}, async (b) => {
    const command = "sleep 600 & echo started; wait";
    const hooks = { post_edit: [edit_hook("slow", command, { timeout: 1 })] };
    const began = performance.now();
    const { done, after } = await hooked(b, hooks, ["write", WRITE]);
    assert.ok(performance.now() - began < 100_000);
    const added = "[hook slow: ended: it took longer than 1 s]\nstarted";
    assert.equal(after?.text, `${done.text}\n\n${added}`);
    const { ok, exit_code, message } = after?.hooks[0] ?? {};
    const late = "ended: it took longer than 1 s";
    assert.deepEqual([ok, exit_code, message], [false, null, late]);
  });
});

Deno.test("what a formatter changes is said, and does not have to be read again", async () => {
  await bench({}, async (b) => {
    const hooks = { post_edit: [edit_hook("fmt", "sed -i 's/=/ = /' {file}")] };
    const { done, after } = await hooked(b, hooks, ["write", WRITE]);
    assert.equal(b.text("src/a.py"), "x = 1\n");
    assert.match(after?.text ?? "", /\n\n\[hook fmt: exit code 0\]\n\[it changed src\/a\.py\]$/);
    assert.deepEqual(after?.facts, done.facts, "what it changed is seen by who looks around");

    const next = await b.call("edit", { path: "src/a.py", old: "x = 1", new: "y = 2" });
    assert.equal(next.ok, true, next.text);
    const again = await b.call("write", { path: "src/a.py", content: "z = 3\n" });
    assert.equal(again.ok, true, again.text);
  });
});

Deno.test("a hook does not mark a file as read that the model has not read", async () => {
  await bench({ files: { "a.py": "x=1\nsecret=2\n" } }, async (b) => {
    const hooks = { post_edit: [edit_hook("fmt", "sed -i 's/=/ = /' {file}")] };
    await hooked(b, hooks, ["edit", { path: "a.py", old: "x=1", new: "x=3" }]);
    const { ok, text } = await b.call("write", { path: "a.py", content: "" });
    assert.equal(ok, false);
    assert.match(text, /read it first/);
  });
});

Deno.test("a hook that removes the file says so, and one that only touches it does not", async () => {
  await bench({}, async (b) => {
    const removed = await hooked(b, { post_edit: [edit_hook("rm", "rm {file}")] }, [
      "write",
      WRITE,
    ]);
    assert.match(removed.after?.text ?? "", /\n\[it removed src\/a\.py\]$/);
    const touched = await hooked(b, { post_edit: [edit_hook("touch", "touch {file}")] }, [
      "write",
      WRITE,
    ]);
    assert.match(touched.after?.text ?? "", /\[hook touch: exit code 0\]$/);
    assert.equal((await b.call("write", WRITE)).ok, true);
  });
});

Deno.test("the output of each hook is at most a quarter of what a result may be", async () => {
  const options: BenchOptions = { limits: { lines: 40, bytes: 4000 } };
  await bench(options, async (b) => {
    const hooks = {
      post_edit: [edit_hook("many", "seq 1 1000"), edit_hook("long", "head -c 9000 /dev/zero")],
    };
    const { after } = await hooked(b, hooks, ["write", WRITE]);
    const [, many = "", long = ""] = after?.text.split(/\[hook .*\]/) ?? [];
    assert.equal(many.trim().split("\n").length, 11);
    assert.match(many, /990 of 1000 lines .* left out; all of it is in /);
    assert.match(long, /8000 of 9000 bytes left out/);
  });
});

Deno.test("a pre_tool hook gets the call as JSON, and sees what those before it made of it", async () => {
  await bench({}, async (b) => {
    const hooks = [
      tool_hook("see", `cat > "$TMPDIR/first"`),
      tool_hook("echo", `echo '{"arguments":{"command":"ls"}}'`),
      tool_hook("other", "exit 2", { tools: ["edit", "write"] }),
      tool_hook("same", `echo '{"arguments":{"command":"ls"}}'; cat > "$TMPDIR/last"`),
    ];
    const env = { ...b.policy.env, TMPDIR: b.policy.tmp };
    Object.assign(b.policy.env, env);
    const { screening, runs } = await screen(b, hooks, { command: "rm x" });
    assert.deepEqual(screening, { kind: "rewritten", args: { command: "ls" }, by: "echo" });
    assert.deepEqual(runs.map(({ name, ok }) => [name, ok]), [
      ["see", true],
      ["echo", true],
      ["same", true],
    ]);
    const seen = (name: string) => JSON.parse(Deno.readTextFileSync(`${b.policy.tmp}/${name}`));
    const { workspace } = b;
    assert.deepEqual(seen("first"), { tool: "bash", workspace, arguments: { command: "rm x" } });
    assert.deepEqual(seen("last").arguments, { command: "ls" });
  });
});

Deno.test("the first refusal is the last word, and a call larger than a pipe gets through", async () => {
  await bench({}, async (b) => {
    const hooks = [
      tool_hook("lets", `echo "a note" >&2`),
      tool_hook("no", "echo because >&2; exit 2"),
      tool_hook("never", `touch never`),
    ];
    const { screening, runs } = await screen(b, hooks, { command: "x".repeat(1_000_000) });
    assert.deepEqual(screening, { kind: "refused", by: "no", reason: "because" });
    assert.deepEqual(runs.map(({ name, ok, message }) => [name, ok, message]), [
      ["lets", true, "a note"],
      ["no", false, "because"],
    ]);
    assert.deepEqual([...Deno.readDirSync(b.workspace)], []);

    const args = { path: "big", content: "y".repeat(1_000_000) };
    const big = [tool_hook("big", `sed 's/yyy/zzz/'`)];
    const whole = await screen(b, big, args, "write");
    assert.equal(whole.screening.kind, "refused");
    const small = [tool_hook(
      "small",
      `python3 -c '
import json, sys
call = json.load(sys.stdin)
call["arguments"]["content"] += "end"
print(json.dumps({"arguments": call["arguments"]}))'`,
    )];
    const { screening: rewritten } = await screen(b, small, args, "write");
    assert.ok(rewritten.kind === "rewritten");
    assert.equal(String(rewritten.args["content"]).length, 1_000_003);
  });
});

Deno.test("a pre_tool hook that takes too long refuses", async () => {
  await bench({}, async (b) => {
    const { screening } = await screen(b, [tool_hook("slow", "sleep 60", { timeout: 0.3 })], {});
    const reason = "the hook failed: ended: it took longer than 0.3 s";
    assert.deepEqual(screening, { kind: "refused", by: "slow", reason });
  });
});

Deno.test("a post_tool hook gets call and result, and is heard where it says something", async () => {
  await bench({ files: { "a.txt": "text\n" } }, async (b) => {
    Object.assign(b.policy.env, { TMPDIR: b.policy.tmp });
    const save = tool_hook("save", `cat > "$TMPDIR/seen"`);
    const say = tool_hook("say", "echo noted", { tools: ["read"] });
    const fail = tool_hook("fail", "exit 4", { tools: ["read"] });
    const hooks = { post_tool: [save, say, fail] };
    const read = await hooked(b, hooks, ["read", { path: "a.txt" }]);
    assert.equal(
      read.after?.text,
      `${read.done.text}\n\n[hook say: exit code 0]\nnoted\n\n[hook fail: exit code 4]`,
    );
    const seen = () => JSON.parse(Deno.readTextFileSync(`${b.policy.tmp}/seen`));
    const { workspace } = b;
    assert.deepEqual(seen(), {
      tool: "read",
      workspace,
      arguments: { path: "a.txt" },
      ok: true,
      result: read.done.text,
    });
    const failed = await hooked(b, hooks, ["bash", { command: "exit 1" }]);
    assert.equal(failed.after?.text, failed.done.text);
    assert.deepEqual([seen().ok, seen().result], [false, "[exit code 1]"]);
  });
});

Deno.test("post_tool comes after post_edit, and sees what that said", async () => {
  await bench({}, async (b) => {
    const hooks = {
      post_edit: [edit_hook("lint", "echo from lint")],
      post_tool: [tool_hook("check", "grep -c 'from lint'")],
    };
    const { after } = await hooked(b, hooks, ["write", WRITE]);
    assert.match(after?.text ?? "", /from lint\n\n\[hook check: exit code 0\]\n1$/);
    assert.deepEqual(after?.hooks.map(({ event }) => event), ["post_edit", "post_tool"]);
  });
});

Deno.test("a hook for a tool that there is not is named", async () => {
  await bench({}, (b) => {
    const pre_tool = [tool_hook("policy", "true", { tools: ["bash", "bsh"] })];
    const runner = new HookRunner({ post_edit: [], pre_tool, post_tool: [] }, b.machine);
    assert.deepEqual(runner.warnings(), [
      'the pre_tool hook policy is for "bsh", but there is no such tool',
    ]);
  });
});
