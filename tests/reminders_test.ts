import assert from "node:assert/strict";
import { ANSWER, bash, type Call, call, type Recorded, say } from "./support/model_server.ts";
import { open_stage, type Stage, stage } from "./support/stage.ts";
import type { Outcome } from "./support/hamr.ts";

const FILES = { "a.txt": "one\n", "b.txt": "two\n" };
const read = (path: string): Call => ({ name: "read", args: { path } });
const TOLD =
  /\n\n<hamr>\nReminder: changed on disk since you read it: (.*?)\.(?: Your copy.*)?\n<\/hamr>$/;

/** What a request reminds of, which is at its very end; null if it does not. */
function reminded(request: Recorded | undefined): string | null {
  const found = (request?.body.messages ?? []).map(({ content }) => content?.match(TOLD)?.[1]);
  assert.ok(found.slice(0, -1).every((text) => text === undefined), "a reminder was kept");
  return found.at(-1) ?? null;
}

/** The user changes `a.txt`. */
function change({ ws }: Stage): void {
  ws.write("a.txt", `${ws.read("a.txt")}more\n`);
}

const told = (run: Outcome) => run.events.filter(({ type }) => type === "reminder");

Deno.test("a file that changes behind the model is named at the end of one request, once", async () => {
  let set: Stage;
  const script = (_: unknown, n: number) => {
    if (n === 1) change(set);
    return [{ calls: [read("a.txt"), read("b.txt")] }, bash("true"), bash("true")][n] ??
      say(ANSWER);
  };
  await open_stage({ script, files: FILES }, async (s) => {
    set = s;
    const run = await s.events("Look.");
    const { requests } = s.server;
    assert.equal(run.code, 0);
    assert.deepEqual(requests.map(reminded), [null, null, "a.txt", null]);
    // Nothing of it is kept: the result it was in is as it was.
    const at = requests[2]!.body.messages.length - 1;
    const [then, now] = [requests[2], requests[3]].map((r) => r?.body.messages[at]?.content);
    assert.equal(now, then?.replace(TOLD, ""));
    assert.deepEqual(told(run).map(({ name, step }) => [name, step]), [["changed_files", 3]]);
  });
});

Deno.test("each change is told once; what the model reads again is not told of", async () => {
  let set: Stage;
  const script = (_: unknown, n: number) => {
    if (n === 1 || n === 2) change(set);
    return [
      { calls: [read("a.txt")] },
      bash("echo 1"),
      bash("echo 2"),
      { calls: [bash("echo 3 >> a.txt").calls![0]!, read("a.txt")] },
      bash("rm a.*"),
    ][n] ?? say(ANSWER);
  };
  await open_stage({ script, files: FILES }, async (s) => {
    set = s;
    await s.events("Look.");
    const all = [null, null, "a.txt", "a.txt", null, "a.txt (deleted)"];
    assert.deepEqual(s.server.requests.map(reminded), all);
  });
});

Deno.test("a formatter that a command runs is told about; edits and new files of the model are not", async () => {
  const script = [
    { calls: [read("a.txt"), read("b.txt")] },
    call("edit", { path: "a.txt", old: "one", new: "1" }),
    call("write", { path: "b.txt", content: "2\n" }),
    call("write", { path: "c.txt", content: "3\n" }),
    bash("for f in a b c; do echo tidy >> $f.txt; done"),
    call("edit", { path: "a.txt", old: "1", new: "one" }),
    say(ANSWER),
  ];
  await open_stage({ script, files: FILES }, async (s) => {
    const run = await s.events("Tidy up.");
    assert.equal(run.code, 0);
    const all = s.server.requests.map(reminded);
    assert.deepEqual(all.slice(0, 5), [null, null, null, null, null]);
    assert.deepEqual(all[5]?.split(", ").sort(), ["a.txt", "b.txt", "c.txt"]);
    assert.equal(all[6], null, "an edit of its own is no news");
  });
});

Deno.test("what a command changes that names the file is no news; what the user changed before it is", async () => {
  let set: Stage;
  const script = (_: unknown, n: number) => {
    if (n === 3) set.ws.write("b.txt", "by the user, too\n");
    return [
      { calls: [read("a.txt"), read("b.txt")] },
      bash("sed -i s/one/1/ ./a.txt"),
      bash("cat a.txt"),
      bash("sed -i s/user/author/ b.txt"),
      say(ANSWER),
    ][n] ?? say(ANSWER);
  };
  await open_stage({ script, files: FILES }, async (s) => {
    set = s;
    await s.events("Tidy up.");
    assert.deepEqual(s.server.requests.map(reminded), [null, null, null, null, "b.txt"]);
  });
});

Deno.test("what a verify command changes is told about in the repair turn", async () => {
  const script = [
    { calls: [read("a.txt")] },
    say(ANSWER),
    say("It is 43."),
  ];
  await open_stage({ script, files: FILES }, async (s) => {
    const verify = "echo tidy >> a.txt; test $(wc -l < a.txt) = 3";
    const { code } = await s.run("Tidy up.", "--verify", verify);
    assert.equal(code, 0);
    assert.deepEqual(s.server.requests.map(reminded), [null, null, "a.txt"]);
  });
});

Deno.test("a request that is asked again carries its reminder again", async () => {
  let set: Stage;
  const script = (_: unknown, n: number) => {
    if (n === 1) change(set);
    const replies = [{ calls: [read("a.txt")] }, bash("true"), { text: ANSWER, cut_after: 20 }];
    return replies[n] ?? (n === 3 ? bash("echo again") : say(ANSWER));
  };
  await open_stage({ script, files: FILES }, async (s) => {
    set = s;
    const run = await s.events("Look.");
    const { requests } = s.server;
    assert.deepEqual(requests.map(({ body }) => body.stream), [true, true, true, false, true]);
    assert.deepEqual(requests.map(reminded), [null, null, "a.txt", "a.txt", null]);
    assert.equal(told(run).length, 1);
  });
});

Deno.test("the closing call carries no reminder", async () => {
  let set: Stage;
  const script = (_: unknown, n: number) => {
    if (n === 1) change(set);
    return [{ calls: [read("a.txt")] }, bash("true")][n] ?? say("It is not done.");
  };
  await open_stage({ script, files: FILES }, async (s) => {
    set = s;
    const run = await s.events("Look.", "--max-steps", "2");
    assert.equal(run.result.stop_reason, "max_steps");
    assert.equal(s.server.requests.length, 3);
    assert.doesNotMatch(s.server.requests[2]!.raw, /Reminder:/);
    assert.deepEqual(told(run), []);
  });
});

Deno.test("reminders can be switched off, and are shown with -v", async () => {
  const script = [
    { calls: [read("a.txt")] },
    bash("for f in a*; do echo x >> $f; done"),
    say(ANSWER),
  ];
  const cases: [Record<string, string>, string[], number, boolean][] = [
    [{}, ["-v"], 1, true],
    [{}, [], 1, false],
    [{ HAMR_REMINDERS_ENABLED: "false" }, ["-v"], 0, false],
  ];
  for (const [env, flags, times, shown] of cases) {
    await stage({ script, files: FILES, env }, async (s) => {
      const run = await s.events("Look.", ...flags);
      assert.equal(s.server.requests.filter((request) => reminded(request) !== null).length, times);
      assert.equal(told(run).length, times);
      assert.equal(run.stderr.includes("🔔 changed_files: Reminder: changed on disk"), shown);
    });
  }
  await stage(
    { script, files: { ...FILES, "own.toml": "[reminders]\nenabled = false\n" } },
    async (s) => {
      const run = await s.events("Look.", "--config", "own.toml");
      assert.deepEqual(told(run), []);
      const { stdout } = await s.hamr(["config", "show"]);
      assert.match(stdout, /\[reminders\]\nenabled = true/);
    },
  );
});

Deno.test("what a command writes anew with what was in it is not told of, and may be written", async () => {
  const script = [
    { calls: [read("a.txt")] },
    bash('for file in *.txt; do cat "$file" > copy && cat copy > "$file"; done; rm copy'),
    { calls: [call("write", { path: "a.txt", content: "three\n" }).calls![0]!] },
    say("I changed a.txt."),
  ];
  await open_stage({ script, files: FILES }, async (s) => {
    const run = await s.events("Change a.txt.");
    assert.equal(run.code, 0);
    assert.equal(s.server.requests.length, 4);
    assert.deepEqual(s.server.requests.map(reminded), [null, null, null, null]);
    assert.equal(s.ws.read("a.txt"), "three\n");
  });
});
