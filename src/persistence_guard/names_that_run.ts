/** Names of files and folders that tools start or obey by themselves. Plain data. */
import { folded } from "../config/folded.ts";

/** Files with many other things in them, of which some keys name code or a program. */
const OF_KEYS: ReadonlySet<string> = new Set([
  ...["pyproject.toml", "setup.cfg", "tox.ini", "pnpm-workspace.yaml", "analysis_options.yaml"],
  ...["", ".json", ".yml", ".yaml"].flatMap((end) =>
    [".prettierrc", ".eslintrc", ".stylelintrc"].map((name) => name + end)
  ),
  ...[".prettierrc.toml", ".prettierrc.json5", ".markdownlint-cli2.yaml", "deno.json"],
  ...["deno.jsonc", ".ansible-lint", ".sqlfluff", "nx.json", "gradle.properties"],
  ...["CMakePresets.json", ".oxlintrc.json", "buf.yaml", "pyrefly.toml", "pixi.toml"],
  ...["cabal.project", "cabal.project.local"],
  ...["dprint.json", ".dprint.json", "dprint.jsonc", ".dprint.jsonc"],
  ...[".babelrc", ".swcrc", ".nycrc", ".postcssrc", ".coveragerc", ".remarkrc", ".textlintrc"],
  ...["cspell.json", ".cspell.json", "cSpell.json", ".cSpell.json"],
  ...["json", "jsonc", "yaml", "yml", "toml"].flatMap((end) =>
    ["cspell.config.", ".cspell.config."].map((name) => name + end)
  ),
  // No key of these runs anything.
  ...[".browserslistrc", ".shellcheckrc", ".jshintrc", ".csslintrc", ".htmlhintrc", ".ecrc"],
  ...[".luaurc", ".djlintrc", ".jsbeautifyrc"],
]);

/** A version may be a path here, from which a shim of rbenv's kin (`.python-version`, `.go-version`, …) then starts programs. */
const VERSION = /^\.(?:[a-z]+-version|nvmrc|sdkmanrc|pdm-python)$/;

/** Whether a file of this name says which version of something is used. */
export function is_version(name: string): boolean {
  return VERSION.test(name);
}

/** Variables, for a shell that sources them, direnv, Bun, Next.js, Vite or VS Code's Python. */
const ENVIRONMENT = /^\.(?:env(?:\.(?!\w*(?:example|sample|template|dist)$)[\w.-]+)?|flaskenv)$/;

/** Whether a file of this name holds variables. */
export function is_environment(name: string): boolean {
  return ENVIRONMENT.test(name);
}

/** Settings of Lefthook (lefthook.dev/configuration), which may have a dot before them, or lie in `.config`. */
const LEFTHOOK = ["lefthook", "lefthook-local"].flatMap((name) =>
  ["yml", "yaml", "toml", "json", "jsonc"].map((end) => `${name}.${end}`)
);

/** Names of files that run something later: at a `cd`, in an editor, agent or interpreter, at the next install, commit or push. */
const NAMED_FILES: ReadonlySet<string> = new Set([
  // Mercurial enters what the last but two list, as git does; the databases of Fossil say where its repository is.
  ...[".gitmodules", ".gitattributes", ".lfsconfig", ".hgsub", ".fslckout", "_FOSSIL_"],
  ...[".autoenv", ".autoenv.zsh"],
  // What an allowed .envrc uses: direnv asks again for that file alone.
  ...["flake.nix", "shell.nix", "devenv.nix", "devbox.json", "flake.lock", "devenv.lock"],
  ...["guix.scm", "manifest.scm", "uv.toml"],
  ...["package.json", "composer.json", ".yarnrc.yml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  ...["bunfig.toml", ".pre-commit-config.yaml", ".pre-commit-config.yml", ".overcommit.yml"],
  // `npm install` builds by it where the package names no script, and it may hold commands.
  "binding.gyp",
  ...[".simple-git-hooks.json", ".simple-git-hooks.js", ".simple-git-hooks.cjs"],
  // A version may be a path, from which every shim then starts programs (asdf, rustup, dotnet).
  ...[".tool-versions", "rust-toolchain.toml", "rust-toolchain", "global.json"],
  // Whose compiler elan downloads, and variables for every Ruby that rbenv starts (`RUBYOPT`).
  ...["lean-toolchain", ".rbenv-vars", ".ruby-env", ".versions.conf"],
  // Whose program Bazelisk downloads; an editor asks it when the folder is opened.
  ".bazelversion",
  ...[".gitlab-ci.yml", ".travis.yml", ".cirrus.yml", ".woodpecker.yml", ".drone.yml"],
  ...["Jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml"],
  ...["buildspec.yml", "cloudbuild.yaml", "netlify.toml", "vercel.json"],
  ...[
    ".devcontainer.json",
    ".gitpod.yml",
    "devfile.yaml",
    ".devfile.yaml",
    ".replit",
    "replit.nix",
  ],
  ...[".nvim.lua", ".dir-locals.el", ".dir-locals-2.el"],
  // An editor that lints or formats what is opened runs them.
  ...["eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts"],
  ...["js", "mjs", "cjs", "ts"].flatMap((
    end,
  ) => [`prettier.config.${end}`, `stylelint.config.${end}`]),
  ...["tailwind.config.js", "tailwind.config.cjs", "tailwind.config.mjs", "tailwind.config.ts"],
  ...["svelte.config.js", "mypy.ini", ".mypy.ini", ".flake8"],
  ...["rust-analyzer.toml", "pylintrc", ".rubocop.yml"],
  ...[
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    ".golangci.json",
    ".luarc.json",
    "latexmkrc",
  ],
  ...[".gdbinit", ".lldbinit", ".Rprofile", ".Renviron", ".ocamlinit"],
  ...[".ghci", ".iex.exs", ".perldb", ".pdbrc.py", ".psysh.php"],
  ...[".mcp.json", "opencode.json", "opencode.jsonc", "crush.json", ".crush.json"],
  ".aider.conf.yml",
  // What other agents are told, and git ignores by custom, so that no diff shows it.
  ...["CLAUDE.local.md", "AGENTS.override.md"],
  // A hook of git starts what they say.
  ...["lint-staged.config.js", "lint-staged.config.mjs", "lint-staged.config.cjs"],
  ...["lint-staged.config.ts", ".lintstagedrc.yml", ".lintstagedrc.yaml", ".lintstagedrc.json"],
  ...["commitlint.config.js", "commitlint.config.cjs", "commitlint.config.mjs", "prek.toml"],
  ...[...LEFTHOOK, ...LEFTHOOK.map((name) => `.${name}`), "commitlint.config.ts"],
  ...[".json", ".yaml", ".yml"].map((end) => `.commitlintrc${end}`),
  ...["simple-git-hooks.json", "simple-git-hooks.js", "simple-git-hooks.cjs"],
  ...["simple-git-hooks.mjs", ".simple-git-hooks.mjs", ".huskyrc.yaml", ".huskyrc.yml"],
  ...[".huskyrc.json", "husky.config.js"],
  ...["captainhook.json", "grumphp.yml", ".rusty-hook.toml", "hk.pkl", ".lazygit.yml"],
  ...["hk.local.pkl", "hk.toml", "hk.yaml", "hk.yml", "hk.json"],
  // Where Corepack gets the next yarn or pnpm, and whether it looks at its signature.
  ".corepack.env",
  // At a `cd`, or where a program of that kind is started here.
  ...[".prototools", ".autoenv_leave.zsh", ".autoenv.leave", "devenv.yaml"],
  ...["devenv.local.nix", ".p4config", ".RData", "startup.m", ".erlang"],
  ...["rootlogon.C", ".rootlogon.C", "rootalias.C", ".rootalias.C"],
  // An editor, or a server that it has for a language, starts what they name, or runs them.
  ...["hie.yaml", ".hie-bios", ".merlin", "buildServer.json", ".ycm_extra_conf.py"],
  ...[".emacs.desktop", ".lite_project.lua", ".local.vimrc", ".solargraph.yml"],
  ...["eslint.config.mts", "eslint.config.cts", ".tern-project"],
  ...[".markdownlint-cli2.cjs", ".markdownlint-cli2.mjs", ".markdownlint.cjs", ".markdownlint.mjs"],
  ...[".markdownlint-cli2.jsonc", ".tflint.hcl", "Steepfile", ".pyre_configuration"],
  // The same, by what these programs document.
  ...["rust-project.json", ".rust-project.json", "kls-classpath", "kls-classpath.sh", "zls.json"],
  ...[".scalafix.conf", ".mill-jvm-opts", ".mill-opts", ".vimspector.json", ".mc.menu"],
  ...[".luarc.jsonc", ".lintr", ".lintr.R", "phpstan.dist.neon", ".phpcs.xml.dist"],
  ...["js", "cjs", "mjs", "ts"].map((end) => `apollo.config.${end}`),
  ...[".lazy.lua", ".neoconf.json", ".kateproject", ".tm_properties", ".factorypath"],
  ...["omnisharp.json", "erlang_ls.config", ".formatter.exs", ".credo.exs", "config.nims"],
  ...[".php-cs-fixer.php", ".php-cs-fixer.dist.php", ".phpactor.json", ".phpactor.yml"],
  ...["ansible.cfg", ".sbtopts", ".jvmopts", "CMakeUserPresets.json", "graphql.config.js"],
  ...[".envrc.local", ".envrc.private", ".tmux-sessionizer", "go.work", ".kitchen.local.yml"],
  // Sourced at a `cd`, or when Vim starts there.
  ...["activate-hermit", "hermit.hcl", "Session.vim"],
  ...["pkgx.yaml", "pkgx.yml", ".pkgx.yaml", ".pkgx.yml"],
  // Every Python imports them at its start, if the workspace is where it looks for modules (`pip install -e`, `PYTHONPATH`).
  ...["usercustomize.py", "sitecustomize.py"],
  // Checkers that an editor, or a hook, starts.
  ...["phpstan.neon", "phpstan.neon.dist", "psalm.xml", "psalm.xml.dist", "phpcs.xml"],
  ...["phpcs.xml.dist", ".phpcs.xml", ".standard.yml", ".erb_lint.yml", ".erb-lint.yml"],
  ...[".haml-lint.yml", ".slim-lint.yml", ".gitlint", "vetur.config.js"],
  ...["cspell.config.js", "cspell.config.cjs", "cspell.config.mjs", "uno.config.js"],
  ...["uno.config.ts", "uno.config.mjs", "unocss.config.js", "unocss.config.ts"],
  ...["graphql.config.ts", "graphql.config.cjs", "graphql.config.mjs"],
  // Where an editor of C# gets packages from when it opens a project: they have programs for its build.
  ...["nuget.config", "NuGet.config", "NuGet.Config"],
  // What a service builds and starts at the next push.
  ...[".readthedocs.yml", ".readthedocs.yaml", "amplify.yml", "render.yaml", "railway.json"],
  ...["railway.toml", "nixpacks.toml", "heroku.yml"],
  // Taken in beside what is reviewed, and most of them ignored by custom: containers, the place of Android's tools, targets of any build of .NET.
  ...["docker-compose", "compose"].flatMap((
    name,
  ) => [`${name}.override.yml`, `${name}.override.yaml`]),
  ...[
    "local.properties",
    "Directory.Build.props",
    "Directory.Build.targets",
    "Directory.Build.rsp",
  ],
  ...["override.tf", "override.tf.json", "docker-bake.override.hcl", "docker-bake.override.json"],
  ...[".bazelrc.user", ".pants.rc", ".pants.bootstrap", ".buckconfig.local", ".plzconfig.local"],
  ...["profiles.clj", "LocalPreferences.toml", "JuliaLocalPreferences.toml", ".lando.local.yml"],
  // What a program takes for options of its own, where it is started here: a file to write, one to load, where to push to.
  ...[".ctags", "gtags.conf", ".rspec", ".yardopts", ".busted", ".ghcid", ".arcconfig"],
  ...["PreLoad.cmake", "PKG_ADD", "fpc.cfg", "toxfile.py", "rebar.config.script"],
  ".gitreview",
  // Only some lines of these.
  ...OF_KEYS,
  ...[".appveyor.yml", ".woodpecker.yaml", "azure-pipelines.yaml", ".build.yml"],
  ...["conductor.json", ".emdash.json", ".cirrus.star"],
]);
/** What a program reads as it starts in a folder: options, or commands, whichever program that is (`.npmrc`, `.vimrc`, `.valgrindrc`, `.proverc`). */
const START_UP = /^\.[a-z][\w-]*rc(?:\.(?:[cm]?[jt]s|json[c5]?|ya?ml|toml))?$/;
/** The same of Jupyter and IPython, which read it where they are started. */
const JUPYTER = /^(?:jupyter|ipython)(?:_[a-z]+)?_config\.(?:py|json)$/;
/** Only some keys of these, where the whole file is not known to run. */
const OF_DATA = /\.(?:json[c5]?|ya?ml|toml)$/;

/** Whether only some keys of a file of this name name code or a program. */
export function is_of_keys(name: string): boolean {
  return OF_KEYS.has(name) ||
    (START_UP.test(name) && OF_DATA.test(name) && !NAMED_FILES.has(name));
}

/** What a shell goes by at a `cd` or each prompt: commands, daemons, variables. Also for one environment (`.mise.ci.local.toml`). */
const AT_PROMPT = /^\.?(?:mise|rtx|pitchfork|fnox)(?:\.[\w.-]+)?\.toml$/;
/** An option to programs that are given all names: `sed s/a/b/ *` takes `-fx` for a script, `tar`, `zip`, `vim` and others start what it says. */
const OPTION = /^-(?!-?$)|^\+.*[^\w.@+-]/s;
/** A command: to Perl's `<>` and Tcl's `open`, and where a shell reads names once more (`cc $(wildcard *.c)` in a Makefile). */
const COMMAND = /^[|<>]|\|\s*$|[;`]|\$\(|&[^&]*&/s;
/** At the end of a name: an editor's workspace, which has settings and tasks; what a build takes in besides, and git ignores by custom. */
const NAMED_ENDS = [".code-workspace", ".sublime-project", "proj.user", ".bazelrc"]
  .concat(["_override.tf", "_override.tf.json"]);
/** Begins a name in `NAMED_FOLDERS` that stands for all files right in the folder that end so. */
export const ANY = "*";
/** Begins one that counts where it is no folder: a file in the place of a folder names another one. */
export const NO_FOLDER = "?";
/** Folders in which everything does: settings of hooks, services and build servers, and options of Universal Ctags, which say what it writes. */
const WHOLE_FOLDERS =
  `.husky .circleci .azure-pipelines .azuredevops .semaphore .buildkite .devcontainer .mvn .externalToolBuilders
  .texi2any .ctags.d .lefthook .lefthook-local .mise .hamr .fossil-settings .opencode .nlsp-settings .bsp .tflint.d
  .run .shadowenv.d .woodpecker .builds .tekton .teamcity`.split(/\s+/);
/** Those, and what matters in others. */
export const NAMED_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ...WHOLE_FOLDERS.map((name): [string, string[]] => [name, []]),
  [
    ".vscode",
    ["tasks.json", "settings.json", "launch.json", "mcp.json", "extensions"]
      .concat(["c_cpp_properties.json", "cmake-kits.json", "sftp.json"]),
  ],
  [".vim", ["coc-settings.json"]],
  [".zed", ["settings.json", "tasks.json", "debug.json"]],
  [".helix", ["config.toml", "languages.toml"]],
  [
    ".idea",
    ["watcherTasks.xml", "startup.xml", "runConfigurations", "jsLinters", "prettier.xml"]
      .concat(["vcs.xml", "gradle.xml"]),
  ],
  [".github", ["workflows", "actions", "hooks", "agents"]],
  [".forgejo", ["workflows"]],
  [".gitea", ["workflows"]],
  [".gitlab", ["ci"]],
  [".cargo", ["config.toml", "config"]],
  // An editor that opens a Java project starts what the wrapper downloads.
  ["gradle", ["wrapper", "gradle-daemon-jvm.properties"]],
  [".gradle", ["config.properties"]],
  [".bundle", ["config", "plugin/index"]],
  [".yarn", ["releases", "plugins", "sdks"]],
  // The program that `repo` starts is here, and so is Flutter's.
  [".repo", ["repo", "manifest.xml", "local_manifests"]],
  [".fvm", ["flutter_sdk"]],
  [".ddev", ["*.yaml", "commands"]],
  [".pixi", ["config.toml"]],
  // Before version 0.20, the Python that an editor's completions start.
  [".jedi", ["project.json"]],
  [".chef", ["knife.rb", "config.rb"]],
  [".config", ["mise.toml", "mise", ...LEFTHOOK]],
  // A prompt that shows the branch asks these, too, and with their settings come extensions. `hg recover` writes where a cut transaction says;
  // an old form of `histedit-state` is code that `hg summary` runs.
  [".hg", ["hgrc", "hgrc-not-shared", "sharedpath", "store/journal.backupfiles", "histedit-state"]],
  [".svn", ["wc.db", "wc.db-wal", "wc.db-journal"]],
  [".sl", ["config"]],
  ["_darcs", ["prefs/defaults"]],
  [".jj", ["repo/config.toml", "?repo", "repo/store/git_target", "workspace-config.toml"]],
  [".pijul", ["config"]],
  // Their agents, commands and skills may say what runs before anybody is asked.
  [".claude", ["settings.json", "settings.local.json", "hooks", "agents", "commands", "skills"]],
  [".agents", ["skills"]],
  [".codex", ["config.toml", "hooks.json", "rules"]],
  [".cursor", ["mcp.json", "hooks.json", "environment.json", "worktrees.json", "cli.json"]],
  [".gemini", ["settings.json", "extensions"]],
  [".qwen", ["settings.json"]],
  [".kiro", ["settings", "hooks", "agents"]],
  [".roo", ["mcp.json"]],
  [".windsurf", ["hooks.json"]],
  [".amazonq", ["mcp.json", "cli-agents"]],
  [".continue", ["mcpServers"]],
  [".clinerules", ["hooks"]],
  [".kilocode", ["mcp.json"]],
  [".openhands", ["setup.sh", "pre-commit.sh", "hooks.json"]],
  [".pi", ["settings.json", "extensions"]],
  [".amp", ["settings.json"]],
  [".factory", ["settings.json", "mcp.json", "hooks"]],
  [".junie", ["mcp"]],
  [".trae", ["mcp.json"]],
  [".tabnine", ["mcp_servers.json"]],
  [".grok", ["settings.json"]],
  [".iflow", ["settings.json"]],
  [".vibe", ["config.toml", "tools"]],
  [".augment", ["settings.json"]],
  [".codebuddy", ["settings.json"]],
  [".vs", ["mcp.json", "tasks.vs.json", "launch.vs.json"]],
  [".lapce", ["settings.toml", "run.toml"]],
  [".phan", ["config.php"]],
  // What `.Rprofile` starts, as its packages write it.
  ["renv", ["activate.R"]],
  ["packrat", ["init.R"]],
  // Metals goes by it wherever it is, and it names plugins for the compiler.
  [".bloop", ["*.json"]],
  [".lsp", ["config.edn"]],
  [".sourcekit-lsp", ["config.json"]],
  [".fleet", ["run.json", "settings.json"]],
  [".theia", ["settings.json", "tasks.json", "launch.json"]],
  [".nova", ["Tasks", "Configuration.json"]],
  // A prompt, or a `cd`, takes `PATH` or more from there.
  ["_opam", [".opam-switch/environment", ".opam-switch/switch-config"]],
  [".flox", ["env"]],
  // What nix-direnv has direnv evaluate, for as long as the .envrc that was allowed stays as it is.
  [".direnv", ["*.rc"]],
  ["mise", ["*.toml"]],
  [".bzr", ["branch/branch.conf"]],
  ["_MTN", ["monotonerc"]],
  [".codesandbox", ["tasks.json"]],
  [".gitpod", ["automations.yaml"]],
  [".ona", ["automations.yaml"]],
  // Other agents start these in each new worktree.
  [".superset", ["config.json"]],
  [".mux", ["init", "tool_env", "tool_pre", "tool_post", "mcp.jsonc"]],
  // Bazel, and so an editor that asks it, starts this in its own place.
  ["tools", ["bazel"]],
  [".idx", ["dev.nix"]],
  // Where data is pushed to beside a `git push`; libraries that an editor loads.
  [".dvc", ["config", "config.local"]],
  [".godot", ["extension_list.cfg"]],
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
];
/** Those names and folders that change when folded, by their folded form. */
export const SPELLED: ReadonlyMap<string, string> = new Map(
  [...NAMED_FILES, ...NAMED_FOLDERS.keys()].map((name): [string, string] => [folded(name), name])
    .filter(([as_folded, name]) => as_folded !== name),
);

/** Whether a file of this name runs later, wherever it is. */
export function is_named(name: string): boolean {
  return NAMED_FILES.has(name) || START_UP.test(name) || AT_PROMPT.test(name) ||
    JUPYTER.test(name) ||
    is_version(name) || is_environment(name) || NAMED_ENDS.some((end) => name.endsWith(end)) ||
    is_option_or_command(name);
}

/** Whether a name alone has a program do something, a folder's as well. */
export function is_option_or_command(name: string): boolean {
  return OPTION.test(name) || COMMAND.test(name);
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

/** Whether a file runs later by its place. */
export function runs_later(path: string): boolean {
  const parts = path.split("/");
  const [top = "", file = ""] = parts;
  return is_named(parts.at(-1) ?? "") ||
    (parts.length === 2 && top.startsWith(".") && OF_ANY_AGENT.includes(file)) ||
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
