/** `hamr undo` and `hamr diff`: what they show, and what they put back. */
import assert from "node:assert/strict";
import { bash, call, say } from "./support/model_server.ts";
import { inside_stage as stage } from "./support/stage.ts";
import { until } from "./support/hamr.ts";
import { COMMIT, sh } from "./support/shell.ts";
import { all_of, NAMED, told, WAIT } from "./support/undo.ts";

const DONE = say("Changed what was asked for.");

const FILES = {
  "a.txt": "one\n",
  "src/b.txt": "two\n",
  "src/gone.txt": "three\n",
  "run.sh": "echo run\n",
  "old/moved.txt": "four\n",
  "é b.txt": "five\n",
  "empty/": "",
};
const WORK = [
  call("edit", { path: "a.txt", old: "one", new: "uno" }),
  call("write", { path: "new/deep/c.txt", content: "c\n" }),
  bash(
    "echo more >> a.txt; rm src/gone.txt; chmod +x run.sh; mv old/moved.txt new/moved.txt; " +
      "rmdir old; ln -s ../a.txt new/link; rm 'é b.txt'; ln -s src 'é b.txt'; echo x > empty/x",
  ),
  DONE,
];
const UNDONE = [
  "a.txt: restored",
  "empty/x: removed",
  "new/deep/c.txt: removed",
  "new/link: removed",
  "new/moved.txt: removed",
  "old/moved.txt: restored",
  "run.sh: restored",
  "src/gone.txt: restored",
  "é b.txt: restored",
];

for (const folder of ["plain folder", "git folder", "git folder with changes"]) {
  Deno.test(`all that a session did in a ${folder} comes back, and once`, async () => {
    await stage({ script: WORK, files: FILES }, async (s) => {
      if (folder !== "plain folder") sh(s, COMMIT);
      if (folder.endsWith("changes")) sh(s, "echo dirty >> a.txt; echo untracked > u.txt");
      const before = all_of(s.ws.path);
      assert.equal((await s.run("Do it.")).code, 0);
      assert.notDeepEqual(all_of(s.ws.path), before);
      const shown = await s.hamr(["diff"]);
      assert.match(shown.stdout, /^-one\n\+uno\n( dirty\n)?\+more\n/m);
      assert.match(
        shown.stdout,
        /^diff --git a\/run.sh b\/run.sh\nold mode 100644\nnew mode 100755$/m,
      );
      assert.match(
        shown.stdout,
        /^deleted file mode 100644\n--- a\/é b.txt\t\n[^]*^new file mode 120000\n/m,
      );
      assert.deepEqual(await told(s, "undo"), [0, UNDONE, ""]);
      assert.deepEqual(all_of(s.ws.path), before, "content, modes, links and folders");
      assert.deepEqual(await told(s, "undo"), [0, [], "hamr: nothing to undo\n"]);
      assert.deepEqual(await told(s, "diff"), [0, [], "hamr: no changes\n"]);
    });
  });
}

Deno.test("what the user has changed since is refused by name, unless it is forced", async () => {
  const script = [
    bash("for f in a b c d e; do echo session > $f.txt; done; echo n > n.txt; echo m > m.txt"),
    DONE,
  ];
  const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n", "e.txt": "e\n" };
  await stage({ script, files }, async (s) => {
    await s.run("Do it.");
    sh(s, "echo mine >> a.txt; rm b.txt; chmod 600 c.txt; echo d > d.txt; echo mine > n.txt");
    const since = "changed by someone else since";
    const changed = ["a.txt", "b.txt", "c.txt", "n.txt"];
    const { stderr } = await s.hamr(["diff"]);
    assert.equal(
      stderr.replace(NAMED, ""),
      changed.toSpliced(3, 0, "d.txt").map((p) => `hamr: ${p}: ${since}\n`).join(""),
    );
    const [code, lines, hint] = await told(s, "undo");
    assert.equal(code, 2);
    assert.deepEqual(lines, [
      ...["a.txt", "b.txt", "c.txt"].map((path) => `${path}: left alone: ${since}`),
      "d.txt: already restored",
      "e.txt: restored",
      "m.txt: removed",
      `n.txt: left alone: ${since}`,
    ]);
    assert.match(hint, /4 files were left alone; --force restores them, too/);
    assert.equal(s.ws.read("a.txt"), "session\nmine\n");
    assert.deepEqual(await told(s, "undo", "--force"), [
      0,
      ["a.txt: restored", "b.txt: restored", "c.txt: restored", "n.txt: removed"],
      "",
    ]);
    assert.equal(s.ws.read("a.txt") + s.ws.read("b.txt") + s.ws.read("c.txt"), "a\nb\nc\n");
    assert.deepEqual(await told(s, "undo"), [0, [], "hamr: nothing to undo\n"]);
  });
});

Deno.test("one step can be shown and put back, if no later one changed the same", async () => {
  const script = [
    bash("echo 1 >> a.txt; echo 1 > b.txt; mkdir d; echo 1 > d/c.txt"),
    bash("echo 2 >> a.txt; echo 2 > e.txt"),
    DONE,
  ];
  await stage({ script, files: { "a.txt": "0\n" } }, async (s) => {
    await s.run("Do it.");
    const { stdout } = await s.hamr(["diff", "--step", "2", "--json"]);
    const { files, step } = JSON.parse(stdout);
    assert.equal(step, 2);
    assert.deepEqual(
      files.map((
        { path, status, added, note }: Record<string, unknown>,
      ) => [path, status, added, note]),
      [["a.txt", "modified", 1, null], ["e.txt", "added", 1, null]],
    );
    assert.match(files[0].diff, /^ 0\n 1\n\+2\n/m);
    const [code, lines] = await told(s, "undo", "--step", "1");
    assert.equal(code, 2);
    assert.deepEqual(lines, [
      "a.txt: left alone: changed again in step 2",
      "b.txt: removed",
      "d/c.txt: removed",
    ]);
    assert.deepEqual(Object.keys(all_of(s.ws.path)).sort(), ["a.txt", "e.txt"]);
    assert.deepEqual((await told(s, "undo", "--step", "2"))[1], [
      "a.txt: restored",
      "e.txt: removed",
    ]);
    assert.equal(s.ws.read("a.txt"), "0\n1\n");
    assert.deepEqual((await told(s, "undo", "--step=2"))[1], [], "it has been");
    assert.deepEqual((await told(s, "undo", "--step=1"))[1], ["a.txt: restored"]);
    assert.deepEqual(await told(s, "undo"), [0, [], "hamr: nothing to undo\n"]);
    assert.equal(s.ws.read("a.txt"), "0\n");
    const [wrong, , why] = await told(s, "undo", "--step", "9");
    assert.equal(wrong, 3);
    assert.match(why, /has 3 steps/);
  });
});

Deno.test("a step and all later ones are shown and put back, and what came before stays", async () => {
  const script = [
    bash("echo 1 >> a.txt; echo 1 > b.txt"),
    bash("echo 2 >> a.txt; rm b.txt; echo 2 > c.txt"),
    bash("echo 3 >> a.txt; echo 3 >> c.txt"),
    DONE,
  ];
  await stage({ script, files: { "a.txt": "0\n" } }, async (s) => {
    await s.run("Do it.");
    const { stdout } = await s.hamr(["diff", "--since", "2", "--json"]);
    const { files, since } = JSON.parse(stdout);
    assert.equal(since, 2);
    assert.deepEqual(files.map(({ path }: { path: string }) => path), ["a.txt", "b.txt", "c.txt"]);
    assert.match(files[0].diff, /^ 0\n 1\n\+2\n\+3\n/m);
    const lines = ["a.txt: restored", "b.txt: restored", "c.txt: removed"];
    assert.deepEqual(await told(s, "undo", "--since", "2"), [0, lines, ""]);
    assert.deepEqual([s.ws.read("a.txt"), s.ws.read("b.txt")], ["0\n1\n", "1\n"]);
    assert.deepEqual((await told(s, "undo", "--since=2"))[1], [], "it has been");
    assert.deepEqual((await told(s, "undo", "--step=3"))[1], [], "that, too");
    sh(s, "echo mine > b.txt");
    assert.deepEqual((await told(s, "undo", "--since=1"))[1], [
      "a.txt: restored",
      "b.txt: left alone: changed by someone else since",
    ]);
    assert.deepEqual((await told(s, "undo", "--since", "1", "--force"))[0], 0);
    assert.deepEqual(Object.keys(all_of(s.ws.path)), ["a.txt"]);
    assert.match((await told(s, "undo", "--since", "9"))[2], /--since 9: session .* has 4 steps/);
    assert.match((await told(s, "diff", "--since", "2", "--step", "2"))[2], /only one of them/);
  });
});

Deno.test("a session that was resumed comes back as a whole, but not over what the user did between", async () => {
  const script = [
    bash("echo 1 > a.txt; echo 1 > b.txt"),
    DONE,
    bash("echo 2 > a.txt; echo 2 > b.txt; echo 2 > c.txt"),
    DONE,
  ];
  const files = { "a.txt": "0\n", "b.txt": "0\n", "c.txt": "0\n" };
  await stage({ script, files, one_conversation: false }, async (s) => {
    const first = await s.run("Do it.");
    sh(s, "echo mine > b.txt; echo mine > c.txt");
    const { code } = await s.here(["resume", first.result.session_id, "More."]);
    assert.equal(code, 0);
    const [refused, lines] = await told(s, "undo");
    assert.equal(refused, 2);
    assert.deepEqual(lines, [
      "a.txt: restored",
      "b.txt: left alone: changed by someone else after step 1, before step 3",
      "c.txt: restored",
    ]);
    assert.deepEqual([s.ws.read("a.txt"), s.ws.read("c.txt")], ["0\n", "mine\n"]);
    assert.deepEqual((await told(s, "undo", "--force"))[1], ["b.txt: restored"]);
    assert.equal(s.ws.read("b.txt"), "0\n");
  });
});

Deno.test("what a command of a resumed run makes of an ignored file that the session has written comes back, too", async () => {
  const script = [
    call("write", { path: "x.log", content: "1\n" }),
    DONE,
    bash("echo 2 >> x.log"),
    DONE,
  ];
  await stage(
    { script, files: { ".gitignore": "*.log\n" }, one_conversation: false },
    async (s) => {
      const first = await s.run("Do it.");
      const args = ["resume", "--json", first.result.session_id, "More."];
      const { files_changed } = JSON.parse((await s.here(args)).stdout);
      assert.deepEqual(files_changed.map(({ path }: { path: string }) => path), ["x.log"]);
      assert.deepEqual((await told(s, "undo")).slice(0, 2), [0, ["x.log: removed"]]);
    },
  );
});

Deno.test("what was put back and changed again is put back to what it was then", async () => {
  const script = [bash("echo 1 > a.txt"), DONE, bash("echo 2 > a.txt"), DONE];
  await stage({ script, files: { "a.txt": "0\n" }, one_conversation: false }, async (s) => {
    await s.run("Do it.");
    await told(s, "undo");
    s.ws.write("a.txt", "mine\n");
    assert.equal((await s.hamr(["resume", "--quiet", "9x", "More."])).code, 3);
    assert.equal((await s.here(["run", "--continue", "More."])).code, 0);
    assert.deepEqual(await told(s, "undo"), [0, ["a.txt: restored"], ""]);
    assert.equal(s.ws.read("a.txt"), "mine\n");
  });
});

Deno.test("what an undo was writing when it was killed is taken away by the next one, and nothing else", async () => {
  await stage({
    script: [call("edit", { path: "a.txt", old: "one", new: "uno" }), DONE],
    files: FILES,
  }, async (s) => {
    const { result } = await s.run("Do it.");
    const [half, other] = [crypto.randomUUID(), crypto.randomUUID()].map((id) => `.hamr-${id}`);
    for (const name of [half, other]) s.ws.write(name ?? "", "uno");
    const root = Deno.realPathSync(s.env["TMPDIR"] ?? "/tmp");
    const tmp = `${root}/hamr-undo-${result.session_id}`;
    Deno.mkdirSync(tmp, { mode: 0o700 });
    Deno.writeTextFileSync(`${tmp}/.half-1`, s.ws.at(half ?? ""));
    assert.deepEqual(await told(s, "undo"), [0, ["a.txt: restored"], ""]);
    assert.deepEqual([s.ws.exists(half ?? ""), s.ws.exists(other ?? "")], [false, true]);
    assert.throws(() => Deno.lstatSync(tmp), Deno.errors.NotFound);
  });
});

for (const kind of ["a plain folder", "a git folder"]) {
  Deno.test(`a run that was killed in the middle of a command is undone, in ${kind}`, {
    ignore: Deno.build.os !== "linux",
  }, async () => {
    const script = [
      call("write", { path: "k.log", content: "1\n" }),
      bash("echo 1 > a.txt; echo made > made.txt"),
      bash(
        `echo 2 >> k.log; echo 2 > a.txt; rm -r src; echo x > x.txt; chmod +x b.txt; echo ready > ready; ${WAIT}`,
      ),
    ];
    const files = { "a.txt": "0\n", "b.txt": "b\n", "src/c.txt": "c\n", "src/d/e.txt": "e\n" };
    await stage({ script, files: { ...files, ".gitignore": "*.log\n" } }, async (s) => {
      if (kind === "a git folder") sh(s, `${COMMIT}; echo dirty >> src/c.txt`);
      const before = all_of(s.ws.path);
      const run = s.start(["run", "Do it."]);
      await until("the command is under way", () => s.ws.exists("ready"));
      const [busy, , why] = await told(s, "undo");
      assert.equal(busy, 3);
      assert.match(why, /is open in another process/);
      Deno.kill(run.pid, "SIGKILL");
      await run.done;
      const shown = await s.hamr(["diff"]);
      assert.match(shown.stdout, /^diff --git a\/src\/c.txt b\/src\/c.txt\ndeleted file/m);
      assert.match(
        shown.stderr,
        /x\.txt: it changed in a command of step 3 whose end was not saved/,
      );
      const left = all_of(s.ws.path);
      const [code, lines] = await told(s, "undo");
      assert.equal(code, 2);
      const doubt =
        "it changed in a command of step 3 whose end was not saved: by the run or by someone else";
      const unsure = ["a.txt", "b.txt", "k.log", "ready", "src/c.txt", "src/d/e.txt", "x.txt"];
      assert.deepEqual(
        lines.sort(),
        [...unsure.map((path) => `${path}: left alone: ${doubt}`), "made.txt: removed"].sort(),
      );
      const [forced, , quiet] = await told(s, "undo", "--force");
      assert.deepEqual([forced, quiet], [0, ""]);
      assert.deepEqual(all_of(s.ws.path), before);
      for (const redo of [1, 2]) assert.equal((await told(s, "undo", "--redo"))[0], 0, `${redo}`);
      // Files alone: of what a command removed, the folders stay.
      const { "src/": _, "src/d/": __, ...again } = all_of(s.ws.path);
      assert.deepEqual(again, left);
      assert.equal((await told(s, "undo", "--force"))[0], 0, "beside the copies of the first");
      assert.deepEqual(all_of(s.ws.path), before);
      assert.deepEqual(await told(s, "undo"), [0, [], "hamr: nothing to undo\n"]);
    });
  });
}

Deno.test("undo says as JSON what became of each file", async () => {
  await stage({ script: [bash("echo x > x; echo y > y"), DONE] }, async (s) => {
    const { result } = await s.run("Do it.");
    s.ws.write("y", "mine\n");
    const { code, stdout, stderr } = await s.hamr([
      "undo",
      "--json",
      result.session_id.slice(0, 13),
    ]);
    assert.deepEqual([code, stderr], [2, ""]);
    assert.deepEqual(JSON.parse(stdout), {
      session_id: result.session_id,
      step: null,
      files: [
        { path: "x", result: "removed", reason: null },
        { path: "y", result: "refused", reason: "changed by someone else since" },
      ],
      not_covered: [],
    });
    const lines = await s.hamr(["undo", "--output=jsonl", "--force"]);
    const { copy, ...line } = JSON.parse(lines.stdout);
    assert.deepEqual(line, { path: "y", result: "removed", reason: null });
    assert.equal(Deno.readTextFileSync(copy), "mine\n", "what the person wrote is not lost");
  });
});

for (const place of ["tree", "repo/sub"]) {
  Deno.test(
    `what is in git comes back in ${place === "tree" ? "a worktree" : "a subfolder"}, too`,
    {
      ignore: Deno.build.os !== "linux",
    },
    async () => {
      const script = [bash(`find . -name '*.txt' -delete; echo ready > ready; ${WAIT}`)];
      await stage(
        { script, files: { "repo/sub/a.txt": "a\n", "repo/b.txt": "b\n" } },
        async (s) => {
          sh(s, `cd repo; ${COMMIT}; git worktree add -q ../tree`);
          const before = all_of(s.ws.at(place));
          const run = s.start(["run", "-C", place, "Do it."]);
          await until("it is under way", () => s.ws.exists(`${place}/ready`));
          Deno.kill(run.pid, "SIGKILL");
          await run.done;
          const [code] = await told(s, "undo", "-C", place, "--force");
          assert.equal(code, 0);
          assert.deepEqual(all_of(s.ws.at(place)), before);
        },
      );
    },
  );
}

Deno.test("undo works without a sandbox, and from another folder by the session's id", async () => {
  const script = [bash("rm a.txt; ln -s b.txt l2; ln -sfn b.txt l; mkdir d; echo x > d/x"), DONE];
  await stage({ script, files: { "a.txt": "a\n", "b.txt": "b\n" } }, async (s) => {
    Deno.symlinkSync("a.txt", s.ws.at("l"));
    const before = all_of(s.ws.path);
    const { result } = await s.run("Do it.", "--sandbox", "off");
    const { code, stderr } = await s.hamr(["undo", "--sandbox=off", result.session_id], {
      cwd: s.outside.path,
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(all_of(s.ws.path), before);
  });
});

Deno.test("what no call could have changed is not written down, and a run that only reads ends at once", async () => {
  const script = [call("read", { path: "a.txt" }), DONE];
  await stage({ script, files: { "a.txt": "a\n" } }, async (s) => {
    await s.run("Look.", "--mode", "auto");
    s.ws.write("a.txt", "mine\n");
    assert.deepEqual(await told(s, "undo"), [0, [], "hamr: nothing to undo\n"]);
    assert.equal(s.ws.read("a.txt"), "mine\n");
  });
});
