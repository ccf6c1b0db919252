/** Whose a change is: the run's, where one of its calls made it; else someone else's. */
import assert from "node:assert/strict";
import { post_edit, with_hooks } from "./support/hooks.ts";
import { bash, call, type Reply, say } from "./support/model_server.ts";
import { COMMIT, sh } from "./support/shell.ts";
import { inside_stage, type Stage } from "./support/stage.ts";

const FIXED = say("I fixed add.");
const FILES = { "a.py": "def add(a, b):\n    return a - b\n", "b.py": "b = 1\n" };
const SED = bash("sed -i 's/a - b/a * b/' a.py");
const EDIT = call("edit", { path: "a.py", old: "a * b", new: "a + b" });

const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path);

Deno.test("a command and then an edit: the file is changed, and so it is told", async () => {
  await inside_stage({ script: [SED, EDIT, FIXED], files: FILES }, async (s) => {
    sh(s, COMMIT);
    const { code, result } = await s.run("Fix add.");
    assert.equal(code, 0, result.error?.message);
    assert.deepEqual(result.files_changed, [
      { path: "a.py", status: "modified", added: 1, removed: 1 },
    ]);
  });
});

Deno.test("what is back as it was is not a change, however it came back", async () => {
  const script = [SED, EDIT, bash("git checkout -q a.py"), FIXED, FIXED, FIXED];
  await inside_stage({ script: (_, n) => script[n] ?? FIXED, files: FILES }, async (s) => {
    sh(s, COMMIT);
    const { code, result } = await s.run("Fix add.", "--mode", "patch");
    assert.equal(code, 2);
    assert.deepEqual(result.files_changed, []);
  });
});

Deno.test("what git is told not to show is a change all the same", async () => {
  const hidden = [
    "git update-index --skip-worktree a.py; git config status.showUntrackedFiles no",
    "echo '*.sh' >> .git/info/exclude",
    "echo x >> a.py; echo x > new.sh; echo x > new.txt; git status --short",
  ].map(bash);
  await inside_stage({ script: (_, n) => hidden[n] ?? FIXED, files: FILES }, async (s) => {
    sh(s, COMMIT);
    const { result } = await s.run("Fix add.");
    assert.deepEqual(paths(result.files_changed), ["a.py", "new.sh", "new.txt"]);
  });
});

Deno.test("a change is seen although git says that the file always was so", async () => {
  const change = "id=$(git rev-parse HEAD:a.py); sed -i 's/a - b/a * b/' a.py; ";
  const object = ".git/objects/${id:0:2}/${id:2}";
  const lies = {
    replaced: "git replace $id $(git hash-object -w a.py)",
    forged: `new=$(git hash-object -w a.py)
chmod u+w ${object}; cat .git/objects/\${new:0:2}/\${new:2} > ${object}`,
    gone: `rm -f ${object}`,
  };
  for (const [name, lie] of Object.entries(lies)) {
    await inside_stage({ script: [bash(change + lie), FIXED], files: FILES }, async (s) => {
      sh(s, COMMIT);
      const { result } = await s.run("Fix add.");
      assert.match(s.ws.read("a.py"), /a \* b/);
      assert.deepEqual(paths(result.files_changed), ["a.py"], name);
      const { stdout, stderr } = await s.hamr(["diff"]);
      assert.match(stdout, /a\.py/, name);
      const unknown = /a\.py: .*its content is not known: it could not be read, or was too large/;
      assert.equal(unknown.test(stderr), name !== "replaced", stderr);
    });
  }
});

Deno.test({
  name: "of a file that hamr could not read, and a command has removed, that is what is said",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const script = [bash("rm -f locked"), FIXED];
    await inside_stage({ script, files: { ...FILES, locked: "secret\n" } }, async (s) => {
      Deno.chmodSync(s.ws.at("locked"), 0);
      // Root can read it all the same, by these.
      const caps = "-dac_override,-dac_read_search";
      const without = ["setpriv", `--bounding-set=${caps}`, `--inh-caps=${caps}`, "--"];
      const who = Deno.uid() === 0 ? { wrapper: without } : {};
      const { result, stderr } = await s.hamr(["run", "--json", "--verify", "true", "Go."], who);
      assert.deepEqual(paths(result.files_changed), ["locked"], stderr);
      const undo = await s.hamr(["undo"], who);
      assert.match(undo.stdout, /locked: .*it could not be read, or was too large to read/);
      assert.doesNotMatch(undo.stdout, /10 MB/);
      assert.deepEqual([undo.code, s.ws.exists("locked")], [2, false]);
    });
  },
});

Deno.test("what the user writes while the model thinks is theirs", async () => {
  const script = (s: Stage): (n: number) => Reply => (n) => {
    if (n === 1) {
      s.ws.write("a.py", "mine\n");
      s.ws.write("new.py", "mine\n");
    }
    return [bash("cat a.py"), bash("cat b.py"), FIXED][n] ?? FIXED;
  };
  let reply: (n: number) => Reply = () => FIXED;
  await inside_stage({ script: (_, n) => reply(n), files: FILES }, async (s) => {
    reply = script(s);
    const { code, result, stderr } = await s.run("Fix add.", "--mode", "patch");
    assert.equal(code, 2, stderr);
    assert.deepEqual(result.files_changed, []);
    const undone = await s.hamr(["undo"]);
    assert.deepEqual([undone.code, undone.stdout], [0, ""]);
    assert.deepEqual([s.ws.read("a.py"), s.ws.read("new.py")], ["mine\n", "mine\n"]);
  });
});

Deno.test("what the user writes into a file of the run stays when the run is undone", async () => {
  let s: Stage | null = null;
  const replies = [bash("echo run >> a.py; echo run > n.py"), bash("echo more >> a.py"), FIXED];
  const script = (n: number) => {
    if (n === 1) s?.ws.write("a.py", "mine\n");
    if (n === 2) s?.ws.write("n.py", "mine\n");
    return replies[n] ?? FIXED;
  };
  await inside_stage({ script: (_, n) => script(n), files: FILES }, async (own) => {
    s = own;
    const { result } = await s.run("Fix add.");
    assert.deepEqual(paths(result.files_changed), ["a.py", "n.py"]);
    const { code, stdout } = await s.hamr(["undo"]);
    assert.deepEqual([code, stdout.split("\n")], [2, [
      "a.py: left alone: changed by someone else after step 1, before step 2",
      "n.py: left alone: changed by someone else since",
      "",
    ]]);
    assert.deepEqual([s.ws.read("a.py"), s.ws.read("n.py")], ["mine\nmore\n", "mine\n"]);
  });
});

Deno.test("of two runs in one workspace each has its own changes", async () => {
  const other: { run?: () => Promise<unknown> } = {};
  const script = async (task: string, step: number): Promise<Reply> => {
    const done = say("The answer is 42.");
    if (task === "Second.") return step === 0 ? bash("echo 2 > two.txt; echo 2 >> a.py") : done;
    if (step === 1) await other.run?.();
    return [bash("echo 1 > one.txt"), bash("echo 1 >> b.py"), done][step] ?? done;
  };
  const options = {
    script: ({ body: { messages } }: { body: { messages: readonly { content?: unknown }[] } }) =>
      script(String(messages[1]?.content), Math.floor((messages.length - 2) / 2)),
    files: FILES,
    one_conversation: false,
  };
  await inside_stage(options as Parameters<typeof inside_stage>[0], async (s) => {
    let second: Awaited<ReturnType<Stage["run"]>> | undefined;
    other.run = async () => void (second = await s.run("Second."));
    const first = await s.run("First.");
    assert.deepEqual(paths(first.result.files_changed), ["b.py", "one.txt"]);
    assert.deepEqual(paths(second?.result.files_changed ?? []), ["a.py", "two.txt"]);
    const undone = await s.hamr(["undo", first.result.session_id]);
    assert.equal(undone.stdout, "b.py: restored\none.txt: removed\n");
    assert.equal(s.ws.read("two.txt"), "2\n");
  });
});

Deno.test("without an id the newest session that changed a file is meant, and it is named", async () => {
  const script = [bash("echo 1 > one.txt"), say("Made."), bash("ls"), say("Looked.")];
  await inside_stage({ script, files: FILES, one_conversation: false }, async (s) => {
    const first = await s.run("Make it.");
    await s.run("Look.", "--mode", "ask");
    const name = `hamr: session ${first.result.session_id}: Make it.\n`;
    assert.equal((await s.hamr(["diff"])).stderr, name);
    const { stdout, stderr } = await s.hamr(["undo"]);
    assert.deepEqual([stdout, stderr], ["one.txt: removed\n", name]);
  });
});

Deno.test("diff --binary is what git apply takes, there and back, whatever the files hold", async () => {
  const made = "printf 'a\\0b' > new.bin; printf '\\1\\0' > old.bin; rm gone.bin; " +
    "printf 'gr\\374n\\n' > latin.txt; echo more >> a.py; chmod +x b.py; ln -s a.py link";
  const begun = "printf '\\0\\1' > old.bin; cp old.bin gone.bin; printf 'gr\\344n\\n' > latin.txt";
  await inside_stage({ script: [bash(made), FIXED], files: FILES }, async (s) => {
    sh(s, `${begun}; ${COMMIT}`);
    await s.run("Make them.");
    const plain = await s.hamr(["diff"]);
    assert.match(plain.stdout, /new\.bin\nnew file mode 100644\nBinary files differ\n/);
    const { stdout } = await s.hamr(["diff", "--binary"]);
    s.outside.write("run.patch", stdout);
    const patch = s.outside.at("run.patch");
    sh(
      s,
      `git add -A; left=$(git write-tree); begin=$(git rev-parse HEAD^{tree})
      git apply --index -R ${patch}; test $begin = $(git write-tree)
      git apply --index ${patch}; test $left = $(git write-tree)`,
    );
  });
});

Deno.test("files in a folder that --allow-write names are changes, too; those of $TMPDIR are none", async () => {
  let outside = "";
  const script = (n: number) =>
    [bash(`echo x > ${outside}/far.txt; echo y > $TMPDIR/t`), say("Made it.")][n] ?? FIXED;
  await inside_stage({ script: (_, n) => script(n), files: FILES }, async (s) => {
    outside = s.outside.path;
    const { result } = await s.run("Make it.", `--allow-write=${outside}`);
    assert.deepEqual(result.files_changed, [
      { path: `${outside}/far.txt`, status: "added", added: 1, removed: 0 },
    ]);
  });
});

Deno.test("what a hook changes belongs to the call it ran after", async () => {
  const script = [call("write", { path: "c.py", content: "c\n" }), FIXED];
  await with_hooks(post_edit("echo done >> log.txt"), { script, files: FILES }, async (s) => {
    const { events, result } = await s.events("Make it.");
    const [turn] = events.filter(({ type }) => type === "turn_diff");
    assert.deepEqual(paths(turn?.["files"] as { path: string }[]), ["c.py", "log.txt"]);
    assert.deepEqual(paths(result.files_changed), ["c.py", "log.txt"]);
    assert.equal((await s.hamr(["undo"])).stdout, "c.py: removed\nlog.txt: removed\n");
  });
});

Deno.test("a run that ends leaves the caches of another one in its workspace where they are", async () => {
  const other: { run?: () => Promise<unknown> } = {};
  const fill = 'mkdir -p "$npm_config_cache" && touch "$npm_config_cache/mine" && echo kept';
  const script = async ({ raw }: { readonly raw: string }) => {
    if (raw.includes("Be quick.")) return say("x is 1.");
    if (!raw.includes('"role":"tool"')) return bash("true");
    if (raw.includes('"kept"')) return say("x is 1.");
    await other.run?.();
    return bash(fill);
  };
  await inside_stage({ script, files: FILES, one_conversation: false }, async (s) => {
    other.run = () => s.run("Be quick.");
    const { code } = await s.run("What is x?", "--max-steps", "3");
    assert.deepEqual([code, s.server.results()], [0, ["[no output]", "kept"]]);
  });
});
