/** Names of files and folders that tools start or obey by themselves. Plain data. */
import { folded } from "../config/folded.ts";

function words(text: string): string[] {
  return text.split(/\s+/);
}

/** Folders, each with what counts in it, between bars. */
function rows(table: string): [string, string[]][] {
  return table.split("|").map((row) => {
    const [folder = "", ...inner] = words(row.trim());
    return [folder, inner];
  });
}

/** Files with many other things in them, of which some keys name code or a program; no key of those at the end runs anything. */
const OF_KEYS: ReadonlySet<string> = new Set(
  words(
    `pyproject.toml setup.cfg tox.ini package.yaml package.json5 pnpm-workspace.yaml analysis_options.yaml .prettierrc .prettierrc.json .prettierrc.yml
    .prettierrc.yaml .prettierrc.toml .prettierrc.json5 .eslintrc .eslintrc.json .eslintrc.yml .eslintrc.yaml .stylelintrc
    .stylelintrc.json .stylelintrc.yml .stylelintrc.yaml .markdownlint-cli2.yaml deno.json deno.jsonc .ansible-lint .sqlfluff
    nx.json gradle.properties CMakePresets.json .oxlintrc.json buf.yaml pyrefly.toml pixi.toml cabal.project
    cabal.project.local dprint.json .dprint.json dprint.jsonc .dprint.jsonc platformio.ini .babelrc .swcrc .nycrc .postcssrc .coveragerc
    .remarkrc .textlintrc cspell.json .cspell.json cSpell.json .cSpell.json cspell.config.json cspell.config.jsonc
    cspell.config.yaml cspell.config.yml cspell.config.toml .cspell.config.json .cspell.config.jsonc .cspell.config.yaml
    .cspell.config.yml .cspell.config.toml
    .browserslistrc .shellcheckrc .jshintrc .csslintrc .htmlhintrc .ecrc .luaurc .djlintrc .jsbeautifyrc .rubocop.yml .rubocop_todo.yml mypy.ini .mypy.ini .flake8 .pylintrc pylintrc`,
  ),
);

/** Whose `plugins` an editor loads. */
const TYPESCRIPT = /^[jt]sconfig(?:\.[\w-]+)?\.json$/;

/** Whether a file of this name has settings of TypeScript. */
export function is_of_typescript(name: string): boolean {
  return TYPESCRIPT.test(name);
}

/** A version may be a path here, from which a shim of rbenv's kin (`.python-version`, `.go-version`, …) then starts programs. */
const VERSION = /^\.(?:[a-z]+-versions?|nvmrc|sdkmanrc|pdm-python)$/;

/** Whether a file of this name says which version of something is used. */
export function is_version(name: string): boolean {
  return VERSION.test(name);
}

/** Variables, for a shell that sources them, direnv, Bun, Next.js, Vite or VS Code's Python. */
const ENVIRONMENT =
  /^(?:\.(?:env(?:\.(?!\w*(?:example|sample|template|dist)$)[\w.-]+)?|flaskenv)|(?!\w*(?:example|sample|template|dist)\.)[\w-]+\.env)$/;

export function is_environment(name: string): boolean {
  return ENVIRONMENT.test(name);
}

/** What Windows' Explorer looks up as it shows the folder, in WSL or on a share: icons, and what a library holds. */
const SHOWN_BY_EXPLORER = /^desktop\.ini$|\.(?:url|lnk|scf|library-ms|searchconnector-ms)$/i;

export function is_shown_by_explorer(name: string): boolean {
  return SHOWN_BY_EXPLORER.test(name);
}

/** What somebody runs by name goes by the first of these that is there: new beside a known one, it is run in its place. */
const TAKEN_BEFORE: ReadonlyMap<string, readonly string[]> = new Map(
  [
    "GNUmakefile makefile Makefile",
    "compose.yaml compose.yml docker-compose.yml docker-compose.yaml",
    "rakefile Rakefile",
    "Taskfile.yml Taskfile.yaml Taskfile.dist.yml",
    "Containerfile Dockerfile",
    "BUILD.bazel BUILD",
    "build.gradle build.gradle.kts",
    "settings.gradle settings.gradle.kts",
  ].map(words).flatMap((names) =>
    names.slice(0, -1).map((name, at): [string, string[]] => [name, names.slice(at + 1)])
  ),
);

/** Those in whose place a file of this name is run. */
export function taken_before(name: string): readonly string[] {
  return TAKEN_BEFORE.get(name) ?? [];
}

/** Settings of Lefthook (lefthook.dev/configuration), which may have a dot before them, or lie in `.config`. */
const LEFTHOOK = ["lefthook", "lefthook-local"].flatMap((name) =>
  ["yml", "yaml", "toml", "json", "jsonc"].map((end) => `${name}.${end}`)
);

/** Code, whichever of these ends it has, that an editor, a server that it has for a language, or a hook of git runs. */
const CONFIG_CODE =
  /^(?:apollo|commitlint|cspell|eslint|graphql|husky|lint-staged|prettier|stylelint|svelte|tailwind|uno|unocss|vetur)\.config\.[cm]?[jt]s$/;
/** Names of files that run something later: at a `cd`, in an editor, agent or interpreter, at the next install, commit or push. */
const NAMED_FILES: ReadonlySet<string> = new Set([
  ...words(
    `.gitmodules .gitattributes .lfsconfig .autoenv package.json composer.json .yarnrc.yml bunfig.toml .pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml .simple-git-hooks.json .gitlab-ci.yml .travis.yml .cirrus.yml .woodpecker.yml .drone.yml Jenkinsfile
    azure-pipelines.yml bitbucket-pipelines.yml appveyor.yml buildspec.yml cloudbuild.yaml netlify.toml vercel.json
    .devcontainer.json .gitpod.yml devfile.yaml .devfile.yaml .replit replit.nix
    .Rprofile .Renviron .ghci .perldb .mcp.json opencode.json
    opencode.jsonc crush.json .crush.json .aider.conf.yml uv.toml guix.scm manifest.scm .gitreview .appveyor.yml
    .woodpecker.yaml azure-pipelines.yaml .build.yml conductor.json .emdash.json .workmux.yaml kilo.json kilo.jsonc`,
  ),
  // Mercurial enters what it lists, as git does; where Fossil's repository is.
  ...[".hgsub", ".fslckout", "_FOSSIL_", ".fos"],
  // What an allowed .envrc uses: direnv asks again for that file alone.
  ...["flake.nix", "shell.nix", "devenv.nix", "devbox.json", "flake.lock", "devenv.lock"],
  ...["devbox.lock", "devenv.local.yaml"],
  // `npm install` builds by it where the package names no script, and it may hold commands.
  "binding.gyp",
  // A version may be a path, from which every shim then starts programs (asdf, rustup, dotnet).
  ...[".tool-versions", "rust-toolchain.toml", "rust-toolchain", "global.json"],
  // Whose compiler elan downloads, whose program Bazelisk does, and variables for every Ruby that rbenv starts (`RUBYOPT`).
  ...["lean-toolchain", ".bazelversion", ".rbenv-vars", ".ruby-env", ".versions.conf"],
  // An editor that lints or formats what is opened runs them, or starts what they name; so do servers for languages.
  ...words(
    `rust-analyzer.toml .golangci.yml .golangci.yaml .golangci.toml
    .golangci.json .luarc.json latexmkrc hie.yaml .hie-bios .merlin buildServer.json .emacs.desktop
    .local.vimrc .solargraph.yml .tern-project .markdownlint-cli2.jsonc .tflint.hcl Steepfile .pyre_configuration phpstan.neon
    phpstan.neon.dist psalm.xml psalm.xml.dist phpcs.xml phpcs.xml.dist .phpcs.xml .standard.yml .erb_lint.yml
    .erb-lint.yml .haml-lint.yml .slim-lint.yml .gitlint`,
  ),
  // The same, by what these programs document.
  ...words(
    `rust-project.json .rust-project.json kls-classpath kls-classpath.sh zls.json .scalafix.conf .vimspector.json .mc.menu .luarc.jsonc .lintr .lintr.R phpstan.dist.neon .phpcs.xml.dist
    .neoconf.json .kateproject .tm_properties .factorypath omnisharp.json erlang_ls.config
    config.nims .phpactor.json .phpactor.yml ansible.cfg
    CMakeUserPresets.json .envrc.local .envrc.private .tmux-sessionizer go.work .kitchen.local.yml idf_ext.py .nrepl.edn
    .powenv .pumaenv pubspec_overrides.yaml .aider.model.settings.yml`,
  ),
  // What other agents are told, and git ignores by custom, so that no diff shows it.
  ...["CLAUDE.local.md", "AGENTS.override.md"],
  // A hook of git starts what they say.
  ...words(
    `.lintstagedrc.yml .lintstagedrc.yaml .lintstagedrc.json .commitlintrc.json .commitlintrc.yaml .commitlintrc.yml
    prek.toml simple-git-hooks.json simple-git-hooks.js simple-git-hooks.cjs simple-git-hooks.mjs
    .huskyrc.yaml .huskyrc.yml .huskyrc.json captainhook.json grumphp.yml .rusty-hook.toml hk.pkl hk.local.pkl hk.toml
    hk.yaml hk.yml hk.json .lazygit.yml`,
  ),
  ...[...LEFTHOOK, ...LEFTHOOK.map((name) => `.${name}`)],
  // Where Corepack gets the next yarn or pnpm, and whether it looks at its signature.
  ".corepack.env",
  // At a `cd`, or where Vim or a program of that kind is started here.
  ...words(
    `.prototools .autoenv.leave devenv.yaml devenv.local.nix .p4config .RData startup.m .erlang .gambini
    .axiom.input .fricas.input maxima-init.mac maxima-init.lisp
    rootlogon.C .rootlogon.C rootalias.C .rootalias.C .scilab scilab.ini autoexec.sas profile.do eagle.scr .synopsys_dc.setup .synopsys_pt.setup
    activate-hermit hermit.hcl Session.vim pkgx.yaml pkgx.yml .pkgx.yaml
    .pkgx.yml`,
  ),
  // Every Python imports them at its start, if the workspace is where it looks for modules (`pip install -e`, `PYTHONPATH`).
  ...["usercustomize.py", "sitecustomize.py"],
  // Where an editor of C# gets packages from when it opens a project: they have programs for its build.
  ...["nuget.config", "NuGet.config", "NuGet.Config"],
  // What a service builds and starts at the next push.
  ...words(
    `.readthedocs.yml .readthedocs.yaml amplify.yml render.yaml railway.json railway.toml nixpacks.toml heroku.yml`,
  ),
  // Taken in beside what is reviewed, and most of them ignored by custom: containers, the place of Android's tools, targets of any build of .NET.
  ...words(
    `docker-compose.override.yml docker-compose.override.yaml compose.override.yml compose.override.yaml
    process-compose.override.yml process-compose.override.yaml .xcode.env .xcode.env.local local.properties Directory.Build.props Directory.Build.targets Directory.Build.rsp Directory.Solution.props Directory.Solution.targets override.tf override.tf.json
    docker-bake.override.hcl docker-bake.override.json .bazelrc.user .pants.rc .pants.bootstrap .buckconfig.local
    .plzconfig.local profiles.clj local_settings.py LocalPreferences.toml JuliaLocalPreferences.toml .lando.local.yml`,
  ),
  // What a program takes for options of its own, where it is started here: a file to write, one to load, where to push to.
  ...words(
    `.ctags gtags.conf .rspec .rspec-local .rubocop .busted .ghcid .arcconfig PreLoad.cmake PKG_ADD fpc.cfg toxfile.py ☣.py
    rebar.config.script openocd.cfg pyocd_user.py .spiceinit yt-dlp.conf`,
  ),
  // Only some lines of these.
  ...OF_KEYS,
]);
/** What a program reads as it starts in a folder: options, or commands, whichever program that is (`.npmrc`, `.vimrc`, `.valgrindrc`, `.gdbinit`, `.jvmopts`). */
const START_UP = /^\.[a-z][\w-]*(?:init|opts|rc(?:\.(?:json[c5]?|ya?ml|toml))?)$/;
/** Code that nobody names and no listing shows is there for a program to take up (`.nvim.lua`, `.formatter.exs`, `.eslintrc.cjs`); but not what Yarn makes at each install. */
const HIDDEN_CODE =
  /^\.(?!pnp\.)[a-z][\w.-]*(?<!\.d)\.(?:[cm]?[jt]s|node|el|exs|fish|jl|lua|php|pl|ps1|py|rb|sh|star|vim|zsh)$/;
/** The same of Jupyter and IPython, which read it where they are started. */
const JUPYTER = /^(?:jupyter|ipython)(?:_[a-z]+)?_config\.(?:py|json)$/;
/** Only some keys of these, where the whole file is not known to run. */
const OF_DATA = /\.(?:json[c5]?|ya?ml|toml)$/;

/** Whether only some keys of a file of this name name code or a program. */
export function is_of_keys(name: string): boolean {
  return OF_KEYS.has(name) || TYPESCRIPT.test(name) ||
    (START_UP.test(name) && OF_DATA.test(name) && !NAMED_FILES.has(name) && !AT_PROMPT.test(name));
}

/** Modules that Python imports before what it is to run (`python3`, `python3 -m pip`, one version or another), from where it is started, and no project of which that works has. */
const OF_PYTHON =
  /^(?:_colorize|_heapq|_pyrepl|_weakrefset|codeop|collections|contextlib|copyreg|enum|functools|heapq|importlib|keyword|linecache|operator|pkgutil|re|readline|reprlib|rlcompleter|runpy|sre_\w+|traceback|types|typing|warnings|weakref)(\.py|\.(?:[\w-]+\.)?so|\/__init__\.py)?$/;

/** Plugins that settings of Neovim ask for (`pcall(require, "cmp")`): where one is not installed, LuaJIT looks for it in the current folder. */
const OF_NEOVIM =
  /^(?:bufferline|cmp(?:_\w+)?|dapui|fzf-lua|gitsigns|impatient|lazydev|lspconfig|lualine|luasnip|mason(?:-lspconfig)?|neo-tree|neodev|noice|none-ls|null-ls|nvim-[\w-]+|telescope|toggleterm|trouble|which-key)\.(?:lua|so)$/;

/** What comes before a module of Python's own, or is taken for a plugin of Neovim's, where this is in the folder that either is started in: the path of its file; null if nothing does. */
export function loaded_first(path: string): string | null {
  if (OF_NEOVIM.test(path)) return path;
  const [is_there, file] = OF_PYTHON.exec(path) ?? [];
  return is_there === undefined || file !== undefined ? is_there ?? null : `${path}/__init__.py`;
}

/** What a shell goes by at a `cd` or each prompt: commands, daemons, variables, and which files have them. Also for one environment (`.mise.ci.local.toml`). */
const AT_PROMPT = /^\.?(?:mise(?:rc)?|rtx|pitchfork|fnox)(?:\.[\w.-]+)?\.(?:toml|lock)$/;
/** An option to programs that are given all names: `sed s/a/b/ *` takes `-fx` for a script, `tar`, `zip`, `vim` and others start what it says. */
const OPTION = /^-(?!-?$)|^\+.*[^\w.@+-]/s;
/** A command: to Perl's `<>` and Tcl's `open`, and where a shell reads names once more (`cc $(wildcard *.c)` in a Makefile). */
const COMMAND = /^[|<>]|\|\s*$|[;`]|\$\(|&[^&]*&/s;
/** Where names come one after the other (`rg -l x | xargs sed -i …`): what follows is an option, or, as what is in a folder `x `, another file (`x /home/me/.bashrc`). */
const SPLIT = /[ \t]-(?!-?(?:\s|$))|[ \t](?:\.\.)?$|\n/;
/** At the end of a name: an editor's workspace, which has settings and tasks; what a build takes in besides, and git ignores by custom. */
const NAMED_ENDS = [".code-workspace", ".sublime-project", "proj.user", ".bazelrc", ".bazelproject"]
  .concat([".txt.user", ".pro.user", ".qbs.user", ".creator.user"])
  .concat(["_override.tf", "_override.tf.json", ".secret.exs"]);
/** Begins a name in `NAMED_FOLDERS` that stands for all files right in the folder that end so. */
export const ANY = "*";
/** Begins one that counts where it is not a folder: a file in a folder's place names another one. */
export const NO_FOLDER = "?";
/** Folders in which everything does: settings of hooks, services and build servers, and options of Universal Ctags, which say what it writes. */
const WHOLE_FOLDERS =
  `.husky .circleci .azure-pipelines .azuredevops .semaphore .buildkite .devcontainer .mvn .externalToolBuilders
  .texi2any .ctags.d ctags.d .lefthook .lefthook-local .mise .hamr .fossil-settings .opencode .kilo .nlsp-settings .bsp .tflint.d
  .run .kdev4 .shadowenv.d .woodpecker .builds .tekton .teamcity .pdm-plugins`;
/** Folders in which everything counts, and what matters in others. */
export const NAMED_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ...words(WHOLE_FOLDERS).map((name): [string, string[]] => [name, []]),
  ...rows(
    `.forgejo workflows | .gitea workflows | .amp settings.json plugins | .augment settings.json settings.local.json |
    .letta settings.json settings.local.json hooks | .qoder settings.json settings.local.json scheduled_tasks.json | .codebuddy settings.json |
    .grok settings.json | .iflow settings.json | .qwen settings.json settings.local.json sandbox.Dockerfile | .kilocode mcp.json | .roo mcp.json | .trae mcp.json |
    .vscode tasks.json settings.json launch.json mcp.json extensions c_cpp_properties.json cmake-kits.json sftp.json |
    .vim coc-settings.json | .zed settings.json tasks.json debug.json | .helix config.toml languages.toml |
    .idea watcherTasks.xml startup.xml runConfigurations jsLinters prettier.xml vcs.xml gradle.xml terminal.xml php.xml ruff.xml deployment.xml webServers.xml |
    .github workflows actions hooks agents extensions copilot | .gitlab ci duo | .cargo config.toml config | .gradle config.properties |
    .pixi config.toml | .bundle config plugin/index | .ruby-lsp Gemfile | .aspect cli | .swiftpm configuration | .yarn releases plugins sdks | .fvm flutter_sdk | .ddev *.yaml commands |
    .chef knife.rb config.rb | .svn wc.db wc.db-wal wc.db-journal | .pijul config | .sl config | _darcs prefs/defaults |
    .jj repo/config.toml ?repo repo/store/git_target workspace-config.toml | .agents skills plugins | .settings org.eclipse.buildship.core.prefs |
    .codex config.toml hooks.json rules agents | .cursor mcp.json hooks.json environment.json worktrees.json cli.json |
    .gemini settings.json extensions hooks policies sandbox.Dockerfile | .kiro settings hooks agents | .windsurf hooks.json | .amazonq mcp.json cli-agents |
    .continue mcpServers | .clinerules hooks | .openhands setup.sh pre-commit.sh hooks.json | .pi settings.json extensions |
    .factory settings.json settings.local.json mcp.json hooks | .junie mcp | .tabnine mcp_servers.json | .vibe config.toml tools |
    .vs mcp.json tasks.vs.json launch.vs.json | .lapce settings.toml run.toml | .phan config.php | packrat init.R |
    .lsp config.edn | .sourcekit-lsp config.json | .fleet run.json settings.json |
    .theia settings.json tasks.json launch.json | .nova Tasks Configuration.json | .flox env | mise *.toml conf.d |
    .bzr branch/branch.conf | _MTN monotonerc | .codesandbox tasks.json | .gitpod automations.yaml | .ona automations.yaml |
    .mux init tool_env tool_pre tool_post mcp.jsonc | .idx dev.nix | .godot extension_list.cfg`,
  ),
  // An editor that opens a Java project starts what the wrapper downloads.
  ["gradle", ["wrapper", "gradle-daemon-jvm.properties"]],
  // The program that `repo` starts is here.
  [".repo", ["repo", "manifest.xml", "local_manifests"]],
  // Before version 0.20, the Python that an editor's completions start.
  [".jedi", ["project.json"]],
  [".config", ["mise.toml", "mise", ...LEFTHOOK]],
  // A prompt that shows the branch asks these, too, and with their settings come extensions. `hg recover` writes where a cut transaction says;
  // an old form of `histedit-state` is code that `hg summary` runs.
  [".hg", ["hgrc", "hgrc-not-shared", "sharedpath", "store/journal.backupfiles", "histedit-state"]],
  // Their agents, commands and skills may say what runs before anybody is asked.
  [".claude", ["settings.json", "settings.local.json", "hooks", "agents", "commands", "skills"]],
  // Options of the server that an editor starts: files to write.
  ["sorbet", ["config"]],
  // What `.Rprofile` starts, as its packages write it.
  ["renv", ["activate.R"]],
  // Metals goes by it wherever it is, and it names plugins for the compiler.
  [".bloop", ["*.json"]],
  // A prompt, or a `cd`, takes `PATH` or more from there.
  ["_opam", [".opam-switch/environment", ".opam-switch/switch-config"]],
  // What nix-direnv has direnv evaluate, for as long as the .envrc that was allowed stays as it is.
  [".direnv", ["*.rc"]],
  // Other agents start these in each new worktree.
  [".superset", ["config.json"]],
  // Terraform takes providers from there before it asks a registry; a Java compiler runs what it names, if it is among the classes.
  ["terraform.d", ["plugins"]],
  ["META-INF", ["services/javax.annotation.processing.Processor"]],
  // Bazel, and so an editor that asks it, starts this in its own place.
  ["tools", ["bazel"]],
  // Loaded whatever Poetry is asked, and ignored by its own `.gitignore`; what is done at a commit, or as a file changes.
  [".poetry", ["plugins"]],
  [".trunk", ["trunk.yaml", "user.yaml"]],
  // Where data is pushed to beside a `git push`.
  [".dvc", ["config", "config.local"]],
  // Run beside `SConstruct`, `build.sbt` and the settings that go-jira reads: Metals has git ignore its own, and there is no need to list the others.
  ["site_scons", ["site_init.py"]],
  ["project", ["metals.sbt"]],
  // The same of Flask; where Turborepo gets what was built, and sends it with the person's token.
  ["instance", ["config.py"]],
  [".turbo", ["config.json"]],
  [".jira.d", ["config.yml"]],
  // Scripts that run when a vault is opened, which of them do, and what they go by.
  [".obsidian", ["plugins", "community-plugins.json"]],
]);
/** In the folder of any other agent or editor at the top of a workspace: servers and hooks that it starts. */
export const OF_ANY_AGENT = [
  "mcp.json",
  "mcp.jsonc",
  "mcp_config.json",
  "mcp-config.json",
  "hooks.json",
  "skills",
];
/** Those names and folders that change when folded, by their folded form. */
export const SPELLED: ReadonlyMap<string, string> = new Map(
  [...NAMED_FILES, ...NAMED_FOLDERS.keys()].map((name): [string, string] => [folded(name), name])
    .filter(([as_folded, name]) => as_folded !== name),
);

/** Whether a file's name has a compiler that is given all names (`gcc *.c`), or 7-Zip, take options from the one that is called like the rest. Folders are npm's scopes, and views of Next.js. */
export function is_list_of_options(name: string): boolean {
  return name.startsWith("@");
}

export function is_named(name: string): boolean {
  return NAMED_FILES.has(name) || TAKEN_BEFORE.has(name) || START_UP.test(name) ||
    HIDDEN_CODE.test(name) || AT_PROMPT.test(name) ||
    JUPYTER.test(name) || TYPESCRIPT.test(name) ||
    is_version(name) || is_environment(name) || is_shown_by_explorer(name) ||
    CONFIG_CODE.test(name) ||
    NAMED_ENDS.some((end) => name.endsWith(end)) ||
    is_option_or_command(name);
}

/** Whether a name alone has a program do something, a folder's as well. */
export function is_option_or_command(name: string): boolean {
  return OPTION.test(name) || COMMAND.test(name) || SPLIT.test(name);
}

/** What has a file run later: the folder that it is in, or its name; itself where something else leads to it. */
export function group_of(path: string): string {
  if (!runs_later(path)) return path;
  const parts = path.split("/");
  return parts.slice(0, -1).find((part) => NAMED_FOLDERS.has(part)) ?? parts.at(-1) ?? "";
}

/** A path by which others ask for what is at this one, where the file system takes both for one. */
export function as_asked_for(path: string): string {
  return path.split("/").map((part) => SPELLED.get(folded(part)) ?? folded(part)).join("/");
}

export function runs_later(path: string): boolean {
  const parts = path.split("/");
  const [top = "", file = ""] = parts;
  const last = parts.at(-1) ?? "";
  return is_named(last) || is_list_of_options(last) || loaded_first(path) === path ||
    (parts.length > 1 && top.startsWith(".") && OF_ANY_AGENT.includes(file)) ||
    parts.some((part, at) => {
      const inner = at === parts.length - 1 ? undefined : NAMED_FOLDERS.get(part);
      const rest = parts.slice(at + 1).join("/");
      return inner !== undefined &&
        (inner.length === 0 ||
          inner.some((name) =>
            rest === name.replace(NO_FOLDER, "") || rest.startsWith(`${name}/`) ||
            (name.startsWith(ANY) && rest.endsWith(name.slice(ANY.length)) && !rest.includes("/"))
          ));
    });
}
