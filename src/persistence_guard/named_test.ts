import assert from "node:assert/strict";
import { open_folders } from "../changes/linux_folders.ts";
import { assert_names, with_place } from "./_testing.ts";
import { Named } from "./named.ts";

const SETUP =
  `git init -q .; git config core.hooksPath tools/hooks; git config include.path ../.gitconfig
git config filter.x.clean "sh clean.sh %f"; git config alias.up '!tools/up --now'; git config core.editor "code --wait"
git config -f ../home/.gitconfig diff.external ./tools/diff; mkdir -p linked real/hooks code bin test
ln -s ../real/hooks linked/hooks; git -C linked init -q; git -C linked config core.hooksPath hooks
mkdir -p tools/hooks .git/hooks .husky .vscode deep/.github/workflows tools/run
echo a > tools/hooks/pre-commit; echo a > .gitconfig; echo a > tools/run/x; ln -s ../../tools/run/x .git/hooks/post-merge
echo .envrc > .gitignore; printf 'PATH_add opt/bin\\nlayout node\\nload_prefix pre\\nphp opt/x\\n' > .envrc; echo a > .husky/pre-push; echo '{}' > .vscode/tasks.json
mkdir -p hooks2 template/hooks dot/nvim notes; echo a > tools/by_home; echo a > dot/zshrc; echo a > notes/a
printf '[include]\\n path = ~/../work/tools/by_home\\n[includeIf "gitdir:/"] path = at_work\\n[init]\\n templateDir = ~/../work/template\\n' >> ../home/.gitconfig
printf '[include]\\n path = ../work/tools/by_work\\n[core]\\n hooksPath = ~/../work/hooks2\\n' > ../home/at_work
mkdir ../home/.config; ln -s $PWD/dot/zshrc ../home/.zshrc; ln -s $PWD/dot/nvim ../home/.config/nvim; ln -s $PWD/notes ../home/notes
git -c core.hooksPath=/dev/null commit -q --allow-empty -m a; git -c core.hooksPath=/dev/null worktree add -q .git/../../wt
echo '{"version":"1","scripts":{"test":"x"}}' > package.json; echo '{"name":"y"}' > deep/package.json; echo a > Makefile; mkdir -p venv/bin; echo a > venv/bin/activate
git config diff.y.textconv '"$(git rev-parse --show-toplevel)"/y.sh'; echo a > y.sh`;

const CASES: readonly (readonly [command: string, names: string | null])[] = [
  ["touch package.json; cat .envrc > e; cat e > .envrc", null],
  ["echo b > .envrc", ".envrc"],
  ["rm .envrc", ".envrc"],
  [
    "mkdir -p {opt,pre,node_modules/.}/bin node_modules/.bin; for f in {opt,pre}/bin/git opt/bin/own opt/x node_modules/.bin/{ls,vite}; do echo x > $f; chmod +x $f; done",
    "node_modules/.bin/ls, opt/bin/git, opt/x, pre/bin/git",
  ],
  ["chmod 4755 .husky/pre-push; ln -sf /bin/true .husky/pre-push", ".husky/pre-push"],
  ["echo x > .husky/new; mkdir -p .husky/_; echo x > .husky/_/h", ".husky/new, .husky/_/h"],
  ["echo '{\"a\":1}' > .vscode/tasks.json; echo x > .vscode/notes", ".vscode/tasks.json"],
  ["sed -i s/1/2/ package.json; echo x >> Makefile", null],
  ["sed -i s/x/z/ package.json", "package.json (scripts)"],
  ["echo broken > package.json", "package.json (scripts)"],
  ["rm package.json", "package.json (scripts)"],
  ["echo '{\"name\":\"z\"}' > deep/package.json; mkdir new; echo '{}' > new/package.json", null],
  ["mkdir new; echo '{\"scripts\":{}}' > new/package.json", null],
  [
    'mkdir new; echo \'{"scripts":{"a":"b"}}\' > new/package.json; echo "* filter=x" > new/.gitattributes',
    "new/.gitattributes, new/package.json (scripts)",
  ],
  [
    "echo on > deep/.github/workflows/ci.yml; echo x > deep/.github/readme",
    "deep/.github/workflows/ci.yml",
  ],
  [
    "mkdir .zed .opencode .jj .jj/repo; echo x > .zed/debug.json; echo x > .zed/settings.json; echo x > .opencode/p.ts; echo x > .jj/repo/config.toml",
    ".jj/repo/config.toml, .opencode/p.ts, .zed/debug.json, .zed/settings.json",
  ],
  [
    "echo x > a.code-workspace; echo x > .gitlab-ci.yml; echo x > .Rprofile",
    ".Rprofile, .gitlab-ci.yml, a.code-workspace",
  ],
  [
    "echo x > .lefthook-local.jsonc; mkdir -p .config .lefthook/pre-commit; echo x > .config/lefthook.yml; echo x > .lefthook/pre-commit/a.sh",
    ".config/lefthook.yml, .lefthook-local.jsonc, .lefthook/pre-commit/a.sh",
  ],
  [
    "echo x > .corepack.env; echo x > .git/lazygit.yml; echo x > .lazygit.yml; echo x > .commitlintrc.cjs; echo x > .mise.ci.toml; mkdir mise; tee mise.toml mise/config.local.toml fnox.toml .pitchfork.ci.toml hk.local.pkl < .lazygit.yml",
    ".commitlintrc.cjs, .corepack.env, .git/lazygit.yml, .lazygit.yml, .mise.ci.toml, .pitchfork.ci.toml, fnox.toml, hk.local.pkl, mise.toml, mise/config.local.toml",
  ],
  [
    "mkdir -p .claude/skills/a .codex/rules; echo x > .claude/skills/a/SKILL.md; echo x > .claude/notes.md; echo x > .codex/rules/a.rules",
    ".claude/skills/a/SKILL.md, .codex/rules/a.rules",
  ],
  ["echo x > mise.md; echo x > miser.toml; mkdir .config; echo x > .config/app.yml", null],
  [
    "mkdir -p .hg .sl .yarn/releases; echo x > .hg/hgrc; echo x > .sl/config; echo x > .yarn/releases/yarn.cjs",
    ".hg/hgrc, .sl/config, .yarn/releases/yarn.cjs",
  ],
  [
    "echo 'go path:/x' > .tool-versions; echo x > eslint.config.js; mkdir -p .github/hooks; echo x > .github/hooks/a.json",
    ".github/hooks/a.json, .tool-versions, eslint.config.js",
  ],
  [
    "echo x > flake.nix; echo x > flake.lock; printf '[activation]\\nscripts = [\"x.sh\"]\\n' > pixi.toml; echo x > rust-analyzer.toml; echo init-hook=x > .pylintrc; mkdir .vim; echo x > .vim/coc-settings.json",
    ".pylintrc, .vim/coc-settings.json, flake.lock, flake.nix, pixi.toml, rust-analyzer.toml",
  ],
  [
    "mkdir -p gradle/wrapper .clinerules/hooks .pi/extensions; echo x > gradle/wrapper/gradle-wrapper.properties; " +
    "echo x > gradle/libs.versions.toml; echo x > .clinerules/style.md; echo x > .clinerules/hooks/a; echo x > .pi/extensions/a.ts",
    ".clinerules/hooks/a, .pi/extensions/a.ts, gradle/wrapper/gradle-wrapper.properties",
  ],
  [
    'for f in .bazelrc tailwind.config.ts; do echo x > $f; done; echo x/8.0 > .bazelversion; echo \'{"sdk":{"paths":["x"]}}\' > global.json; echo plugins=x | tee mypy.ini > .flake8',
    ".bazelrc, .bazelversion, .flake8, global.json, mypy.ini, tailwind.config.ts",
  ],
  // What other agents are told, and no diff shows.
  [
    "echo x > CLAUDE.local.md; echo x > AGENTS.override.md; mkdir .bloop .bloop/a; echo x > .bloop/a.json; echo x > .bloop/a/b.json; echo x > CLAUDE.md; echo x > AGENTS.md; echo A=1 > .env",
    ".bloop/a.json, AGENTS.override.md, CLAUDE.local.md",
  ],
  // Options for `tar *`, `rsync *`, `ssh *`; other names that begin so start nothing.
  [
    "touch -- '--checkpoint-action=exec=sh x.sh' --use=x '-e sh x.sh' -oProxyCommand=x '-c!x' '+!x' 'x|' 'a;x;.c' 'a`x`.c' a.sh",
    "+!x, --checkpoint-action=exec=sh x.sh, --use=x, -c!x, -e sh x.sh, -oProxyCommand=x, a;x;.c, a`x`.c, x|",
  ],
  // Scripts for `sed s/a/b/ *` and `vim *`, a file that others write; a folder's name does it, too.
  [
    "touch -- -fs '-e1esh x' '-cso x' --out=x.json; mkdir -- -Sx",
    "--out=x.json, -Sx, -cso x, -e1esh x, -fs",
  ],
  ["touch -- - a-b -- +x +page.svelte @x", null],
  // What runs only where a person runs it.
  [
    "echo x > conftest.py; mkdir .zed; echo x > .zed/notes; echo x > code-workspace; echo x > Gemfile; echo x > BUILD.bazel; echo x > app.csproj; echo x > pyproject.toml; echo x > vite.config.ts",
    null,
  ],
  ["echo b > tools/hooks/pre-commit", "tools/hooks/pre-commit"],
  ["echo b > tools/run/x", "tools/run/x"],
  ["echo b > .gitconfig", ".gitconfig"],
  // What commands of git's settings start, the user's own included; and not what only has the name of a word in them.
  ["echo b > clean.sh; echo b > tools/up; echo b > tools/diff", "clean.sh, tools/diff, tools/up"],
  ["echo b > code/a; echo b > tools/other; echo b > now", null],
  ["echo b > real/hooks/pre-push", "real/hooks/pre-push"],
  // Programs that would be started before the system's; others are what is installed here.
  [
    "for p in bin/git bin/ls bin/make bin/pytest test/ls; do echo b > $p; chmod +x $p; done; echo b > bin/cat",
    "bin/git, bin/ls, bin/make",
  ],
  [
    "ln -s /bin/true bin/vim; echo 'path = \"x\"' > rust-toolchain.toml",
    "bin/vim, rust-toolchain.toml",
  ],
  [
    "mkdir .git/rebase-merge; echo 'exec x' > .git/rebase-merge/git-rebase-todo",
    ".git/rebase-merge/git-rebase-todo",
  ],
  // A strategy is a program, once the rebase goes on; git's own names and what else it keeps there are none.
  [
    "mkdir .git/rebase-merge; echo x/evil > .git/rebase-merge/strategy",
    ".git/rebase-merge/strategy",
  ],
  [
    "mkdir .git/sequencer; git config -f .git/sequencer/opts options.strategy x/evil",
    ".git/sequencer/opts",
  ],
  [
    "mkdir .git/sequencer .git/rebase-merge; git config -f .git/sequencer/opts options.strategy ort; git config -f .git/sequencer/opts options.edit true; " +
    "git config -f .git/sequencer/opts options.strategy-option theirs; echo ours > .git/rebase-merge/strategy; echo 1 > .git/rebase-merge/msgnum",
    null,
  ],
  // `git am` hands its options on, of which one writes a file, wherever that is.
  [
    "mkdir .git/rebase-apply; echo \" '-p1' '--build-fake-ancestor=/x'\" > .git/rebase-apply/apply-opt",
    ".git/rebase-apply/apply-opt",
  ],
  ["mkdir .git/rebase-apply; echo \" '-p1' '--reject'\" > .git/rebase-apply/apply-opt", null],
  // As git reads it: other ends of lines and blanks are a part of the name, and a bracket makes no settings.
  [
    "mkdir .git/sequencer .git/rebase-merge; printf '[a \"]\"] [options]strategy = ort\\342\\200\\250/../x' > .git/sequencer/opts; echo 'x/evil[' > .git/rebase-merge/strategy",
    ".git/rebase-merge/strategy, .git/sequencer/opts",
  ],
  [
    "mkdir .git/sequencer; printf '[a \"]\"] [options]strategy = ort\\302\\240\\n' > .git/sequencer/opts",
    ".git/sequencer/opts",
  ],
  // Another name of a file that git, or a build, writes to later; a copy by hard links is none, nor is a file made again.
  ["cp .envrc build.log; ln -f build.log .envrc", ".envrc"],
  ["ln .envrc copy; ln .husky/pre-push b; cp .envrc x; mv x .envrc", null],
  // What the user's settings include, wherever they say it from, and what a link in the home folder leads to.
  ["echo b > tools/by_home; echo b > tools/by_work", "tools/by_home, tools/by_work"],
  [
    "echo b > hooks2/post-commit; echo b > template/hooks/post-checkout",
    "hooks2/post-commit, template/hooks/post-checkout",
  ],
  [
    "echo b > dot/zshrc; echo b > dot/nvim/init.lua; echo b > notes/a",
    "dot/nvim/init.lua, dot/zshrc",
  ],
  ["chmod +x tools/hooks/pre-commit", "tools/hooks/pre-commit"],
  ["chmod 0311 tools/hooks .vscode notes", "tools/hooks"],
  ["chmod -w tools/hooks/pre-commit; chmod +x Makefile", null],
  [
    "mkdir .git/worktrees/wt/rebase-merge; echo 'exec x' > .git/worktrees/wt/rebase-merge/git-rebase-todo",
    ".git/worktrees/wt/rebase-merge/git-rebase-todo",
  ],
  [
    "d=.git/modules/libs/m; mkdir -p $d/info; echo '* diff=x' > $d/info/attributes",
    ".git/modules/libs/m/info/attributes",
  ],
  ["printf '[tool.mypy]\\nplugins = [\\n\"./x.py\"]\\n' > pyproject.toml", "pyproject.toml"],
  [
    "printf '[project]\\nname = \"x\"\\n' > pyproject.toml; printf '[tasks]\\na = \"x\"\\n' > pixi.toml; printf 'packages:\\n - a\\n' > pnpm-workspace.yaml",
    null,
  ],
  ["printf 'packages:\\n - a\\nscriptShell: ./x\\n' > pnpm-workspace.yaml", "pnpm-workspace.yaml"],
  [
    "mkdir -p .bsp .lsp _opam/.opam-switch _opam/bin .run; echo x > .bsp/a.json; echo x > .lsp/config.edn; echo x > _opam/bin/ocaml; " +
    "echo x > _opam/.opam-switch/environment; echo x > .run/a.run.xml; echo x > a.sublime-project",
    ".bsp/a.json, .lsp/config.edn, .run/a.run.xml, _opam/.opam-switch/environment, a.sublime-project",
  ],
  [
    `echo '{"semi":false,"plugins":["./x.js"]}' > .prettierrc; printf 'rules: {}\\nparser: ./x.js\\n' > .eslintrc.yml; ` +
    `printf 'analyzer:\\n  plugins:\\n  - x\\n' > analysis_options.yaml; echo '{"name":"y","prettier":"./x.js"}' > deep/package.json; ` +
    "echo org.gradle.jvmargs=-javaagent:x > gradle.properties; echo ./bin > .python-version; echo path:/x > .node-version",
    ".eslintrc.yml, .node-version, .prettierrc, .python-version, analysis_options.yaml, deep/package.json (scripts), gradle.properties",
  ],
  [
    `echo '{"semi":false}' > .prettierrc; echo 'rules: {}' > .eslintrc.yml; echo 3.12.1 > .python-version; echo lts/jod > .node-version; ` +
    `echo 'linter: {}' > analysis_options.yaml; echo '{"tasks":{"a":"b"}}' > deno.json; echo org.gradle.jvmargs=-Xmx2g > gradle.properties; ` +
    `echo '{"name":"y","prettier":{"semi":false}}' > deep/package.json; echo '{"configurePresets":[{"name":"a"}]}' > CMakePresets.json`,
    null,
  ],
  // Keys as their own readers take them: escapes, comments, any case, dots, tags, lines that go on.
  [
    String
      .raw`echo '{"\u0070lugins":["./x.js"]}' > .prettierrc; echo '{/**/"parser"/**/:"./x.js"}' > .eslintrc.json; ` +
    String
      .raw`printf '"\\x70lugins":\n  - ./x\n' > .eslintrc.yml; printf '? plugins\n: - ./x\n' > .stylelintrc; ` +
    String
      .raw`printf 'a: &k plugins\n*k : [./x]\n' > .stylelintrc.yaml; printf '!!str plugins: [./x]\n' > .stylelintrc.yml; ` +
    String
      .raw`printf '[mypy]\nPlugins = ./x.py\n' > setup.cfg; printf '[tool]\nmypy.plugins = ["./x.py"]\n' > pyproject.toml; ` +
    String
      .raw`printf 'org.gradle.jvm\\\n  args -Xmx1g \\\n -javaagent:x.jar\n' > gradle.properties`,
    ".eslintrc.json, .eslintrc.yml, .prettierrc, .stylelintrc, .stylelintrc.yaml, .stylelintrc.yml, gradle.properties, pyproject.toml, setup.cfg",
  ],
  [
    String
      .raw`echo '{"overrides":[{"files":"src/**/*.ts","options":{"\u0073emi":false}}]} // plugins' > .prettierrc; printf '[mypy]\nStrict = True\n' > setup.cfg; ` +
    String
      .raw`printf '[tool]\nmypy.strict = true\n' > pyproject.toml; printf 'org.gradle.jvmargs=-Xmx1g \\\n -Xms1g\n' > gradle.properties; printf '# see plugins: here\n"*.ts": x\n' > .eslintrc.yml`,
    null,
  ],
  [
    "mkdir renv .vs; echo x > renv/activate.R; echo x > renv/settings.json; echo x > .vs/mcp.json; echo x > .lazy.lua; echo x > omnisharp.json",
    ".lazy.lua, .vs/mcp.json, omnisharp.json, renv/activate.R",
  ],
  [
    "mkdir -p .direnv/python-3 bin2; echo x > .direnv/flake-profile-a.rc; echo x > .direnv/python-3/x.rc; echo x > .direnv/notes; " +
    "echo x > bin2/activate-hermit; echo ../../x > .go-version; echo 3.4 > .crystal-version; echo lts/* > .nvmrc",
    ".direnv/flake-profile-a.rc, .go-version, bin2/activate-hermit",
  ],
  [
    "mkdir -p .git/glab-cli .gitlab/ci .gitlab/issue_templates; tee .git/glab-cli/config.yml .git/MERGE_AUTOSTASH <<< x; echo x > .gitlab/ci/a.yml; " +
    'echo x > .gitlab/issue_templates/a.md; echo \'{"jsPlugins":["./x.js"]}\' > .oxlintrc.json; echo \'{"lineWidth":80}\' > dprint.json; echo x > .readthedocs.yaml',
    ".git/MERGE_AUTOSTASH, .git/glab-cli/config.yml, .gitlab/ci/a.yml, .oxlintrc.json, .readthedocs.yaml",
  ],
  [
    "mkdir -p native lean .kiro/agents; echo x > native/binding.gyp; echo x > tools/bazel; echo x > tools/lint; " +
    "echo x/lean4:v4 > lean/lean-toolchain; echo x > .kiro/agents/a.json; echo x > .rbenv-vars",
    ".kiro/agents/a.json, .rbenv-vars, lean/lean-toolchain, native/binding.gyp, tools/bazel",
  ],
  [
    String
      .raw`mkdir a b; printf '[tool.mypy]\npython_executable = "./x"\n' > pyproject.toml; echo 'python-interpreter-path = "./x"' > pyrefly.toml; ` +
    String
      .raw`printf 'packages: .\nwith-compiler: ./x\n' > cabal.project; printf 'version: v2\nplugins:\n  - plugin: ./x\n' > buf.yaml; ` +
    `echo '{"pnpm":{"onlyBuiltDependencies":["x"]}}' > a/package.json; echo '{"trustedDependencies":["x"]}' > b/package.json`,
    "a/package.json (scripts), b/package.json (scripts), buf.yaml, cabal.project, pyproject.toml, pyrefly.toml",
  ],
  [
    String
      .raw`mkdir a; printf '[tool.mypy]\npython_version = "3.12"\n' > pyproject.toml; echo 'python-version = "3.12"' > pyrefly.toml; ` +
    String
      .raw`printf 'packages: .\nwith-profiling: True\n' > cabal.project; printf 'version: v2\nlint:\n  use:\n    - STANDARD\n' > buf.yaml; ` +
    `echo '{"pnpm":{"overrides":{"x":"1"}}}' > a/package.json`,
    null,
  ],
  ["rm -r .vscode; mkfifo .vscode; mkfifo .mcp.json", ".vscode/tasks.json"],
  [
    "for f in .valgrindrc .proverc .globalrc .rspec gtags.conf .gitreview; do echo x > $f; done; " +
    "mkdir -p .ctags.d .bundle/plugin; echo x > .ctags.d/a.ctags; echo x > .bundle/plugin/index",
    ".bundle/plugin/index, .ctags.d/a.ctags, .gitreview, .globalrc, .proverc, .rspec, .valgrindrc, gtags.conf",
  ],
  [
    'echo \'{"plugins":["./x"]}\' > .babelrc; echo \'{"require":["./x"]}\' > .nycrc',
    ".babelrc, .nycrc",
  ],
  [
    "echo '{\"all\":true}' > .nycrc; printf '[run]\nomit = tests/*\n' > .coveragerc; echo 22 > .nvmrc; echo defaults > .browserslistrc; echo disable=SC1 > .shellcheckrc; echo '{\"esversion\":11}' > .jshintrc",
    null,
  ],
  [
    "for f in Directory.Build.targets compose.override.yml local.properties inets.beam PreLoad.cmake PKG_ADD toxfile.py .mocharc.js; do echo x > $f; done; mkdir ebin; echo x > ebin/a.beam; echo '{\"require\":\"./x\"}' > .c8rc.json; echo 'timeout: 9' > .mocharc.yml",
    ".c8rc.json, .mocharc.js, Directory.Build.targets, PKG_ADD, PreLoad.cmake, compose.override.yml, inets.beam, local.properties, toxfile.py",
  ],
  [
    "mkdir -p .jj .new vault/.obsidian/plugins/p; echo x > .new/mcp.json; echo x > .new/notes; echo ../evil > .jj/repo; cd vault/.obsidian; for f in plugins/p/main.js community-plugins.json app.json ../../.replit ../../.rootlogon.C ../../macro.C; do echo x > $f; done",
    ".jj/repo, .new/mcp.json, .replit, .rootlogon.C, vault/.obsidian/community-plugins.json, vault/.obsidian/plugins/p/main.js",
  ],
  ["mkdir -p .jj/repo/store; echo x > .jj/repo/store/type; echo x > .jj/notes", null],
  [
    "mkdir -p .repo/repo .jedi .ddev .git/crypt .gradle; for f in override.tf a_override.tf x.csproj.user my.bazelrc .pants.bootstrap .repo/repo/main.py .jedi/project.json " +
    '.ddev/config.local.yaml .git/crypt/transcrypt .gradle/config.properties .mc.menu jupyter_lab_config.json ipython_config.py go.work; do echo x > $f; done; echo COMPOSE_FILE=x > .env; echo \'{"scripts":{"a":"b"}}\' > composer.json',
    ".ddev/config.local.yaml, .env, .git/crypt/transcrypt, .gradle/config.properties, .jedi/project.json, .mc.menu, .pants.bootstrap, .repo/repo/main.py, a_override.tf, composer.json (scripts), go.work, ipython_config.py, jupyter_lab_config.json, my.bazelrc, override.tf, x.csproj.user",
  ],
  [
    "mkdir -p .gradle/8.5 .idea; echo x > .gradle/8.5/x; echo x > .idea/misc.xml; echo '{\"require\":{}}' > composer.json; echo COMPOSE_PROJECT_NAME=x > .env; echo x > x.csproj; echo x > main.tf",
    null,
  ],
  // What is sourced where a Python environment is; a new one is the run's.
  [
    "mkdir .venv .venv/bin; for f in venv/bin/activate y.sh .venv/bin/activate .venv/bin/activate.fish .venv/bin/pip .venv/bin/ls venv/bin/git; do echo b > $f; chmod +x $f; done",
    ".venv/bin/ls, venv/bin/activate, venv/bin/git, y.sh",
  ],
  ["git init -q fresh; echo x > m; echo x > fresh/m; chmod +x m fresh/m", null],
  [
    "for i in 1 2 3 4 5 6 7 8; do mkdir d$i; echo x > d$i/.envrc; done",
    "d1/.envrc, d2/.envrc, d3/.envrc, d4/.envrc, d5/.envrc, d6/.envrc and 2 more .envrc",
  ],
];

for (const [command, names] of CASES) {
  Deno.test(`named as running later: ${names ?? "nothing"} after ${command.slice(0, 60)}`, () =>
    with_place(SETUP, async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const env = { ...policy.env, PATH: `./bin:${policy.env["PATH"]}:${policy.workspace}/gone` };
      const named = new Named({ ...policy, env }, {
        raw: open_folders(),
        sights,
        saved: guarded.saved,
      });
      named.see();
      await step(command);
      assert_names(named, names);
    }, { often: true }));
}

for (
  const [command, names] of [
    ["git worktree add -q .trees/x; git clone -q . clone; git -C clone log -q", null],
    ["git worktree add -q .trees/x; echo b > .trees/x/.envrc", ".trees/x/.envrc"],
    ["echo b > .envrc; git commit -qam b; git clone -q . clone", ".envrc, clone/.envrc"],
    ["mkdir copy; cp .envrc copy; cp -r deep/.vscode .", ".vscode/tasks.json, copy/.envrc"],
    ["git clone -q . clone; mv clone/deep/.vscode clone", "clone/.vscode/tasks.json"],
  ] as const
) {
  Deno.test(`what is only checked out once more is not named: ${command}`, () =>
    with_place(
      "git init -q .; mkdir -p deep/.vscode; echo a > deep/.vscode/tasks.json; echo a > .envrc; " +
        `echo '{"scripts":{"a":"b"}}' > package.json; git add .; git commit -qm a`,
      async ({ watch, policy }) => {
        const { step, guarded, sights } = await watch();
        const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
        named.see();
        await step(command);
        assert_names(named, names);
      },
    ));
}

const SCRIPTS =
  `git init -q .; mkdir -p tools .husky src; printf '#!/bin/sh\\nexec tools/check.sh "$@"\\nnpx eslint src/a.ts && bash -e tools/two\\n"$(git rev-parse --show-toplevel)/tools/top"\\n"$ROOT"/tools/root; \${HOME}/tools/x.sh\\n' > .git/hooks/pre-commit
printf 'source_env_if_exists tools/env\\n. ./tools/dot.sh\\nexport X=tools/x.sh; dotenv\\n' > .envrc; echo 'node src/hook.js && make lint; echo just task' > .husky/pre-push
for f in tools/check.sh tools/two tools/env tools/top tools/root tools/dot.sh tools/x.sh tools/lib.sh tools/rules.mk src/a.ts src/b.js src/hook.js; do echo a > $f; done
echo '. tools/lib.sh' > tools/check.sh; printf -- '-include none.mk tools/rules.mk\nx:\n\tnode src/b.js\n' > Makefile`;

Deno.test("settings of git with CR at the ends of lines, and sections behind one another, say where hooks are", () =>
  with_place(
    "git init -q .; mkdir hooks; echo a > hooks/pre-push; echo a > up.sh; " +
      "printf '[core]\r\n\thooksPath = hooks\r\n[a \"]\"] [alias] up = !./up.sh\r\n' >> .git/config",
    async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step("echo b > hooks/pre-push; echo b > up.sh");
      assert.match(named.changed() ?? "", /: hooks\/pre-push, up\.sh$/);
    },
  ));

Deno.test("a file of line ends, or of a key without an end, does not hold hamr up", () =>
  with_place("git init -q .", async ({ watch, policy }) => {
    const { step, guarded, sights } = await watch();
    const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
    named.see();
    await step(
      "head -c 1000000 /dev/zero | tr '\\0' '\\n' > .prettierrc; " +
        "yes 'plugins: [' | head -c 1000000 > .eslintrc; yes ,org.gradle.jvmargs | tr -d '\\n' | head -c 1000000 > gradle.properties",
    );
    assert.match(named.changed() ?? "", /: \.eslintrc$/);
  }));

Deno.test("what a hook or an allowed .envrc starts is named, and not what it only speaks of", () =>
  with_place(SCRIPTS, async ({ watch, policy }) => {
    const { step, guarded, sights } = await watch();
    const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
    named.see();
    await step("for f in .env tools/* src/* Makefile justfile Rakefile; do echo b > $f; done");
    assert.equal(
      named.changed(),
      "changed files that run later outside the sandbox: " +
        ".env, Makefile, src/hook.js, tools/check.sh, tools/dot.sh, tools/env, tools/lib.sh, tools/root, " +
        "tools/rules.mk, tools/top, tools/two",
    );
  }));

Deno.test("a hook, or what it leads to, that only a tool writes is named", () =>
  with_place(SETUP, async ({ watch, policy, sh }) => {
    const { guarded, sights } = await watch();
    const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
    const written = ["tools/hooks/new", "tools/run/x", "tools/notes", ".direnv/a.rc", "re.py"];
    for (const path of written) {
      named.expect(path);
      sh(`mkdir -p .direnv; echo b > ${path}`);
    }
    assert.match(named.changed() ?? "", /: \.direnv.a\.rc, re\.py, tools.hooks.new, tools.run.x$/);
  }));
