import { open_folders } from "../changes/linux_folders.ts";
import { assert_names, with_place } from "./_testing.ts";
import { Named } from "./named.ts";

const ID = "20d9bfeb-3442-4b05-baee-bf42848905d4";
const SETUP =
  `git init -q .; mkdir -p app .svn .hg .jj/repo/store; echo A=1 > .env; echo A=1 > app/.env
printf 'x\\0https://h/r${ID}\\n' > .svn/wc.db; printf '!Arepository../r0\\03' > .fslckout; touch ../r; echo '{"compilerOptions":{"plugins":[{"name":"@y/y"},{"name":"y"}],"strict":false}}' > tsconfig.build.json; cp tsconfig.build.json typed.json
mkdir -p conf known; echo '{"compilerOptions":{"strict":true}}' > conf/base.json; echo '{"extends":["../conf/base"]}' > app/tsconfig.app.json; touch Makefile docker-compose.yml Dockerfile known/GNUmakefile known/Makefile warnings.py lspconfig.lua`;

/** What a `.env` is changed to, and whether that starts something. */
const CASES: readonly (readonly [command: string, names: string | null])[] = [
  [
    "mkdir importlib runpy; echo x > importlib/__init__.py; tee cmp.lua nvim-treesitter.so main.lua app/cmp.lua lspconfig.lua readline.py types.cpython-312-x86_64-linux-gnu.so runpy/a.py app/re.py queue.py warnings.py < .env",
    "cmp.lua, importlib/__init__.py, nvim-treesitter.so, readline.py, types.cpython-312-x86_64-linux-gnu.so",
  ],
  [
    String
      .raw`printf 'APP_NAME=My App\n# run $(x)\nexport URL="https://u:p@h/?a=1&b=2"\nENV=production\nBROWSER=none\nNODE_OPTIONS=--max-old-space-size=4096\nGIT_COMMIT=1\nKEY='"'"'a$(b'"'"'\nMY_PATH=/x\n' > .env; echo x > app/.env.example`,
    null,
  ],
  [
    "echo LD_PRELOAD=./x.so >> .env; echo ' export PATH = bin' > app/.env.local",
    ".env, app/.env.local",
  ],
  [
    "echo 'NODE_OPTIONS=\"--require ./x.js\"' >> app/.env; echo 'A=$(./x)' > .env",
    ".env, app/.env",
  ],
  // Code in a hidden file, whatever takes it up; words for agents; an editor's own settings of a project; not what Yarn and compilers make.
  [
    "for f in .exrc.lua .eleventy.js .dialyzer_ignore.exs .pnp.cjs .pnp.loader.mjs .x.d.ts .x.js.swp ._x.js x.js CMakeLists.txt.user a.user a.bazelproject; do echo x > $f; done",
    ".dialyzer_ignore.exs, .eleventy.js, .exrc.lua, CMakeLists.txt.user, a.bazelproject",
  ],
  [
    "mkdir -p .cursor/skills/a .cursor/rules .foo/skills .settings .github/{extensions/x,prompts} sorbet .idea; echo x | tee .cursor/skills/a/SKILL.md .cursor/rules/a.mdc .foo/skills/a .settings/org.eclipse.{buildship,jdt}.core.prefs .github/extensions/x/extension.mjs .github/prompts/x.md sorbet/config .idea/{deployment,modules}.xml",
    ".cursor/skills/a/SKILL.md, .foo/skills/a, .github/extensions/x/extension.mjs, .idea/deployment.xml, .settings/org.eclipse.buildship.core.prefs, sorbet/config",
  ],
  [
    'echo org.gradle.java.installations.paths=x > gradle.properties; mkdir new; echo \'{"cspell":{"import":["./x.js"]}}\' > new/package.json',
    "gradle.properties, new/package.json (scripts)",
  ],
  ["echo GIT_SSH_COMMAND=./x > .env; echo PYTHONSTARTUP=x.py > app/.env", ".env, app/.env"],
  ["echo 'A=1 ./x' > .env; echo dotenv > .envrc", ".env, .envrc"],
  [
    "echo 'NODE_OPTIONS=-r ./x' | tee .env.development.local > .env.example",
    ".env.development.local",
  ],
  [
    `printf '(file-install 3 a/b 1)https://h/x https://h/r${ID}https://h/r${ID}' > .svn/wc.db; printf '\\21Arepository../r\\03' > .fslckout`,
    null,
  ],
  [
    `echo '(file-move 4 left 12 ../home/.rc)' >> .svn/wc.db; cp .fslckout .fos; printf '!Arepository../s0\\03' > .fslckout`,
    ".fos, .fslckout, .svn/wc.db",
  ],
  [
    `echo 'file:///x${ID}' > .svn/wc.db-wal; tee .hg/histedit-state .jj/repo/store/git_target < .env; echo 'a = b' > .hgsub`,
    ".hg/histedit-state, .hgsub, .jj/repo/store/git_target, .svn/wc.db-wal",
  ],
  [
    `echo '{"import":["./x.cjs"]}' > cspell.json; echo '{"words":["a"],"imports":[]}' > .cspell.json; echo 'reporters: [./x]' > cspell.config.yml; mkdir -p .hg/store .dvc .godot; tee .hg/store/journal.backupfiles .dvc/config.local .godot/extension_list.cfg uv.toml < .env`,
    ".dvc/config.local, .godot/extension_list.cfg, .hg/store/journal.backupfiles, cspell.config.yml, cspell.json, uv.toml",
  ],
  [
    "rm .env; mkdir -p .agents/skills/a; echo x > .agents/skills/a/SKILL.md; echo x > .agents/notes",
    ".agents/skills/a/SKILL.md",
  ],
  [
    `echo '{"compilerOptions":{"strict":true,"plugins":[{"name":"next"}]},"extends":"./base.json"}' > tsconfig.json; echo '{"extends":"x"}' > app/jsconfig.json; sed -i s/false/true/ typed.json tsconfig.build.json; echo '{"plugins":[{"name":"x"}]}' > notsconfig.json`,
    null,
  ],
  [
    `echo '{"compilerOptions":{"pl\\u0075gins":[{"name":"x"}]}}' > app/tsconfig.json; echo '{"plugins":[{"name":"next"},{"name":"x"}]}' > jsconfig.json; sed -i 's/"y"/"z"/' tsconfig.build.json; echo '{"plugins" /* ] */ : [{"name":"x"}]}' > tsconfig.x.json`,
    "app/tsconfig.json, jsconfig.json, tsconfig.build.json, tsconfig.x.json",
  ],
  [`echo '{"compilerOptions":{"strict":false}}' > conf/base.json`, null],
  [
    `echo '{"compilerOptions":{"plugins":[{"name":"x"}]}}' > conf/base.json`,
    "app/tsconfig.app.json",
  ],
  [
    "mv docker-compose.yml compose.yaml; mkdir new; touch new/GNUmakefile new/BUILD.bazel; echo x | tee -a Makefile known/GNUmakefile Dockerfile build.gradle",
    null,
  ],
  [
    "for f in .rspec-local .rubocop .calcinit .jvmopts .gambini .axiom.input maxima-init.mac yt-dlp.conf; do echo x > $f; done; " +
    "mkdir -p .poetry/plugins/x-1.dist-info .trunk; echo '*' > .poetry/.gitignore; echo x > .poetry/plugins/x-1.dist-info/entry_points.txt; " +
    "echo x > .trunk/trunk.yaml; echo 'require: ./x' > .rubocop_todo.yml",
    ".axiom.input, .calcinit, .gambini, .jvmopts, .poetry/plugins/x-1.dist-info/entry_points.txt, .rspec-local, .rubocop, .rubocop_todo.yml, .trunk/trunk.yaml, maxima-init.mac, yt-dlp.conf",
  ],
  [
    "mkdir .trunk .poetry; echo x > .trunk/.gitignore; echo x > .poetry/.gitignore; printf 'Style/X:\\n  Enabled: false\\n' > .rubocop_todo.yml; echo x > .initial",
    null,
  ],
  // Of settings that people change often, those that start nothing.
  [
    "mkdir .vscode; printf '* text=auto eol=lf\\n*.png binary\\nfilter.txt -diff merge=union\\n' > .gitattributes; printf 'engine-strict=true\\n# x\\nignore-scripts = true\\n' > .npmrc; " +
    `echo '{"editor.tabSize":2, /* x */ "[python]":{"editor.formatOnSave":true},"files.exclude":{"a":true},"cSpell.words":["x"],}' > .vscode/settings.json; ` +
    "printf '[flake8]\\nmax-line-length = 100\\n' > .flake8; printf '[mypy]\\nstrict = True\\n' > mypy.ini; echo 'disable=C0114' > .pylintrc; printf 'Style/X:\\n  Enabled: false\\n' > .rubocop.yml; " +
    "echo 'golang 1.22.1 system # a/b' > .tool-versions; echo 8.0.1 > .bazelversion; echo leanprover/lean4:v4.9.0 > lean-toolchain; printf '[toolchain]\\nchannel = \"1.80\"\\ncomponents = [\"clippy\"]\\n' > rust-toolchain.toml; " +
    `echo '{"sdk":{"version":"8.0.100","rollForward":"latestFeature"}}' > global.json`,
    null,
  ],
  [
    "mkdir .vscode app/.vscode known/.vscode; echo '*.key -filter' > .gitattributes; printf '[attr]x diff=y\\n' > app/.gitattributes; printf '\\n*.x text\\rmerge=y' > known/.gitattributes; " +
    "printf 'fund=false\\nscript-shell=./x\\n' > .npmrc; echo ignore-scripts=false > app/.npmrc; " +
    `echo '{"python.defaultInterpreterPath":"./x"}' > .vscode/settings.json; echo '{"[c]":{"editor.tabSize":1,"x.path":"y"}}' > app/.vscode/settings.json; echo '{"editor.tabSize":2' > known/.vscode/settings.json; ` +
    "printf 'A:\\n  B: <%%\\n system(1) %%>\\n' > .rubocop.yml; echo unsafe-load-any-extension=yes > .pylintrc",
    ".gitattributes, app/.gitattributes, known/.gitattributes, .npmrc, app/.npmrc, .pylintrc, .rubocop.yml, .vscode/settings.json, app/.vscode/settings.json, known/.vscode/settings.json",
  ],
  [
    "echo x | tee GNUmakefile compose.yaml Containerfile",
    "Containerfile, GNUmakefile, compose.yaml",
  ],
  [
    "mkdir -p .ruby-lsp .kilo/plugin .letta .gitlab/duo .aspect/cli; tee .ruby-lsp/Gemfile .ruby-lsp/last_updated .kilo/plugin/x.ts .letta/settings.local.json .gitlab/duo/mcp.json .aspect/cli/config.yaml mise.lock openocd.cfg < .env",
    ".aspect/cli/config.yaml, .gitlab/duo/mcp.json, .kilo/plugin/x.ts, .letta/settings.local.json, .ruby-lsp/Gemfile, mise.lock, openocd.cfg",
  ],
  [
    "mkdir -p hs ctags.d terraform.d/plugins META-INF/services; P=META-INF/services/javax.annotation.processing.Processor; tee $P META-INF/services/java.sql.Driver ctags.d/a.ctags terraform.d/plugins/x .pnpmfile.cjs.node < .env; " +
    "printf 'name: x\nscripts:\n  preinstall: x\n' > package.yaml; printf 'name: x\ndependencies:\n- base\nlibrary:\n  source-dirs: src\n' > hs/package.yaml; echo \"{name:'x',scripts:{a:'b'}}\" > package.json5",
    ".pnpmfile.cjs.node, META-INF/services/javax.annotation.processing.Processor, ctags.d/a.ctags, package.json5, package.yaml, terraform.d/plugins/x",
  ],
  [
    "mkdir -p fw site_scons project .jira.d config instance .turbo/runs; printf '[env:a]\\nlib_deps = x\\n' > fw/platformio.ini; printf '[env:a]\\nextra_scripts =\\n  pre:x.py\\n' > platformio.ini; " +
    "tee config/{default.exs,prod.secret.exs} instance/config.py local_settings.py .turbo/config.json .turbo/runs/a.json site_scons/{site_init,other}.py project/{metals,plugins}.sbt .jira.d/config.yml idf_ext.py .nrepl.edn .pumaenv .synopsys_dc.setup .aider.model.settings.yml < .env",
    ".aider.model.settings.yml, .jira.d/config.yml, .nrepl.edn, .pumaenv, .synopsys_dc.setup, .turbo/config.json, config/prod.secret.exs, idf_ext.py, instance/config.py, local_settings.py, platformio.ini, project/metals.sbt, site_scons/site_init.py",
  ],
  // Options for `gcc *.c` lie in the file without the `@`.
  [
    "mkdir @app @conf; touch @app/a @none y @y; touch conf/@y.c conf/y.c known/@y.c",
    "@y, conf/@y.c",
  ],
  // What Windows asks another machine for as it shows the folder.
  [
    `printf '[InternetShortcut]\\nURL=https://h/\\nIconFile=\\\\\\\\h\\\\s\\n' > a.URL; printf '<url>file://h/s</url>' > a.library-ms; printf '\\\\\\\\h\\\\s' | iconv -t UTF-16LE > app/Desktop.ini; printf 'IconFile=//h/s' > a.scf`,
    "a.URL, a.library-ms, a.scf, app/Desktop.ini",
  ],
  [
    `printf '[InternetShortcut]\\nURL=https://h/\\n' > a.url; printf '[.ShellClassInfo]\\nIconResource=C:\\\\x\\\\y.dll,3\\n' > desktop.ini; printf 'L\\0C:\\\\x\\\\y' > a.lnk`,
    null,
  ],
  // Names that `xargs` takes apart: another file, an option; not what people write in names.
  [
    "mkdir -p 'x /home/me' 'y ../home' known/$'z\\n/home'; touch 'x /home/me/.profile' 'a -e1e sh'",
    'a -e1e sh, "known/z\\n", "x ", x /home/me/.profile, y ..',
  ],
  ["touch 'a - b' 'a -- b' ' a b' 'a+b' 'a .b' 'a -' a-b; mkdir 'New Folder (2)' 'a ..b'", null],
];

for (const [command, names] of CASES) {
  Deno.test(`variables that start something are named, and no others: ${command}`, () =>
    with_place(SETUP, async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step(command);
      assert_names(named, names);
    }));
}
