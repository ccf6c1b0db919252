import assert from "node:assert/strict";
import { bench, type BenchOptions, sh } from "../../_testing.ts";
import { IgnoreRules } from "./ignore_rules.ts";

/** Paths, as git itself judges them and as the rules do; they must agree. */
async function agrees(options: BenchOptions, paths: readonly string[]): Promise<string[]> {
  return await bench(options, ({ workspace, root }) => {
    const top = options.workspace?.startsWith("repo/") ? `${root}/repo` : workspace;
    sh("git -c init.defaultBranch=main init -q .", top);
    if (options.beside?.["exclude"] !== undefined) {
      sh(`cat ${root}/exclude > .git/info/exclude`, top);
    }
    for (const path of paths) {
      Deno.mkdirSync(`${workspace}/${path.slice(0, path.lastIndexOf("/") + 1)}`, {
        recursive: true,
      });
      if (!path.endsWith("/")) Deno.writeTextFileSync(`${workspace}/${path}`, "");
    }
    const rules = new IgnoreRules(workspace);
    const ignored: string[] = [];
    for (const path of paths) {
      const quiet = new Deno.Command("git", {
        args: ["check-ignore", "-q", "--", path],
        cwd: workspace,
      }).outputSync();
      assert.equal(rules.covers(path), quiet.code === 0, path);
      if (quiet.code === 0) ignored.push(path);
    }
    return ignored;
  });
}

Deno.test("rules mean what they mean to git", async () => {
  const files = {
    ".gitignore": [
      "*.log",
      "!keep.log",
      "/top.txt",
      "out/",
      "a/*",
      "!a/b",
      "doc/**/x.md",
      "# comment",
      "\\#hash",
      "space\\ ",
      "[ab].c",
      "Case.txt",
    ].join("\n"),
    "sub/.gitignore": "!some.log\nlocal\n/only\r\n",
  };
  const paths = [
    "x.log",
    "keep.log",
    "deep/er/x.log",
    "top.txt",
    "deep/top.txt",
    "out/file",
    "deep/out/file",
    "a/c",
    "a/b",
    "doc/x.md",
    "doc/1/2/x.md",
    "#hash",
    "space ",
    "a.c",
    "c.c",
    "case.txt",
    "Case.txt",
    "sub/some.log",
    "sub/other.log",
    "sub/local",
    "sub/deep/local",
    "sub/only",
    "sub/deep/only",
    "local",
    "..dots",
    "ünï/x.log",
  ];
  const ignored = await agrees({ files }, paths);
  assert.ok(ignored.length > 12, ignored.join(" "));
});

Deno.test("what stands nearer wins, .git/info/exclude comes last", async () => {
  const options = {
    files: { ".gitignore": "!kept\n*.tmp\n", "sub/.gitignore": "!*.tmp\n" },
    beside: { exclude: "kept\nhidden\n" },
  };
  const ignored = await agrees(options, ["kept", "hidden", "sub/hidden", "a.tmp", "sub/a.tmp"]);
  assert.deepEqual(ignored, ["hidden", "sub/hidden", "a.tmp"]);
});

Deno.test("a workspace below the repository's top is under the rules above it", async () => {
  const options = {
    workspace: "repo/a/b",
    files: { ".gitignore": "own\n" },
    beside: { "repo/.gitignore": "*.log\n/a/b/rooted\nb/x\n", "repo/a/.gitignore": "mid\n" },
  };
  const paths = ["1.log", "rooted", "deep/rooted", "x", "own", "mid", "free", "deep/2.log"];
  assert.deepEqual(await agrees(options, paths), [
    "1.log",
    "rooted",
    "own",
    "mid",
    "deep/2.log",
  ]);
});

Deno.test("a workspace that its repository ignores counts for itself", async () => {
  const options = {
    workspace: "repo/scratch/one",
    files: { ".gitignore": "*.log\n" },
    beside: { "repo/.git/HEAD": "", "repo/.gitignore": "scratch/\n*.ts\n" },
  };
  await bench(options, ({ workspace }) => {
    const rules = new IgnoreRules(workspace);
    assert.deepEqual(["a.ts", "a.log", "deep/b.ts"].map((path) => rules.covers(path)), [
      false,
      true,
      false,
    ]);
  });
});

Deno.test("without a .gitignore the built-in list holds, letter by letter", async () => {
  await bench({}, ({ workspace }) => {
    const rules = new IgnoreRules(workspace);
    const ignored = [
      ".git/config",
      "node_modules/a/b",
      "deep/node_modules/x",
      "__pycache__/x.pyc",
      "x.pyc",
      ".venv/bin/python",
      "target/debug/x",
      "dist/x",
      "build/x",
    ];
    for (const path of ignored) assert.equal(rules.covers(path), true, path);
    const free = [
      "src/a.ts",
      "BUILD",
      "Dist/x",
      "build",
      "dist",
      "target",
      "targets/x",
      ".github/x",
    ];
    for (const path of free) assert.equal(rules.covers(path), false, path);
    assert.equal(rules.ignores("node_modules"), true, "also where it is a link");
  });
});

Deno.test("where version control keeps its data is never the project's own", async () => {
  const files = { ".gitignore": "!.hg/\n", "server.git/refs/x": "" };
  await bench({ files }, ({ workspace }) => {
    const rules = new IgnoreRules(workspace);
    rules.enter("server.git/", ["HEAD", "objects", "refs"]);
    rules.enter("src/", ["HEAD", "objects"]);
    const own = ["sub/.hg/store/x", ".svn/wc.db", ".jj/repo", "_darcs/x", ".fslckout-wal"];
    for (const path of [...own, "_FOSSIL_", "server.git/refs/x"]) {
      assert.ok(rules.covers(path), path);
    }
    const free = [".hgignore", ".hgtags", ".repo", "hg/x", "src/HEAD", "src/objects/x", "refs/x"];
    for (const path of free) assert.ok(!rules.covers(path), path);
  });
});

Deno.test("rules are those of the beginning, however a .gitignore is edited", async () => {
  await bench({ files: { ".gitignore": "a\n", "sub/x": "" } }, ({ workspace, put }) => {
    const rules = new IgnoreRules(workspace);
    rules.enter("sub/", [...Deno.readDirSync(`${workspace}/sub`)].map(({ name }) => name));
    put(".gitignore", "b\n");
    put("sub/.gitignore", "*\n");
    put("new/.gitignore", "c\n");
    assert.equal(rules.covers("a"), true);
    assert.equal(rules.covers("b"), false);
    assert.equal(rules.covers("sub/x"), false);
    assert.equal(rules.covers("new/c"), true, "a new folder brings its own");
    Deno.removeSync(`${workspace}/new/.gitignore`);
    assert.equal(rules.covers("new/c"), true);
  });
});

Deno.test("a .gitignore that is a folder, a link or huge has no rules", async () => {
  await bench({ files: { ".gitignore/x": "" } }, ({ workspace, root }) => {
    assert.equal(new IgnoreRules(workspace).covers("node_modules/x"), true);
    Deno.removeSync(`${workspace}/.gitignore`, { recursive: true });
    Deno.writeTextFileSync(`${root}/rules`, "a\n");
    Deno.symlinkSync(`${root}/rules`, `${workspace}/.gitignore`);
    assert.equal(new IgnoreRules(workspace).covers("a"), false);
  });
});

Deno.test("a hundred thousand questions leave nothing behind", async () => {
  await bench({ files: { ".gitignore": "*.log\nout/\n" } }, ({ workspace }) => {
    const rules = new IgnoreRules(workspace);
    const ask = (from: number, to: number) => {
      for (let n = from; n < to; n++) rules.ignores(`src/module_${n % 100}/file_${n}.ts`);
    };
    ask(0, 20_000);
    const before = Deno.memoryUsage().heapUsed;
    ask(20_000, 120_000);
    assert.ok(Deno.memoryUsage().heapUsed - before < 30_000_000);
    assert.equal(rules.covers("x.log"), true);
  });
});

Deno.test("what a killed run has left unnamed is never the project's own", () => {
  const root = Deno.makeTempDirSync();
  try {
    const rules = new IgnoreRules(root);
    assert.ok(rules.ignores(`.hamr-${crypto.randomUUID()}`));
    assert.ok(rules.ignores(`deep/.hamr-${crypto.randomUUID()}`));
    assert.ok(!rules.ignores(".hamr/config.toml") && !rules.ignores(".hamr-notes"));
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
