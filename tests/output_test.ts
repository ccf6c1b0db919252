import assert from "node:assert/strict";
import { ANSWER, bash, call, type Reply, say } from "./support/model_server.ts";
import { open_stage, stage, type StageOptions } from "./support/stage.ts";
import { each } from "./support/hamr.ts";
import { EVENTS } from "./support/output.ts";

const usage = (prompt_tokens: number, completion_tokens: number, cached_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  cached_tokens,
  reasoning_tokens: 2,
});

/** A run with a bit of everything. */
const WORK: StageOptions = {
  files: { "a.txt": "one\ntwo\n", "gone.txt": "bye\n" },
  script: [
    {
      text: "I look first.",
      reasoning: "Hm, let me see.",
      fragment: 4,
      calls: [{ name: "read", args: { path: "a.txt" } }],
      usage: usage(100, 10, 0),
    },
    { ...call("edit", { path: "a.txt", old: "two", new: "2\n3" }), usage: usage(150, 20, 100) },
    { ...bash("rm gone.txt; echo noise; echo more >&2; exit 5"), usage: usage(200, 5, 150) },
    { ...call("write", { path: "sub/new.txt", content: "n\n" }), usage: usage(250, 6, 200) },
    { ...say("Changed two files, and removed one."), usage: usage(300, 7, 250) },
  ],
};

Deno.test("text: stdout is the final answer alone, stderr the log without color, --log-file an object a line", async () => {
  await stage(WORK, async (s) => {
    const file = s.outside.at("run.log");
    const { code, stdout, stderr } = await s.hamr(["run", "--log-file", file, "Change the files."]);
    assert.equal(code, 0);
    assert.equal(stdout, "Changed two files, and removed one.\n");
    assert.match(stderr, /Step 1 → model call \(2 messages/);
    assert.match(stderr, /Step 5 → model call/);
    assert.match(stderr, /🔧 read → a\.txt/);
    assert.match(stderr, /🔧 edit → a\.txt/);
    assert.match(stderr, /✓ OK/);
    assert.match(
      stderr,
      /Done \(5 steps, 4 tool calls, 1k tokens, 70% cached, (?:\d+ s, )?3 files/,
    );
    assert.ok(!stderr.includes("\u001b"));
    const lines = s.outside.read("run.log").trimEnd().split("\n");
    assert.ok(lines.length > 5);
    for (const line of lines) assert.equal(typeof JSON.parse(line), "object");
  });
});

Deno.test("what a model or a command says is not a command for a CI service", async () => {
  const said = "Done.\n  ::error::fake\n##[add-matcher]x ##vso[task.complete]\x1b[2J";
  const work: StageOptions = {
    script: [
      bash("printf '::add-mask::a\\n##[group]b\\n'; exit 5"),
      { text: said, fragment: 1 },
    ],
  };
  const commands = /^\s*::|##\w*\[/m;
  for (const name of ["GITHUB_ACTIONS", "TF_BUILD"]) {
    await stage(work, async (s) => {
      const { stdout, stderr } = await s.hamr(["run", "-v", "Do it."], {
        env: { ...s.env, [name]: "true" },
      });
      const own =
        /^::(?:group::Step \d|endgroup::|notice title=hamr::done|(?:stop-commands::)?hamr_[0-9a-f-]+(?:::)?)\n/gm;
      assert.equal(stderr.match(own)?.length ?? 0, name === "GITHUB_ACTIONS" ? 13 : 0);
      assert.doesNotMatch(stdout + stderr.replace(own, ""), commands);
      assert.match(stderr, /:\u200b:error::fake/);
      assert.equal(stdout.replaceAll("\u200b", ""), `${said.replace("\x1b", "")}\n`);
    });
  }
  await open_stage(work, async (s) => {
    const { stdout, result } = await s.events("Do it.");
    assert.doesNotMatch(stdout, commands);
    assert.equal(result.final_output, said);
  });
  await stage(work, async (s) => {
    const { stdout } = await s.hamr(["run", "Do it."]);
    assert.equal(stdout, `${said}\n`, "a script gets what was said");
  });
});

Deno.test("json output is one object that accounts for the run", async () => {
  await open_stage(WORK, async (s) => {
    const { result, stdout } = await s.run("Change the files.");
    assert.equal(stdout.trimEnd().split("\n").length, 1);
    assert.equal(result.final_output, "Changed two files, and removed one.");
    assert.equal(result.model, "scripted");
    assert.equal(result.steps, 5);
    assert.equal(result.tool_calls, 4);
    assert.deepEqual(result.usage, {
      input_tokens: 1000,
      output_tokens: 48,
      cached_tokens: 700,
      reasoning_tokens: 10,
      cache_lost_tokens: 0,
    });
    assert.equal(result.cost_usd, null);
    assert.equal(result.verification, null);
    assert.equal(result.error, null);
    assert.deepEqual(
      result.files_changed.toSorted((a, b) => a.path < b.path ? -1 : 1),
      [
        { path: "a.txt", status: "modified", added: 2, removed: 1 },
        { path: "gone.txt", status: "deleted", added: 0, removed: 1 },
        { path: "sub/new.txt", status: "added", added: 1, removed: 0 },
      ],
    );
    assert.equal(result.evidence.commands, 1);
    assert.equal(result.evidence.mutations, 3);
    assert.equal(result.evidence.verified, false);
    assert.equal(result.evidence.refused, 0);
    assert.ok(result.duration_ms > 0);
  });
});

Deno.test("jsonl output tells the run as it went, by the events of the contract, and each reply ends in one that is finished", async () => {
  await open_stage(WORK, async (s) => {
    const { events, result } = await s.events("Change the files.", "--repair-attempts=0");
    const types = new Set(events.map((event) => event.type));
    assert.deepEqual([...types].filter((type) => EVENTS[type] === undefined), []);
    for (const step of [1, 2, 3, 4, 5]) {
      const deltas = events.filter((e) => e.step === step && /_delta$/.test(e.type));
      assert.equal(deltas.filter((e) => e["finished"] === true).length, 1, `step ${step}`);
      assert.equal(deltas.at(-1)?.["finished"], true, `step ${step}`);
    }
    const of = (type: string) => events.filter((event) => event.type === type);
    assert.equal(events[0]?.type, "session_start");
    const [session] = of("session_start");
    // The places of keys that are not there are left out.
    assert.ok(JSON.stringify(session).length < 8000);
    assert.equal(session?.["workspace"], s.ws.path);
    assert.equal(session?.["model"], "scripted");
    assert.equal(session?.["api_mode"], "chat_completions");
    assert.equal(session?.["session_id"], result.session_id);
    assert.deepEqual(of("step_start").map((event) => event.step), [1, 2, 3, 4, 5]);
    assert.deepEqual(
      of("step_start").map((event) => event["messages"]),
      s.server.requests.map((request) => request.body.messages.length),
    );
    assert.deepEqual(of("tool_call").map((e) => e["name"]), ["read", "edit", "bash", "write"]);
    assert.deepEqual(of("tool_call").map((e) => e.step), [1, 2, 3, 4]);
    assert.deepEqual(of("tool_call")[0]?.["arguments"], { path: "a.txt" });
    assert.deepEqual(of("tool_result").map((e) => e["id"]), of("tool_call").map((e) => e["id"]));
    assert.deepEqual(of("tool_result").map((e) => e["refused"]), [null, null, null, null]);
    assert.deepEqual(of("usage").map((e) => e["input_tokens"]), [100, 150, 200, 250, 300]);
    const first = events.filter((event) => event.step === 1);
    const text = (type: string) =>
      first.filter((event) => event.type === type).map((event) => event["text"]).join("");
    assert.equal(text("text_delta"), "I look first.");
    assert.equal(text("reasoning_delta"), "Hm, let me see.");
  });
});

Deno.test("each way to ask for json gives the same", async () => {
  await each(
    // `--output json` is how all other tests ask.
    [["--json"], ["--output=json"]],
    (flags) =>
      stage({}, async (s) => {
        const { result } = await s.hamr(["run", ...flags, "What is it?"]);
        assert.equal(result.final_output, ANSWER);
      }),
  );
});

Deno.test("--quiet leaves stderr to errors", async () => {
  await stage(WORK, async (s) => {
    const { stdout, stderr } = await s.hamr(["run", "--quiet", "Change the files."]);
    assert.equal(stderr, "");
    assert.equal(stdout, "Changed two files, and removed one.\n");
  });
  const denied = { status: 401, body: '{"error":{"message":"no such key"}}' };
  await stage({ script: () => denied }, async (s) => {
    const { code, stdout, stderr } = await s.hamr(["run", "--quiet", "What is it?"]);
    assert.equal(code, 4);
    assert.equal(stdout.trim(), "");
    assert.match(stderr, /401|no such key/);
  });
});

Deno.test("a result comes once however the run ends", async () => {
  const endings: { readonly script: StageOptions["script"]; readonly flags?: string[] }[] = [
    { script: [], flags: ["--bogus-flag"] },
    { script: [], flags: ["--max-steps", "many"] },
    { script: [], flags: ["-C", "./no_such_folder"] },
    { script: () => ({ status: 500, body: "" }) },
    { script: () => ({ cut_after: 0 } satisfies Reply) },
    { script: () => ({ text: ANSWER, cut_after: 90 } satisfies Reply) },
  ];
  await each(endings, ({ script, flags = [] }, i) =>
    stage({ script: script! }, async (s) => {
      // A bad flag in both forms; of the others each in one.
      const runs = [s.events, s.run].filter((_, form) => i === 0 || i % 2 === form);
      for (const run of runs) {
        const { code, result } = await run("What is it?", ...flags);
        assert.notEqual(code, 0);
        assert.ok((result.error?.message ?? "").length > 10, "an error that says something");
      }
    }));
});

Deno.test("reasoning is neither in the answer nor in the history", async () => {
  const script = [
    { reasoning: "secret thought", ...bash("true") },
    { reasoning: "other thought", text: ANSWER },
  ];
  await open_stage({ script }, async (s) => {
    assert.equal((await s.run("What is it?")).result.final_output, ANSWER);
    assert.doesNotMatch(s.server.requests[1]!.raw, /secret thought/);
  });
});

Deno.test("a server that counts no tokens is not a reason to fail", async () => {
  await open_stage({ script: [{ text: ANSWER, usage: null }] }, async (s) => {
    const { result } = await s.run("What is it?");
    assert.equal(result.usage.input_tokens, 0);
    assert.equal(result.exit_code, 0);
  });
});
