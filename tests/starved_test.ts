/** Machines that are short of something, or odd: honest work works, or it is said before a request what is missing. */
import assert from "node:assert/strict";
import { installed, on_linux } from "./sandbox/support/world.ts";
import { PROGRAM } from "./support/hamr.ts";
import { ANSWER, bash, say } from "./support/model_server.ts";
import { as_nobody } from "./support/nobody.ts";
import { type Stage, stage } from "./support/stage.ts";

/** A user of this test's own: the kernel counts what one user runs, whoever started it. */
const SOMEBODY = 54_321 + Deno.pid % 10_000;

const as_root = on_linux && Deno.uid() === 0 && installed("setpriv");
const user = as_root ? "" : " (NOT TESTED HERE: not root on Linux with setpriv)";
const python = on_linux && installed("python3");
const no_python = python ? "" : " (NOT TESTED HERE: not Linux with python3)";

/** As some supervisors of services start what they start. */
const SIGCHLD_IGNORED = [
  ...["python3", "-c"],
  "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])",
];

function limited(limits: string): string[] {
  return ["bash", "-c", `${limits}; exec "$@"`, "bash"];
}

Deno.test({
  name: `where SIGCHLD is ignored, commands, git and what verifies end as they do${no_python}`,
  ignore: !python,
  async fn() {
    const files = { "a.txt": "one\n", "b.txt": "two\n" };
    const script = [bash("rm b.txt; echo three > a.txt; exit 7"), say(ANSWER)];
    await stage({ files, script }, async (s) => {
      sh(s, COMMIT);
      const wrapper = SIGCHLD_IGNORED;
      const flags = ["--verify", "exit 3", "--repair-attempts", "0"];
      const run = await s.hamr(["run", "--json", ...flags, "Do it."], { wrapper });
      assert.deepEqual([run.code, run.result.verification?.exit_code], [2, 3], run.stderr);
      assert.match(s.server.results()[0] ?? "", /\[exit code 7\]/);
      assert.equal((await s.hamr(["undo"], { wrapper })).code, 0);
      assert.deepEqual([s.ws.read("a.txt"), s.ws.read("b.txt")], ["one\n", "two\n"]);
      const command = await s.hamr(["sandbox", "--", "sh", "-c", "exit 9"], { wrapper });
      assert.equal(command.code, 9);
    });
  },
});

const has_git = installed("git");
const no_git = has_git ? "" : " (NOT TESTED HERE: no git)";

function sh(s: Stage, command: string): void {
  const { success, stderr } = new Deno.Command("sh", {
    args: ["-ec", command],
    cwd: s.ws.path,
    env: { HOME: s.home.path },
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
}

const COMMIT = "git init -q .; git add -A; git -c user.name=x -c user.email=x@y.z commit -qm x; ";

/** Repositories of which git lists what it does not give. */
const UNREAD: Readonly<Record<string, readonly [prepare: string, ...flags: string[]]>> = {
  "too new for it": ["git config core.repositoryFormatVersion 1; git config extensions.later true"],
  "with settings that are broken": ["echo '[' >> .git/config"],
  "with objects elsewhere that may not be read": [
    'git clone -q --bare . "$HOME/o.git"; find .git/objects -type f -path "*/??/*" -delete; ' +
    'mkdir -p .git/objects/info; echo "$HOME/o.git/objects" > .git/objects/info/alternates',
    "--allow-read=.",
  ],
};

Deno.test({
  name: `undo puts back what git lists and does not give${no_git}`,
  ignore: !has_git,
  async fn() {
    const files = { "a.txt": "one\n", "b.txt": "two\n" };
    for (const [what, [prepare, ...flags]] of Object.entries(UNREAD)) {
      const script = [bash("rm a.txt; echo three >> b.txt"), say(ANSWER)];
      await stage({ files, script }, async (s) => {
        sh(s, COMMIT + prepare);
        const { code, result } = await s.run("Do it.", "--mode", "auto", ...flags);
        assert.deepEqual([code, result.warnings], [0, []], what);
        const undo = await s.hamr(["undo"]);
        assert.deepEqual([undo.code, undo.stderr.includes("not covered")], [0, false], what);
        assert.deepEqual([s.ws.read("a.txt"), s.ws.read("b.txt")], ["one\n", "two\n"], what);
      });
    }
  },
});

Deno.test({
  name: `what nobody has kept of a changed file is said at the end of the run${no_git}`,
  ignore: !has_git,
  async fn() {
    // More than are asked for at the start; one object of git's is gone by the time it is needed.
    const names = Array.from({ length: 200 }, (_, n) => `file${n}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, `this is ${name}\n`]));
    const lose = 'rm -f .git/objects/$(git rev-parse HEAD:file7.txt | sed "s,^..,&/,")';
    await stage(
      { files, script: [bash(`${lose}; rm file7.txt file8.txt`), say(ANSWER)] },
      async (s) => {
        sh(s, COMMIT);
        const { code, result } = await s.run("Do it.", "--mode", "auto");
        assert.equal(code, 0);
        assert.deepEqual(result.warnings.filter((line) => line.includes("undo")), [
          "hamr undo can't put back what file7.txt held: that is not known",
        ]);
        assert.equal((await s.hamr(["undo"])).code, 2);
        assert.deepEqual([s.ws.exists("file7.txt"), s.ws.exists("file8.txt")], [false, true]);
      },
    );
  },
});

/** Deno itself asks for rights on its packages that an ordinary user has not got there. */
const unbuilt = Deno.env.has("HAMR_BIN") ? "" : " (NOT TESTED HERE: no HAMR_BIN)";

const EDITS = [
  { calls: [{ name: "edit", args: { path: "a.txt", old: "one", new: "1" } }] },
  bash("echo more and more >> b.txt"),
  say(ANSWER),
];
const LINES = { "a.txt": "one\n", "b.txt": "two\n" };

Deno.test({
  name:
    `in a folder that is closed to its user, undo writes files in their place, as edit does${user}${unbuilt}`,
  ignore: !as_root || unbuilt !== "",
  async fn() {
    await stage({ files: LINES, script: EDITS }, async (s) => {
      const how = await as_nobody(s, SOMEBODY);
      // Without the right that lets the program reach what it is made of.
      const more = {
        ...how,
        program: [s.outside.at("hamr")],
        wrapper: [...how.wrapper ?? [], ...["setpriv", "--ambient-caps=-all", "--inh-caps=-all"]],
      };
      // The binary may lie where only root may go.
      Deno.copyFileSync(PROGRAM[0]!, s.outside.at("hamr"));
      sh(s, "chmod 0555 .; chmod 0640 b.txt");
      const { code } = await s.hamr(["run", "--json", "--mode", "auto", "Do it."], more);
      assert.deepEqual([code, s.ws.read("a.txt")], [0, "1\n"]);
      assert.equal(s.ws.read("b.txt"), "two\nmore and more\n");
      const undo = await s.hamr(["undo"], more);
      assert.equal(undo.code, 0, undo.stdout + undo.stderr);
      assert.deepEqual([s.ws.read("a.txt"), s.ws.read("b.txt")], ["one\n", "two\n"]);
      assert.equal((Deno.statSync(s.ws.at("b.txt")).mode ?? 0) & 0o777, 0o640);
    });
  },
});

/** A container's own file, mounted over one of the workspace, for as long as a program runs. */
const MOUNTED = [
  ...["unshare", "-m", "sh", "-ec"],
  'for name in a b; do mount --bind "$HOME/$name.txt" $name.txt; done; exec "$@"',
  "sh",
];
const mounts = as_root && installed("unshare");

Deno.test({
  name: "files that are mounted one by one are written in their place by undo, as by edit" +
    (mounts ? "" : " (NOT TESTED HERE: not root on Linux with unshare)"),
  ignore: !mounts,
  async fn() {
    await stage({ files: LINES, script: EDITS }, async (s) => {
      for (const [name, text] of Object.entries(LINES)) s.home.write(name, text);
      const more = { wrapper: MOUNTED };
      const { code } = await s.hamr(["run", "--json", "--mode", "auto", "Do it."], more);
      assert.deepEqual([code, s.home.read("a.txt")], [0, "1\n"]);
      assert.equal(s.home.read("b.txt"), "two\nmore and more\n");
      // What has another name outside is not written through it.
      Deno.linkSync(s.home.at("a.txt"), s.outside.at("other"));
      const kept = await s.hamr(["undo"], more);
      assert.deepEqual([kept.code, s.outside.read("other")], [2, "1\n"]);
      assert.match(kept.stdout, /a\.txt: left alone: it has other names/);
      Deno.removeSync(s.outside.at("other"));
      const undo = await s.hamr(["undo"], more);
      assert.equal(undo.code, 0, undo.stdout + undo.stderr);
      assert.deepEqual([s.home.read("a.txt"), s.home.read("b.txt")], ["one\n", "two\n"]);
    });
  },
});

Deno.test({
  // Deno starts a thread for each of a bundle's files that it reads at once: for itself it may have too few, too.
  name: `too few processes for hamr itself are said before a request${user}${unbuilt}`,
  ignore: !as_root || unbuilt !== "",
  async fn() {
    await stage({ script: [say(ANSWER)] }, async (s) => {
      const { wrapper = [], ...more } = await as_nobody(s, SOMEBODY);
      const run = await s.hamr(["run", "--json", "What?"], {
        ...more,
        wrapper: [...wrapper, ...limited("ulimit -u 20")],
      });
      assert.equal(run.code, 3, run.stderr);
      assert.match(run.stderr, /only 20 processes and threads .*\(ulimit -u\); hamr needs 32/);
      assert.equal(s.server.requests.length, 0);
    });
  },
});

Deno.test({
  name: `a umask that takes a user's own rights is said before a request${user}${unbuilt}`,
  ignore: !as_root || unbuilt !== "",
  async fn() {
    await stage({ script: [say(ANSWER)] }, async (s) => {
      const { wrapper = [], ...more } = await as_nobody(s, SOMEBODY);
      const run = await s.hamr(["run", "--json", "What?"], {
        ...more,
        wrapper: [...wrapper, ...limited("umask 0277")],
      });
      assert.equal(run.code, 3, run.stderr);
      assert.match(run.stderr, /the umask denies you access to your own new files/);
      assert.equal(s.server.requests.length, 0);
    });
  },
});

Deno.test({
  name: `a command that takes all processes of a user leaves hamr its own${user}`,
  ignore: !as_root,
  async fn() {
    const all =
      `python3 -c 'import os, time\nwhile True:\n  try: pid = os.fork()\n  except OSError as error: print(f"fork: {error.strerror}"); break\n  if pid == 0: time.sleep(60); os._exit(0)'`;
    const script = [bash(all), bash("echo b > b.txt"), say(ANSWER)];
    await stage({ script }, async (s) => {
      const { wrapper = [], ...more } = await as_nobody(s, SOMEBODY);
      const run = await s.hamr(["run", "--json", "--mode", "auto", "Do it."], {
        ...more,
        wrapper: [...wrapper, ...limited("ulimit -u 60")],
      });
      assert.deepEqual([run.code, run.result?.stop_reason], [0, "llm_done"], run.stderr);
      assert.equal(s.ws.read("b.txt"), "b\n");
      const [text = ""] = s.server.results();
      assert.match(text, /fork: Resource temporarily unavailable/);
      // It is not hamr's limit, and no flag of hamr's changes it.
      assert.doesNotMatch(text, /the sandbox allows/);
    });
  },
});

Deno.test({
  name: `without a pending signal for a timer there is no supervisor, and that is said${user}`,
  ignore: !as_root,
  async fn() {
    await stage({ script: [bash("echo a > a.txt"), say(ANSWER)] }, async (s) => {
      const { wrapper = [], ...more } = await as_nobody(s, SOMEBODY);
      const run = await s.hamr(["run", "--json", "--mode", "auto", "Do it."], {
        ...more,
        wrapper: [...wrapper, ...limited("ulimit -i 0")],
      });
      assert.equal(run.code, 0, run.stderr);
      assert.ok(s.ws.exists("a.txt"));
      assert.match(run.result.warnings.join("\n"), /no network at all.*\(ulimit -i\)/);
    });
  },
});
