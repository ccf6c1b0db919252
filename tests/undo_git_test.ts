/** `hamr undo` after a run that was killed, where git is not in a usual place, or does not answer anymore. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { bash, call, say } from "./support/model_server.ts";
import { COMMIT, sh } from "./support/shell.ts";
import { inside_stage as stage, type Stage } from "./support/stage.ts";
import { all_of, told, WAIT } from "./support/undo.ts";
import { until } from "./support/hamr.ts";

const LINUX = { ignore: Deno.build.os !== "linux" };
const FILES = { "a.txt": "a\n", "d/e.txt": "e\n", "d/f.txt": "f\n" };
const GONE = `rm -r d; echo 2 > new; echo ready > ready; ${WAIT}`;

async function killed(s: Stage, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const run = s.start(["run", "Do it."], { env: { ...s.env, ...env } });
  await until("the command is under way", () => s.ws.exists("ready"));
  Deno.kill(run.pid, "SIGKILL");
  await run.done;
}

Deno.test("git may lie anywhere: what it has comes back", LINUX, async () => {
  await stage({ script: [bash(GONE)], files: FILES }, async (s) => {
    sh(s, `${COMMIT}; chmod -R go= .`);
    const before = all_of(s.ws.path);
    // As Homebrew has it on Linux: beside `bin` lies nothing that it needs.
    s.outside.write("cellar/git", '#!/bin/sh\nexec /usr/bin/git "$@"\n');
    s.outside.write("brew/bin/git", `#!/bin/sh\nexec ${s.outside.at("cellar/git")} "$@"\n`);
    for (const name of ["cellar/git", "brew/bin/git"]) Deno.chmodSync(s.outside.at(name), 0o755);
    const env = { PATH: `${s.outside.at("brew/bin")}:${Deno.env.get("PATH")}` };
    await killed(s, env);
    // Git keeps no rights of others: the user's mask decides, as in a checkout.
    const wrapper = ["sh", "-c", 'umask 077; exec "$@"', "sh"];
    const more = { env: { ...s.env, ...env }, wrapper };
    const { code, stderr } = await s.hamr(["undo", "--force"], more);
    assert.equal(code, 0, stderr);
    assert.deepEqual(all_of(s.ws.path), before);
  });
});

Deno.test(
  "where git no longer lists what it had, nothing in there is taken for new",
  LINUX,
  async () => {
    await stage({ script: [bash(GONE)], files: FILES }, async (s) => {
      sh(s, COMMIT);
      const before = all_of(s.ws.path);
      await killed(s);
      const there = Object.keys(all_of(s.ws.path));
      const env = { ...s.env, PATH: s.outside.path };
      const unlisted = "hamr: not covered: what the run that was cut off changed " +
        "among the files that git listed in the workspace: git no longer lists them\n";
      for (const how of [[], ["--force"]]) {
        const { code, stdout, stderr } = await s.hamr(["undo", ...how], { env });
        const own = stderr.replace(/^hamr: \d+ process.* of a run that was killed .*\n/, "");
        assert.deepEqual([code, stdout, own], [2, "", `hamr: nothing to undo\n${unlisted}`]);
        assert.deepEqual(Object.keys(all_of(s.ws.path)), there);
      }
      const { stdout, stderr } = await s.hamr(["diff"], { env });
      assert.deepEqual([stdout, stderr], ["", `hamr: no changes\n${unlisted}`]);
      assert.deepEqual(await told(s, "undo", "--force"), [0, [
        "d/e.txt: restored",
        "d/f.txt: restored",
        "new: removed",
        "ready: removed",
      ], ""]);
      assert.deepEqual(all_of(s.ws.path), before);
    });
  },
);

Deno.test(
  "where a full disk has kept no listing of the files, the steps that were saved come back",
  LINUX,
  async () => {
    const edit = call("edit", { path: "a.txt", old: "a", new: "b" });
    await stage({ script: [edit, bash(GONE)], files: FILES }, async (s) => {
      await killed(s);
      const db = new DatabaseSync(s.home.at(".local/share/hamr/hamr.db"));
      db.exec("DELETE FROM contents WHERE instr(cast(body AS text), 'd/f.txt')");
      db.close();
      const [code, lines, notes] = await told(s, "undo");
      assert.deepEqual([code, lines], [2, ["a.txt: restored"]]);
      assert.match(notes, /not covered: what the last command changed: how the files were before/);
    });
  },
);

Deno.test("what is under version control is not taken from what keeps it: a bare repository in the workspace, Mercurial's folder", async () => {
  const commit = "git -C main -c user.name=x -c user.email=x@localhost commit -qam";
  const call = bash(
    `echo 2 > main/a.txt; ${commit} its; echo 2 >> .hg/store/00changelog.i; rm .hg/dirstate`,
  );
  const files = { ".hg/store/00changelog.i": "1\n", ".hg/dirstate": "1\n" };
  await stage({ script: [call, say("I changed main/a.txt.")], files }, async (s) => {
    sh(s, `mkdir first && cd first && echo 1 > a.txt && ${COMMIT}`);
    sh(s, "git clone -q --bare first .bare && echo 'gitdir: ./.bare' > .git && rm -r first");
    sh(s, "git worktree add -q main");
    const { result } = await s.hamr(["run", "--json", "Do it."]);
    assert.deepEqual(result.files_changed.map(({ path }) => path), ["main/a.txt"]);
    sh(s, `echo 3 > main/b.txt && git -C main add b.txt && ${commit} mine`);
    const [code, lines] = await told(s, "undo");
    assert.deepEqual([code, lines], [0, ["main/a.txt: restored"]]);
    sh(
      s,
      'git -C main fsck --strict && test "$(git -C main log --format=%s)" = "mine\nits\nbegin"',
    );
    assert.equal(s.ws.read(".hg/store/00changelog.i"), "1\n2\n");
    assert.ok(!s.ws.exists(".hg/dirstate"));
  });
});

Deno.test("what an undo does not find on one branch, it still puts back on the other", async () => {
  const script = [bash("echo 2 > a.txt; echo 2 > new"), say("Changed a.txt, and made new.")];
  await stage({ script, files: FILES }, async (s) => {
    sh(s, COMMIT);
    const before = all_of(s.ws.path);
    await s.run("Do it.");
    sh(s, `git checkout -qb work; ${COMMIT}; git checkout -q -`);
    const both = ["a.txt: already restored", "new: already restored"];
    assert.deepEqual(await told(s, "undo"), [0, both, ""]);
    assert.deepEqual(await told(s, "undo"), [0, [], "hamr: nothing to undo\n"]);
    sh(s, "git checkout -q work");
    assert.deepEqual(await told(s, "undo"), [0, ["a.txt: restored", "new: removed"], ""]);
    assert.deepEqual(all_of(s.ws.path), before);
  });
});

Deno.test("what git had staged, repositories, submodules and worktrees that are gone are named", async () => {
  const script = [
    bash("git reset -q --hard"),
    bash("rm -r nest"),
    bash("git worktree remove --force tree; git worktree add -q new"),
    bash("rm -r sub"),
    say("I reset all, and removed nest, tree and sub."),
  ];
  await stage({ script, files: FILES }, async (s) => {
    const git = "git -c user.name=x -c user.email=x@localhost -c protocol.file.allow=always";
    sh(s, COMMIT);
    sh(s, `git clone -q . nest; ${git} submodule --quiet add ./nest sub; ${git} commit -qm sub`);
    sh(s, "git worktree add -q tree; echo 2 > tree/a.txt; echo 2 > a.txt; git add a.txt");
    await s.run("Do it.");
    const notes = async (...args: string[]) => (await told(s, "diff", ...args))[2];
    const beyond = "hamr: not covered: ignored, closed, elsewhere, or without a readable name: ";
    assert.equal(await notes("--step=1"), "hamr: not covered: in git: the index\n");
    assert.ok((await notes("--step=3")).endsWith("in git: refs/heads/new (new)\n"));
    const [code, lines, all] = await told(s, "undo");
    assert.equal(code, 0, all);
    assert.ok(all.startsWith(`${beyond}nest/.git/, new/.git, sub/.git, tree/.git\n`), all);
    const back = ["nest", "sub", "tree"].flatMap((folder) =>
      Object.keys(FILES).map((name) => `${folder}/${name}: restored`)
    );
    for (const line of ["a.txt: restored", ...back]) assert.ok(lines.includes(line), line);
    assert.equal(s.ws.read("tree/a.txt"), "2\n");
  });
});

Deno.test("what a filter that attributes of a folder name has made of files comes back as it was", async () => {
  for (const folder of ["d", "e"]) {
    const script = [
      bash("rm d/e.txt d/x/f.txt; echo 2 >> a.txt; echo 2 > d/new"),
      say("Removed them."),
    ];
    const files = {
      ...FILES,
      "d/x/f.txt": "f\n",
      [`${folder}/.gitattributes`]: "*.txt filter=up\n",
    };
    await stage({ script, files }, async (s) => {
      // As long as before: by its size, a file is as git has it.
      sh(s, `git init -q; git config filter.up.clean "tr a-z A-Z"; ${COMMIT}`);
      const before = all_of(s.ws.path);
      await s.run("Do it.");
      assert.equal((await told(s, "undo"))[0], 0);
      assert.deepEqual(all_of(s.ws.path), before);
    });
  }
});
