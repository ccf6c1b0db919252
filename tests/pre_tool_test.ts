/** Commands of the user's that refuse or rewrite a call before it runs: docs/hooks.md. */
import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { post_tool, pre_tool, TOUCH, with_hooks, WRITE } from "./support/hooks.ts";
import { call, type Reply, say } from "./support/model_server.ts";
import { steps, tools } from "./support/stage.ts";

Deno.test("a pre_tool hook refuses a call in either way, and the model is told why", async () => {
  const reason = "no changes on Fridays";
  const cases = [
    `echo '${reason}' >&2; exit 2`,
    `echo '${reason}'; exit 2`,
    `echo '{"refuse": "${reason}"}'`,
    `grep -q '"command":"touch ran"' && echo '{"refuse": "${reason}"}'`,
  ];
  await each(cases, async (command) => {
    await with_hooks(pre_tool(command), { script: steps(TOUCH) }, async (s) => {
      const { texts, run, events } = await tools(s);
      assert.equal(run.code, 0, run.stderr);
      assert.equal(texts[0], `Error: not run, refused by hook policy: ${reason}`);
      assert.deepEqual([events[0]?.["ok"], events[0]?.["refused"]], [false, "hook policy"]);
      assert.ok(!s.ws.exists("ran"));
      assert.deepEqual([run.result.evidence.refused, run.result.evidence.commands], [1, 0]);
      const types = run.events.map(({ type }) => type);
      const at = types.indexOf("hook");
      assert.deepEqual(types.slice(at - 1, at + 2), ["tool_call", "hook", "tool_result"]);
      const { event, ok, message } = run.events[at]!;
      assert.deepEqual([event, ok, message], ["pre_tool", false, reason]);
      assert.match(run.stderr, new RegExp(`\\n {6}🔍 Hook policy: ⚠️ ${reason}\\n`));
    });
  });
});

Deno.test("a pre_tool hook that fails lets nothing run", async () => {
  const cases: [command: string, said: RegExp][] = [
    ["echo oops >&2; exit 1", /the hook failed: exit code 1\noops$/],
    ["no-such-program-at-all", /the hook failed: exit code 127\n.*command not found/],
    ["kill -9 $$", /the hook failed: ended by signal SIGKILL$/],
    ["echo fine", /the hook failed: its output is not a JSON object\nfine$/],
    ['echo \'{"refused": "x"}\'', /the hook failed: its output has an unknown key, refused\n/],
    [`echo '{"arguments": {"cmd": "ls"}}'`, /the hook failed: its arguments do not fit bash: /],
  ];
  await each(cases, async ([command, said]) => {
    await with_hooks(pre_tool(command), { script: steps(TOUCH) }, async (s) => {
      const { texts, events } = await tools(s);
      assert.match(texts[0] ?? "", said, command);
      assert.equal(events[0]?.["refused"], "hook policy", command);
      assert.ok(!s.ws.exists("ran"), command);
    });
  });
});

Deno.test("a change that a hook refused was tried: an ending that claims it does not hold", async () => {
  const script = [call("write", { path: "a", content: "x" }), say("I created the file a.")];
  const options = { script: (_: unknown, n: number) => script[Math.min(n, 1)]! };
  await with_hooks(pre_tool("exit 2"), options, async (s) => {
    const { code, result } = await s.run("Write it.", "--repair-attempts", "0");
    assert.deepEqual([code, result.stop_reason], [2, "contract_unsatisfied"]);
  });
});

Deno.test("a pre_tool hook rewrites a call, and everybody hears of it", async () => {
  const rewrite = `sed 's/.*"command":"touch ran".*/{"arguments":{"command":"touch instead"}}/'`;
  await with_hooks(pre_tool(rewrite), { script: steps(TOUCH) }, async (s) => {
    const { texts, run } = await tools(s);
    assert.ok(!s.ws.exists("ran"));
    assert.ok(s.ws.exists("instead"));
    const args = { command: "touch instead" };
    assert.equal(
      texts[0],
      `[no output]\n\n[hook policy rewrote the arguments to ${JSON.stringify(args)}]`,
    );
    const called = run.events.find(({ type }) => type === "tool_call");
    assert.deepEqual([called?.["arguments"], called?.["rewritten"]], [args, true]);
    assert.match(run.stderr, /🔧 bash → touch instead\n {6}🔍 Hook policy: ✓\n/);
  });
});

Deno.test("what a hook makes of a call is judged like a call of the model's", async () => {
  const rewrite = `echo '{"arguments": {"command": "git push origin main"}}'`;
  await with_hooks(pre_tool(rewrite), { script: steps(TOUCH) }, async (s) => {
    const { texts, events } = await tools(s);
    assert.match(texts[0] ?? "", /^Error: .*push/);
    assert.match(texts[0] ?? "", /\[hook policy rewrote the arguments to /);
    assert.notEqual(events[0]?.["refused"], null);
  });
});

Deno.test("hooks run for their tools only, and for calls that run side by side", async () => {
  const only = pre_tool("exit 2", { tools: ["edit", "bash"] }) +
    pre_tool(`grep -q '"path":"b"' && echo no && exit 2; exit 0`, {
      name: "no b",
      tools: ["read"],
    }) +
    post_tool("echo seen", { tools: ["read"] });
  const files = { a: "of a\n", b: "of b\n", c: "of c\n" };
  const reads = ["a", "b", "c"].map((path) => ({ name: "read", args: { path } }));
  const script = [{ calls: reads }, ...steps(WRITE, TOUCH) as readonly Reply[]];
  await with_hooks(only, { script, files }, async (s) => {
    const { texts, run } = await tools(s);
    const [a, b, c, wrote, ran] = texts;
    assert.match(a ?? "", /of a\n\n\[hook audit: exit code 0\]\nseen$/);
    assert.equal(b, "Error: not run, refused by hook no b: no");
    assert.match(c ?? "", /of c\n\n\[hook audit: exit code 0\]\nseen$/);
    assert.equal(wrote, "created a.py (4 bytes)");
    assert.equal(ran, "Error: not run, refused by hook policy: it gave no reason");
    const hooks = run.events.filter(({ type }) => type === "hook");
    assert.deepEqual(
      hooks.map(({ event, tool, name }) => `${event} ${tool} ${name}`).toSorted(),
      [
        ...["post_tool read audit", "post_tool read audit", "pre_tool bash policy"],
        ...["pre_tool read no b", "pre_tool read no b", "pre_tool read no b"],
      ],
    );
  });
});

Deno.test("a call that a guard or its own arguments rule out reaches no hook", async () => {
  const script = steps(["read", { wrong: 1 }], ["nothing", {}]);
  await with_hooks(pre_tool("touch hooked; exit 2"), { script }, async (s) => {
    const { run } = await tools(s);
    assert.ok(!s.ws.exists("hooked"));
    assert.ok(!run.events.some(({ type }) => type === "hook"));
  });
});

Deno.test("the user is asked after the hooks", async () => {
  const settings = pre_tool("exit 2", { tools: ["write"] });
  await with_hooks(settings, { script: steps(WRITE, TOUCH) }, async (s) => {
    const { events } = await tools(s, "--confirm", "all");
    assert.deepEqual(events.map(({ refused }) => refused), ["hook policy", "approval"]);
  });
});
