/** Tools with caches in HOME: the variable that moves each, and what stays readable of the user's own. Plain data. */

/** Names of a path, one after the other; an expression is every name that it fits. */
export type Part = readonly (string | RegExp)[];

export interface CacheRow {
  readonly variable: string;
  /** Its own folder, below the workspace's cache folder. */
  readonly own: string;
  /** Where it is if nobody says otherwise: below HOME, or below the user's cache folder. */
  readonly theirs: `~/${string}` | `$cache${string}`;
  /** What is linked from theirs into its own folder, and only read. Not where the network is open: then the tool writes it, too. */
  readonly lent?: readonly Part[];
  /** What is linked even where the network is open: it is large, and nobody would want to have it twice. */
  readonly always_lent?: readonly Part[];
  /** What is copied from theirs: the tool writes it even to read. */
  readonly copied?: readonly string[];
  /** It reads its whole folder in place: theirs is used until it has had the network, and so a folder of its own. */
  readonly whole?: true;
  /** Set besides, where something is lent. */
  readonly with_lent?: Readonly<Record<string, string>>;
}

const ANY = /./;

/** How cargo's own folder is made; it is a row only where theirs does not do. */
export const CARGO: CacheRow = {
  variable: "CARGO_HOME",
  own: "cargo",
  theirs: "~/.cargo",
  lent: [["registry", "index", ANY], ["registry", "cache", ANY], ["git", "db", ANY]],
  // Never its credentials. `bin` has the subcommands that were installed.
  always_lent: [["config.toml"], ["config"], ["bin"]],
};

/** The order is that of the variables; the first leads whoever asks for a cache folder by the XDG specification. */
const TABLE: Readonly<Record<string, Omit<CacheRow, "variable">>> = {
  XDG_CACHE_HOME: {
    own: "xdg",
    theirs: "$cache",
    // Browsers of test runners, and weights of models.
    always_lent: [["ms-playwright"], ["Cypress"], ["torch"], ["whisper"], ["huggingface", "hub"]],
  },
  // Without it `go test` says that testing "is not in std".
  GOCACHE: { own: "go-build", theirs: "$cache/go-build" },
  npm_config_cache: { own: "npm", theirs: "~/.npm", lent: [["_cacache"]] },
  YARN_GLOBAL_FOLDER: { own: "yarn", theirs: "~/.yarn/berry", whole: true },
  BUN_INSTALL_CACHE_DIR: { own: "bun", theirs: "~/.bun/install/cache", whole: true },
  COREPACK_HOME: {
    own: "xdg/node/corepack",
    theirs: "$cache/node/corepack",
    whole: true,
  },
  DENO_DIR: {
    own: "deno",
    theirs: "$cache/deno",
    lent: [["npm"], ["remote"], ["deps"], ["dl"]],
  },
  PIP_CACHE_DIR: { own: "pip", theirs: "$cache/pip" },
  UV_CACHE_DIR: {
    own: "uv",
    theirs: "$cache/uv",
    lent: [[/^(?:archive|simple|wheels)-v\d+$/]],
    // It warns of each file that it can't give a second name in the workspace.
    with_lent: { UV_LINK_MODE: "copy" },
  },
  // `uvx` makes a lock there; what is in it is made for the user's own shell.
  UV_TOOL_DIR: { own: "uv-tools", theirs: "~/.local/share/uv/tools" },
  POETRY_VIRTUALENVS_PATH: {
    own: "xdg/pypoetry/virtualenvs",
    theirs: "$cache/pypoetry/virtualenvs",
    whole: true,
  },
  // pipenv makes the folder before it looks for anything in it.
  WORKON_HOME: {
    own: "virtualenvs",
    theirs: "~/.local/share/virtualenvs",
    whole: true,
  },
  // Environments of projects.
  HATCH_DATA_DIR: { own: "hatch/data", theirs: "~/.local/share/hatch", whole: true },
  // A kernel of a notebook keeps its history there; the settings are the user's.
  IPYTHONDIR: {
    own: "ipython",
    theirs: "~/.ipython",
    always_lent: [
      ["profile_default", "startup", ANY],
      ["profile_default", /^ipython\w*_config\.(?:py|json)$/],
    ],
  },
  // Jupyter writes there that it has looked for settings of IPython's.
  JUPYTER_CONFIG_DIR: { own: "jupyter/config", theirs: "~/.jupyter" },
  // The file that tells a notebook's kernel which ports are its own.
  JUPYTER_RUNTIME_DIR: { own: "jupyter/run", theirs: "~/.local/share/jupyter/runtime" },
  ANSIBLE_HOME: {
    own: "ansible",
    theirs: "~/.ansible",
    always_lent: [["collections"], ["plugins"], ["roles"]],
  },
  // Its database, which it writes at every commit, names the folders of its hooks in full.
  PRE_COMMIT_HOME: {
    own: "pre-commit",
    theirs: "$cache/pre-commit",
    copied: ["db.db"],
  },
  GRADLE_USER_HOME: {
    own: "gradle",
    theirs: "~/.gradle",
    // The wrapper locks each beside itself.
    lent: [["wrapper", "dists", ANY, ANY, /^(?!.*\.(?:lck|part)$)/]],
  },
  MAVEN_USER_HOME: {
    own: "maven-wrapper",
    theirs: "~/.m2",
    lent: [["wrapper", "dists", ANY]],
  },
  CONAN_HOME: {
    own: "conan",
    theirs: "~/.conan2",
    always_lent: [["profiles", ANY], ["remotes.json"], ["global.conf"]],
  },
  NUGET_PACKAGES: { own: "nuget", theirs: "~/.nuget/packages" },
  BUNDLE_USER_CACHE: { own: "bundle", theirs: "~/.bundle/cache" },
  COMPOSER_CACHE_DIR: { own: "composer", theirs: "$cache/composer" },
  CCACHE_DIR: { own: "ccache", theirs: "$cache/ccache" },
  SCCACHE_DIR: { own: "sccache", theirs: "$cache/sccache" },
};
export const ROWS: readonly CacheRow[] = Object.entries(TABLE)
  .map(([variable, row]) => ({ variable, ...row }));

/** Tools that read the user's cache beside their own, by another variable; below theirs, and only if it is there. */
export const BESIDE: Readonly<
  Record<string, { readonly variable: string; readonly path: string }>
> = {
  GRADLE_USER_HOME: { variable: "GRADLE_RO_DEP_CACHE", path: "caches" },
  JUPYTER_CONFIG_DIR: { variable: "JUPYTER_CONFIG_PATH", path: "" },
  NUGET_PACKAGES: { variable: "NUGET_FALLBACK_PACKAGES", path: "" },
};

/** Set without a network, so that failed downloads are reported at once: `npm install` took 71 s and uv 9 s, now half a second (measured). */
export const NO_RETRIES: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: "0",
  // It would look the registry up, whatever it is called for.
  npm_config_update_notifier: "false",
  PIP_RETRIES: "0",
  UV_HTTP_RETRIES: "0",
};

/** Set if no foreign package index can be reached: uv would ask again and fail. `UV_OFFLINE=0` is for an index of the run. */
export const FROM_CACHE: Readonly<Record<string, string>> = { UV_OFFLINE: "1" };
