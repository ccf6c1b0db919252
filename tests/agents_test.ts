/** Agents with a name: by --agent, and sent by delegate_task. docs/agents.md. */
import assert from "node:assert/strict";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { inside_stage as stage } from "./support/stage.ts";

const tools_of = (body: { readonly tools?: readonly { readonly function: { name: string } }[] }) =>
  (body.tools ?? []).map((tool) => tool.function.name);

const FILES = {
  ".hamr/agents/tester.md":
    "---\ndescription: tests things\ntools: read, bash\nmode: ask\nmax_steps: 7\nmodel: small\n---\nBe a strict tester.\n",
  ".claude/agents/fixer.md":
    "---\nname: fixer\ntools: Read, Grep, Edit, Bash(git *), WebSearch\nmodel: sonnet\n---\nFix it.\n",
  ".opencode/agent/critic.md":
    "---\nmode: subagent\nmodel: anthropic/claude-sonnet-4\ntools:\n  write: false\n  bash: false\n  read: true\npermission:\n  edit: deny\n---\nFind faults.\n",
  ".claude/agents/lost.md": "---\ntools: WebSearch\n---\nSearch.\n",
};

Deno.test("--agent takes prompt, tools, model, mode and limits; flags win", async () => {
  const settings = '[agents.writer]\nprompt = "Write well."\ntools = ["write", "read"]\n';
  await stage(
    { script: Array.from({ length: 6 }, () => say(ANSWER)), files: FILES, violations: true },
    async (s) => {
      s.home.write(".config/hamr/config.toml", settings);
      const asked = async (agent: string, ...flags: string[]) => {
        const run = await s.run("What is here?", "--agent", agent, ...flags);
        assert.equal(run.code, 0, run.stderr);
        const { body } = s.server.requests.at(-1)!;
        return {
          model: body.model,
          tools: tools_of(body),
          said: JSON.stringify(body.messages),
        };
      };
      const tester = await asked("tester");
      assert.deepEqual([tester.model, tester.tools], ["small", ["read", "bash"]]);
      assert.match(tester.said, /Be a strict tester\..*Mode ask/);
      const fixer = await asked("fixer", "--system", "@x", "--mode", "auto").catch((e) =>
        String(e)
      );
      assert.match(String(fixer), /@x/);
      const plain = await asked("fixer", "--model", "scripted", "--system", "And briefly.");
      assert.deepEqual(plain.tools, ["read", "edit", "write", "bash"]);
      assert.match(plain.said, /Fix it\.\\n\\nAnd briefly\./);
      const writer = await asked("writer", "--tools", "read,bash");
      assert.deepEqual(writer.tools, ["read"]);
      const opencode = await asked("critic");
      assert.equal(opencode.model, "scripted");
      assert.deepEqual(
        ["edit", "write", "bash"].filter((name) => opencode.tools.includes(name)),
        [],
      );
      assert.equal(opencode.tools.includes("read"), true);
      assert.match(opencode.said, /Mode ask/);
      const explore = await asked("explore");
      assert.deepEqual(explore.tools, ["read", "bash"]);
      const nobody = await s.hamr(["run", "--agent", "explor", "x"]);
      assert.deepEqual([nobody.code, nobody.stdout], [3, ""]);
      assert.match(nobody.stderr, /no agent explor; did you mean explore\?/);
      const names = await s.hamr(["__complete", ":", "run", "--agent"]);
      assert.match(names.stdout, /explore\t.*\n[^]*tester\ttests things\n/);
    },
  );
});

Deno.test("a workspace's agent with the name of the user's, or hamr's own, changes no more than that one", async () => {
  const files = {
    ".claude/agents/plan.md": "---\nmode: auto\n---\nPlan.\n",
    ".hamr/agents/review.md": "Review.\n",
    ".hamr/agents/mine.md": "---\nmode: auto\n---\nTheirs.\n",
    ".hamr/agents/other.md": "---\nmode: auto\n---\nOther.\n",
    ".hamr/config.toml": '[agents.explore]\nmode = "auto"\nprompt = "Explore."\n',
  };
  await stage({ script: () => say(ANSWER), files, one_conversation: false }, async (s) => {
    s.home.write(".config/hamr/agents/mine.md", "---\nmode: ask\n---\nMine.\n");
    s.home.write(".config/hamr/agents/review.md", "---\nmode: patch\n---\nMine.\n");
    const wanted: [agent: string, flags: string[], mode: RegExp | null, said: string][] = [
      ["plan", [], /Mode plan/, "Plan."],
      ["mine", [], /Mode ask/, "Theirs."],
      ["explore", [], /Mode ask/, "Explore."],
      ["review", ["--dry-run"], /Mode patch/, "Review."],
      ["other", [], null, "Other."],
      ["plan", ["--mode", "auto"], null, "Plan."],
    ];
    for (const [agent, flags, mode, said] of wanted) {
      await s.run("What is here?", "--agent", agent, ...flags);
      const messages = JSON.stringify(s.server.requests.at(-1)!.body.messages);
      assert.ok(messages.includes(said), `${agent}: ${messages}`);
      if (mode === null) assert.doesNotMatch(messages, /Mode (?:plan|ask|patch)/, agent);
      else assert.match(messages, mode);
    }
  });
});

Deno.test("an agent whose tools are all unknown here is an error, not one with every tool", async () => {
  await stage({ script: () => say(ANSWER), files: FILES, violations: true }, async (s) => {
    const { code, stderr } = await s.hamr(["run", "--agent", "lost", "x"]);
    assert.equal(code, 3);
    assert.match(stderr, /lost\.md: none of its tools is one of hamr's: WebSearch/);
    // It costs no other agent.
    assert.equal((await s.here(["run", "--agent", "tester", "x"])).code, 0);
    assert.equal((await s.here(["run", "--agent", "explore", "x"])).code, 0);
  });
});

Deno.test("delegate_task sends an agent with its own prompt and tools; the run's mode holds", async () => {
  const files = FILES;
  const script = [
    call("delegate_task", { task: "Test it.", agent: "tester" }),
    bash("cat a.txt"),
    say("It is tested."),
    call("delegate_task", { task: "Look.", agent: "nobody" }),
    say("Tested."),
  ];
  await stage({ script, files, violations: true }, async (s) => {
    const run = await s.events("Have it tested.");
    assert.equal(run.code, 0, run.stderr);
    const { body } = s.server.requests[1]!;
    assert.deepEqual(tools_of(body), ["read", "bash"]);
    assert.match(body.messages[0]!.content as string, /subagent[^]*Be a strict tester\.$/);
    assert.match(
      s.server.results().at(-1)!,
      /no agent "nobody"; known: build .*tester \(tests things\)/,
    );
    const id = run.result.session_id;
    const replay = await s.hamr(["replay", id]);
    assert.match(replay.stdout, /every byte the same/);
  });
});

Deno.test("an agent that is sent takes no more steps than its own limit, and can't raise the user's", async () => {
  const agent = (max: number) => `---\ndescription: counts\nmax_steps: ${max}\n---\nCount.\n`;
  const cases = [[2, "9", 2, /max_steps of counter/], [
    9,
    "2",
    2,
    /agent\.delegate_max_steps/,
  ]] as const;
  for (const [own, users, steps, why] of cases) {
    const script = [
      call("delegate_task", { task: "Count.", agent: "counter" }),
      bash("echo 1"),
      bash("echo 2"),
      say("I counted to two."),
      say("NOT DONE: it stopped."),
    ];
    const env = { HAMR_AGENT_DELEGATE_MAX_STEPS: users };
    const files = { ".hamr/agents/counter.md": agent(own) };
    await stage({ script, files, env, violations: true }, async (s) => {
      await s.run("Have it counted.");
      const told = s.server.results().at(-1)!;
      assert.match(told, new RegExp(`The subagent stopped: max_steps \\(${steps} steps\\)`));
      assert.match(told, why);
    });
  }
});

Deno.test("an agent of the user's that is sent has its own model, a workspace's the run's; a replay has both", async () => {
  const files = { ".hamr/agents/theirs.md": "---\nmodel: dear\n---\nLook.\n" };
  const script = [
    call("delegate_task", { task: "Look.", agent: "mine" }),
    bash("cat a.txt"),
    say("I looked."),
    call("delegate_task", { task: "Look.", agent: "theirs" }),
    say("I looked, too."),
    say("Both looked."),
  ];
  const models = ["scripted", "small", "dear"];
  await stage({ script, files, models, one_conversation: false }, async (s) => {
    s.home.write(".config/hamr/agents/mine.md", "---\nmodel: small\nmode: ask\n---\nLook.\n");
    const run = await s.events("Have it looked at.", "--mode", "ask");
    assert.equal(run.code, 0, run.stderr);
    const asked = s.server.requests.map(({ body }) => body.model);
    const own = "scripted";
    assert.deepEqual(asked, [own, "small", "small", own, own, own]);
    assert.equal(run.result.model, own);
    const sent = s.server.requests.length;
    await s.server.close();
    const replay = await s.hamr(["replay", run.result.session_id]);
    assert.match(replay.stdout, new RegExp(`replayed ${sent} requests of 1 run: every byte`));
  });
});
