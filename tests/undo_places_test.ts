/** `hamr undo` where something else is in the place of a file, or where nobody can say its name. */
import assert from "node:assert/strict";
import { bash, call, type Recorded, say } from "./support/model_server.ts";
import { installed } from "./support/installed.ts";
import { inside_stage as stage } from "./support/stage.ts";
import { until } from "./support/hamr.ts";
import { COMMIT, sh } from "./support/shell.ts";
import { all_of, told } from "./support/undo.ts";

const DONE = say("Changed what was asked for.");

Deno.test("a file that became a folder comes back at once, and a folder that became a file", async () => {
  const command =
    "rm a e; mkdir -p a/b; echo 1 > a/b/c; echo 2 > a/z; mkdir e; rm -r d; echo 3 > d";
  const files = { "a": "a\n", "d/x": "x\n", "e": "e\n" };
  await stage({ script: [bash(command), DONE], files }, async (s) => {
    const { code: done, result } = await s.run("Do it.");
    assert.equal(done, 0);
    const { code, stdout, stderr } = await s.hamr(["undo"]);
    assert.deepEqual([code, stdout.trimEnd().split("\n"), stderr], [0, [
      "a: restored",
      "a/b/c: removed",
      "a/z: removed",
      "d: removed",
      "d/x: restored",
      "e: restored",
    ], `hamr: session ${result.session_id}: Do it.\n`]);
    assert.deepEqual(["a", "d/x", "e"].map(s.ws.read), ["a\n", "x\n", "e\n"]);
  });
});

Deno.test("a folder of the user's stays, with what is in it or not", async () => {
  const files = { "a": "a\n", "b": "b\n" };
  await stage({ script: [bash("rm a; echo c > b"), DONE], files }, async (s) => {
    assert.equal((await s.run("Do it.")).code, 0);
    s.ws.write("a/mine", "");
    Deno.removeSync(s.ws.at("b"));
    s.ws.write("b/", "");
    const { code, stdout } = await s.hamr(["undo"]);
    const there = "a folder is in its place now";
    assert.deepEqual([code, stdout], [2, `a: left alone: ${there}\nb: left alone: ${there}\n`]);
    assert.ok(s.ws.exists("a/mine") && s.ws.exists("b"));
  });
});

Deno.test("a file that came into sight when a run was cut off is not taken away, even by force", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const command = "rm .gitignore; echo 1 > new; touch ready; " +
    "while test -e ready; do sleep 0.02; done";
  const files = { ".gitignore": "*.key\n", "my.key": "a key\n", "sub/.gitignore": "x\n" };
  await stage({ script: [bash(command)], files }, async (s) => {
    const run = s.start(["run", "Do it."]);
    await until("it is under way", () => s.ws.exists("ready"));
    run.kill("SIGKILL");
    await run.done.catch(() => {}); // It has no result.
    const seen = "it may have existed before, where hamr did not look";
    assert.match((await s.hamr(["diff"])).stderr, new RegExp(`my.key: not covered: ${seen}`));
    const { code, stdout } = await s.hamr(["undo", "--force"]);
    assert.deepEqual([code, stdout.trimEnd().split("\n")], [2, [
      ".gitignore: restored",
      `my.key: not covered: ${seen}`,
      `new: not covered: ${seen}`,
      `ready: not covered: ${seen}`,
    ]]);
    // By the rules of then, who is new is known.
    assert.match(
      (await s.hamr(["undo", "--force"])).stdout,
      /^new: removed: a copy is in \/.*\nready: removed: a copy is in \/.*\n$/,
    );
    assert.equal(s.ws.read("my.key"), "a key\n");
  });
});

const ESC = "\x1b";
/** Runs a command with a terminal for its standard output. */
const ON_TERMINAL = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";

Deno.test("a diff steers no terminal, and is a patch to the byte where there is none", {
  ignore: !installed("python3"),
}, async () => {
  const hostile = "\x1b]0;title\x07\x1b[2Jx\n";
  const script = [call("write", { path: "a", content: hostile }), bash("ln -s $'\\e[31m' b"), DONE];
  await stage({ script }, async (s) => {
    assert.equal((await s.run("Do it.")).code, 0);
    assert.ok((await s.hamr(["diff"])).stdout.includes(`+${hostile}`));
    const wrapper = ["python3", "-c", ON_TERMINAL];
    const plain = await s.hamr(["diff"], { wrapper, env: { NO_COLOR: "1" } });
    assert.equal(plain.code, 0);
    assert.match(plain.stdout, /^\+\]0;title\[2Jx\r$/m);
    assert.match(plain.stdout, /^\+\[31m\r$/m);
    assert.ok(!plain.stdout.includes(ESC));
    assert.equal((await s.hamr(["diff", "--no-color"], { wrapper })).stdout, plain.stdout);
    // In color the only sequences are hamr's own, around whole lines.
    const { stdout } = await s.hamr(["diff"], { wrapper });
    assert.ok(stdout.includes(`${ESC}[32m+]0;title[2Jx${ESC}[0m\r\n`));
    assert.ok(stdout.includes(`${ESC}[32m+[31m${ESC}[0m\r\n`));
    const colored = new RegExp(`^${ESC}\\[\\d+m([^${ESC}]*)${ESC}\\[0m\r$`, "gm");
    assert.equal(stdout.replace(colored, "$1\r"), plain.stdout);
  });
});

// Deno 2.6, of which a binary may be made, lists no such names: nobody can tell of them there.
Deno.test("files whose names are no UTF-8 are not covered, and named", {
  ignore: Deno.build.os !== "linux" || Deno.env.get("HAMR_BIN") !== undefined,
}, async () => {
  const command =
    "echo x > a; echo x > $'b\\xff'; mkdir $'c\\xff'; echo y >> $'d\\xff'; rm $'e\\xff'";
  await stage({ script: [bash(command), DONE] }, async (s) => {
    const make = "echo x > $'d\\xff'; echo x > $'e\\xff'; echo x > $'f\\xff'";
    new Deno.Command("/bin/bash", { args: ["-c", make], cwd: s.ws.path }).outputSync();
    assert.equal((await s.run("Do it.")).code, 0);
    for (const args of [["diff"], ["undo"]]) {
      const { code, stderr } = await s.hamr(args);
      const names =
        "ignored, closed, elsewhere, or without a readable name: b\ufffd, c\ufffd, d\ufffd, e\ufffd";
      assert.equal(code, 0);
      assert.ok(stderr.endsWith(`hamr: not covered: ${names}\n`), stderr);
    }
  });
});

// A job of GitLab can keep nothing between jobs but what is in its project.
Deno.test(
  "hamr's data in the workspace is no change of a run, and nothing that undo puts back, even by force",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    const wait = "touch ready; while test -e ready; do sleep 0.02; done";
    const answer = say("It holds a number.");
    const script = [bash("cat a"), answer, bash("echo 2 > a; echo 1 > new"), bash(`rm a; ${wait}`)];
    await stage({ script, files: { a: "1\n" }, one_conversation: false }, async (s) => {
      const env = { ...s.env, HAMR_HOME: s.ws.at("own") };
      const asked = await s.here(["run", "--json", "--mode", "ask", "What is in a?"], { env });
      assert.deepEqual([asked.code, asked.result.files_changed], [0, []]);
      const run = s.start(["run", "Do it."], { env });
      await until("it is under way", () => s.ws.exists("ready"));
      run.kill("SIGKILL");
      await run.done.catch(() => {}); // It has no result.
      const undone = await s.hamr(["undo", "--force"], { env });
      const lines = undone.stdout.trimEnd().split("\n").map((line) =>
        line.replace(/: a copy.*/, "")
      );
      assert.deepEqual([undone.code, lines], [0, [
        "a: restored",
        "new: removed",
        "ready: removed",
      ]]);
      assert.equal(s.ws.read("a"), "1\n");
      const { stdout } = await s.hamr(["undo"], { env });
      assert.equal(stdout, "", "it is known to be undone");
    });
  },
);

Deno.test("what a run changed in another folder comes back where --add-dir names that, and no link there is followed", async () => {
  const script: ReturnType<typeof bash>[] = [];
  await stage({ script: (_, n) => script[n]!, files: { a: "1\n" } }, async (s) => {
    const other = s.outside.path;
    s.outside.write("f", "1\n");
    s.outside.write("d/g", "2\n");
    script.push(
      bash(`echo 2 > a; cd '${other}'; echo 2 > f; rm -r d; mkdir -p n/m; echo 3 > n/m/x; touch y`),
      DONE,
    );
    assert.equal((await s.run("Do it.", "--add-dir", other)).code, 0);
    const far = "not covered: it is outside the workspace (--add-dir FOLDER reaches it)";
    const names = ["d/g", "f", "n/m/x", "y"];
    const { code, stdout } = await s.hamr(["undo"]);
    assert.deepEqual([code, stdout.trimEnd().split("\n")], [2, [
      ...names.map((name) => `${other}/${name}: ${far}`),
      "a: restored",
    ]]);
    Deno.removeSync(s.outside.at("y"));
    Deno.removeSync(s.outside.at("n"), { recursive: true });
    s.home.write("m/x", "3\n");
    Deno.symlinkSync(s.home.path, s.outside.at("n"));
    const undone = await s.hamr(["undo", "--add-dir", other]);
    assert.deepEqual([undone.code, undone.stdout.trimEnd().split("\n")], [2, [
      `${other}/d/g: restored`,
      `${other}/f: restored`,
      `${other}/n/m/x: left alone: n is a link now`,
      `${other}/y: already restored`,
    ]]);
    assert.deepEqual([s.outside.read("f"), s.outside.read("d/g")], ["1\n", "2\n"]);
    assert.ok(s.home.exists("m/x"));
  });
});

Deno.test("what another run did while a command of this one ran is left to that run", async () => {
  const wait = "touch ready; while test -e ready; do sleep 0.02; done; echo 2 > mine";
  const script = ({ body: { messages } }: Recorded) => {
    const is_first = messages.some(({ content }) => content?.includes("the first"));
    if (messages.at(-1)?.role === "tool") return DONE;
    return is_first ? bash(wait) : call("write", { path: "theirs", content: "1\n" });
  };
  await stage({ script, one_conversation: false }, async (s) => {
    const first = s.start(["run", "--json", "the first"]);
    await until("it is under way", () => s.ws.exists("ready"));
    const { result: other } = await s.run("the other");
    Deno.removeSync(s.ws.at("ready"));
    const { result } = await first.done;
    assert.deepEqual(result.files_changed.map(({ path }) => path), ["mine", "theirs"]);
    const undo = async (id: string) => {
      const { code, stdout } = await s.hamr(["undo", id]);
      return [code, ...stdout.trimEnd().split("\n")];
    };
    const doubt = "it may be the change of another run, which was at work at the same time";
    assert.deepEqual(await undo(result.session_id), [
      ...[2, "mine: removed", `theirs: left alone: ${doubt}`],
    ]);
    assert.equal(s.ws.read("theirs"), "1\n");
    assert.deepEqual(await undo(other.session_id), [0, "theirs: removed"]);
    assert.deepEqual(await undo(result.session_id), [0, "theirs: already restored"]);
  });
});

Deno.test("what an undo put back while a command of another run ran is not taken away by the undo of that run", async () => {
  const wait = "touch ready; while test -e ready; do sleep 0.02; done; echo 2 > mine";
  const script = ({ body: { messages } }: Recorded) => {
    const is_first = messages.some(({ content }) => content?.includes("the first"));
    if (messages.at(-1)?.role === "tool") return DONE;
    return bash(is_first ? "echo 2 > a; echo n > n; rm b" : wait);
  };
  await stage({ script, one_conversation: false }, async (s) => {
    const files = ["a", "b", "n", "mine"] as const;
    const all = () => files.map((name) => s.ws.exists(name) ? s.ws.read(name) : null);
    s.ws.write("a", "1\n");
    s.ws.write("b", "1\n");
    const { result: first } = await s.run("the first");
    for (const redo of [[], ["--redo"]]) {
      const then = all();
      const second = s.start(["run", "--json", "the second"]);
      await until("it is under way", () => s.ws.exists("ready"));
      assert.equal((await s.hamr(["undo", first.session_id, ...redo])).code, 0);
      const put_back = all();
      assert.notDeepEqual(put_back, then);
      Deno.removeSync(s.ws.at("ready"));
      const { result } = await second.done;
      const { code, stdout } = await s.hamr(["undo", result.session_id]);
      const doubt = "it may be what an undo of another run put back at the same time";
      assert.deepEqual([code, ...stdout.trimEnd().split("\n")], [
        2,
        ...["a", "b"].map((name) => `${name}: left alone: ${doubt}`),
        "mine: removed",
        `n: left alone: ${doubt}`,
      ]);
      assert.deepEqual(all(), put_back);
    }
  });
});

Deno.test("a session is undone where it works, not in a copy, a subfolder or a worktree; after a move, where it is then", async () => {
  const script = [bash("rm a; echo 2 > d/b; echo n > n"), DONE];
  await stage({ script, files: { "a": "1\n", "d/b": "1\n" } }, async (s) => {
    const { path } = s.ws;
    const [copy, moved] = [s.outside.at("copy"), s.outside.at("moved")];
    const { result } = await s.run("Do it.");
    sh(s, `cp -a . ${copy}; ${COMMIT}; git worktree add -q ${s.outside.at("tree")}`);
    const id = result.session_id;
    const all = () => all_of(s.outside.path);
    const before = all();
    for (const place of [copy, s.outside.at("tree"), `${path}/d`]) {
      assert.deepEqual(await told(s, "undo", id, "-C", place), [
        3,
        [],
        `hamr: session ${id} works in ${path}, not in ${place}: ` +
        "without -C, what it changed is restored there\n",
      ]);
    }
    assert.deepEqual(all(), before);
    Deno.renameSync(path, moved);
    Deno.mkdirSync(s.outside.at("cwd"));
    const { code, stdout } = await s.hamr(["undo", id, "-C", moved], { cwd: s.outside.at("cwd") });
    assert.deepEqual([code, stdout], [0, "a: restored\nd/b: restored\nn: removed\n"]);
  });
});

/** Mounts the folder that `$1` names on the workspace, as one in which a file keeps the mode that it is made with. */
const WITHOUT_MODES = 'bindfs --chmod-deny "$1" "$PWD" && cd "$PWD" && shift && exec "$@"';

Deno.test("where no mode can be changed, contents are put back all the same", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const script = [bash("rm a; echo c > b; echo n > n"), DONE];
  await stage({ script, violations: true }, async (s) => {
    s.outside.write("a", "a\n");
    s.outside.write("b", "b\n");
    const wrapper = ["unshare", "-m", "sh", "-c", WITHOUT_MODES, "sh", s.outside.path];
    const run = await s.hamr(["run", "--json", "Do it."], { wrapper }).catch(() => null);
    if (run?.code !== 0) {
      const skip = "SKIP a file system without modes: no bindfs, or no right to mount\n";
      return void Deno.stderr.writeSync(new TextEncoder().encode(skip));
    }
    const { code, stdout } = await s.hamr(["undo"], { wrapper });
    assert.deepEqual([code, stdout], [0, "a: restored\nb: restored\nn: removed\n"]);
    assert.deepEqual(["a", "b"].map(s.outside.read), ["a\n", "b\n"]);
  });
});
