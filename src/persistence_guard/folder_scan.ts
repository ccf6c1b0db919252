/** What a walk through the workspace comes across and someone else will run: repositories, and files that tools start by themselves. */
import { folded } from "../config/folded.ts";

/** Files with many other things in them, of which some keys name code or a program. */
export const OF_KEYS: ReadonlySet<string> = new Set([
  ...["pyproject.toml", "setup.cfg", "tox.ini", "pnpm-workspace.yaml", "analysis_options.yaml"],
  ...["", ".json", ".yml", ".yaml"].flatMap((end) =>
    [".prettierrc", ".eslintrc", ".stylelintrc"].map((name) => name + end)
  ),
  ...[".prettierrc.toml", ".prettierrc.json5", ".markdownlint-cli2.yaml", "deno.json"],
  ...["deno.jsonc", ".ansible-lint", ".sqlfluff", "nx.json", "gradle.properties"],
  ...["CMakePresets.json", ".oxlintrc.json", "buf.yaml", "pyrefly.toml"],
  ...["cabal.project", "cabal.project.local"],
  ...["dprint.json", ".dprint.json", "dprint.jsonc", ".dprint.jsonc"],
  ...[".babelrc", ".swcrc", ".nycrc", ".postcssrc", ".coveragerc", ".jshintrc"],
]);

/** A version may be a path here, from which a shim of rbenv's kin (`.python-version`, `.go-version`, …) then starts programs. */
const VERSION = /^\.(?:[a-z]+-version|nvmrc|sdkmanrc)$/;

/** Whether a file of this name says which version of something is used. */
export function is_version(name: string): boolean {
  return VERSION.test(name);
}

/** Variables, for a shell that sources them, direnv, Bun or VS Code's Python. */
const ENVIRONMENTS: readonly string[] = [".env", ".env.local"];

/** Whether a file of this name holds variables. */
export function is_environment(name: string): boolean {
  return ENVIRONMENTS.includes(name);
}

/** Settings of Lefthook (lefthook.dev/configuration), which may have a dot before them, or lie in `.config`. */
const LEFTHOOK = ["lefthook", "lefthook-local"].flatMap((name) =>
  ["yml", "yaml", "toml", "json", "jsonc"].map((end) => `${name}.${end}`)
);

/**
 * Names of files that run something later: at a `cd`, where an editor or another agent opens the folder, or an interpreter starts in
 * it, at the next install, commit or push.
 */
const NAMED_FILES: ReadonlySet<string> = new Set([
  ...ENVIRONMENTS,
  ...[".gitmodules", ".gitattributes", ".lfsconfig"],
  ...["mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml"],
  ...[".autoenv", ".autoenv.zsh"],
  // What an allowed .envrc uses: direnv asks again for that file alone.
  ...["flake.nix", "shell.nix", "devenv.nix", "devbox.json"],
  ...["package.json", ".yarnrc.yml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  ...["bunfig.toml", ".pre-commit-config.yaml", ".overcommit.yml"],
  // `npm install` builds by it where the package names no script, and it may hold commands.
  "binding.gyp",
  ...[".lintstagedrc.json", ".lintstagedrc.js"],
  ...[".simple-git-hooks.json", ".simple-git-hooks.js", ".simple-git-hooks.cjs"],
  // A version may be a path, from which every shim then starts programs (asdf, rustup, dotnet).
  ...[".tool-versions", "rust-toolchain.toml", "rust-toolchain", "global.json"],
  // Whose compiler elan downloads, and variables for every Ruby that rbenv starts (`RUBYOPT`).
  ...["lean-toolchain", ".rbenv-vars"],
  // Whose program Bazelisk downloads; an editor asks it when the folder is opened.
  ".bazelversion",
  ...[".gitlab-ci.yml", ".travis.yml", ".cirrus.yml", ".woodpecker.yml", ".drone.yml"],
  ...["Jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml"],
  ...["buildspec.yml", "cloudbuild.yaml", "netlify.toml", "vercel.json"],
  ...[".devcontainer.json", ".gitpod.yml"],
  ...[".nvim.lua", ".dir-locals.el", ".dir-locals-2.el"],
  // An editor that lints or formats what is opened runs them.
  ...["eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts"],
  ...[".eslintrc.js", ".eslintrc.cjs", "prettier.config.js", "prettier.config.mjs"],
  ...["prettier.config.cjs", ".prettierrc.js", ".prettierrc.mjs", ".prettierrc.cjs"],
  ...["stylelint.config.js", "stylelint.config.mjs", "stylelint.config.cjs", ".stylelintrc.js"],
  ...["tailwind.config.js", "tailwind.config.cjs", "tailwind.config.mjs", "tailwind.config.ts"],
  ...["svelte.config.js", "mypy.ini", ".mypy.ini", ".flake8"],
  ...["rust-analyzer.toml", "pylintrc", ".rubocop.yml"],
  ...[".golangci.yml", ".golangci.yaml", ".luarc.json", "latexmkrc"],
  ...[".gdbinit", ".lldbinit", ".Rprofile", ".Renviron", ".ocamlinit"],
  ...[".ghci", ".iex.exs", ".perldb", ".pdbrc.py", ".psysh.php"],
  ...[".mcp.json", "opencode.json", "opencode.jsonc", "crush.json", ".crush.json"],
  ".aider.conf.yml",
  // What other agents are told, and git ignores by custom, so that no diff shows it.
  ...["CLAUDE.local.md", "AGENTS.override.md"],
  // A hook of git starts what they say.
  ...["lint-staged.config.js", "lint-staged.config.mjs", "lint-staged.config.cjs"],
  ...["lint-staged.config.ts", ".lintstagedrc.yml", ".lintstagedrc.yaml", ".lintstagedrc.mjs"],
  ...[".lintstagedrc.cjs", ".huskyrc.json", ".huskyrc.js", "husky.config.js"],
  ...["commitlint.config.js", "commitlint.config.cjs", "commitlint.config.mjs", "prek.toml"],
  ...[...LEFTHOOK, ...LEFTHOOK.map((name) => `.${name}`), "commitlint.config.ts"],
  ...[".json", ".yaml", ".yml", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"]
    .map((end) => `.commitlintrc${end}`),
  ...[".lintstagedrc.ts", ".lintstagedrc.mts", ".lintstagedrc.cts", ".simple-git-hooks.mjs"],
  ...["simple-git-hooks.json", "simple-git-hooks.js", "simple-git-hooks.cjs"],
  ...["simple-git-hooks.mjs", ".huskyrc.yaml", ".huskyrc.yml", ".huskyrc.cjs"],
  ...["captainhook.json", "grumphp.yml", ".rusty-hook.toml", "hk.pkl", ".lazygit.yml"],
  // Where Corepack gets the next yarn or pnpm, and whether it looks at its signature.
  ".corepack.env",
  // At a `cd`, or where a program of that kind is started here.
  ...[".prototools", ".autoenv_leave.zsh", ".autoenv.leave", "devenv.yaml"],
  ...["devenv.local.nix", ".p4config", ".RData", "startup.m", ".erlang"],
  ...["jupyter_config.py", "jupyter_notebook_config.py", "jupyter_server_config.py"],
  "jupyter_lab_config.py",
  // An editor, or a server that it has for a language, starts what they name, or runs them.
  ...["hie.yaml", ".hie-bios", ".merlin", "buildServer.json", ".ycm_extra_conf.py"],
  ...[".emacs.desktop", ".lite_project.lua", ".local.vimrc", ".solargraph.yml"],
  ...["eslint.config.mts", "eslint.config.cts", "prettier.config.ts", ".stylelintrc.cjs"],
  ...[".stylelintrc.mjs", ".markdownlint-cli2.cjs", ".markdownlint-cli2.mjs", ".tern-project"],
  ...[".markdownlint-cli2.jsonc", ".tflint.hcl", "Steepfile", ".pyre_configuration"],
  // The same, by what these programs document.
  ...["rust-project.json", ".rust-project.json", "kls-classpath", "kls-classpath.sh", "zls.json"],
  ...[".luarc.jsonc", ".lintr", ".lintr.R", "phpstan.dist.neon", ".phpcs.xml.dist"],
  ...["js", "cjs", "mjs", "ts"].map((end) => `apollo.config.${end}`),
  ...[".lazy.lua", ".neoconf.json", ".kateproject", ".tm_properties", ".factorypath"],
  ...["omnisharp.json", "erlang_ls.config", ".formatter.exs", ".credo.exs", "config.nims"],
  ...[".php-cs-fixer.php", ".php-cs-fixer.dist.php", ".phpactor.json", ".phpactor.yml"],
  ...["ansible.cfg", ".sbtopts", ".jvmopts", "CMakeUserPresets.json", "graphql.config.js"],
  ...[".envrc.local", ".envrc.private", ".rtx.toml", ".tmux-sessionizer", "ipython_config.py"],
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
  ...["uno.config.ts", "uno.config.mjs", "unocss.config.js", "unocss.config.ts", ".textlintrc.js"],
  ...[".markdownlint.cjs", ".markdownlint.mjs", ".graphqlrc.js", ".graphqlrc.cjs", ".graphqlrc.ts"],
  ...["graphql.config.ts", "graphql.config.cjs", "graphql.config.mjs"],
  // Where an editor of C# gets packages from when it opens a project: they have programs for its build.
  ...["nuget.config", "NuGet.config", "NuGet.Config"],
  // What a service builds and starts at the next push.
  ...[".readthedocs.yml", ".readthedocs.yaml", "amplify.yml", "render.yaml", "railway.json"],
  ...["railway.toml", "nixpacks.toml", "heroku.yml"],
  // What a program takes for options of its own, where it is started here: a file to write, one to load, where to push to.
  ...[".ctags", "gtags.conf", ".rspec", ".yardopts", ".busted", ".ghcid", ".arcconfig"],
  ".gitreview",
  // Of these only some lines.
  ...OF_KEYS,
  ...[".appveyor.yml", ".woodpecker.yaml", "azure-pipelines.yaml", ".build.yml"],
  ...["conductor.json", ".emdash.json", ".cirrus.star"],
]);
/** What a program reads as it starts in a folder: options, or commands, whichever program that is (`.npmrc`, `.vimrc`, `.valgrindrc`, `.proverc`). */
const START_UP = /^\.[a-z][\w-]*rc$/;
/** Of mise, for one environment (`mise.ci.toml`, `.mise.ci.local.toml`). */
const MISE = /^\.?mise\.[\w.-]+\.toml$/;
/**
 * What a program takes for an option that starts something, where a person gives it all names (`tar *`, `rsync *`): long ones may be
 * cut short.
 */
const STARTING_OPTIONS =
  `checkpoint-action to-command use-compress-program info-script new-volume-script rmt-command
  rsh-command rsh rsync-path upload-pack receive-pack compress-program unzip-command`.split(/\s+/);
const LONG_OPTION = /^--([a-z][a-z-]+)=./,
  SHORT_OPTION =
    /^-(?:[eI] ?(?:env|\w*sh|perl|python[\d.]*|ruby|node) .|o *(?:Proxy|Local)Command[ =])/;
/** At the end of a name: an editor's workspace, which has settings and tasks. */
const NAMED_ENDS = [".code-workspace", ".sublime-project"];
/** Begins a name in `NAMED_FOLDERS` that stands for all files right in the folder that end so. */
export const ANY = "*";
/** Begins one that counts where it is no folder: a file in the place of a folder names another one. */
export const NO_FOLDER = "?";
/** Folders in which everything does, or what matters in them. */
const NAMED_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    ".vscode",
    ["tasks.json", "settings.json", "launch.json", "mcp.json"]
      .concat(["c_cpp_properties.json", "cmake-kits.json", "sftp.json"]),
  ],
  [".vim", ["coc-settings.json"]],
  [".zed", ["settings.json", "tasks.json", "debug.json"]],
  [".helix", ["config.toml", "languages.toml"]],
  [".idea", ["watcherTasks.xml", "startup.xml", "runConfigurations", "jsLinters", "prettier.xml"]],
  [".husky", []],
  [".github", ["workflows", "actions", "hooks"]],
  [".forgejo", ["workflows"]],
  [".gitea", ["workflows"]],
  [".circleci", []],
  [".gitlab", ["ci"]],
  [".azure-pipelines", []],
  [".azuredevops", []],
  [".semaphore", []],
  [".buildkite", []],
  [".devcontainer", []],
  [".cargo", ["config.toml", "config"]],
  [".mvn", []],
  // An editor that opens a Java project starts what the wrapper downloads.
  ["gradle", ["wrapper"]],
  [".bundle", ["config", "plugin/index"]],
  [".yarn", ["releases", "plugins"]],
  [".externalToolBuilders", []],
  // Options of Universal Ctags, which may say what it writes; an editor starts it when a file is saved.
  [".ctags.d", []],
  [".config", ["mise.toml", "mise", ...LEFTHOOK]],
  [".lefthook", []],
  [".lefthook-local", []],
  [".mise", []],
  [".hamr", []],
  // A prompt that shows the branch asks these, too, and with their settings come extensions.
  [".hg", ["hgrc", "hgrc-not-shared", "sharedpath"]],
  [".sl", ["config"]],
  ["_darcs", ["prefs/defaults"]],
  [".jj", ["repo/config.toml", "?repo", "workspace-config.toml"]],
  [".pijul", ["config"]],
  [".fossil-settings", []],
  // Their agents, commands and skills may say what runs before anybody is asked.
  [".claude", ["settings.json", "settings.local.json", "hooks", "agents", "commands", "skills"]],
  [".agents", ["skills"]],
  [".codex", ["config.toml", "hooks.json", "rules"]],
  [".cursor", ["mcp.json", "hooks.json", "environment.json", "worktrees.json", "cli.json"]],
  [".gemini", ["settings.json", "extensions"]],
  [".qwen", ["settings.json"]],
  [".kiro", ["settings", "hooks", "agents"]],
  [".opencode", []],
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
  [".nlsp-settings", []],
  [".phan", ["config.php"]],
  // What `.Rprofile` starts, as its packages write it.
  ["renv", ["activate.R"]],
  ["packrat", ["init.R"]],
  // Servers that an editor starts for a language: programs by name, or a command for the class path.
  [".bsp", []],
  // Metals goes by it wherever it is, and it names plugins for the compiler.
  [".bloop", ["*.json"]],
  [".lsp", ["config.edn"]],
  [".sourcekit-lsp", ["config.json"]],
  [".tflint.d", []],
  [".run", []],
  [".fleet", ["run.json", "settings.json"]],
  [".theia", ["settings.json", "tasks.json", "launch.json"]],
  [".nova", ["Tasks", "Configuration.json"]],
  // A prompt, or a `cd`, takes `PATH` or more from there.
  ["_opam", [".opam-switch/environment", ".opam-switch/switch-config"]],
  [".shadowenv.d", []],
  [".flox", ["env"]],
  // What nix-direnv has direnv evaluate, for as long as the .envrc that was allowed stays as it is.
  [".direnv", ["*.rc"]],
  ["mise", ["config.toml"]],
  [".bzr", ["branch/branch.conf"]],
  ["_MTN", ["monotonerc"]],
  [".woodpecker", []],
  [".builds", []],
  [".tekton", []],
  [".teamcity", []],
  [".codesandbox", ["tasks.json"]],
  [".gitpod", ["automations.yaml"]],
  [".ona", ["automations.yaml"]],
  // Other agents start these in each new worktree.
  [".superset", ["config.json"]],
  [".mux", ["init", "tool_env", "tool_pre", "tool_post", "mcp.jsonc"]],
  // Bazel, and so an editor that asks it, starts this in its own place.
  ["tools", ["bazel"]],
  [".idx", ["dev.nix"]],
]);
/** In the folder of any other agent or editor at the top of a workspace: servers and hooks that it starts. */
const OF_ANY_AGENT = ["mcp.json", "mcp.jsonc", "mcp_config.json", "hooks.json"];
/** Of these, and the folders, those that are not as they are when folded, by how they are then. */
const SPELLED: ReadonlyMap<string, string> = new Map(
  [...NAMED_FILES, ...NAMED_FOLDERS.keys()].map((name): [string, string] => [folded(name), name])
    .filter(([as_folded, name]) => as_folded !== name),
);
/** Git takes a folder for one of its own if it has `HEAD` and these, or `HEAD` and a file that names the folder with these. */
const HEAD = "head", OF_GIT = ["objects", "refs"];
const COMMON = "commondir";

/** More of either are not watched; a workspace of hundreds of packages has fewer. */
const MOST = 2000;

/** What is in one folder. */
interface FolderContents {
  /** Every `.git`. */
  readonly dotgits: readonly string[];
  /** A repository without a working tree. */
  readonly bares: readonly string[];
  /** Files and folders that run later. */
  readonly named: readonly string[];
}

/** Gathered from the listings that a look at the workspace makes anyway; paths relative to the workspace. */
export class FolderScan {
  readonly #found = new Map<string, FolderContents>();

  /** `is_ignored`: whether a look does not come to a path, relative to the workspace; a folder's ends in `/`. */
  constructor(readonly is_ignored: (relative: string) => boolean) {}

  /** Every `.git`. */
  get dotgits(): readonly string[] {
    return this.#all("dotgits");
  }

  /** Repositories without a working tree. */
  get bares(): readonly string[] {
    return this.#all("bares");
  }

  /** Files and folders that run later. */
  get named(): readonly string[] {
    return this.#all("named");
  }

  /**
   * A folder (empty, or with a slash at its end) and what is in it now. What has another spelling than what is asked for later is
   * found by that, too, where the file system takes both for one; elsewhere there is nothing under it.
   */
  enter(folder: string, names: readonly string[]): void {
    const dotgits = new Set<string>(), named = new Set<string>();
    const note = (name: string): boolean => {
      const inner = NAMED_FOLDERS.get(name);
      if (name === ".git") dotgits.add(folder + name);
      else if (is_named(name) || inner?.length === 0) named.add(folder + name);
      else if (inner === undefined) return false;
      else for (const file of inner) named.add(`${folder}${name}/${file}`);
      return true;
    };
    let has_head = false;
    for (const name of names) {
      const as_folded = folded(name);
      has_head ||= as_folded === HEAD;
      if (note(name)) continue;
      const other = SPELLED.get(as_folded) ?? as_folded;
      if ((other !== name && note(other)) || folder !== "" || !name.startsWith(".")) continue;
      for (const file of OF_ANY_AGENT) named.add(`${name}/${file}`);
    }
    const bares = has_head && is_git_dir(names) ? [folder.replace(/\/$/, "")] : [];
    if (dotgits.size + bares.length + named.size === 0) this.#found.delete(folder);
    else this.#found.set(folder, { dotgits: [...dotgits], bares, named: [...named] });
  }

  /** A folder is gone. */
  leave(folder: string): void {
    this.#found.delete(folder);
  }

  #all(kind: keyof FolderContents): readonly string[] {
    return [...this.#found.values()].flatMap((found) => found[kind]).slice(0, MOST);
  }
}

function is_named(name: string): boolean {
  return NAMED_FILES.has(name) || START_UP.test(name) || MISE.test(name) || is_version(name) ||
    NAMED_ENDS.some((end) => name.endsWith(end)) || is_starting_option(name);
}

function is_starting_option(name: string): boolean {
  if (!name.startsWith("-")) return false;
  const [, long = null] = LONG_OPTION.exec(name) ?? [];
  return long === null
    ? SHORT_OPTION.test(name)
    : STARTING_OPTIONS.some((option) => option.startsWith(long));
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

/** Whether a folder with these names in it may be one of git's: some file systems find `HEAD` where `Head` is. */
export function is_git_dir(names: readonly string[]): boolean {
  const all = new Set(names.map(folded));
  return all.has(HEAD) && (all.has(COMMON) || OF_GIT.every((name) => all.has(name)));
}
