import assert from "node:assert/strict";
import { each, type Outcome } from "./support/hamr.ts";
import { bash, call, type Reply, say } from "./support/model_server.ts";
import { open_stage, type Stage, type StageOptions } from "./support/stage.ts";

const ONE_TURN = ["--repair-attempts", "0"];

async function play(
  options: StageOptions,
  flags: readonly string[],
  judge: (run: Outcome, s: Stage) => void,
): Promise<void> {
  await open_stage(options, async (s) => judge(await s.events("Do it.", ...flags), s));
}

const nudges = (run: Outcome) => run.events.filter((event) => event.type === "nudge");
const ended = (run: Outcome) => [run.code, run.result.stop_reason];
const last = (s: Stage) => s.server.requests.at(-1)!.body.messages.at(-1)!;

Deno.test("run nudges a model that says what it will do, and goes on", async () => {
  const script = [
    say("Let me look at the code first."),
    bash("ls"),
    say("The folder holds one file, a.txt."),
  ];
  await play({ script }, [], (run, s) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    assert.equal(nudges(run).length, 1);
    assert.equal(run.result.final_output, "The folder holds one file, a.txt.");
    const nudged = s.server.requests[1]!.body.messages.at(-1)!;
    assert.equal(nudged.role, "user");
    assert.ok(nudged.content?.includes(String(nudges(run)[0]!["message"])), nudged.content ?? "");
  });
});

Deno.test("run asks once about an answer that does nothing, then exits with 2", async () => {
  const ends: Record<string, string> = {
    "I will now look at the code:": "not_done",
    "Which file should I change?": "not_done",
    "I'm sorry, but I can't help with that.": "not_done",
    "Done.": "contract_unsatisfied",
    "All tests pass now.": "contract_unsatisfied",
  };
  await each(
    Object.entries(ends),
    ([text, reason], n) =>
      play({ script: () => say(text), inside: n > 0 }, [], (run, s) => {
        assert.deepEqual(ended(run), [2, reason], text);
        assert.deepEqual(nudges(run).map(({ name }) => name), ["doubtful"], text);
        assert.equal(s.server.requests.length, 2, text);
        assert.equal(run.result.final_output, text);
        assert.ok((run.result.error?.message ?? "").length > 0);
      }),
  );
});

Deno.test("run looks for a file that only the answer names", async () => {
  const made = (name: string) =>
    bash(`mkdir -p out docs; echo out > .gitignore; n=${name}; echo x > docs/$n.txt > out/$n.md`);
  const ends: readonly (readonly [string, readonly Reply[], number])[] = [
    ["Saved the summary in `summary.md`.", [bash("echo x > a.txt")], 2],
    // Wherever it is, also where nobody keeps it.
    ["Saved the notes in `notes.md`.", [made("notes")], 0],
    ["Saved the list in `docs/list.txt`.", [made("list")], 0],
    ["Changed `a.txt`. If you want to keep a log, write it to `log.txt`.", [
      bash("echo x > a.txt"),
    ], 0],
  ];
  await each(
    ends,
    ([text, calls, code]) =>
      play({ script: [...calls, say(text), say(text)], inside: true }, [], (run) => {
        assert.equal(run.code, code, text);
        const told = run.result.error?.message ?? "";
        if (code > 0) assert.match(told, /summary\.md/);
      }),
  );
});

Deno.test("run holds 'nothing is left' against the last search of read", async () => {
  const files = { "a.ts": "new Config();\n", "b.ts": "Config.load();\n" };
  const look = call("read", { path: ".", search: "Config" });
  const rename = (path: string) => call("edit", { path, old: "Config", new: "Settings" });
  const text = "`Config` is renamed to `Settings` everywhere.";
  const ends: readonly (readonly [calls: readonly Reply[], code: number])[] = [
    [[look, rename("a.ts"), look], 2],
    [[look, rename("a.ts"), rename("b.ts"), look], 0],
  ];
  await each(
    ends,
    ([calls, code]) =>
      play({ script: [...calls, say(text), say(text)], files, inside: true }, [], (run) => {
        assert.equal(run.code, code, `${calls.length}`);
      }),
  );
});

Deno.test("run asks about no edit that failed where there was nothing to change", async () => {
  const edit = (path: string, old = "one", fresh = "two") =>
    call("edit", { path, old, new: fresh });
  // A path that was a guess, a folder, a text that is so already, a script that nobody keeps.
  const failed = [
    edit("src/lexer.py"),
    edit("src"),
    edit("b.txt", "two", "two"),
    call("write", { path: "/var/tmp/hamr_repro.py", content: "1\n" }),
  ];
  const files = { "a.txt": "one\n", "b.txt": "two\n", "src/c.txt": "" };
  const said = say("I fixed the typo.");
  const script = [...failed, edit("a.txt"), said, said];
  await play({ files, script, inside: false }, [], (run, s) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    const results = run.events.filter(({ type }) => type === "tool_result");
    assert.deepEqual(results.map(({ ok }) => ok), [false, false, false, false, true]);
    assert.equal(s.server.requests.length, 6);
  });
  await play({ files, script: [edit("b.txt"), edit("a.txt"), said, said] }, [], (run, s) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    assert.match(last(s).content ?? "", /no change seen since: b\.txt/);
  });
});

Deno.test("run ends in not_done where the model says NOT DONE, in every mode, and the log says so", async () => {
  const script = [bash("ls"), say("NOT DONE: there is no function add.")];
  for (const flags of [[], ["--mode", "ask"], ["--mode", "patch"], ["--verify", "false"]]) {
    await play({ script }, flags, (run, s) => {
      assert.deepEqual(ended(run), [2, "not_done"], flags.join(" "));
      assert.equal(s.server.requests.length, 2);
      assert.equal(run.result.status, "partial");
      assert.equal(run.result.verification, null);
      assert.match(run.stderr, /not_done: there is no function add\. \(/);
    });
  }
});

Deno.test("run asks the model to try where it gives up before the first call", async () => {
  const given_up = say("NOT DONE: I can't.");
  const tries = [given_up, call("write", { path: "a.txt", content: "" }), say("I created a.txt.")];
  await play({ script: tries }, [], (run) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    assert.equal(nudges(run).length, 1);
  });
  await play({ script: () => given_up }, [], (run, s) => {
    assert.deepEqual(ended(run), [2, "not_done"]);
    assert.equal(s.server.requests.length, 2);
  });
});

Deno.test("run takes an honest report of failure at once", async () => {
  const text = "I could not make the change: the edit failed. Nothing was changed.";
  const script = [call("edit", { path: "a.txt", old: "missing", new: "two" }), say(text)];
  await play({ script, files: { "a.txt": "one\n" } }, [], (run) => {
    assert.deepEqual(ended(run), [2, "not_done"]);
    assert.deepEqual(nudges(run), []);
    assert.equal(run.result.final_output, text);
  });
});

Deno.test("run speaks with one voice after a refusal of the policy", async () => {
  const script = [bash("git push origin main"), say("I could not push: the push was refused.")];
  await play({ script }, [], (run) => {
    assert.deepEqual(ended(run), [2, "not_done"]);
    assert.deepEqual(nudges(run), []);
    assert.equal(run.result.evidence.refused, 1);
  });
});

Deno.test("run takes a fact saved in memory and a todo list for what they are", async () => {
  const ways: [Reply, string][] = [
    [call("save_memory", { fact: "The person prefers tabs." }), "I saved that you prefer tabs."],
    [
      call("todo", { items: [{ text: "Look", status: "pending" }] }),
      "I created a todo list with one item.",
    ],
  ];
  for (const [reply, text] of ways) {
    await play({ script: [reply, say(text)] }, [], (run) => {
      assert.deepEqual(ended(run), [0, "llm_done"], text);
      assert.deepEqual(nudges(run), [], text);
    });
  }
});

Deno.test("run takes a mere status for an ending once something was changed", async () => {
  const script = [call("write", { path: "hello.txt", content: "hi" }), say("Done.")];
  for (const mode of ["auto", "patch"]) {
    await play({ script }, ["--mode", mode], (run, s) => {
      assert.deepEqual(ended(run), [0, "llm_done"]);
      assert.equal(nudges(run).length, 0);
      assert.equal(s.ws.read("hello.txt"), "hi");
    });
  }
});

Deno.test("run denies a claim that the ledger does not bear out", async () => {
  const script = () => say("I fixed the bug in parser.ts and updated the tests.");
  await play({ script }, ONE_TURN, (run) => {
    assert.deepEqual(ended(run), [2, "contract_unsatisfied"]);
    assert.equal(nudges(run).length, 1);
    assert.deepEqual(run.result.files_changed, []);
  });
});

Deno.test("run lets the model make its claim true", async () => {
  const claim = say("I fixed the bug in a.txt, it says two now.");
  const script = [claim, call("edit", { path: "a.txt", old: "one", new: "two" }), claim];
  await play({ script, files: { "a.txt": "one\n" } }, [], (run) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    assert.equal(nudges(run).length, 1);
  });
});

Deno.test("run tells the whole answer where the last words only say that it stands", async () => {
  const claim = "I have changed the year to 365 in a.txt.";
  const stands = "My answer stands.";
  const made_true = [bash("echo 365 > a.txt")];
  await play({ script: [say(claim), ...made_true, say(stands)] }, [], (run) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    assert.equal(run.result.final_output, `${claim}\n\n${stands}`);
  });
  // What the facts deny, or what told nothing, is not told again.
  const retracted = "The file is fine as it is.";
  await play({ script: [bash("cat a.txt"), say(claim), say(retracted)] }, [], (run) => {
    assert.deepEqual([run.code, run.result.final_output], [0, retracted]);
  });
  await play({ script: [say("Let me look."), bash("ls"), say("It is empty.")] }, [], (run) => {
    assert.deepEqual([run.code, run.result.final_output], [0, "It is empty."]);
  });
});

Deno.test("run believes no claim after an edit that failed", async () => {
  const script = (_: unknown, n: number): Reply =>
    n === 0
      ? call("edit", { path: "a.txt", old: "missing", new: "two" })
      : say("I changed the value in a.txt to two.");
  await play({ script, files: { "a.txt": "one\n" } }, ONE_TURN, (run) => {
    assert.deepEqual(ended(run), [2, "contract_unsatisfied"]);
  });
});

Deno.test("run believes no claim of a change that was put back", async () => {
  const script = (_: unknown, n: number): Reply =>
    [
      call("edit", { path: "a.txt", old: "one", new: "two" }),
      bash("echo one > a.txt; echo x > b.txt; rm b.txt"),
    ][n] ?? say("I fixed the bug in a.txt.");
  await play({ script, files: { "a.txt": "one\n" } }, ONE_TURN, (run, s) => {
    assert.deepEqual(ended(run), [2, "contract_unsatisfied"]);
    assert.match(run.result.error!.message, /Files seen to change: none/);
    assert.equal(s.ws.read("a.txt"), "one\n");
  });
});

Deno.test("run wants no change where an answer was asked for", async () => {
  const script = [say("I fixed nothing: the parser is right as it is, see line 3.")];
  await play({ script }, ["--mode", "ask"], (run) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
  });
});

Deno.test("run exits with 2 when patch mode saw no file that differs", async () => {
  const files = { "a.txt": "one\n", ".gitignore": "*.log\n" };
  const none = [
    bash("touch a.txt; touch -d 2001-01-01 a.txt"),
    bash("cp a.txt b.txt; mv b.txt a.txt"),
    bash("echo x > a.txt"),
    bash("echo one > a.txt"),
    call("write", { path: "b.txt", content: "" }),
    bash("rm b.txt"),
    bash("echo x > debug.log"),
    bash("mkdir -p .git && echo 1 > .git/x"),
    bash("mkdir -p empty/deep"),
    bash('echo x > "$TMPDIR/x"'),
  ];
  for (const replies of [[], none]) {
    const script = (_: unknown, n: number) => replies[n] ?? say("Changed what was asked for.");
    const options = { script, files, inside: replies.length > 0 };
    await play(options, ["--mode", "patch", ...ONE_TURN], (run) => {
      assert.deepEqual(ended(run), [2, "contract_unsatisfied"]);
      assert.deepEqual(run.result.files_changed, []);
    });
  }
});

Deno.test("run without a .gitignore counts no change in folders that nobody keeps", async () => {
  const replies = [bash("mkdir -p node_modules/x && echo 1 > node_modules/x/i.js")];
  const script = (_: unknown, n: number) => replies[n] ?? say("Changed what was asked for.");
  await play({ script }, ["--mode", "patch", ...ONE_TURN], (run) => {
    assert.deepEqual(ended(run), [2, "contract_unsatisfied"]);
  });
});

Deno.test("run exits with 0 when patch mode saw a file that differs, whoever changed it", async () => {
  const ways: Record<string, Reply> = {
    "write.txt": call("write", { path: "write.txt", content: "" }),
    "edit.txt": call("edit", { path: "edit.txt", old: "one", new: "two" }),
    "bash.txt": bash("echo hi > bash.txt"),
    "x/y/folder.txt": bash("mkdir -p x/y && echo hi > x/y/folder.txt"),
    "sed.txt": bash("sed -i s/one/two/ sed.txt"),
    "same_size.txt": bash("printf 'eno\\n' > same_size.txt"),
    "mode.txt": bash("chmod 755 mode.txt"),
    "delete.txt": bash("rm delete.txt"),
    "from.txt": bash("mv from.txt to.txt"),
    "late.txt": bash("(sleep 0.3; echo late > late.txt) & wait"),
  };
  const there = ["edit", "sed", "same_size", "mode", "delete", "from"];
  const files = Object.fromEntries(there.map((name) => [`${name}.txt`, "one\n"]));
  const said = say("Changed what was asked for.");
  const flags = ["--mode", "patch"];
  await play({ script: [...Object.values(ways), said], files }, flags, (run) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    const changed = run.result.files_changed.map(({ path }) => path);
    assert.deepEqual(changed.toSorted(), [...Object.keys(ways), "to.txt"].toSorted());
    assert.equal(run.result.evidence.mutations, changed.length);
  });
  await play({ script: [ways["mode.txt"]!, said], files, inside: false }, flags, (run) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
    assert.deepEqual(run.result.files_changed.map(({ path }) => path), ["mode.txt"]);
  });
});

Deno.test("run gives an unmet contract one repair turn, with the reason as its task", async () => {
  let repair = -1;
  const script = ({ body, n }: { body: { messages: readonly { role: string }[] }; n: number }) => {
    const users = body.messages.filter((message) => message.role === "user").length;
    if (n > 0 && users >= 2 && body.messages.at(-1)?.role === "user") repair = n;
    return say("The file is good the way it is, I find.");
  };
  await play({ script }, ["--mode", "patch"], (run, s) => {
    assert.deepEqual(ended(run), [2, "contract_unsatisfied"]);
    assert.ok(repair > 0, "no repair turn was started");
    assert.match(last(s).content ?? "", /chang|differ|modif/i);
  });
});

Deno.test("run exits with 0 when the repair turn meets the contract", async () => {
  let done = false;
  const script = ({ body }: { body: { messages: readonly { role: string }[] } }): Reply => {
    const users = body.messages.filter((message) => message.role === "user").length;
    if (users < 2) return say("The file is good the way it is, I find.");
    if (done) return say("The file says two now.");
    done = true;
    return call("edit", { path: "a.txt", old: "one", new: "two" });
  };
  await play({ script, files: { "a.txt": "one\n" } }, ["--mode", "patch"], (run) => {
    assert.deepEqual(ended(run), [0, "llm_done"]);
  });
});
