import assert from "node:assert/strict";
import { open_folders } from "../changes/raw.ts";
import { with_place } from "./_testing.ts";
import { Named } from "./named.ts";

const SETUP =
  `git init -q .; git config core.hooksPath tools/hooks; git config include.path ../.gitconfig
mkdir -p tools/hooks .git/hooks .husky .vscode deep/.github/workflows tools/run
echo a > tools/hooks/pre-commit; echo a > .gitconfig; echo a > tools/run/x; ln -s ../../tools/run/x .git/hooks/post-merge
echo .envrc > .gitignore; echo a > .envrc; echo a > .husky/pre-push; echo '{}' > .vscode/tasks.json
echo '{"version":"1","scripts":{"test":"x"}}' > package.json; echo '{"name":"y"}' > deep/package.json; echo a > Makefile`;

const CASES: readonly (readonly [command: string, names: string | null])[] = [
  ["true", null],
  ["touch .envrc package.json; echo a > .envrc", null],
  ["echo b > .envrc", ".envrc"],
  ["rm .envrc", ".envrc"],
  ["chmod 4755 .husky/pre-push; ln -sf /bin/true .husky/pre-push", ".husky/pre-push"],
  ["echo x > .husky/new; mkdir -p .husky/_; echo x > .husky/_/h", ".husky/_/h, .husky/new"],
  ["echo '{\"a\":1}' > .vscode/tasks.json; echo x > .vscode/notes", ".vscode/tasks.json"],
  ["sed -i s/1/2/ package.json; echo x >> Makefile", null],
  ["sed -i s/x/z/ package.json", "package.json (scripts)"],
  ["echo broken > package.json", "package.json (scripts)"],
  ["rm package.json", "package.json (scripts)"],
  ["echo '{\"name\":\"z\"}' > deep/package.json; mkdir new; echo '{}' > new/package.json", null],
  [
    "mkdir new; echo '{\"scripts\":{}}' > new/package.json; echo x > new/.gitattributes",
    "new/.gitattributes, new/package.json (scripts)",
  ],
  [
    "echo on > deep/.github/workflows/ci.yml; echo x > deep/.github/readme",
    "deep/.github/workflows/ci.yml",
  ],
  [
    "mkdir .zed .opencode .jj .jj/repo; echo x > .zed/settings.json; echo x > .opencode/p.ts; echo x > .jj/repo/config.toml",
    ".jj/repo/config.toml, .opencode/p.ts, .zed/settings.json",
  ],
  [
    "echo x > a.code-workspace; echo x > .gitlab-ci.yml; echo x > .Rprofile",
    ".Rprofile, .gitlab-ci.yml, a.code-workspace",
  ],
  [
    "mkdir -p .hg .sl .yarn/releases; echo x > .hg/hgrc; echo x > .sl/config; echo x > .yarn/releases/yarn.cjs",
    ".hg/hgrc, .sl/config, .yarn/releases/yarn.cjs",
  ],
  [
    "echo x > .tool-versions; echo x > eslint.config.js; mkdir -p .github/hooks; echo x > .github/hooks/a.json",
    ".github/hooks/a.json, .tool-versions, eslint.config.js",
  ],
  // What runs only where a person runs it.
  [
    "echo x > conftest.py; mkdir .zed; echo x > .zed/notes; echo x > code-workspace; echo x > Gemfile",
    null,
  ],
  ["echo b > tools/hooks/pre-commit", "tools/hooks/pre-commit"],
  ["echo b > tools/run/x", "tools/run/x"],
  ["echo b > .gitconfig", ".gitconfig"],
  [
    "mkdir .git/rebase-merge; echo 'exec x' > .git/rebase-merge/git-rebase-todo",
    ".git/rebase-merge/git-rebase-todo",
  ],
  ["rm -r .vscode; mkfifo .vscode; mkfifo .mcp.json", ".vscode/tasks.json"],
  [
    "for i in 1 2 3 4 5 6 7 8; do mkdir d$i; echo x > d$i/.envrc; done",
    "d1/.envrc, d2/.envrc, d3/.envrc, d4/.envrc, d5/.envrc, d6/.envrc and 2 more",
  ],
];

for (const [command, names] of CASES) {
  Deno.test(`named as running later: ${names ?? "nothing"} after ${command.slice(0, 60)}`, () =>
    with_place(SETUP, async ({ watch, workspace }) => {
      const { step, guarded, sights } = watch();
      const named = new Named(workspace, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step(command);
      const expected = names === null
        ? null
        : `changed files that run later outside the sandbox: ${names}`;
      assert.equal(named.changed(), expected);
    }));
}
