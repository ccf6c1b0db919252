import assert from "node:assert/strict";
import { bash, call, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";
import { until } from "./support/hamr.ts";

const DONE = say("Changed what was asked for.");
const AS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;

/** What a command does until `ready` is taken away: with a run that is killed it goes on. */
const WAIT = "while test -e ready; do sleep 0.02; done";

/** Everything in a folder: content, mode, where a link leads; except for git's own. */
function all_of(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isSymlink } of Deno.readDirSync(`${folder}/${below}`)) {
    const path = `${below}${name}`;
    const full = `${folder}/${path}`;
    if (path === ".git") continue;
    const mode = (Deno.lstatSync(full).mode ?? 0).toString(8);
    if (isDirectory) Object.assign(found, { [`${path}/`]: "" }, all_of(folder, `${path}/`));
    else if (isSymlink) found[path] = `-> ${Deno.readLinkSync(full)}`;
    else found[path] = `${mode} ${Deno.readTextFileSync(full)}`;
  }
  return found;
}

function sh(s: Stage, command: string): void {
  const { success, stderr } = new Deno.Command("bash", {
    args: ["-ec", command],
    cwd: s.ws.path,
    env: { HOME: s.home.path, GIT_CONFIG_NOSYSTEM: "1" },
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
}

const COMMIT =
  "git init -q; git add .; git -c user.name=t -c user.email=t@localhost commit -qm begin";

/**
 * `hamr undo` or `hamr diff`: exit code, lines of standard output without the places of copies, standard error without the line
 * that names the session.
 */
async function told(s: Stage, ...args: string[]): Promise<[number, string[], string]> {
  const { code, stdout, stderr } = await s.hamr(args);
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (code !== 3 && lines.length > 0) assert.match(stderr, NAMED);
  return [code, lines.map((line) => line.replace(COPY, "")), stderr.replace(NAMED, "")];
}

const COPY = /: a copy is in \/.*$/;
const NAMED = /^hamr: session [0-9a-f-]{36}: Do it\.\n/m;

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
      assert.deepEqual(await told(s, "diff"), [0, [], ""]);
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
    const { code } = await s.hamr(["resume", first.result.session_id, "More."]);
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

Deno.test("what was put back and changed again is put back to what it was then", async () => {
  const script = [bash("echo 1 > a.txt"), DONE, bash("echo 2 > a.txt"), DONE];
  await stage({ script, files: { "a.txt": "0\n" }, one_conversation: false }, async (s) => {
    await s.run("Do it.");
    await told(s, "undo");
    s.ws.write("a.txt", "mine\n");
    assert.equal((await s.hamr(["resume", "--quiet", "9x", "More."])).code, 3);
    assert.equal((await s.hamr(["run", "--continue", "More."])).code, 0);
    assert.deepEqual(await told(s, "undo"), [0, ["a.txt: restored"], ""]);
    assert.equal(s.ws.read("a.txt"), "mine\n");
  });
});

for (const kind of ["a plain folder", "a git folder"]) {
  Deno.test(`a run that was killed in the middle of a command is undone, in ${kind}`, {
    ignore: Deno.build.os !== "linux",
  }, async () => {
    const script = [
      bash("echo 1 > a.txt; echo made > made.txt"),
      bash(
        `echo 2 > a.txt; rm -r src; echo x > x.txt; chmod +x b.txt; echo ready > ready; ${WAIT}`,
      ),
    ];
    const files = { "a.txt": "0\n", "b.txt": "b\n", "src/c.txt": "c\n", "src/d/e.txt": "e\n" };
    await stage({ script, files }, async (s) => {
      if (kind === "a git folder") sh(s, `${COMMIT}; echo dirty >> src/c.txt`);
      const before = all_of(s.ws.path);
      const run = s.start(["run", "Do it."]);
      await until("the command is under way", () => s.ws.exists("ready"));
      const [busy, , why] = await told(s, "undo");
      assert.equal(busy, 3);
      assert.match(why, /is running in another process/);
      Deno.kill(run.pid, "SIGKILL");
      await run.done;
      const shown = await s.hamr(["diff"]);
      assert.match(shown.stdout, /^diff --git a\/src\/c.txt b\/src\/c.txt\ndeleted file/m);
      assert.match(shown.stderr, /x\.txt: it changed when the run was cut off, in step 2/);
      const [code, lines] = await told(s, "undo");
      assert.equal(code, 2);
      const doubt = "it changed when the run was cut off, in step 2: by the run or by someone else";
      const unsure = ["a.txt", "b.txt", "ready", "src/c.txt", "src/d/e.txt", "x.txt"];
      assert.deepEqual(
        lines.sort(),
        [...unsure.map((path) => `${path}: left alone: ${doubt}`), "made.txt: removed"].sort(),
      );
      const [forced, , quiet] = await told(s, "undo", "--force");
      assert.deepEqual([forced, quiet], [0, ""]);
      assert.deepEqual(all_of(s.ws.path), before);
      assert.deepEqual(await told(s, "undo"), [0, [], "hamr: nothing to undo\n"]);
    });
  });
}

Deno.test("what is not covered is named: large files, ignored ones, files elsewhere", async () => {
  const script = (outside: string) => [
    bash("head -c 11000000 /dev/zero > new.bin; printf x >> old.bin; rm gone.bin; echo x > x.log"),
    call("write", { path: "y.log", content: "y\n" }),
    call("edit", { path: "z.log", old: "z", new: "zz" }),
    call("write", { path: `${outside}/far.txt`, content: "far\n" }),
    bash("echo b > node_modules/p/index.js"),
    DONE,
  ];
  const large = new Uint8Array(11_000_000);
  const files = {
    "old.bin": large,
    "gone.bin": large,
    ".gitignore": "node_modules\n*.log\n",
    "node_modules/p/index.js": "a\n",
    "z.log": "z\n",
  };
  const replies: ReturnType<typeof script> = [];
  await stage({ script: (_, n) => replies[n]!, files }, async (s) => {
    replies.push(...script(s.outside.path));
    const { result } = await s.run("Do it.", `--allow-write=${s.outside.path}`);
    assert.equal(result.tool_calls, 5);
    const not_kept = "its content was not saved: it is larger than 10 MB, or one of too many";
    const [code, lines, notes] = await told(s, "undo");
    assert.equal(code, 2);
    assert.deepEqual(lines, [
      `${s.outside.path}/far.txt: not covered: it is outside the workspace`,
      `gone.bin: not covered: ${not_kept}`,
      `new.bin: not covered: ${not_kept}`,
      `old.bin: not covered: ${not_kept}`,
      "y.log: removed",
      "z.log: restored",
    ]);
    assert.match(
      notes,
      /not covered: ignored, elsewhere, or without a readable name: node_modules\/p\/index\.js, x\.log\n/,
    );
    assert.equal(s.ws.read("z.log"), "z\n");
    const forced = await told(s, "undo", "--force");
    assert.equal(forced[0], 2);
    assert.ok(forced[1].includes("new.bin: removed"), "what it made can go, if it must");
  });
});

Deno.test(
  "nothing outside of the workspace is written or read through what was put in a file's place",
  {
    ignore: Deno.build.os === "windows",
  },
  async () => {
    const names = ["hard", "link", "pipe", "folder", "in/a", "deep/in/b"];
    const script = [bash(`for f in ${names.join(" ")}; do echo session > $f; done`), DONE];
    const files = Object.fromEntries(names.map((name) => [name, "before\n"]));
    await stage({ script, files }, async (s) => {
      await s.run("Do it.");
      for (const name of ["hard", "target", "in/a", "in2/in/b"]) s.outside.write(name, "session\n");
      const { path } = s.outside;
      sh(
        s,
        `ln -f ${path}/hard hard; ln -sf ${path}/target link; rm -r pipe folder in deep; mkfifo pipe;
        mkdir folder; echo x > folder/x; ln -s ${path}/in in; ln -s ${path}/in2 deep`,
      );
      const before = all_of(path);
      const [code, lines] = await told(s, "undo");
      assert.equal(code, 2);
      assert.deepEqual(lines, [
        "deep/in/b: left alone: deep is a link now",
        "folder: left alone: a folder is in its place now",
        "hard: restored",
        "in/a: left alone: in is a link now",
        "link: left alone: changed by someone else since",
        "pipe: left alone: a pipe, a socket or a device is in its place now",
      ]);
      const [forced, more] = await told(s, "undo", "--force");
      assert.equal(forced, 2);
      assert.deepEqual(more.filter((line) => line.endsWith(": restored")), [
        "link: restored",
        "pipe: restored",
      ]);
      assert.deepEqual(all_of(path), before);
      assert.deepEqual(
        [s.ws.read("hard"), s.ws.read("link"), s.ws.read("pipe")],
        Array(3).fill("before\n"),
      );
      assert.ok(Deno.lstatSync(s.ws.at("link")).isFile);
    });
  },
);

Deno.test("a file that may not be written is refused, and the others come back", {
  ignore: AS_ROOT,
}, async () => {
  const script = [bash("echo s > closed/a.txt; echo s > b.txt"), DONE];
  await stage({ script, files: { "closed/a.txt": "0\n", "b.txt": "0\n" } }, async (s) => {
    await s.run("Do it.");
    Deno.chmodSync(s.ws.at("closed"), 0o555);
    assert.deepEqual(await told(s, "undo"), [
      2,
      ["b.txt: restored", "closed/a.txt: left alone: permission denied"],
      "",
    ]);
    Deno.chmodSync(s.ws.at("closed"), 0o755);
  });
});

Deno.test("what is in git alone comes back from there, or is named", async () => {
  const script = [bash(`rm a.txt b.txt; echo ready > ready; ${WAIT}`)];
  await stage({ script, files: { "a.txt": "a\n", "b.txt": "b\n" } }, async (s) => {
    sh(s, COMMIT);
    const run = s.start(["run", "Do it."]);
    await until("the command is under way", () => s.ws.exists("ready"));
    Deno.kill(run.pid, "SIGKILL");
    await run.done;
    const id = "61780798228d17af2d34fce4cfbdf35556832472"; // of "b\n"
    Deno.removeSync(s.ws.at(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`));
    // A filter that a stranger's settings name is not run.
    sh(
      s,
      `echo '*.txt filter=evil' > .gitattributes; git config filter.evil.smudge "touch ${s.outside.path}/evil"`,
    );
    const [code, lines] = await told(s, "undo", "--force");
    assert.equal(code, 2);
    assert.deepEqual(lines.slice(1), [
      "a.txt: restored",
      "b.txt: not covered: its content was left to git, which no longer has it",
      "ready: removed",
    ]);
    assert.equal(s.ws.read("a.txt"), "a\n");
    assert.equal(s.outside.exists("evil"), false);
  });
});

Deno.test("a session that is not there, not saved or someone else's place is a mistake, exit 3", async () => {
  const script = [bash("echo x > x"), DONE];
  await stage({ script }, async (s) => {
    for (const command of ["undo", "diff"]) {
      const cases: [string[], RegExp][] = [
        [[], /this workspace has no saved session/],
        [["1234"], /there is no session "1234"/],
        [["--step", "0"], /--step: must be the number of a step/],
      ];
      for (const [args, why] of cases) {
        const { code, stdout, stderr } = await s.hamr([command, ...args]);
        assert.deepEqual([code, stdout], [3, ""], command);
        assert.match(stderr, why);
      }
      const nowhere = await s.hamr([command], { env: { HOME: "" } });
      assert.equal(nowhere.code, 3);
      assert.match(nowhere.stderr, /set HOME or HAMR_HOME/);
    }
    await s.run("Do it.", "--no-save");
    assert.equal((await s.hamr(["undo"])).code, 3);
    assert.ok(s.ws.exists("x"));
  });
});

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

Deno.test(
  "where the start of a run can't be written down, that is said once, and the run goes on",
  {
    ignore: !AS_ROOT || Deno.build.os !== "linux",
  },
  async () => {
    const script = [bash("echo 1 > a.txt"), bash("echo 2 > a.txt"), DONE];
    const files = { "a.txt": "0\n", "large.bin": crypto.getRandomValues(new Uint8Array(60_000)) };
    await stage({ script, files }, async (s) => {
      for (let n = 0; n < 20; n++) {
        s.ws.write(`more${n}`, crypto.getRandomValues(new Uint8Array(60_000)));
      }
      const home = s.outside.at("small");
      Deno.mkdirSync(home);
      try {
        sh(s, `mount -t tmpfs -o size=700k tmpfs ${home}`);
      } catch {
        const skip = "SKIP a full disk: no right to mount a file system\n";
        return void Deno.stderr.writeSync(new TextEncoder().encode(skip));
      }
      try {
        const env = { ...s.env, HAMR_HOME: home };
        const { code, result } = await s.hamr(["run", "--json", "Do it."], { env });
        assert.equal(code, 0);
        const said = result.warnings.filter((line) => line.includes("can't be undone"));
        assert.equal(said.length, 1, result.warnings.join("\n"));
        assert.equal(s.ws.read("a.txt"), "2\n");
      } finally {
        sh(s, `umount ${home}`);
      }
    });
  },
);
