/** A recorded session runs again, offline, and would send the same bytes; what would not is found at its first byte. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { KEY, serve_claude } from "./support/anthropic_server.ts";
import { failing, FALLBACK, QUICK, two } from "./support/bad_days.ts";
import { each, type Outcome, pause, until } from "./support/hamr.ts";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import {
  contents,
  DATABASE,
  EDIT,
  FILES,
  in_database,
  READ,
  rows,
  same,
  TASK,
} from "./support/replays.ts";
import { serve_responses } from "./support/responses_server.ts";
import { open_stage, type Stage, type StageOptions } from "./support/stage.ts";

/** Replays where no server answers and no workspace is left, and holds that against what was sent. */
async function replayed(s: Stage, run: Outcome, more: { runs?: number } = {}): Promise<void> {
  const id = run.result.session_id;
  const sent = s.server.requests.length;
  await s.server.close();
  Deno.removeSync(s.ws.path, { recursive: true });
  const { code, stdout, stderr } = await s.hamr(["replay", id], { cwd: s.outside.path });
  assert.deepEqual([code, stdout, stderr], [0, `${same(sent, more.runs)}\n`, ""]);
}

/** A run of these replies that is replayed. */
async function plays(
  options: StageOptions & { readonly flags?: readonly string[] },
): Promise<void> {
  await open_stage(options, async (s) => {
    await replayed(s, await s.run(TASK, ...options.flags ?? []));
  });
}

const WRITE = call("write", { path: "b/c.txt", content: "c\n" });
const TODO = call("todo", { items: [{ text: "look", status: "pending" }] });
const EVERY_TOOL: readonly Reply[] = [
  { text: "Let me look.", calls: [{ name: "read", args: { path: "a.txt" } }] },
  { calls: ["a.txt", "missing"].map((path) => ({ name: "read", args: { path } })) },
  EDIT,
  bash("cat a.txt; date +%N; echo $RANDOM $TMPDIR; seq 1 4000; exit 3"),
  TODO,
  call("save_memory", { fact: "The sky is blue." }),
  call("search_memory", { query: "sky" }),
  call("tool_search", { query: "*" }),
  WRITE,
  call("read", "{"),
  { reasoning: "Hm.", text: "I changed a.txt.", fragment: 3, every: 7 },
];

Deno.test("a session with every tool replays byte for byte, streamed and not, in text and beside it", async () => {
  const ways = [[], ["--no-stream"], ["--tool-call-format", "prompt"]];
  await each(ways, (flags) => plays({ script: EVERY_TOOL, files: FILES, flags }));
});

Deno.test("bad days replay without their waits", async () => {
  const scripts: readonly (readonly Reply[])[] = [
    [failing(500, "out of memory"), READ, failing(529, "Overloaded"), say(ANSWER)],
    [{ text: "half an answer that goes on", fragment: 4, cut_after: 700 }, READ, say(ANSWER)],
    [READ, {}, say(ANSWER)],
    [failing(400, "temperature is not supported"), READ, say(ANSWER)],
    [READ, { body: "<html>", type: "text/html" }],
    [READ, { body: new Uint8Array([0xff, 0xfe, 0x00]) }],
    [failing(429, "slow down", { headers: { "retry-after": "2" } }), READ, say(ANSWER)],
  ];
  const flags = ["--temperature", "0.5"];
  await each(scripts, (replies) => {
    const script = (_: unknown, n: number): Reply => replies[n] ?? replies.at(-1) ?? {};
    return plays({ script, files: FILES, flags });
  });
});

Deno.test("another provider, which took over, is none that is asked again", async () => {
  const script = (_: unknown, n: number): Reply => n === 0 ? READ : failing(503, "busy");
  await two({ script, b: [READ, say(ANSWER)], env: QUICK }, async ({ s, b }) => {
    const { result } = await s.run(TASK, ...FALLBACK);
    await Promise.all([s.server.close(), b.close()]);
    const { code, stdout } = await s.hamr(["replay", result.session_id]);
    assert.deepEqual([code, stdout], [0, `${same(4)}\n`]);
  });
});

const is_subagent = ({ body }: Recorded) =>
  (body.messages[0]?.content ?? "").includes("You are a subagent");

Deno.test("a subagent's requests are the run's", async () => {
  let subagent = 0;
  let agent = 0;
  const script = (request: Recorded): Reply => {
    if (is_subagent(request)) {
      return [bash("echo sub > sub.txt"), failing(500, "hm"), say("I wrote it.")][subagent++]!;
    }
    return [READ, call("delegate_task", { task: "Write sub.txt." }), READ, say(ANSWER)][agent++]!;
  };
  await plays({ script, files: FILES, one_conversation: false });
});

Deno.test("compactions replay, and what was asked for a summary", async () => {
  const long = Array.from({ length: 300 }, (_, at) => `${at} abcdefghij`).join("\n");
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, `${n}${long}`]),
  );
  let step = 0;
  const script = ({ body }: Recorded): Reply => {
    if (/^You summarize/.test(String(body.messages[0]?.content))) return say("1. Task: read.");
    return step++ < 20 ? call("read", { path: `f${step % 12}.txt` }) : say(ANSWER);
  };
  const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
  const env = { HAMR_GUARDS_READ_LIMIT: "0" };
  await open_stage({ script, files, env, violations: true }, async (s) => {
    const run = await s.events("Read all.", ...flags);
    assert.ok(run.events.some(({ type }) => type === "compaction"));
    await replayed(s, run);
  });
});

Deno.test("nudges, a verify command, its repair turn and a judge replay", async () => {
  const script: readonly Reply[] = [
    say("I will look at the code first:"),
    READ,
    say("The rest is for somebody else to do."),
    bash("touch ok"),
    say("Made the file that was missing."),
  ];
  await plays({ script, files: FILES, flags: ["--verify", "test -e ok || { date; exit 4; }"] });
  const judged = ({ body }: Recorded, n: number): Reply => {
    const system = body.messages[0]?.content ?? "";
    if (/^You (check|grade)/.test(system)) {
      return say('{"completed": true, "confidence": 0.9, "issues": [], "suggestion": ""}');
    }
    return [EDIT, say("Changed a.txt.")][n] ?? say(ANSWER);
  };
  const flags = ["--self-eval", "full"];
  await plays({ script: judged, files: FILES, one_conversation: false, flags });
});

Deno.test("a limit of time and the last words after it replay", async () => {
  const script = ({ body }: Recorded, n: number): Reply =>
    body.tool_choice === "none" ? say("Nothing is done.") : bash(`sleep 0.4; echo ${n}`);
  for (const limit of ["--timeout", "--step-timeout"]) {
    const slow = ({ body }: Recorded, n: number): Reply =>
      body.tool_choice === "none" || n === 0 ? script({ body } as Recorded, n) : { silent: true };
    await plays({ script: limit === "--timeout" ? script : slow, flags: [limit, "2"] });
  }
});

Deno.test("what the user said in the meantime is said again, and an interrupt comes where it came", async () => {
  const script = [bash("sleep 0.5; echo 1"), READ, say(ANSWER), say(ANSWER)];
  await open_stage({ script, files: FILES }, async (s) => {
    const stdin = "Look at a.txt, too.\n";
    const run = await s.hamr(["run", "--output", "json", "--steer", TASK], { stdin });
    assert.ok(s.server.requests.at(-1)?.raw.includes("Look at a.txt, too."));
    await replayed(s, run);
  });
  const silent = (_: unknown, n: number): Reply => n === 0 ? READ : { silent: true };
  const asleep = (_: unknown, n: number): Reply => n === 0 ? READ : bash("sleep 30");
  for (const [script, requests] of [[silent, 2], [asleep, 2]] as const) {
    await open_stage({ script, files: FILES }, async (s) => {
      const running = s.start(["run", "--output", "json", TASK]);
      await until("it is under way", () => s.server.requests.length === requests);
      await pause(300);
      running.kill("SIGINT");
      const run = await running.done;
      assert.equal(run.code, 130);
      await replayed(s, run);
    });
  }
});

Deno.test("an interrupt before the first reply replays, and how it went on", async () => {
  const script = (_: unknown, n: number): Reply => n === 0 ? { silent: true } : say(ANSWER);
  await open_stage({ script, files: FILES }, async (s) => {
    const hook = '[[hooks.session_start]]\nname = "h"\ncommand = "touch begun"\n';
    s.home.write(".config/hamr/config.toml", hook);
    const running = s.start(["run", TASK]);
    await until("all has begun", () => existsSync(s.ws.at("begun")));
    running.kill("SIGINT");
    assert.equal((await running.done).code, 130);
    await replayed(s, await s.hamr(["resume", "--output", "json"]), { runs: 2 });
  });
});

Deno.test("a session of two invocations replays, the second from what the first came to", async () => {
  const script = [READ, EDIT, say("Changed a.txt."), bash("cat a.txt"), say(ANSWER)];
  await open_stage({ script, files: FILES }, async (s) => {
    await s.run("Change it.");
    const run = await s.hamr(["resume", "--output", "json", "And now look."]);
    assert.equal(run.code, 0);
    await replayed(s, run, { runs: 2 });
  });
});

Deno.test("a reply that is packed for its length replays, and its bundle hides what is secret in it", async () => {
  const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  const wordy = { reasoning: "hm ".repeat(30_000) + secret, text: ANSWER, fragment: 3 };
  await open_stage({ files: FILES, script: [READ, wordy] }, async (s) => {
    const run = await s.run(TASK);
    const { stdout } = await s.hamr(["sessions", "export", run.result.session_id]);
    assert.ok(stdout.includes(`"gzip":"`));
    const bundle = await s.hamr(["sessions", "export", "--bundle", run.result.session_id]);
    assert.equal(bundle.code, 0, bundle.stderr);
    assert.ok(!bundle.stdout.includes("gzip") && !bundle.stdout.includes(secret));
    await replayed(s, run);
  });
});

Deno.test("every wire replays", async () => {
  const script = [EDIT, bash("echo 1; date +%N"), { reasoning: "Hm.", text: "Changed a.txt: 世" }];
  await plays({ script, files: FILES, ollama_ctx: null, flags: ["--api-mode", "ollama_chat"] });
  await plays({ script, files: FILES, llama_ctx: 8192 });
  const responses = serve_responses(script);
  const codex = { HAMR_BASE_URL: responses.url, HAMR_PROVIDER_API_MODE: "codex_responses" };
  await open_stage({ files: FILES, env: codex }, async (s) => {
    const { result } = await s.run(TASK);
    await responses.close();
    const { code, stdout } = await s.hamr(["replay", result.session_id]);
    assert.deepEqual([code, stdout], [0, `${same(3)}\n`]);
  });
  await using claude = serve_claude([
    { reasoning: "Hm.", calls: [{ name: "bash", args: { command: "date +%N" } }] },
    { text: ANSWER },
  ]);
  const env = { HAMR_API_KEY: KEY, HAMR_BASE_URL: claude.origin };
  await open_stage(
    { env: { ...env, HAMR_PROVIDER_API_MODE: "anthropic_messages" } },
    async (s) => {
      const { result } = await s.run(TASK, "--context-window", "131072");
      const { code, stdout } = await s.hamr(["replay", result.session_id], { env: {} });
      assert.deepEqual([code, stdout, claude.requests.length], [0, `${same(2)}\n`, 2]);
      // No key is kept.
      const bytes = Deno.readFileSync(s.home.at(DATABASE));
      assert.ok(!new TextDecoder("latin1").decode(bytes).includes(KEY));
    },
  );
});

Deno.test("a replay touches nothing: no workspace, no memory, no session, no server", async () => {
  await open_stage({ script: EVERY_TOOL, files: FILES }, async (s) => {
    await s.run(TASK);
    const sent = [...s.server.paths];
    const before = [contents(s.ws), contents(s.home), contents(s.outside), rows(s)];
    const { code, stdout } = await s.hamr(["replay"]);
    assert.deepEqual([code, stdout], [0, `${same(11)}\n`]);
    assert.deepEqual([contents(s.ws), contents(s.home), contents(s.outside), rows(s)], before);
    assert.deepEqual(s.server.paths, sent);
  });
});

Deno.test("a changed AGENTS.md is a changed prompt: found at its first byte, and shown", async () => {
  await open_stage({ script: [READ, say(ANSWER)], files: FILES }, async (s) => {
    await s.run(TASK);
    s.ws.write("AGENTS.md", "Be kinder.\n");
    const { code, stdout } = await s.hamr(["replay"]);
    assert.equal(code, 2);
    const raw = s.server.requests[0]?.raw ?? "";
    const offset = new TextEncoder().encode(raw.slice(0, raw.indexOf("Be kind.") + 7)).length;
    const [head, ...diff] = stdout.split("\n");
    assert.match(
      head ?? "",
      new RegExp(`^request 1 differs from byte ${offset} on, in messages\\[0\\]`),
    );
    assert.deepEqual(diff.slice(0, 2), ["--- recorded", "+++ now"]);
    assert.ok(diff.includes("-  Be kind.") && diff.includes("+  Be kinder."), stdout);
    s.ws.write("AGENTS.md", "Be kind.\n");
    assert.equal((await s.hamr(["replay"])).code, 0);
  });
});

Deno.test("instructions that the session itself changed are replayed as they were at its start", async () => {
  const script = [call("write", { path: "AGENTS.md", content: "Be brief.\n" }), say("I wrote it.")];
  await plays({ script });
  await open_stage({ script }, async (s) => {
    await s.run(TASK);
    assert.deepEqual((await s.hamr(["replay"])).stdout, `${same(2)}\n`);
  });
});

Deno.test("a recording that was tampered with is told from the run that made it", async () => {
  const script = [bash("echo first"), bash("echo second"), say(ANSWER)];
  const tampered = async (from: string, to: string, expected: RegExp) =>
    await open_stage({ script }, async (s) => {
      await s.run(TASK);
      in_database(s, (db) => {
        const found = db.prepare("SELECT id, body FROM tape WHERE typeof(body) = 'text'").all()
          .filter(({ body }) => String(body).includes(from));
        assert.ok(found.length > 0, from);
        for (const { id, body } of found) {
          db.prepare("UPDATE tape SET body = ? WHERE id = ?")
            .run(String(body).replaceAll(from, to), BigInt(Number(id)));
        }
      });
      const { code, stdout } = await s.hamr(["replay"]);
      assert.equal(code, 2, stdout);
      assert.match(stdout, expected);
    });
  await tampered('"text":"first"', '"text":"other"', /^request 2 differs from byte \d+ on, in mes/);
  await tampered('{"kind":"run"', '{"kind":"busy"', /^request 2: .*"run"/);
  await tampered('"head":', '"head":9', /^request \d: the recording is damaged/);
});

Deno.test("a run that was killed replays to where it was", async () => {
  const script = (_: unknown, n: number): Reply => n < 3 ? bash(`echo ${n}`) : { silent: true };
  await open_stage({ script }, async (s) => {
    const running = s.start(["run", TASK]);
    await until("it waits", () => s.server.requests.length === 4);
    running.kill("SIGKILL");
    await running.done;
    const { code, stdout } = await s.hamr(["replay"]);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `${same(3)}; the recording ends there: the run was cut off, or has not ended\n`,
    );
  });
});

Deno.test("without a recording there is nothing to replay", async () => {
  await open_stage({ script: [say(ANSWER), say(ANSWER)] }, async (s) => {
    await s.run(TASK, "--no-save");
    const none = await s.hamr(["replay"]);
    assert.deepEqual([none.code, none.stdout], [3, ""]);
    const { result } = await s.run(TASK);
    in_database(s, (db) => db.exec("DELETE FROM tape"));
    const gone = await s.hamr(["replay"]);
    assert.deepEqual([gone.code, gone.stdout], [3, ""]);
    assert.match(gone.stderr, new RegExp(`session ${result.session_id} has no recording`));
    const unknown = await s.hamr(["replay", "beef"]);
    assert.equal(unknown.code, 3);
  });
});
