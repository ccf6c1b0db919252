/** A digest of what a file makes others run: of the whole file, or of the parts that start something. */
import type { Folders } from "../changes/folders.ts";
import { content_now, file_state } from "../changes/read_state.ts";
import { path } from "../config/path.ts";
import { ANY_EXECUTE, file_text, lstat_or_null } from "../permission/paths.ts";
import { is_record, json } from "../config/json.ts";
import { without_comments } from "../config/jsonc.ts";
import { sha256 } from "../permission/content_hash.ts";
import {
  is_environment,
  is_of_keys,
  is_of_typescript,
  is_shown_by_explorer,
  is_version,
  loaded_first,
  taken_before,
} from "./names_that_run.ts";
import { KEEP_BYTES } from "./thing.ts";

/** What a package manager or a hook of git runs of a package.json. */
const RUN_BY_PACKAGE = ["scripts", "husky", "simple-git-hooks", "lint-staged", "gitHooks"]
  .concat(["pre-commit", "packageManager", "devEngines", "trustedDependencies"]);
/** In files of which only keys count: those whose values checkers, editors or pnpm load as code, or start. */
const KEYS = String
  .raw`plugins jsPlugins presets require parser extends processor customRules rulesdir library_path load_macros_from_path
  cmakeExecutable toolchainFile CMAKE_\w+_(?:COMPILER|LAUNCHER) load[-_]plugins init[-_]hook local[-_]plugins extension report
  scriptShell nodeOptions pnpmfile globalPnpmfile configDependencies onlyBuiltDependencies onlyBuiltDependenciesFile
  allowBuilds dangerouslyAllowAllBuilds python[-_]executable (?:fallback-)?python-interpreter(?:-path|-name)? with-compiler
  with-hc-pkg scripts import reporters extension-pkg-(?:allow-list|whitelist) unsafe-load-any-extension inherit_(?:from|gem)
  extra_scripts`
  .split(/\s+/).join("|");
/** At the end of all, too, so that none is looked for again and again. */
const LIST = String
  .raw`\[(?:"(?:[^"\\]|\\[^])*(?:"|(?![^]))|'[^']*(?:'|(?![^]))|[^\]"'])*(?:\]|(?![^]))`;
/** As INI (any case), TOML (dotted), YAML (`? key`, `!tag key`, `*alias :`) and JSONC have them; behind a comment all that follows counts. */
const KEYS_RUN = new RegExp(
  String
    .raw`(?:^|[{,]|\*/)[ \t]*(?:(?:[?-]|[!&][^\s"',{}[\]]*)[ \t]+)*(?:["']?[\w-]+["']?[ \t]*\.[ \t]*)*["']?(?:${KEYS}
    |\*\w+(?= ))["']?\s*(?:[:=]\s*(?:${LIST}|.*(?:\n(?:[ \t]+|-).*)*)|/[/*][^]*)|^[ \t]*org\.gradle\.(?:java\.(?:home|installations\.\w+)
    |jvmargs(?=.*-(?:javaagent|agent|XX:On)))[ \t]*[:= \t].*|^\[tool\.poetry\.requires-plugins\](?:\n[^[].*)*
    |<%[^]*`
    .replace(/\n */g, ""),
  "gim",
);
/** Up to the end of the list, behind a comment all that follows; but not what Next.js writes there by itself. */
const PLUGINS_OF_TYPESCRIPT =
  /"plugins"(?!\s*:\s*\[\s*\{\s*"name"\s*:\s*"next"\s*\}\s*\])(?:(?:(?!\/[/*])[^\]])*\]|[^]*)/g;
/** A letter by its number (JSON, YAML, TOML, Java), a line that goes on, a letter as it is. */
const ESCAPE = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|\r?\n[ \t]*|(?=.))/gi;
const MOST_EXTENDED = 4;
const PATH_IN_VERSION = /(?:^|[=\s/])\.{1,2}\/.*|^[^\S\n]*[/~].*|=\s*[/~].*|\b(?:path|ref):.*/gm;
/** Where a version is a name, one that is a path, someone else's (Bazelisk's `fork/8.0`, `ubi:x/y`) or code. */
const OTHER_VERSION =
  /^(?!leanprover\/lean4(?:-nightly)?:[\w.-]*$)[^#\n]*(?:[:/~\\{]|\bpath\b).*/gm;
/** Where .NET's program and packages for its builds come from. */
const OTHER_SDK = /"(?:paths|msbuild-sdks|test)"[^]*/g;
/** Variables by which programs load code or start something (Docker's file may mount all of this machine), and what a shell that sources the file runs for a value. */
const STARTING_VARIABLES = new RegExp(
  String
    .raw`^[ \t]*(?:export[ \t]+)?(?:LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_\w+|PATH|PYTHON(?:PATH|HOME|STARTUP)|NODE_PATH|BASH_ENV
    |ZDOTDIR|PROMPT_COMMAND|RUBY(?:OPT|LIB)|PERL5?(?:OPT|LIB)|_?J(?:AVA|DK_JAVA)(?:_TOOL)?_OPTIONS|SSH_ASKPASS|EDITOR|VISUAL|PAGER
    |LESSOPEN|GIT_(?:SSH(?:_COMMAND)?|EXTERNAL_DIFF|(?:SEQUENCE_)?EDITOR|PAGER|ASKPASS|CONFIG\w*|EXEC_PATH|TEMPLATE_DIR
    |PROXY_COMMAND|DIR)|GOFLAGS|RUSTC(?:_\w+)?|PHPRC|PHP_INI_SCAN_DIR|COMPOSE_FILE|NODE_OPTIONS(?=.*(?:-r|--require|--import
    |loader)\b))[ \t]*=.*|^[^#'\n]*(?:\$\(|\x60).*`.replace(/\n */g, ""),
  "gm",
);
/** Which programs git puts content through, how it is written, and one's own names for that; what of git's own needs no settings runs nothing. */
const ATTRIBUTES =
  /^(?:.*[ \t])?(?:\[attr\]|[-!]?(?:filter|working-tree-encoding)(?=[ \t=]|$)|(?:diff|merge)=(?!(?:union|text|binary)\b)).*/gm;
/** All but how packages are laid out, and what is checked or said about them. */
const OF_NPM =
  /^(?![ \t]*(?:[#;]|$|(?:audit|audit-level|auto-install-peers|color|engine-strict|fund|install-links|install-strategy|legacy-peer-deps|lockfile-version|loglevel|node-linker|omit|package-lock|prefer-(?:dedupe|offline)|progress|public-hoist-pattern|save-(?:exact|prefix)|(?:shamefully-)?hoist(?:-pattern)?|strict-peer-dependencies|update-notifier)(?:\[\])?[ \t]*=|ignore-scripts[ \t]*=[ \t]*true[ \t]*$)).+/gm;
/** On another machine, in letters of one byte or two: it is sent the name of whoever looks, and what proves a password. */
const ON_ANOTHER_MACHINE = /^[^\n]*(?:\\\0?\\|[=>"]\0?\/\0?\/|f\0?i\0?l\0?e\0?:)[^\n]*/gim;
/** Of files with such names only these lines count. */
const LINES: readonly (readonly [has: (name: string) => boolean, lines: RegExp])[] = [
  [is_of_typescript, PLUGINS_OF_TYPESCRIPT],
  [is_of_keys, KEYS_RUN],
  [is_version, PATH_IN_VERSION],
  [is_environment, STARTING_VARIABLES],
  [is_shown_by_explorer, ON_ANOTHER_MACHINE],
  [
    (name) => /^(?:\.tool-versions|\.bazelversion|(?:rust|lean)-toolchain(?:\.toml)?)$/.test(name),
    OTHER_VERSION,
  ],
  [(name) => name === "global.json", OTHER_SDK],
  [(name) => name === ".gitattributes", ATTRIBUTES],
  [(name) => name === ".npmrc", OF_NPM],
];
/** In a package.json: settings of formatters, checkers and pnpm, with such keys in them, or the name of a file. */
const SETTINGS_IN_PACKAGE = ["prettier", "eslintConfig", "stylelint", "commitlint", "pnpm"]
  .concat(["babel", "cspell", "standard", "xo"]);
/** What waits for `--continue`: of a rebase, a cherry-pick or a revert the name of a strategy (git starts `git-merge-NAME`), of `git am` options of `git apply`. */
export const WAITING = ["rebase-merge/strategy", "sequencer/opts", "rebase-apply/apply-opt"];
/** It writes a file, wherever that is; `git am` itself never has it. */
const WRITES_FILE = /--bu[a-z-]*=?[^' ]*/;
/** Strategies that are git's own. */
const OWN_STRATEGY = /^"?(?:ort|recursive|resolve|octopus|ours|subtree)"?$/;

export function is_package(name: string): boolean {
  return /^(?:package|composer)\.json$/.test(path.basename(name));
}

/** What Subversion and Fossil (SQLite) have beside the files, also in a log that SQLite takes in by itself. */
const DATABASE = /^(?:wc\.db|\.fslckout|_FOSSIL_|\.fos)(?:-wal|-journal)?$/;
/**
 * In those: work of Subversion's that was cut off, for `svn cleanup` to do outside (`(file-move 4 left 12 /home/me/.rc)`), where the repository is
 * whose hooks a commit runs, before its UUID, and Fossil's, whose settings start programs.
 */
const RUN_BY_DATABASE =
  /\((?:dir|file|prej)-[a-z-]+ [^\0]{0,4000}?(?:\.\.|\d+ )\/|(?:file|https?|svn(?:\+\w+)?):\/\/[!-~]+?(?=[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})|(?<=repository)[ -~]+/g;

/** Null where one is too large to be read with each run. */
function in_database(raw: Folders, full: string): string | null {
  const found = new TextDecoder("latin1").decode(content_now(raw, full) ?? new Uint8Array())
    .match(RUN_BY_DATABASE)
    // Behind Fossil's path the length of what follows may look like a letter.
    ?.flatMap((one) =>
      /^\(|:\/\//.test(one)
        ? [one]
        : [one, one.slice(0, -1)].filter((name) =>
          lstat_or_null(path.resolve(full, "..", name))?.isFile
        )
          .slice(0, 1)
    ) ?? [];
  return found.length === 0 ? null : [...new Set(found)].sort().join("\n");
}

/** Digest of a file's content, or of what is run in it; null if nothing is. `is_sourced`: all that is in it is run. */
export function digest_of(raw: Folders, full: string, is_sourced = false): string | null {
  if (DATABASE.test(path.basename(full))) return in_database(raw, full);
  const behind = is_sourced ? [] : taken_before(path.basename(full));
  if (behind.length > 0) {
    const own = lstat_or_null(full);
    // Where letters count for one in both cases, it may be that one itself.
    const is_other = (stat: Deno.FileInfo | null) => stat?.isFile === true && stat.ino !== own?.ino;
    return own !== null &&
        behind.some((name) => is_other(lstat_or_null(path.resolve(full, "..", name))))
      ? "comes first"
      : null;
  }
  const state = file_state(raw, full);
  if (state === null) return null;
  const name = path.basename(full);
  // One that was there is the project's own.
  if (!is_sourced && loaded_first(name) === name) return "comes first";
  const of_waiting = WAITING.some((name) => full.endsWith(`/${name}`));
  const lines = is_sourced ? undefined : LINES.find(([has]) => has(name))?.[1];
  const of_editor = full.endsWith("/.vscode/settings.json");
  const bytes = lines !== undefined || of_waiting || of_editor || is_package(full)
    ? content_now(raw, full)
    : null;
  // A hook that may not be run is not run.
  const may_run = (state.mode & ANY_EXECUTE) === 0 ? "" : " that may be run";
  if (bytes === null || bytes.length > KEEP_BYTES) return (state.hash ?? "not read") + may_run;
  const own = new TextDecoder().decode(bytes);
  const text = is_of_typescript(name) ? with_extended(own, full) : own;
  const run = of_waiting
    ? run_when_continued(text, name)
    : of_editor
    ? started_by_editor(text)
    : lines === undefined
    ? parts_run(text)
    : matched(text, lines);
  return run === null ? null : sha256(new TextEncoder().encode(run));
}

/** Settings of TypeScript take over the plugins of those that they extend, of which some may be others' (in `node_modules`). */
function with_extended(text: string, full: string, steps = 0): string {
  const said = steps === MOST_EXTENDED
    ? ""
    : /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/.exec(text)?.[1];
  const names = (said ?? "").match(/(?<=")\.{1,2}\/[^"]+/g) ?? [];
  return [
    text,
    ...names.map((name) => path.resolve(full, "..", name.replace(/(?:\.json)?$/, ".json")))
      .map((other) => with_extended(file_text(other), other, steps + 1)),
  ].join("\n");
}

/** In settings of which only keys count, what those say. */
export function parts_with_keys(text: string): string {
  return text.length > KEEP_BYTES ? "" : matched(text, KEYS_RUN) ?? "";
}

/** What is matched, also where it is written with escapes; null if nothing is. */
function matched(text: string, lines: RegExp): string | null {
  const spelled = text.replace(
    ESCAPE,
    (_all, ...[two, four, eight]: readonly (string | undefined)[]) => {
      const code = parseInt(two ?? four ?? eight ?? "", 16);
      return code < 0x80 ? String.fromCharCode(code) : "";
    },
  );
  const found = [text, ...spelled === text ? [] : [spelled]].flatMap((one) =>
    one.match(lines) ?? []
  );
  return found.length === 0 ? null : found.join("\n");
}

/** Settings of VS Code that only say how it edits, finds and shows. */
const OF_EDITING =
  /^(?:(?:diffEditor|editor|explorer|files|search)\.|workbench\.color|cSpell\.(?:ignoreW|w)ords$)/;

/** What settings of VS Code may have started, as JSON; null if that is nothing. What is no JSON counts as a whole. */
function started_by_editor(text: string): string | null {
  const all = json(without_comments(text));
  if (!is_record(all)) return text;
  const is_editing = (key: string) => OF_EDITING.test(key);
  const run = Object.entries(all).filter(([key, value]) =>
    !is_editing(key) &&
    !(key.startsWith("[") && is_record(value) && Object.keys(value).every(is_editing))
  );
  return run.length === 0 ? null : JSON.stringify(run);
}

/** An option that writes a file, or a strategy that is not git's own, in settings or in a file with nothing else; null if there is none. Only a line feed ends a line to git. */
function run_when_continued(text: string, name: string): string | null {
  if (name === "apply-opt") return WRITES_FILE.exec(text)?.[0] ?? null;
  const settings = [...text.matchAll(/(?<![\w-])strategy[ \t\r]*=([^\n]*)/gi)];
  const names = name === "opts"
    ? settings.map(([, value = ""]) => value.replace(/^[ \t\r]+|[ \t\r]+$/g, ""))
    : text.replace(/\r?\n$/, "").split("\n");
  return names.find((name) => !OWN_STRATEGY.test(name)) ?? null;
}

/** What a package.json has others run, as JSON; null if that is nothing. A file that is no JSON counts as a whole. */
function parts_run(text: string): string | null {
  let all: unknown;
  try {
    all = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof all !== "object" || all === null) return null;
  const of = (name: string) => (all as Readonly<Record<string, unknown>>)[name];
  const parts = [
    ...RUN_BY_PACKAGE.filter((name) => name in all && JSON.stringify(of(name)) !== "{}")
      .map((name) => [name, of(name)]),
    ...SETTINGS_IN_PACKAGE.filter((name) => name in all)
      .map((name) => {
        const text = JSON.stringify(of(name));
        return [name, text.startsWith('"') ? text : matched(text, KEYS_RUN) ?? ""];
      })
      .filter(([, run]) => run !== ""),
  ];
  return parts.length === 0 ? null : JSON.stringify(parts);
}
