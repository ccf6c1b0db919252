import assert from "node:assert/strict";
import { open_folders } from "../changes/linux_folders.ts";
import { assert_names, with_place } from "./_testing.ts";
import { Named } from "./named.ts";
import { starter_of } from "./started_by_settings.ts";

const OPENED = { runOptions: { runOn: "folderOpen" } };

/** As Node finds a file. */
const ends = (name: string) =>
  ["", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js"].map((end) => name + end).join(" ");

/** What is started, and besides what only a person starts, or what is no program. */
const CASES: readonly (readonly [place: string, settings: unknown, started: string])[] = [
  [
    "a/package.json",
    {
      scripts: {
        test: "node s/test.js",
        postinstall: "node s/post.js",
        prepare: "npm run build && node node_modules/x/y.js",
        build: "tsc -p s/tsconfig.json && ./s/build.sh --in s/data.json",
        lint: "node s/lint.js",
        dev: "node s/dev.js",
      },
      "pre-commit": ["lint"],
      "lint-staged": { "*.js": ["node s/staged.js"] },
      description: "node s/none.js",
    },
    "s/post.js s/staged.js ./s/build.sh s/lint.js",
  ],
  ["package.json", { scripts: { prepare: "npm run prepare" } }, ""],
  ["package.json", { scripts: { prepare: "husky", start: "node s/start.js" } }, ""],
  ["a/.hgsub", "# x = y\nd/x = ../x\n [subpaths]\n y=z", "d/x/.hg/hgrc y/.hg/hgrc"],
  [".lintstagedrc", { "*.py": "python3 s/lint.py" }, "s/lint.py"],
  [
    ".claude/settings.json",
    {
      model: "s/model.sh",
      hooks: { Stop: [{ hooks: [{ command: '"$CLAUDE_PROJECT_DIR"/s/stop.sh x' }] }] },
      statusLine: { type: "command", command: "${CLAUDE_PROJECT_DIR}/s/line.sh" },
    },
    "s/stop.sh s/line.sh",
  ],
  [
    ".cursor/hooks.json",
    '{/* "command": "a.sh" */ "hooks": {"stop": [{"command": ".cursor/hooks/a.sh"},]}}',
    ".cursor/hooks/a.sh",
  ],
  [
    ".mcp.json",
    { mcpServers: { a: { args: ["-u", "s/mcp.py", "s/config.json"], command: "python3" } } },
    "s/mcp.py",
  ],
  ["opencode.jsonc", { mcp: { a: { command: ["node", "s/a.js", "s/config.json"] } } }, "s/a.js"],
  [
    ".vscode/tasks.json",
    { tasks: [{ command: "./s/open.sh", ...OPENED }, { command: "./s/by_name.sh" }] },
    "./s/open.sh",
  ],
  [
    ".vscode/tasks.json",
    {
      tasks: [
        { label: "a", command: "./s/a.sh", dependsOn: ["b", { task: "x" }], ...OPENED },
        { label: "b", command: "./s/b.sh", dependsOn: "c" },
        { label: "c", command: "./s/c.sh", dependsOn: "a" },
        { label: "d", command: "./s/d.sh" },
      ],
    },
    "./s/a.sh ./s/b.sh ./s/c.sh",
  ],
  [
    "a/.vscode/tasks.json",
    { tasks: [{ command: "bash", args: ["${workspaceFolder}/s/open.sh"], ...OPENED }] },
    "s/open.sh",
  ],
  [
    ".devcontainer",
    { initializeCommand: "s/init.sh", postCreateCommand: { a: ["bash", "s/new.sh"] } },
    "s/init.sh s/new.sh",
  ],
  [".github/hooks", { hooks: { sessionStart: [{ bash: "./s/a.sh", cwd: "s" }] } }, "./s/a.sh"],
  [
    ".codex/config.toml",
    '[mcp_servers.a]\ncommand = "python3"\nargs = ["-u", "s/a.py"]\n[b]\nother = "s/b.py"\n',
    "s/a.py",
  ],
  [
    "mise.toml",
    "[hooks]\nenter = './s/enter.sh'\n[env]\n_.source = [\"s/env.sh\", '{{config_root}}/s/env2.sh']\n" +
    '_.file = "s/env"\n[tasks.a]\nrun = "s/task.sh"\n',
    "./s/enter.sh s/env.sh s/env2.sh",
  ],
  // Each of them ran (mise 2026.9), as what is below did with Lefthook 2.
  [
    "mise.toml",
    '[hooks]\nenter = { script = "./s/a.sh" }\n[hooks.cd]\nshell = "bash"\nscript = """\nset -e\nbash s/b.sh\n"""\n' +
    '[env._]\nsource = ["s/c.sh"]\n[[watch_files]]\npatterns = ["w.js"]\nrun = "s/d.sh"\n[env]\nA = "./s/no.db"\n' +
    `_.source = { path = "s/e.sh", tools = true }\nB = "{{ exec(command='./s/f.sh') }}"\n[tasks.x]\nrun = "s/no.sh"\n`,
    "./s/a.sh s/b.sh s/c.sh s/d.sh s/e.sh ./s/f.sh",
  ],
  ["a/.config/mise/conf.d/b.toml", "[env]\n_.source = 's/a.sh'\n", "s/a.sh"],
  [
    "lefthook.yml",
    "rc: ./s/rc.sh\nextends:\n  - s/more.yml\npre-commit:\n  exclude:\n    - s/no.js\n",
    "./s/rc.sh s/more.yml",
  ],
  ["lefthook.toml", 'extends = ["s/more.yml"]\nexclude = ["s/no.js"]\n', "s/more.yml"],
  [
    "prek.toml",
    '[[repos]]\nhooks = [{ id = "a", entry = "./s/a.sh", files = "s/no.js" }]\n',
    "./s/a.sh",
  ],
  ["a/.config/lefthook.yml", "pre-commit:\n  jobs:\n    - run: node s/a.js\n", "s/a.js"],
  ["a/.claude/skills/b/hooks.json", { hooks: [{ command: "./s/a.sh" }] }, "./s/a.sh"],
  ["a/.cursor/mcp.json", { mcpServers: { a: { command: "./s/a.sh" } } }, "./s/a.sh"],
  ["a/.eslintrc.json", { extends: ["./base.js", "y"], rules: { x: "./z.js" } }, ends("./base.js")],
  [".stylelintrc.yml", "plugins:\n  - ./p/a\n  - y\nrules:\n  x: ./z.js\n", ends("./p/a")],
  [
    "eslint.config.js",
    'import y from "y";\nimport a from "./r/a.js";\nconst b = require("../b"), c = "./c.js";\n',
    `${ends("./r/a.js")} ${ends("../b")}`,
  ],
  [".mcp.json", "[".repeat(100_000), ""],
  [".mcp.json", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, ""],
  ["package.json", "no JSON: node s/a.js", ""],
];

for (const [place, settings, started] of CASES) {
  const text = typeof settings === "string" ? settings : JSON.stringify(settings);
  Deno.test(`${place} starts ${started || "nothing"}: ${text.slice(0, 60)}`, () => {
    const starts = starter_of(place);
    assert.deepEqual(starts?.starter(text), started === "" ? [] : started.split(" "));
    assert.equal(starts.top, place.startsWith("a/") ? "a" : "");
  });
}

Deno.test("a copy of a project in a hidden folder is a project of its own", () => {
  assert.equal(starter_of(".claude/worktrees/b/.cursor/hooks.json")?.top, ".claude/worktrees/b");
  assert.equal(starter_of(".trees/b/package.json")?.top, ".trees/b");
});

Deno.test("files that start nothing by themselves have no starter", () => {
  for (
    const place of ["tsconfig.json", ".zed/tasks.json", ".github/workflows/ci.yml", "a/Makefile"]
  ) {
    assert.equal(starter_of(place), null, place);
  }
});

Deno.test("what an install, an agent and an editor start is named, and no other file of theirs", () =>
  with_place(
    "git init -q .; mkdir -p s .cursor .vscode a/.vscode a/s; for f in s/a.js s/b.sh s/c.sh s/d.js a/s/c.sh; do echo a > $f; done; " +
      `echo '{"scripts":{"prepare":"node s/a.js","test":"node s/d.js"}}' > package.json; ` +
      `echo '{"hooks":{"stop":[{"command":"./s/b.sh"}]}}' > .cursor/hooks.json; ` +
      `echo '{"tasks":[{"command":"./s/c.sh","runOptions":{"runOn":"folderOpen"}}]}' > a/.vscode/tasks.json`,
    async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step("for f in s/* a/s/*; do echo b > $f; done");
      assert_names(named, "a/s/c.sh, s/a.js, s/b.sh");
    },
  ));

Deno.test("what a hook starts by the name of a script of package.json is named, and no other script", () =>
  with_place(
    String
      .raw`git init -q .; mkdir -p s .husky .vscode; for f in pre lint deep push test free; do echo a > s/$f.js; done; ` +
      String
        .raw`echo '{"scripts":{"prelint":"node s/pre.js","lint":"pnpm -s run deep && node s/lint.js","deep":"node s/deep.js",` +
      String
        .raw`"push":"node s/push.js","test":"node --test s/","free":"node s/free.js"}}' > package.json; ` +
      String.raw`printf 'npm run -s lint
npm test
' > .husky/pre-commit; printf '#!/bin/sh
yarn push
' > .git/hooks/pre-push`,
    async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step("for f in s/*; do echo b > $f; done");
      assert_names(named, "s/deep.js, s/lint.js, s/pre.js, s/push.js");
    },
  ));

Deno.test("what pre-commit and Lefthook start is named", () =>
  with_place(
    String
      .raw`git init -q .; mkdir tools; echo a > tools/a.sh; echo a > tools/b.py; echo a > tools/c; echo a > tools/d.md; ` +
      String
        .raw`printf 'repos:\n- repo: local\n  hooks:\n  - entry: tools/a.sh -x\n    exclude: tools/d.md\n' > .pre-commit-config.yaml; ` +
      String
        .raw`printf 'pre-commit:\n  commands:\n    b:\n      run: python tools/b.py\n    c:\n      run: |\n        ./tools/c\n' > lefthook.yml`,
    async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step("for f in tools/*; do echo b > $f; done");
      assert.equal(
        named.changed(),
        "changed files that run later outside the sandbox: tools/a.sh, tools/b.py, tools/c",
      );
    },
  ));
