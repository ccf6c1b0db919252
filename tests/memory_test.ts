import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { inside_stage, open_stage, type Stage, type StageOptions, steps } from "./support/stage.ts";

const DATABASE = ".local/share/hamr/hamr.db";
const save = (fact: string) => call("save_memory", { fact });
const search = (query: string) => call("search_memory", { query });
const system = (request: Recorded) => String(request.body.messages[0]?.content);
const names = ({ body }: Recorded) => (body.tools ?? []).map((tool) => tool.function.name);

/** The user's own facts; the program prints no result here. */
async function listed(s: Stage, ...more: string[]): Promise<string[]> {
  const { code, stdout } = await s.hamr(["memory", "list", "--output=text", ...more]);
  assert.equal(code, 0);
  return stdout.split("\n").filter((line) => line !== "");
}

Deno.test("what one run saves, the next one knows of and finds", async () => {
  const script = [
    save("Integration tests need Postgres: run make db"),
    say(ANSWER),
    search("how are the integrations tested?"),
    say(ANSWER),
  ];
  await inside_stage({ script, one_conversation: false }, async (s) => {
    const first = await s.events("Look.");
    assert.equal(first.code, 0);
    assert.doesNotMatch(system(s.server.requests[0]!), /<memory>/);
    const [saved] = first.events.filter(({ type }) => type === "tool_result");
    assert.deepEqual([saved!["ok"], saved!["summary"]], [true, "saved"]);
    const second = await s.run("Look again.");
    assert.deepEqual([second.code, second.result.warnings], [0, []]);
    const [, again, , last] = s.server.requests;
    assert.equal(system(again!), system(s.server.requests[0]!), "the same during a session");
    const prompt = system(last!);
    assert.match(prompt, /notes to verify[^]*<memory>\n- Integration tests need Postgres/);
    const found = s.server.results().at(-1)!;
    assert.match(found, /notes to verify[^]*\n- Integration tests need Postgres: run make db \(\d/);
  });
});

Deno.test("the database is the user's alone, and out of the reach of commands", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const script = steps(
    ["save_memory", { fact: "The build needs clang" }],
    ["bash", { command: `cat ~/${DATABASE}; echo x >> ~/${DATABASE}; ls ~/.local/share/hamr` }],
    ["search_memory", { query: "build" }],
  );
  await inside_stage({ script }, async (s) => {
    assert.equal((await s.run("Look.", "--mode", "auto")).code, 0);
    const [, read, found] = s.server.results();
    assert.doesNotMatch(read!, /SQLite|clang|memory_index/);
    assert.match(found!, /The build needs clang/);
    assert.equal(Deno.statSync(s.home.at(DATABASE)).mode! & 0o777, 0o600);
    assert.equal(Deno.statSync(s.home.at(".local/share/hamr")).mode! & 0o777, 0o700);
  });
});

Deno.test("secrets, long texts and nothing at all are not saved, and the model is told why", async () => {
  const cases: [string, RegExp][] = [
    ["The deploy token is ghp_aB3dE5gH7jK9mN1pQ3rS5tU7vW9x", /not saved: .* a GitHub token/],
    ["x".repeat(2001), /not saved: it has 2001 characters/],
    ["  ", /not saved: it is empty/],
  ];
  const script = steps(
    ...cases.map(([fact]) => ["save_memory", { fact }] as [string, { fact: string }]),
  );
  await open_stage({ script }, async (s) => {
    await s.run("Look.", "--mode", "auto");
    s.server.results().forEach((text, at) => assert.match(text, cases[at]![1]));
    assert.deepEqual(await listed(s), []);
  });
});

Deno.test("where memory is off, or has no place, its tools are not offered and not found", async () => {
  const off: StageOptions = { env: { HAMR_MEMORY_ENABLED: "false" } };
  const script = [search("x"), call("tool_search", { query: "memory" }), say(ANSWER)];
  await inside_stage({ ...off, script }, async (s) => {
    const { code, result } = await s.run("Look.", "--mode", "auto");
    assert.deepEqual([code, result.warnings], [0, []]);
    for (const request of s.server.requests) {
      assert.doesNotMatch(names(request).join(), /memory/);
    }
    assert.match(s.server.results()[0]!, /there is no tool "search_memory"/);
    assert.match((await s.hamr(["memory", "list"])).stdout, /^$/);
  });
  await inside_stage({ script: () => say(ANSWER), one_conversation: false }, async (s) => {
    // Nobody can make a folder below a file, whoever they are; and a pipe has no reader.
    s.home.write("file", "");
    s.home.write("piped/", "");
    await new Deno.Command("mkfifo", { args: [s.home.at("piped/hamr.db")] }).output();
    for (const home of ["file/hamr", "piped"]) {
      const env = { ...s.env, HAMR_HOME: s.home.at(home) };
      const run = await s.hamr(["run", "--json", "Look."], { env });
      assert.equal(run.code, 0);
      const about = run.result.warnings.filter((line) => /memory/.test(line));
      assert.equal(about.length, 1, run.result.warnings.join("\n"));
      assert.match(
        about[0]!,
        /memory is off, the session is not saved: .*hamr\.db can't be written/,
      );
      assert.doesNotMatch(names(s.server.requests.at(-1)!).join(), /memory/);
    }
  });
});

Deno.test("a damaged database is said once, and the run goes on without", async () => {
  const damaged = "this is no database ".repeat(400);
  const script = [save("x y"), search("x"), say(ANSWER)];
  await inside_stage({ script }, async (s) => {
    s.home.write(DATABASE, damaged);
    const { code, result } = await s.run("Look.", "--mode", "auto");
    assert.equal(code, 0);
    assert.equal(result.warnings.length, 1);
    assert.match(
      result.warnings[0]!,
      /memory is off, the session is not saved: .*hamr\.db can't be used: .*move it away/,
    );
    for (const text of s.server.results()) assert.match(text, /memory is off in this run/);
    assert.equal(s.home.read(DATABASE), damaged);
    const list = await s.hamr(["memory"]);
    assert.deepEqual([list.code, list.stdout], [3, ""]);
    assert.match(list.stderr, /^hamr: .*hamr\.db can't be used: .*\n$/);
    const doctor = await s.hamr(["doctor"]);
    assert.equal(doctor.code, 3);
    assert.match(doctor.stdout, /✗ memory: memory is off: .*hamr\.db/);
  });
});

Deno.test("hamr memory adds, lists, searches and removes, for people and for programs", async () => {
  await open_stage({}, async (s) => {
    const run = (...args: string[]) => s.hamr(["memory", ...args]);
    assert.equal((await run("add", "Use make, not npm")).stdout, "Saved: 1\n");
    assert.equal((await run("add", "use make, not npm.")).stdout, "Already known: 1\n");
    assert.equal((await run("add", "--global", "I like tabs")).stdout, "Saved: g1\n");
    assert.match(
      (await listed(s)).join("\n"),
      /^g1 {2}\d{4}-\d\d-\d\d {2}I like tabs\n 1 {2}.*npm\.$/,
    );
    const search = await run("search", "making");
    assert.match(search.stdout, /^1 {2}.*use make, not npm\.\n$/);
    assert.deepEqual(await listed(s, "-C", s.outside.path).then((lines) => lines.length), 1);
    assert.equal((await run("rm", "1", "g1")).stdout, "Removed: 1, g1\n");
    assert.deepEqual(await listed(s), []);
    const refused: [string[], RegExp][] = [
      [["rm", "7"], /there is no fact 7 here/],
      [["rm"], /memory rm needs the id/],
      [["add"], /memory add needs a fact/],
      [["search", " "], /memory search needs words/],
      [["add", "password = hunter22"], /not saved: it looks like it holds a password/],
      [["lst"], /did you mean memory list\?/],
      [["--output", "yaml"], /--output: must be text, json or jsonl/],
    ];
    await each(refused, async ([args, expected]) => {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [3, ""], args.join(" "));
      assert.match(stderr, expected);
    });
  });
});

Deno.test("hamr memory gives JSON, one object or one a line", async () => {
  await open_stage({}, async (s) => {
    const json = async (...args: string[]) => {
      const { stdout } = await s.hamr(["memory", ...args]);
      return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    };
    assert.deepEqual(await json("add", "--json", "one"), [{ kind: "saved", id: "1" }]);
    assert.deepEqual(await json("add", "--global", "--json", "two"), [{ kind: "saved", id: "g1" }]);
    const [{ facts }] = await json("list", "--output", "json");
    assert.deepEqual(
      facts.map(({ id, scope, text }: Record<string, string>) => [id, scope, text]),
      [
        ["g1", "global", "two"],
        ["1", "workspace", "one"],
      ],
    );
    assert.ok(!Number.isNaN(Date.parse(facts[0].saved)));
    assert.deepEqual(await json("search", "one", "--output", "jsonl"), [facts[1]]);
    assert.deepEqual(await json("rm", "1", "--json"), [{ removed: ["1"] }]);
  });
});

Deno.test("a search takes any characters", async () => {
  const queries = ['a-b c:d "x" NEAR(', "", "🎉", "*", "'; DROP TABLE facts; --", "数据库"];
  const script = steps(
    ["save_memory", { fact: "数据库连接 a-b c:d" }],
    ...queries.map((query) => ["search_memory", { query }] as [string, { query: string }]),
  );
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Look.", "--mode", "auto");
    assert.equal(result.stop_reason, "llm_done");
    const found = s.server.results().slice(1).map((text) => /数据库连接/.test(text));
    assert.deepEqual(found, [true, false, false, false, false, true]);
  });
});

Deno.test("with auto_recall the first request of a turn ends with what memory holds on the task", async () => {
  const script = () => say(ANSWER);
  const env = { HAMR_MEMORY_AUTO_RECALL: "true" };
  await open_stage({ script: [bash("true"), say(ANSWER)], env }, async (s) => {
    await s.hamr(["memory", "add", "The parser is generated: edit grammar.txt"]);
    const { events } = await s.events("Why is the parser slow?", "--mode", "auto");
    const [first, second] = s.server.requests.map(({ body }) => String(body.messages[1]?.content));
    assert.match(
      first!,
      /slow\?\n\n<hamr>\nReminder: background from memory[^]*verify[^]*grammar\.txt\n<\/hamr>$/,
    );
    assert.equal(second, "Why is the parser slow?");
    const told = events.filter(({ type }) => type === "reminder");
    assert.deepEqual(told.map(({ name, step }) => [name, step]), [["memory_recall", 1]]);
  });
  for (const more of [{}, { ...env, HAMR_REMINDERS_ENABLED: "false" }]) {
    await open_stage({ script, env: more }, async (s) => {
      await s.hamr(["memory", "add", "The parser is generated: edit grammar.txt"]);
      await s.run("Why is the parser slow?");
      assert.equal(s.server.requests[0]!.body.messages[1]?.content, "Why is the parser slow?");
    });
  }
});

Deno.test("a compaction first keeps what the summary says is worth remembering", async () => {
  const text = Array.from({ length: 200 }, (_, at) => `line ${at} abcdefg`).join("\n");
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, `${n}${text}`]),
  );
  const is_summary = (request: Recorded) => /^You summarize/.test(system(request));
  const summary = say(
    "1. Task: count.\nREMEMBER: The count script is bin/count\nREMEMBER: password = hunter22",
  );
  let step = 0;
  const script = (request: Recorded): Reply => {
    if (is_summary(request)) return summary;
    return step++ < 16
      ? call("read", { path: `f${(step - 1) % 12}.txt`, limit: 300 })
      : say(ANSWER);
  };
  const env = { HAMR_GUARDS_READ_LIMIT: "0" };
  await open_stage({ script, files, env, violations: true }, async (s) => {
    const flags = ["--context-window", "8192", "--max-output-tokens", "1000"];
    const { code, events } = await s.events("Count.", ...flags);
    assert.equal(code, 0);
    const asked = s.server.requests.find(is_summary)!;
    assert.match(system(asked), /REMEMBER: one fact/);
    const kept = events.filter(({ type }) => type === "memory");
    assert.deepEqual(kept.map(({ fact }) => fact), ["The count script is bin/count"]);
    assert.match((await listed(s)).join("\n"), /^1 .*The count script is bin\/count$/);
    const task = String(s.server.requests.at(-1)!.body.messages[1]?.content);
    assert.match(task, /1\. Task: count\./);
    assert.doesNotMatch(task, /REMEMBER/);
  });
});

Deno.test("a dry run saves nothing", async () => {
  await open_stage({ script: [save("Use make"), say(ANSWER)] }, async (s) => {
    await s.run("Look.", "--mode", "auto", "--dry-run");
    assert.match(s.server.results()[0]!, /\[dry run\] not saved/);
    assert.deepEqual(await listed(s), []);
  });
});

Deno.test("runs side by side save into one database", async () => {
  const script = (request: Recorded): Reply => {
    const { messages } = request.body;
    const done = messages.filter(({ role }) => role === "tool").length;
    const task = String(messages[1]?.content);
    return done < 6 ? save(`${task} ${done}`) : say(ANSWER);
  };
  await inside_stage({ script, one_conversation: false }, async (s) => {
    const tasks = ["one", "two", "three"];
    const runs = await Promise.all(tasks.map((task) => s.run(task, "--mode", "auto")));
    for (const { code, result } of runs) {
      // On a busy machine one may say that it could not look at the workspace in time.
      const said = result.warnings.filter((line) => !/^hamr could not look at the work/.test(line));
      assert.deepEqual([code, said], [0, []]);
    }
    assert.equal((await listed(s)).length, 18);
  });
});

Deno.test("a fact takes the place of one that is no longer right, and one of the user holds in every project", async () => {
  const how = (args: Record<string, string>) => call("save_memory", args);
  const script = [
    save("Tests run with make test. They need Postgres"),
    save("The tests are slow"),
    how({ fact: "Tests run with just test", replaces: "tests run with MAKE" }),
    how({ fact: "x", replaces: "T" }),
    how({ fact: "x", replaces: "no such thing" }),
    how({ fact: "I like tabs", scope: "user" }),
    how({ fact: "I like spaces", replaces: "I like tabs" }),
    how({ fact: "I like neither", replaces: "I like spaces", scope: "project" }),
    how({ fact: "x", scope: "world" }),
    search("tests run"),
    say(ANSWER),
  ];
  await open_stage({ script, one_conversation: false }, async (s) => {
    const { code, result } = await s.run("Look.", "--mode", "auto");
    assert.equal(code, 0);
    const [, , replaced, many, none, , tabs, narrower, scope, found] = s.server.results();
    assert.equal(replaced, "Saved in place of: Tests run with make test. They need Postgres");
    assert.match(many!, /not saved: more than one fact begins like/);
    assert.match(none!, /not saved: no fact begins like .*search_memory/);
    assert.equal(tabs, "Saved in place of: I like tabs");
    assert.match(narrower!, /not saved: that one holds in all projects/);
    assert.match(scope!, /not saved: scope is "project" or "user"/);
    assert.match(found!, /just test[^]*save_memory \{"fact", "replaces": "its first words"\}/);
    assert.doesNotMatch(found!, /make test/);
    const lines = (await listed(s)).map((line) => line.replace(/ *\d{4}-\d\d-\d\d */, " ").trim());
    assert.deepEqual(lines.sort(), [
      "2 The tests are slow",
      "3 Tests run with just test",
      "g1 I like spaces",
    ]);
    const elsewhere = await listed(s, "-C", s.outside.path);
    assert.deepEqual([elsewhere.length, /I like spaces/.test(elsewhere[0]!)], [1, true]);
    // What reaches into other projects is for the person to see.
    assert.deepEqual(result.warnings.filter((line) => line.includes("all your projects")), [
      "saved for all your projects: I like tabs (hamr memory rm g1 takes it back)",
      "saved for all your projects: I like spaces in place of: I like tabs (hamr memory rm g1 removes it)",
    ]);
    const replay = await s.hamr(["replay", result.session_id]);
    assert.match(replay.stdout, /every byte the same/);
  });
  // The prompt of the next run has it, wherever that is.
  await open_stage({
    script: [how({ fact: "I like tabs", scope: "user" }), say(ANSWER), say(ANSWER)],
    one_conversation: false,
  }, async (s) => {
    await s.run("Look.", "--mode", "auto");
    await s.run("Look.", "-C", s.outside.path);
    assert.match(system(s.server.requests.at(-1)!), /<memory>\n- I like tabs\n/);
  });
});

Deno.test("where memory has no match, sessions that have are named", async () => {
  const script = [
    say("The parser is in grammar.txt."),
    search("where is the parser?"),
    say(ANSWER),
  ];
  await open_stage({ script, one_conversation: false }, async (s) => {
    await s.run("Where is the parser?");
    const { result } = await s.run("Look again.", "--mode", "auto");
    const found = s.server.results().at(-1)!;
    assert.match(
      found,
      /^No match in memory\.\nFrom earlier sessions; notes to verify[^]*\n- \d[^]*parser/,
    );
    const replay = await s.hamr(["replay", result.session_id]);
    assert.match(replay.stdout, /every byte the same/);
  });
});
