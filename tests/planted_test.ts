/** What a command leaves in the workspace, and someone else would run later, outside the sandbox. */
import assert from "node:assert/strict";
import { each, until } from "./support/hamr.ts";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import {
  inside_stage,
  type Stage,
  stage,
  type StageOptions,
  steps,
  tools,
} from "./support/stage.ts";

const REPO = "git init -q . && git config user.name t && git config user.email t@t && " +
  "git config core.editor mine && printf '#!/bin/sh\\n' > .git/hooks/pre-push && " +
  "git commit -q --allow-empty -m one";

/** Runs a command in the workspace as its person would. */
function sh(s: Stage, command: string): string {
  const { success, stdout, stderr } = new Deno.Command("/bin/bash", {
    args: ["-euc", command],
    cwd: s.ws.path,
    env: { HOME: s.home.path, GIT_CONFIG_NOSYSTEM: "1" },
  }).outputSync();
  const text = new TextDecoder();
  assert.ok(success, `${command}: ${text.decode(stderr)}`);
  return text.decode(stdout).trimEnd();
}

const PLANTED: Readonly<Record<string, readonly [command: string, said: RegExp]>> = {
  fsmonitor: ["git config core.fsmonitor ./evil", /\.git\/config \(core\.fsmonitor\)/],
  hooksPath: ["mkdir h; git config core.hooksPath h", /\.git\/config \(core\.hookspath\)/],
  hook: [
    "echo ./evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    /hooks\/pre-commit/,
  ],
  "changed hook": ["echo ./evil >> .git/hooks/pre-push", /hooks\/pre-push/],
  "linked hooks": ["mkdir h; rm -r .git/hooks; ln -s ../h .git/hooks", /\.git\/hooks/],
  settings: ["mkdir .hamr; echo '[permissions]' > .hamr/config.toml", /\.hamr/],
  "in a background child": [
    "(sleep 0.3; git config core.fsmonitor ./evil) > /dev/null 2>&1 & wait",
    /core\.fsmonitor/,
  ],
};

Deno.test("what a command plants is put back, the model is told, and the result says so", async () => {
  await each(Object.entries(PLANTED), async ([name, [command, said]]) => {
    await inside_stage(
      { script: steps(["bash", { command }], ["bash", { command: "true" }]) },
      async (s) => {
        sh(s, REPO);
        const state =
          "stat -c '%A %s %n' .git/hooks/pre-push; cat .git/config .git/hooks/pre-push; ls -A .hamr 2>&1 || true";
        const before = sh(s, state);
        const { texts, run } = await tools(s);
        assert.equal(run.code, 0, run.stderr);
        const [first = "", second] = texts;
        assert.match(first, said, name);
        assert.match(first, /\[hamr put back [^\n]+\]$/, name);
        assert.equal(second, "[no output]", name);
        assert.match(run.result.warnings.join("\n"), said, name);
        assert.equal(sh(s, state), before, name);
        assert.equal(sh(s, "git status --porcelain -- evil; git config --get core.editor"), "mine");
      },
    );
  });
});

Deno.test("what git would write for the person, and where, is not a command's to say", async () => {
  const home = "$PWD/../home";
  const commands: readonly (readonly [string, RegExp])[] = [
    [
      `git config user.name 'a;touch ${home}/ran;b'; ln -sf ${home}/.bashrc .git/logs/HEAD`,
      /put back \.git\/logs\/HEAD/,
    ],
    [
      `echo 'touch ${home}/ran' > .git/MERGE_MSG; ln -sf ${home}/.bashrc .git/COMMIT_EDITMSG`,
      /put back \.git\/COMMIT_EDITMSG/,
    ],
    [
      `mkdir -p .git/objects/info; ln -s ${home}/.bashrc .git/objects/info/commit-graph`,
      /put back \.git\/objects\/info\/commit-graph/,
    ],
    [
      `cp -p .git/hooks/pre-push .envrc; ln -f .git/hooks/pre-push .git/COMMIT_EDITMSG`,
      /changed files that run later .*: \.envrc/,
    ],
    [
      "mkdir .git/rebase-merge; echo x/y > .git/rebase-merge/strategy",
      /: \.git\/rebase-merge\/strategy/,
    ],
    [
      "mkdir .git/worktrees/wt/rebase-merge; echo 'exec x' > .git/worktrees/wt/rebase-merge/git-rebase-todo",
      /changed files that run later .*: \.git\/worktrees\/wt\/rebase-merge\/git-rebase-todo/,
    ],
    ["chmod +x hooks/post-commit", /changed files that run later .*: hooks\/post-commit/],
    ["echo y > dot/bashrc", /changed files that run later .*: dot\/bashrc/],
  ];
  await each(commands, async ([command, said]) => {
    await inside_stage({ script: steps(["bash", { command }]) }, async (s) => {
      sh(s, REPO);
      sh(s, "mkdir hooks dot; echo x > hooks/post-commit; echo x > dot/bashrc");
      sh(s, "ln -s $PWD/dot/bashrc $HOME/.bash_aliases; echo mine > $HOME/.bashrc");
      sh(s, "git worktree add -q wt; git config core.hooksPath hooks");
      const { run } = await tools(s);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.result.warnings.join("\n"), said);
      const hook = s.ws.read(".git/hooks/pre-push");
      sh(s, "git -c core.hooksPath=/dev/null commit -q --allow-empty -m three; git gc -q");
      assert.equal(s.home.read(".bashrc"), "mine\n");
      assert.equal(s.ws.read(".git/hooks/pre-push"), hook);
    });
  });
});

Deno.test("git goes on working: commit, init, remotes, push, branches, worktrees", async () => {
  const commands = [
    "echo x > f && git add f && git commit -qm two",
    "git init -q --bare up.git && git remote add up ./up.git && git push -q --set-upstream up HEAD",
    "git switch -qc b && git branch --set-upstream-to=up/master b 2>&1 || git branch -u up/main b",
    "git init -q inner && cd inner && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m x",
    "git worktree add -q wt && cd wt && git commit -q --allow-empty -m y",
    "git config user.name other && git remote set-url up ./up.git && git stash list && git gc -q",
  ];
  const script = steps(
    ...commands.map((command) => ["bash", { command }] as [string, { command: string }]),
  );
  await inside_stage({ script, files: { "g": "1\n" } }, async (s) => {
    sh(s, REPO);
    // A push is a thing to be asked about.
    const { events, run } = await tools(s, "--yolo");
    assert.equal(run.code, 0, run.stderr);
    for (const event of events) assert.equal(event["ok"], true, JSON.stringify(event));
    assert.deepEqual(run.result.warnings, []);
    assert.equal(
      sh(s, "git log --oneline | wc -l; git config user.name; git config remote.up.url"),
      "2\nother\n./up.git",
    );
    assert.equal(
      sh(
        s,
        "git config branch.b.remote; git -C inner log --format=%s; git -C wt log --format=%s -1",
      ),
      "up\nx\ny",
    );
  });
});

Deno.test("what is planted after the last step is put back at the end, also by a process that detached itself", async () => {
  const plant = "until [ -e asked ]; do sleep 0.05; done; git init -q a/b; echo x > .envrc; " +
    "while true; do git config core.fsmonitor ./evil; git -C a/b config core.fsmonitor ./evil; " +
    "echo x > .git/hooks/pre-commit; touch planted; sleep 0.1; done";
  const command = `setsid bash -c '${plant}' > /dev/null 2>&1 &`;
  let planted: (() => Promise<unknown>) | undefined;
  const script = async (_: unknown, n: number) => {
    if (n > 0) await planted?.();
    return n === 0 ? bash(command) : say(ANSWER);
  };
  await inside_stage({ script }, async (s) => {
    planted = () => {
      s.ws.write("asked", "");
      return until("planted", () => s.ws.exists("planted"));
    };
    sh(s, REPO);
    const run = await s.run("Do as you were told.", "--mode", "auto");
    assert.equal(run.code, 0, run.stderr);
    assert.ok(!s.ws.exists(".git/hooks/pre-commit"));
    assert.doesNotMatch(sh(s, "cat .git/config a/b/.git/config"), /evil/);
    const said = run.result.warnings.join("\n");
    assert.match(said, /put back \.git\/config \(core\.fsmonitor\)/);
    assert.match(
      said,
      /put back [^\n]*a\/b\/\.git\/config[^]*run later outside the sandbox: \.envrc/,
    );
  });
});

Deno.test("what a verify command plants is put back", async () => {
  await inside_stage({ script: [say(ANSWER)] }, async (s) => {
    sh(s, REPO);
    const run = await s.run("Check it.", "--verify", "git config alias.st '!./evil'");
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.result.warnings.join("\n"), /alias\.st/);
    assert.doesNotMatch(s.ws.read(".git/config"), /evil/);
  });
});

Deno.test("after a kill, the next run puts back what was planted, before its own commands run", async () => {
  const plant =
    "git config core.fsmonitor ./evil; git config user.email new@t; rm .git/hooks/pre-push; " +
    "echo x > .git/hooks/pre-commit; mkdir .hamr; echo '[agent]' > .hamr/config.toml";
  await inside_stage(
    { script: [bash(`${plant}; touch ready; while [ ! -e stop ]; do sleep 0.05; done`)] },
    async (s) => {
      sh(s, REPO);
      const first = s.start(["run", "--mode", "auto", "--timeout", "50", "Do as you were told."]);
      try {
        await until("it is planted", () => s.ws.exists("ready"));
        assert.ok(s.ws.exists(".git/hooks/pre-commit"));
      } finally {
        first.kill("SIGKILL");
        await first.done;
        // What a killed run leaves is nobody's child anymore: it ends by itself.
        s.ws.write("stop", "");
      }
      const look = "cat .git/config; ls -A .git/hooks .hamr";
      const script: StageOptions["script"] = (_, n) => n % 2 === 0 ? bash(look) : say(ANSWER);
      await inside_stage({ script, one_conversation: false }, async (other) => {
        const args = ["run", "--output", "json", "--mode", "auto", "Look."];
        const env = { ...s.env, HAMR_BASE_URL: other.server.url };
        const run = await s.hamr(args, { env });
        assert.equal(run.code, 0, run.stderr);
        const warnings = run.result.warnings.join("\n");
        assert.match(warnings, /after a run that was cut off: hamr put back .*core\.fsmonitor/);
        assert.match(warnings, /pre-commit/);
        const [seen = ""] = other.server.results();
        assert.doesNotMatch(seen, /evil|pre-commit$|config\.toml/m);
        assert.match(seen, /new@t[^]*pre-push$/m);
        const again = await s.hamr(args, { env });
        assert.deepEqual(again.result.warnings, []);
      });
      const left = [...Deno.readDirSync(s.home.at(".local/share/hamr/journal"))];
      assert.deepEqual(left, []);
    },
  );
});

Deno.test("what cannot be put back ends the run: policy_violation, exit 1", async () => {
  const script = steps(["bash", { command: "echo x >> .git/hooks/large" }], ["bash", {
    command: "touch later",
  }]);
  await inside_stage({ script }, async (s) => {
    sh(s, `${REPO} && head -c 1100000 /dev/zero > .git/hooks/large`);
    const run = await s.run("Do as you were told.", "--mode", "auto");
    assert.equal(run.code, 1, run.stderr);
    assert.equal(run.result.stop_reason, "policy_violation");
    assert.match(run.result.error?.message ?? "", /could not put back \.git\/hooks\/large/);
    assert.ok(!s.ws.exists("later"));
    assert.equal(s.server.requests.length, 1);
  });
});

/** Whether this machine lets a file be made unchangeable, as only its administrator can. */
function can_freeze(): boolean {
  const file = Deno.makeTempFileSync();
  try {
    const set = (flag: string) =>
      new Deno.Command("chattr", { args: [flag, file], stderr: "null" }).outputSync().success;
    return set("+i") && set("-i");
  } catch {
    return false;
  } finally {
    Deno.removeSync(file);
  }
}

Deno.test({
  name: "the same at the end of a run, and for what an administrator has frozen",
  ignore: Deno.build.os !== "linux" || !can_freeze(),
  fn: async () => {
    const command =
      "echo x > .git/hooks/pre-commit; touch ready; while [ ! -e go ]; do sleep 0.05; done";
    await inside_stage({ script: steps(["bash", { command }]) }, async (s) => {
      sh(s, REPO);
      const running = s.start(["run", "--output", "json", "--mode", "auto", "Do it."]);
      try {
        await until("it is planted", () => s.ws.exists("ready"));
        sh(s, "chattr +i .git/hooks/pre-commit; touch go");
        const run = await running.done;
        assert.equal(run.code, 1, run.stderr);
        assert.equal(run.result.stop_reason, "policy_violation");
      } finally {
        sh(s, "chattr -i .git/hooks/pre-commit");
      }
    });
  },
});

Deno.test("edit and write leave such files alone, and name the flag", async () => {
  const script = steps(
    ["write", { path: ".git/hooks/pre-commit", content: "x" }],
    ["write", { path: ".hamr/config.toml", content: "x" }],
    ["edit", { path: ".git/config", old: "mine", new: "./evil" }],
    ["bash", { command: "ln -s .git/hooks link" }],
    ["write", { path: "link/post-merge", content: "x" }],
    ["write", { path: ".git/info/exclude", content: "x" }],
  );
  await stage({ script }, async (s) => {
    sh(s, `${REPO} && rm .git/info/exclude`);
    const { texts, events, run } = await tools(s);
    assert.equal(run.code, 0, run.stderr);
    for (const i of [0, 1, 2, 4]) {
      assert.match(
        texts[i] ?? "",
        /runs, or decides what runs, later and outside the sandbox; .*--allow-write=\//,
      );
      assert.equal(events[i]?.["refused"], "policy");
    }
    assert.equal(events[5]?.["ok"], true, texts[5]);
    assert.ok(!s.ws.exists(".git/hooks/pre-commit") && !s.ws.exists(".git/hooks/post-merge"));
    assert.deepEqual(run.result.warnings, []);
  });
  const all = [".git/hooks/pre-commit", ".git/info/grafts", "bare/hooks/update"];
  const written = all.map((path) => call("write", { path, content: "x" }));
  await stage({ script: [...written, say(ANSWER)] }, async (s) => {
    sh(s, `${REPO}; git init -q --bare bare`);
    const flags = ["--mode", "auto", "--allow-write=.git/hooks"];
    const { result: { warnings, files_changed } } = await s.run("Make a hook.", ...flags);
    assert.match(
      warnings.join("\n"),
      /put back bare\/hooks\/update.*\n.*because of .git\/info\/grafts$/,
    );
    assert.ok(!warnings.join().includes("pre-commit"));
    assert.equal(s.ws.read(".git/hooks/pre-commit"), "x");
    assert.deepEqual(files_changed.map(({ path }) => path), all.slice(0, 2));
  });
});

Deno.test("other files that run later are named in the result, also where git ignores them", async () => {
  const script = steps(
    ["bash", {
      command:
        "echo 'export X=1' > .envrc; mkdir -p .vscode a/.github/workflows; echo '{}' > .vscode/tasks.json",
    }],
    ["bash", {
      command:
        "echo 'on: push' > a/.github/workflows/ci.yml; sed -i s/one/two/ package.json; sed -i s/1.0.0/2.0.0/ b/package.json; echo x >> Makefile",
    }],
  );
  const files = {
    ".gitignore": ".envrc\n.vscode\n",
    "package.json": '{"scripts":{"test":"one"}}',
    "b/package.json": '{"version":"1.0.0","scripts":{"test":"one"}}',
    "Makefile": "all:\n",
    ".husky/pre-commit": "npm test\n",
  };
  await inside_stage({ script, files }, async (s) => {
    const { run } = await tools(s);
    assert.deepEqual(run.result.warnings, [
      "changed files that run later outside the sandbox: .envrc, .vscode/tasks.json, a/.github/workflows/ci.yml, package.json (scripts)",
    ]);
  });
});

/** A repository that runs something, in an ignored folder, listed as a submodule: `git status` at the top enters it. */
const LISTED =
  `git init -q ig/r; git -C ig/r -c user.name=t -c user.email=t@t commit -q --allow-empty -m x
git -C ig/r config core.fsmonitor 'touch ran; false'; git add -f ig/r; git -C ig/r config user.name t`;

Deno.test("the user's next git runs nothing in a repository that a command has listed", async () => {
  const script = steps(["bash", { command: LISTED }], ["bash", { command: "true" }]);
  await inside_stage({ script, files: { ".gitignore": "ig/\n" } }, async (s) => {
    sh(s, REPO);
    const { run } = await tools(s);
    assert.match(
      run.result.warnings.join("\n"),
      /put back ig\/r\/\.git\/config \(core\.fsmonitor\)/,
    );
    sh(s, "git status; git diff; git add -A");
    assert.ok(!s.ws.exists("ig/r/ran") && !s.ws.exists("ran"));
    assert.match(s.ws.read("ig/r/.git/config"), /name = t/, "what is ordinary stays");
  });
  await inside_stage({ script: [], files: { ".gitignore": "ig/\n" } }, async (s) => {
    sh(s, REPO);
    const { stderr } = await s.hamr(["sandbox", "--", "bash", "-c", LISTED]);
    assert.match(stderr, /put back ig\/r\/\.git\/config \(core\.fsmonitor\)/);
    sh(s, "git status");
    assert.ok(!s.ws.exists("ig/r/ran"));
  });
});

Deno.test("where the next push goes is said in the result and the log, if a command has led it elsewhere", async () => {
  const added =
    "git remote add up https://example.com/up; git config branch.$(git branch --show-current).pushRemote up";
  for (
    const [command, said] of [[added, true], ["git config branch.x.remote origin", false]] as const
  ) {
    await inside_stage({ script: steps(["bash", { command }]) }, async (s) => {
      sh(s, REPO);
      const { run } = await tools(s);
      const line = /git push from branch \w+ now goes to up, .*https:\/\/example\.com\/up/;
      assert.equal(line.test(run.result.warnings.join("\n")), said, command);
      assert.equal(line.test(run.stderr), said, run.stderr);
    });
  }
});

Deno.test("hamr sandbox watches repositories further down, and names what runs later", async () => {
  const PATH = `bin:${Deno.env.get("PATH")}`;
  await inside_stage({ script: [], env: { PATH } }, async (s) => {
    sh(
      s,
      `${REPO}; git worktree add -q .wt/x; git init -q a/b/c; git config core.hooksPath .githooks`,
    );
    const plant = `cp -r .git evil; git --git-dir=evil config core.fsmonitor 'touch ran; false'
      git --git-dir=evil config core.bare false; echo 'gitdir: ../../evil' > .wt/x/.git
      git -C a/b/c config core.fsmonitor 'touch ran; false'
      mkdir bin .githooks; for p in bin/git .githooks/pre-commit; do echo 'touch ran' > $p; chmod +x $p; done`;
    const { stderr } = await s.hamr(["sandbox", "--", "bash", "-c", plant]);
    assert.match(stderr, /put back \.wt\/x\/\.git/);
    assert.match(stderr, /put back a\/b\/c\/\.git\/config \(core\.fsmonitor\)/);
    assert.match(stderr, /that run later outside the sandbox: \.githooks\/pre-commit, bin\/git$/m);
    sh(s, "git -C .wt/x status; git -C a/b/c status");
    assert.equal(sh(s, "find . -name ran"), "");
  });
});

Deno.test("hamr sandbox puts back what its command plants", async () => {
  await inside_stage({ script: [] }, async (s) => {
    sh(s, REPO);
    const run = await s.hamr(["sandbox", "--", "git", "config", "core.fsmonitor", "./evil"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /hamr put back \.git\/config \(core\.fsmonitor\)/);
    assert.doesNotMatch(s.ws.read(".git/config"), /evil/);
  });
});
