/** What `hamr undo` leaves alone, names or refuses. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { bash, call, say } from "./support/model_server.ts";
import { inside_stage as stage } from "./support/stage.ts";
import { until } from "./support/hamr.ts";
import { COMMIT, sh } from "./support/shell.ts";
import { all_of, told, WAIT } from "./support/undo.ts";

const DONE = say("Changed what was asked for.");
const AS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;

Deno.test("an undo that can't be noted in its session is said, and every file is told", async () => {
  await stage({ script: [bash("echo x > x; echo y > y"), DONE] }, async (s) => {
    await s.run("Do it.");
    const db = new DatabaseSync(s.home.at(".local/share/hamr/hamr.db"));
    db.exec("CREATE TRIGGER t BEFORE INSERT ON changes BEGIN SELECT RAISE(FAIL, 'full'); END");
    db.close();
    assert.deepEqual(await told(s, "undo"), [
      0,
      ["x: removed", "y: removed"],
      "hamr: could not record in the session what was put back: full\n",
    ]);
    const again = ["x: already restored", "y: already restored"];
    assert.deepEqual((await told(s, "undo")).slice(0, 2), [0, again]);
  });
});

Deno.test("what is not covered is named: large files, ignored ones, files elsewhere", async () => {
  const script = (outside: string) => [
    bash("head -c 11000000 /dev/zero > new.bin; printf x >> old.bin; rm gone.bin; echo x > x.log"),
    call("write", { path: "y.log", content: "y\n" }),
    call("edit", { path: "z.log", old: "z", new: "zz" }),
    call("write", { path: `${outside}/far.txt`, content: "far\n" }),
    bash("echo b > node_modules/p/index.js; mkdir node_modules/q; echo c > node_modules/q/c"),
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
    const not_kept =
      "its content was not saved: it is larger than 10 MB, one of too many, or the disk was full";
    const [code, lines, notes] = await told(s, "undo");
    assert.equal(code, 2);
    assert.deepEqual(lines, [
      `${s.outside.path}/far.txt: not covered: it is outside the workspace (--add-dir FOLDER reaches it)`,
      `gone.bin: not covered: ${not_kept}`,
      `new.bin: not covered: ${not_kept}`,
      `old.bin: not covered: ${not_kept}`,
      "y.log: removed",
      "z.log: restored",
    ]);
    assert.match(
      notes,
      /not covered: ignored, closed, elsewhere, or without a readable name: node_modules\/p\/index\.js, node_modules\/q\/, x\.log\n/,
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
  const script = [bash("echo s > closed/a.txt; chmod a-w closed/a.txt; echo s > b.txt"), DONE];
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
        const { code, result } = await s.here(["run", "--json", "Do it."], { env });
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

Deno.test("where no inode is left undo says so, and a second one puts back the rest", {
  ignore: !AS_ROOT || Deno.build.os !== "linux",
}, async () => {
  const script = [call("edit", { path: "small/a", old: "a", new: "b" }), bash("rm small/b"), DONE];
  await stage({ script, files: { "small/": "" } }, async (s) => {
    try {
      sh(s, "mount -t tmpfs -o nr_inodes=8 tmpfs small");
    } catch {
      const skip = "SKIP inodes that are used up: no right to mount a file system\n";
      return void Deno.stderr.writeSync(new TextEncoder().encode(skip));
    }
    try {
      for (const name of ["a", "b"]) s.ws.write(`small/${name}`, `${name}\n`);
      assert.equal((await s.run("Do it.")).code, 0);
      sh(s, "n=0; while (: > small/more$n) 2> /dev/null; do n=$((n + 1)); done");
      const full = "left alone: the disk is full";
      assert.deepEqual(await told(s, "undo"), [2, [`small/a: ${full}`, `small/b: ${full}`], ""]);
      assert.equal(s.ws.read("small/a"), "b\n");
      sh(s, "rm small/more*");
      const back = ["small/a: restored", "small/b: restored"];
      assert.deepEqual(await told(s, "undo"), [0, back, ""]);
      assert.deepEqual(["small/a", "small/b"].map(s.ws.read), ["a\n", "b\n"]);
    } finally {
      sh(s, "umount small");
    }
  });
});

Deno.test("what stays in git is named: commits, other refs, what is staged", async () => {
  const script = [
    bash(
      "echo b > a.txt; git -c user.name=t -c user.email=t@localhost commit -qam two; git tag v1",
    ),
    bash("git status --short; echo c > c.txt"),
    bash("git mv a.txt b.txt"),
    bash("git switch -qc feature/of-a-long-name"),
    DONE,
  ];
  await stage({ script, files: { "a.txt": "a\n" } }, async (s) => {
    sh(s, `${COMMIT}; git branch -M main`);
    const at = s.ws.read(".git/refs/heads/main").trim().slice(0, 12);
    await s.run("Do it.");
    const refs = `hamr: not covered: in git: refs/heads/main (was ${at}), refs/tags/v1 (new)`;
    const of_step = async (step: string) => (await told(s, "diff", `--step=${step}`))[2];
    assert.ok((await of_step("1")).endsWith(`${refs}\n`));
    assert.equal(await of_step("2"), "", "a look writes the index, and stages nothing");
    const [code, , notes] = await told(s, "undo");
    const all = notes.replace("HEAD (was main), refs/heads/feature/of-a-long-name (new), ", "");
    assert.notEqual(all, notes);
    assert.deepEqual([code, all], [0, `${refs}, the index\n`]);
    assert.equal(s.ws.read("a.txt"), "a\n");
  });
});

Deno.test("that commands may have changed more files than are watched is said", async () => {
  await stage({ script: [bash("echo 2 > a.txt"), DONE], files: { "a.txt": "a\n" } }, async (s) => {
    await s.run("Do it.");
    const db = new DatabaseSync(s.home.at(".local/share/hamr/hamr.db"));
    const more = `replace(body, '{"kind":"done"', '{"kind":"done","overflow":true')`;
    db.exec(`UPDATE changes SET body = ${more}`);
    db.close();
    assert.deepEqual(await told(s, "undo"), [
      0,
      ["a.txt: restored"],
      "hamr: not covered: changes of commands to files beyond those that hamr can watch\n",
    ]);
  });
});
