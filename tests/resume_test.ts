import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Outcome, type Running, until } from "./support/hamr.ts";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { inside_stage, open_stage, type Stage, stage } from "./support/stage.ts";

const DATABASE = ".local/share/hamr/hamr.db";
const LOG = "log.txt";
const append = (n: number, more = "") => bash(`echo line${n} >> ${LOG}${more}`);
/** The last message of a request. */
const last = ({ body }: Recorded) => body.messages.at(-1)!;
const said = ({ body }: Recorded) =>
  body.messages.filter(({ role }) => role === "user").map(({ content }) => content);

/** Starts a run, waits until `there` is in the workspace, and kills it. */
async function killed(s: Stage, args: readonly string[], there: string): Promise<Running> {
  const running = s.start(args);
  await until(`${there} is there`, () => s.ws.exists(there));
  running.kill("SIGKILL");
  await running.done.catch(() => {}); // It has no result.
  return running;
}

function resume(s: Stage, ...args: string[]): Promise<Outcome> {
  return s.here(["resume", "--output", "jsonl", ...args]);
}

Deno.test("a run that was killed in mid-command goes on, and does not run that command again", async () => {
  const script = [append(0), append(1), append(2, "; touch now; sleep 60"), append(3), say(ANSWER)];
  await stage({ script }, async (s) => {
    await killed(s, ["run", "--mode", "auto", "Append."], "now");
    assert.equal(s.server.requests.length, 3);
    const { code, events, result } = await resume(s);
    assert.deepEqual([code, result.stop_reason, result.steps, result.tool_calls], [
      ...[0, "llm_done", 2, 1],
    ]);
    assert.equal(s.ws.read(LOG), "line0\nline1\nline2\nline3\n");
    // The server itself saw that the first request began with the bytes of the last one before.
    assert.match(last(s.server.requests[3]!).content!, /cut off during this call/);
    const steps = events.filter(({ type }) => type === "step_start").map(({ step }) => step);
    assert.deepEqual(steps, [4, 5]);
    assert.equal(events[0]!["session_id"], result.session_id);
  });
});

Deno.test("a run that the user interrupted in mid-command goes on from what that had printed", async () => {
  const script = [bash("echo one; touch now; sleep 60"), say(ANSWER)];
  await stage({ script }, async (s) => {
    const running = s.start(["run", "--mode", "auto", "Count."]);
    await until("it counts", () => s.ws.exists("now"));
    running.kill("SIGINT");
    assert.equal((await running.done).code, 130);
    assert.equal((await resume(s, "How far did you get?")).code, 0);
    const told = JSON.stringify(s.server.requests.at(-1)!.body.messages);
    assert.match(told, /one\\n\[ended: the run was stopped\].*How far did you get\?/s);
  });
});

Deno.test("a run that was killed while the model was asked asks once more", async () => {
  let asked = 0;
  let over: (reply: Reply) => void = () => {};
  const script = (_: Recorded, n: number): Reply | Promise<Reply> => {
    if (n === 0) return append(0);
    if (n > 1) return say(ANSWER);
    asked++;
    return new Promise((resolve) => over = resolve);
  };
  await stage({ script }, async (s) => {
    const running = s.start(["run", "--mode", "auto", "Append."]);
    await until("it asks", () => asked === 1);
    running.kill("SIGKILL");
    await running.done.catch(() => {});
    over(say(ANSWER));
    assert.equal((await resume(s)).code, 0);
    const [, before, after] = s.server.requests;
    assert.deepEqual(after!.body.messages, before!.body.messages);
    assert.equal(s.ws.read(LOG), "line0\n");
  });
});

Deno.test("a file that a killed run was writing is no longer there once it is resumed", async () => {
  const half = `.hamr-${crypto.randomUUID()}`;
  const script = (_: Recorded, n: number): Reply =>
    n === 0
      ? bash(`printf %s "$PWD/${half}" > "$TMPDIR/.half-1"; touch ${half}; sleep 30`)
      : say(ANSWER);
  await stage({ script }, async (s) => {
    const running = s.start(["run", "--mode", "auto", "Append."]);
    await until("it is there", () => s.ws.exists(half));
    running.kill("SIGKILL");
    await running.done.catch(() => {});
    assert.equal((await resume(s)).code, 0);
    assert.ok(!s.ws.exists(half));
  });
});

Deno.test("what is said more begins a turn of the same session: resume, --continue and --resume", async () => {
  const next: Reply[] = [];
  await open_stage({ script: () => next.shift() ?? say(ANSWER) }, async (s) => {
    const first = await s.run("What is this?");
    const id = first.result.session_id;
    for (
      const args of [
        ["resume", "--json", "Say more."],
        ["resume", "--json", id.slice(0, 8), "Say more."],
        ["run", "--json", "--continue", "Say more."],
        ["run", "--json", "--resume", id.slice(0, 13), "Say more."],
      ]
    ) {
      const { code, result } = await s.here(args);
      assert.deepEqual([code, result.session_id, result.steps], [0, id, 1], args.join(" "));
    }
    assert.deepEqual(said(s.server.requests.at(-1)!), [
      "What is this?",
      ...Array.from({ length: 4 }, () => "Say more."),
    ]);
    // Without a word the model is told that it may go on, and that what was refused may be allowed now.
    const goes_on = async (again: string) => {
      await resume(s);
      const told =
        `<hamr>\nThe session continues. Check what is done,${again} then finish the task.`;
      const asked = s.server.requests.flatMap(({ body }) => body.messages.slice(-1));
      assert.ok(asked.some(({ content }) => content?.startsWith(told)), told);
    };
    next.push(bash("git push --force"));
    await goes_on("");
    await goes_on(" try what was refused again (it may work now),");
  });
});

Deno.test("--fork goes on as another session, which has all that was said; the first one stays as it is", async () => {
  await inside_stage(
    { script: [say("One."), say("Two."), say("Other two.")], one_conversation: false },
    async (s) => {
      const { result: first } = await s.run("First.");
      const own = ["--session-id", "0f8f2a54-6a43-4d2a-9d9e-3a8f0c1d2e3f"];
      const { result: fork } = await s.run(
        "Second.",
        "--fork",
        first.session_id.slice(0, 8),
        ...own,
      );
      assert.equal(fork.session_id, own[1], "it is a new session");
      assert.equal(fork.final_output, "Two.");
      const { result: again } = await s.run("Second?", "--resume", first.session_id);
      assert.equal(again.session_id, first.session_id);
      const told = s.server.requests.map(({ body }) => body.messages.map(({ content }) => content));
      assert.deepEqual(told.map((messages) => messages.slice(1)), [
        ["First."],
        ["First.", "One.", "Second."],
        ["First.", "One.", "Second?"],
      ]);
      assert.equal((await s.hamr(["replay", first.session_id])).code, 0);
      const replay = await s.hamr(["replay", fork.session_id]);
      assert.equal(replay.code, 3);
      assert.match(replay.stderr, /--fork.*only that one can be replayed/);
    },
  );
});

Deno.test("a limit ends an invocation, and the next one has its own", async () => {
  const script = [append(0), append(1), say("Two of three."), append(2), say(ANSWER)];
  await open_stage({ script }, async (s) => {
    const first = await s.run("Append.", "--max-steps", "2", "--mode", "auto");
    assert.deepEqual([first.code, first.result.stop_reason], [2, "max_steps"]);
    const { code, result } = await resume(s);
    assert.deepEqual([code, result.stop_reason, result.steps], [0, "llm_done", 2]);
    assert.equal(s.ws.read(LOG), "line0\nline1\nline2\n");
  });
});

Deno.test("the flags of the session hold again, unless others are given", async () => {
  const net = "cat < /dev/tcp/127.0.0.1/PORT";
  const script = (request: Recorded, n: number): Reply => {
    const probe = net.replace("PORT", new URL(`http://${request.headers.get("host")}`).port);
    return n % 2 === 0 ? bash(`timeout 1 ${probe}; echo $?`) : say(ANSWER);
  };
  await inside_stage({ script }, async (s) => {
    const reached = () => /^124/m.test(s.server.results().at(-1)!);
    assert.equal((await s.run("Look.", "--mode", "auto", "--allow-net")).code, 0);
    assert.ok(reached());
    const told = /continues with/;
    const again = await resume(s, "Again.");
    assert.equal(again.code, 0);
    assert.ok(reached(), "it may connect, as before");
    assert.match(again.stderr, /^hamr: continues with --allow-net, as the session was started$/m);
    assert.doesNotMatch((await resume(s, "--allow-net", "Again.")).stderr, told);
    assert.doesNotMatch((await resume(s, "--quiet", "Again.")).stderr, told);
    const denied = await resume(s, "--deny-net", "Again.");
    assert.equal(denied.code, 0);
    assert.ok(!reached(), "said now: it may not");
    const last = await resume(s, "Again.");
    assert.equal(last.code, 0);
    assert.ok(!reached(), "what was said last holds");
    for (const { stderr } of [denied, last]) assert.doesNotMatch(stderr, told);
  });
});

Deno.test("rights that a session has from an earlier day are said when it goes on", async () => {
  await inside_stage({ script: () => say(ANSWER), one_conversation: false }, async (s) => {
    s.outside.write("a b/x", "");
    const folder = s.outside.at("a b");
    // What is allowed is the place, not the link, which commands can lead elsewhere by the next time.
    const link = s.ws.at("link");
    Deno.symlinkSync(folder, link);
    const first = await s.run("Look.", "--yolo", `--allow-write=${link}`, "--add-dir", link);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.result.warnings.join("\n"), /by a link: commands can write .*a b/);
    Deno.removeSync(link);
    const { stderr } = await resume(s, "Again.");
    assert.ok(
      stderr.includes(
        `hamr: continues with --yolo --allow-write='${folder}' --add-dir='${folder}', as the session was started`,
      ),
      stderr,
    );
    await s.run("Look.", "--confirm", "all", "--read-only");
    assert.doesNotMatch((await resume(s, "Again.")).stderr, /continues with/);
  });
});

Deno.test("verify and its command come back with the session", async () => {
  const script = [say(ANSWER), bash("touch good"), say(ANSWER)];
  await open_stage({ script }, async (s) => {
    const first = await s.run(
      "Make it good.",
      "--verify",
      "test -e good",
      "--repair-attempts",
      "0",
    );
    assert.deepEqual([first.code, first.result.stop_reason], [2, "verification_failed"]);
    const { code, result } = await resume(s, "--repair-attempts", "1");
    assert.deepEqual([code, result.verification?.exit_code, result.verification?.attempts], [
      0,
      0,
      1,
    ]);
  });
});

Deno.test("todos, the counters of guards and the cost come back", async () => {
  const todo = call("todo", { items: [{ text: "write MARK-1", status: "pending" }] });
  const busy = { HAMR_GUARDS_IDENTICAL_BASH: "3", HAMR_GUARDS_DOOM_LOOP_THRESHOLD: "0" };
  const other = (n: number) => call("read", { path: `f${n}.txt` });
  const same = bash("echo same");
  const script = [
    ...[todo, same, other(0), same, other(1), bash("touch now; sleep 60")],
    ...[same, same, same, say(ANSWER)],
  ];
  const files = { "f0.txt": "a\n", "f1.txt": "b\n", "f2.txt": "c\n" };
  await stage({ script, files, env: busy }, async (s) => {
    s.home.write(
      ".config/hamr/config.toml",
      `[providers.p]\nbase_url = "${s.server.url}"\nprice_in = 1000\nprice_out = 0\n`,
    );
    await killed(s, ["run", "--mode", "auto", "--provider", "p", "Look."], "now");
    const { code, result } = await resume(s);
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "loop_detected", 3]);
    const db = new DatabaseSync(s.home.at(DATABASE), { readOnly: true });
    const row = db.prepare("SELECT state, cost_usd FROM sessions").get()!;
    db.close();
    assert.match(String(row["state"]), /MARK-1/);
    assert.ok(result.cost_usd! > 0 && Math.abs(Number(row["cost_usd"]) - result.cost_usd!) < 1e-9);
    const own = result.usage.input_tokens / 1000;
    assert.ok(result.cost_usd! > own * 2, `${result.cost_usd} is the session's, ${own} the run's`);
  });
});

Deno.test("a session that was compacted continues from what was left of it", async () => {
  const long = (n: number) =>
    Array.from({ length: 225 }, (_, at) => `f${n} ${at} abcdefg`).join("\n");
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, long(n)]));
  let step = 0;
  const script = (request: Recorded): Reply => {
    if (/^You summarize/.test(String(request.body.messages[0]?.content))) return say("1. Reads.");
    return step++ < 12 ? call("read", { path: `f${step - 1}.txt` }) : say(ANSWER);
  };
  const small = ["--context-window", "8192", "--max-output-tokens", "1000"];
  await open_stage({ script, files, violations: true }, async (s) => {
    const first = await s.events("Read all. MARK-4711", ...small);
    assert.equal(first.code, 0);
    const compactions = first.events.filter(({ type }) => type === "compaction").length;
    assert.ok(compactions > 0);
    const before = s.server.requests.at(-1)!.body.messages;
    assert.equal((await resume(s, "More.")).code, 0);
    const after = s.server.requests.at(-1)!.body.messages;
    assert.deepEqual(after.slice(0, before.length), before);
    assert.match(after[1]!.content!, /MARK-4711/);
    const db = new DatabaseSync(s.home.at(DATABASE), { readOnly: true });
    assert.equal(db.prepare("SELECT part FROM sessions").get()!["part"], compactions + 1);
    db.close();
  });
});

Deno.test("a session whose tools are called in text goes on in text", async () => {
  const block = (args: unknown) =>
    `<tool_call>\n${JSON.stringify({ name: "bash", arguments: args })}\n</tool_call>`;
  const script = [say(block({ command: `echo a >> ${LOG}` })), say(ANSWER), say(ANSWER)];
  await open_stage({ script }, async (s) => {
    const text = ["--tool-call-format", "prompt", "--mode", "auto"];
    assert.equal((await s.run("Append.", ...text)).code, 0);
    assert.equal((await resume(s, "More.")).code, 0);
    for (const { body } of s.server.requests) assert.equal(body.tools, undefined);
  });
});

Deno.test("a session that is running cannot be resumed; one that was killed can at once", async () => {
  const script = [bash("touch now; sleep 60"), say(ANSWER)];
  await stage({ script }, async (s) => {
    const running = s.start(["run", "--mode", "auto", "Wait."]);
    await until("it runs", () => s.ws.exists("now"));
    const refused = await s.hamr(["resume"]);
    assert.equal(refused.code, 3);
    assert.match(
      refused.stderr,
      /^hamr: session [0-9a-f-]{36} is open in another process.* --fork /,
    );
    running.kill("SIGKILL");
    await running.done.catch(() => {});
    assert.equal((await resume(s)).code, 0);
  });
});

Deno.test("what cannot be resumed is said in a line, and exits with 3", async () => {
  await open_stage({ script: () => say(ANSWER) }, async (s) => {
    let cwd = {};
    const refusal = async (...args: string[]) => {
      const { code, stdout, stderr } = await s.hamr(args, cwd);
      assert.deepEqual([code, stdout], [3, ""], args.join(" "));
      assert.match(stderr, /^hamr: [^\n]+\n$/);
      return stderr;
    };
    assert.match(
      await refusal("resume"),
      /this workspace has no saved session; see hamr sessions --all\n/,
    );
    // A word that was meant as an ID is named.
    for (const args of [["resume", "nope"], ["run", "--continue", "nope"]]) {
      assert.match(
        await refusal(...args),
        /no saved session to continue with "nope"; see hamr sessions --all/,
      );
    }
    await s.run("Look.", "--no-save");
    assert.match(await refusal("resume"), /this workspace has no saved session/);
    const { result } = await s.run("Look.");
    assert.match(await refusal("resume", "00000000"), /there is no session "00000000"/);
    assert.match(await refusal("resume", ""), /there is no session ""/, "an unset variable");
    assert.match(await refusal("run", "--resume", "nothing", "x"), /there is no session "nothing"/);
    cwd = { cwd: s.outside.path };
    assert.match(await refusal("resume"), /this workspace has no saved session/);
    Deno.removeSync(s.ws.path, { recursive: true });
    assert.match(
      await refusal("resume", result.session_id),
      /is not there: if it was moved, name the folder with -C/,
    );
    Deno.mkdirSync(s.ws.path);
  });
});

Deno.test("where nothing can be saved a run works, and says so once", async () => {
  await inside_stage({ script: () => append(0) }, async (s) => {
    s.home.write("file", "");
    const env = { ...s.env, HAMR_HOME: s.home.at("file/hamr"), HAMR_MEMORY_ENABLED: "false" };
    const args = ["run", "--json", "--max-steps", "1", "--mode", "auto", "Look."];
    const { code, result } = await s.here(args, { env });
    assert.equal(code, 2);
    assert.deepEqual(
      result.warnings.filter((line) => /not saved/.test(line)).map((line) => line.slice(0, 24)),
      ["the session is not saved"],
    );
  });
});

Deno.test("two runs in one workspace save a session each, and lose nothing", async () => {
  const script = (request: Recorded): Reply => {
    const turns = request.body.messages.filter(({ role }) => role === "assistant").length;
    const name = said(request)[0];
    return turns < 12 ? bash(`echo ${turns} >> ${name}.txt`) : say(ANSWER);
  };
  await stage({ script, one_conversation: false }, async (s) => {
    const runs = await Promise.all(["one", "two"].map((name) => s.run(name, "--mode", "auto")));
    assert.deepEqual(runs.map(({ code }) => code), [0, 0]);
    const db = new DatabaseSync(s.home.at(DATABASE), { readOnly: true });
    for (const { session_id } of runs.map(({ result }) => result)) {
      const { id } = db.prepare("SELECT id FROM sessions WHERE uuid = ?").get(session_id)!;
      const count = db.prepare("SELECT count(*) AS n FROM messages WHERE id / 4294967296 = ?");
      assert.equal(count.get(id as number)!["n"], 2 + 2 * 12 + 1);
    }
    db.close();
  });
});

Deno.test("a session whose tools were called natively is told about them where they are called in text", async () => {
  await open_stage(
    { script: () => say(ANSWER), violations: true },
    async (s) => {
      assert.equal((await s.run("Look.", "--mode", "auto")).code, 0);
      const system = () => s.server.requests.at(-1)!.body.messages[0]!.content!;
      assert.doesNotMatch(system(), /<tool_call>/);
      assert.equal((await resume(s, "--tool-call-format", "prompt", "More.")).code, 0);
      const told = system();
      assert.match(told, /"name":"bash"[^]*<tool_call>/);
      // Once begun, it stays, and so do the words: they are saved.
      assert.equal((await resume(s, "--tool-call-format", "native", "More.")).code, 0);
      assert.equal(system(), told);
      assert.equal(s.server.requests.at(-1)!.body.tools, undefined);
    },
  );
});

Deno.test("more input for a session can come from standard input, by -", async () => {
  await open_stage({ script: () => say(ANSWER) }, async (s) => {
    const { result } = await s.run("Look.", "--mode", "auto");
    const cases: [string[], string][] = [
      [["-"], "piped"],
      [["Review:", "-"], "Review:\n\npiped"],
      [[result.session_id, "-"], "piped"],
      [[result.session_id, "Review:", "-"], "Review:\n\npiped"],
      [["Look again."], "Look again."],
    ];
    for (const [operands, more] of cases) {
      assert.equal((await s.hamr(["resume", ...operands], { stdin: "piped\n" })).code, 0);
      assert.equal(said(s.server.requests.at(-1)!).at(-1), more);
    }
  });
});
