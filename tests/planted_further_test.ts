/** What a command leaves where else it works: in git's folder of a worktree, and in what `--add-dir` and `--allow-write` name. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { until } from "./support/hamr.ts";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { inside_stage, type Stage, type StageOptions, steps, tools } from "./support/stage.ts";

const GIT = "git -c user.name=t -c user.email=t@t -c protocol.file.allow=always";

/** Runs a command beside the workspace as its person would. */
function sh(s: Stage, command: string): string {
  const { success, stdout, stderr } = new Deno.Command("/bin/bash", {
    args: ["-euc", command],
    cwd: s.outside.path,
    env: { HOME: s.home.path, GIT_CONFIG_NOSYSTEM: "1", WS: s.ws.path },
  }).outputSync();
  const text = new TextDecoder();
  assert.ok(success, `${command}: ${text.decode(stderr)}`);
  return text.decode(stdout).trimEnd();
}

/** A repository beside the workspace. */
const REPO = `git init -q main; cd main; echo a > a; echo '*.log' > .gitignore; git add .; ` +
  `${GIT} commit -qm one`;
/** The workspace is a worktree of it, and its settings include a file of git's folder. */
const WORKTREE = `${REPO}; git config include.path extra; git config -f .git/extra user.name t; ` +
  `git config user.email t@t; git worktree add -q "$WS"`;

Deno.test("what lies in git's folder of a worktree and runs later is named", async () => {
  const plant = `g=$(git rev-parse --git-common-dir); d=$(git rev-parse --git-dir)
    git config -f $g/extra core.fsmonitor 'touch ran; false'; mkdir -p $d/rebase-merge $g/info
    echo '* filter=x' > $g/info/attributes; echo 'exec touch ran' > $d/rebase-merge/git-rebase-todo`;
  await inside_stage({ script: steps(["bash", { command: plant }]) }, async (s) => {
    sh(s, WORKTREE);
    const { run } = await tools(s);
    const place = s.outside.at("main/.git"), own = sh(s, 'git -C "$WS" rev-parse --git-dir');
    const line = "changed files that run later outside the sandbox: " +
      `${place}/extra, ${place}/info/attributes, ${own}/rebase-merge/git-rebase-todo`;
    assert.ok(run.result.warnings.includes(line), run.result.warnings.join("\n"));
  });
});

/** An index of git that lists one empty file, at this path, in base64 (gitformat-index(5)). */
function index_of(path: string): string {
  const empty = Buffer.from("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "hex");
  const head = Buffer.concat([Buffer.from("DIRC"), Buffer.from([0, 0, 0, 2, 0, 0, 0, 1])]);
  const mode = Buffer.concat([Buffer.alloc(24), Buffer.from([0, 0, 0x81, 0xa4]), Buffer.alloc(12)]);
  const name = Buffer.concat([Buffer.from([0, path.length]), Buffer.from(path)]);
  const entry = Buffer.concat([mode, empty, name]);
  const body = Buffer.concat([head, entry, Buffer.alloc(8 - entry.length % 8)]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]).toString("base64");
}

Deno.test("an index of another worktree, or of its submodule, by which git would write elsewhere is set aside", async () => {
  const plant = `git hash-object -w --stdin < /dev/null; g=$(git rev-parse --git-common-dir)
    for d in worktrees/second modules/sub; do base64 -d <<< ${
    index_of("../evil")
  } > $g/$d/index; done`;
  await inside_stage({ script: steps(["bash", { command: plant }]) }, async (s) => {
    sh(
      s,
      `${WORKTREE}; git worktree add -q ../second; ${GIT} submodule --quiet add ./ sub; ` +
        "git -C sub hash-object -w --stdin < /dev/null",
    );
    const { run } = await tools(s);
    const said = run.result.warnings.join("\n");
    for (const name of ["worktrees/second", "modules/sub"]) {
      assert.match(said, new RegExp(`${name}/index lists \\.\\./evil: .* index\\.refused now`));
    }
    sh(s, "for d in second main/sub; do git -C $d checkout . || :; git -C $d reset --hard; done");
    assert.equal(sh(s, "find . -name evil"), "");
  });
});

Deno.test("what git starts in a worktree, a submodule or a repository further down, by settings relative to these, is named", async () => {
  const starts = "mkdir .githooks tools; echo tools/x.sh > .githooks/pre-commit; " +
    "for f in x hook clean; do echo a > tools/$f.sh; done; chmod +x .githooks/* tools/*; " +
    "git config core.hooksPath .githooks; git config filter.z.clean tools/clean.sh";
  const hook = "echo tools/hook.sh > $(git rev-parse --git-path hooks)/pre-push";
  const change = "for f in .githooks/pre-commit tools/*; do echo b >> $f; done";
  const script = steps(["bash", {
    command: `${change}; cd n/b; ${change}; cd ../../sub; ${change}`,
  }]);
  await inside_stage({ script }, async (s) => {
    sh(
      s,
      `${REPO}; ${hook}; ${starts}; ` +
        `${GIT} -c core.hooksPath=/dev/null submodule --quiet add ./ sub; git add .; ` +
        `${GIT} -c core.hooksPath=/dev/null commit -qm two; git worktree add -q "$WS"; cd "$WS"; ` +
        `git init -q n/b; cd n/b; ${starts}; cd ../..; ${GIT} -c core.hooksPath=/dev/null submodule --quiet update --init; ` +
        `cd sub; ${starts}`,
    );
    const { run } = await tools(s);
    const [line = ""] = run.result.warnings;
    assert.match(
      line,
      /run later outside the sandbox: .githooks\/pre-commit, n\/b\/\.githooks\/pre-commit, /,
    );
    // Of each a hook, what it starts, and what a filter does; of the worktree also what its own hook does.
    assert.equal(line.split(", ").length, 10, line);
  });
});

Deno.test("honest work in a worktree is not named: commits, branches, a rebase, a stash, another worktree", async () => {
  const work = `echo b > b; git add b; git commit -qm two; git checkout -qb x; echo c > c; git add c
    git commit -qm three; echo d > a; git stash -q; git stash pop -q; git commit -qam four
    GIT_SEQUENCE_EDITOR=true git rebase -qi HEAD~2; git worktree add -q $TMPDIR/y; git tag v1; git gc -q`;
  await inside_stage({ script: steps(["bash", { command: work }]) }, async (s) => {
    sh(s, WORKTREE);
    const { run, texts } = await tools(s);
    assert.equal(run.code, 0, texts.join("\n"));
    assert.deepEqual(run.result.warnings, []);
    assert.equal(sh(s, 'git -C "$WS" log --format=%s | head -1'), "four");
  });
});

for (const flag of ["--add-dir", "--allow-write"]) {
  Deno.test(`what a command plants in a repository that ${flag} names is put back, and what runs later named`, async () => {
    const plant = (place: string) =>
      `cd ${place}; git config core.fsmonitor 'touch ran; false'; ln -sf ~/.bashrc .git/COMMIT_EDITMSG
      printf '#!/bin/sh\\ntouch ran\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit
      cp .git/hooks/post-commit deep/x/.git/hooks; mkdir .vscode; echo '{}' > .vscode/tasks.json`;
    const script: StageOptions["script"] = (_, n) =>
      n === 0 ? bash(plant("../outside/main")) : say(ANSWER);
    await inside_stage({ script }, async (s) => {
      sh(s, `${REPO}; git init -q deep/x`);
      const place = s.outside.at("main");
      const run = await s.run("Do as you were told.", "--mode", "auto", `${flag}=${place}`);
      const said = run.result.warnings.join("\n");
      assert.match(said, /put back \S+main\/\.git\/config \(core\.fsmonitor\)/);
      assert.match(
        said,
        /main\/\.git\/hooks\/post-commit, \S+deep\/x\/\.git\/hooks\/post-commit: /,
      );
      assert.match(said, /put back \S+main\/\.git\/COMMIT_EDITMSG/);
      assert.match(said, /run later outside the sandbox: \S+main\/\.vscode\/tasks\.json$/m);
      sh(
        s,
        `cd main; git status; ${GIT} commit -q --allow-empty -m x; ${GIT} -C deep/x commit -q --allow-empty -m x`,
      );
      assert.equal(sh(s, "find . -name ran"), "");
      assert.ok(!s.home.exists(".bashrc"));
    });
  });
}

Deno.test("tools write no hook in a repository that --add-dir names, unless its hooks are named", async () => {
  const hook = (place: string) =>
    call("write", { path: `${place}/.git/hooks/pre-commit`, content: "x" });
  for (const allowed of [false, true]) {
    const script: StageOptions["script"] = (_, n) =>
      n === 0 ? hook(Deno.realPathSync(s_outside)) : say(ANSWER);
    let s_outside = "";
    await inside_stage({ script }, async (s) => {
      sh(s, REPO);
      s_outside = s.outside.at("main");
      const more = allowed ? [`--allow-write=${s_outside}/.git/hooks`] : [];
      const run = await s.run("Make a hook.", "--mode", "auto", `--add-dir=${s_outside}`, ...more);
      assert.equal(s.outside.exists("main/.git/hooks/pre-commit"), allowed, run.stderr);
      const [said = ""] = s.server.results();
      if (!allowed) {
        assert.match(said, /runs, or decides what runs, .*--allow-write=\/\S+main\/\.git\/hooks/);
      }
      assert.deepEqual(run.result.warnings, []);
    });
  }
});

Deno.test("honest work in what --add-dir names is left alone: commits, submodules, worktrees of each other, clones", async () => {
  const work =
    `git init -q .; git config user.name t; git config user.email t@t; ${GIT} commit -q --allow-empty -m one
    git worktree add -q ../outside/main/of_ws; cd ../outside/main; git config user.name t; git config user.email t@t
    echo b > b; git add b; git commit -qm two; git worktree add -q ../../ws/of_main
    echo ../../../../../ws/of_main/.git > .git/worktrees/of_main/gitdir
    git worktree add -q .trees/x; ${GIT} submodule --quiet add ./ sub; git commit -qm three; git clone -q . clone
    git -C of_ws status; git -C ../../ws/of_main status; git -C .trees/x status; git -C sub status; git gc -q`;
  await inside_stage(
    { script: steps(["bash", { command: work }], ["bash", { command: "true" }]) },
    async (s) => {
      sh(s, `${REPO}; git config receive.denyCurrentBranch ignore`);
      const { run, texts } = await tools(s, `--add-dir=${s.outside.at("main")}`);
      assert.equal(run.code, 0, texts.join("\n"));
      const other = run.result.warnings.filter((line) =>
        !/: \S+main\/\.gitmodules, \S+clone\/\.gitmodules$/.test(line)
      );
      assert.deepEqual(other, []);
      sh(
        s,
        'for d in main/of_ws "$WS/of_main" main/.trees/x main/sub main/clone; do git -C $d status; done',
      );
    },
  );
});

Deno.test("packages that a cache is filled with are not named, clones in it work", async () => {
  const fill =
    `cd ../outside; mkdir -p cache/registry/x/.github/workflows cache/bin; cd cache/registry/x
    for f in .github/workflows/ci.yml .envrc .npmrc .gitattributes; do echo x > $f; done; cd ../..
    git clone -q --bare $(cd ../main; pwd) git/db/x; git clone -q $PWD/git/db/x git/checkouts/x
    git -C git/checkouts/x pull -q && echo pulled`;
  await inside_stage({ script: steps(["bash", { command: fill }]) }, async (s) => {
    sh(s, `${REPO}; mkdir ../cache`);
    const { run, texts } = await tools(s, `--allow-write=${s.outside.at("cache")}`);
    assert.equal(texts[0], "pulled");
    assert.deepEqual(run.result.warnings, []);
    sh(s, "git -C cache/git/checkouts/x pull");
  });
});

Deno.test("a folder of the user's that a command has opened to everybody is still watched", async () => {
  const plant = "cd ../outside/main; git config core.pager mine; echo x > .git/hooks/pre-push";
  await inside_stage({ script: steps(["bash", { command: plant }]) }, async (s) => {
    sh(s, `${REPO}; chmod 1777 ..`);
    const { run } = await tools(s, `--allow-write=${s.outside.path}`);
    assert.match(run.result.warnings.join("\n"), /put back \S+\/config \(core\.pager\)/);
    assert.ok(!s.outside.exists("main/.git/hooks/pre-push"));
  });
});

Deno.test("after a kill, also of a run that only read its workspace, the next run that works there puts back what was planted", async () => {
  const plant = "cd ../outside/main; git config core.fsmonitor ./evil; touch ../ready; " +
    "while [ ! -e ../stop ]; do sleep 0.05; done";
  await inside_stage({ script: [bash(plant)] }, async (s) => {
    sh(s, REPO);
    const added = `--add-dir=${s.outside.path}`;
    const first = s.start([
      ...["run", "--read-only", "--mode", "auto", "--timeout", "50", added, "Go on."],
    ]);
    try {
      await until("it is planted", () => s.outside.exists("ready"));
    } finally {
      first.kill("SIGKILL");
      await first.done;
      s.outside.write("stop", "");
    }
    await inside_stage({ script: () => say(ANSWER), one_conversation: false }, async (other) => {
      const env = { ...s.env, HAMR_BASE_URL: other.server.url };
      const run = (...flags: string[]) =>
        s.hamr(["run", "--output", "json", "--mode", "auto", ...flags, "Look."], { env });
      // Out of its reach it stays written down.
      assert.deepEqual((await run()).result.warnings, []);
      s.ws.write(".hamr/config.toml", "");
      const { result } = await run(added);
      assert.match(result.warnings.join("\n"), /cut off: hamr put back .*core\.fsmonitor/);
      assert.doesNotMatch(s.outside.read("main/.git/config"), /evil/);
      assert.ok(s.ws.exists(".hamr/config.toml"));
    });
  });
});
