/** Files that tools start by themselves (`direnv`, editors, `npm`, CI): a step may change them, and the result names them. */
import { path } from "../config/path.ts";
import type { Folders } from "../changes/folders.ts";
import { content_of, state_of } from "../changes/state.ts";
import { is_inside, real_or, real_or_null } from "../config/paths.ts";
import { follow, look, names_in, text_of } from "../permission/paths.ts";
import { sha256 } from "../permission/content_hash.ts";
import { replaced_in } from "./replaced.ts";
import type { Baseline } from "./saved.ts";
import type { Policy } from "../sandbox/policy.ts";
import { other_reach } from "../sandbox/scope/other_reach.ts";
import {
  ANY,
  as_asked_for,
  type FolderScan,
  is_version,
  OF_KEYS,
  runs_later,
} from "./folder_scan.ts";
import {
  in_git_settings,
  in_path,
  included,
  linked_in_path,
  started_by,
  user_settings,
  with_included,
} from "./started.ts";
import { starter_of } from "./started_by_settings.ts";
import { led_to_by_home, type LedTo } from "./home.ts";
import { KEEP_BYTES } from "./thing.ts";
import { listed_names, workspace_path } from "./words.ts";

/** Of a package.json: what a package manager or a hook of git runs. */
const RUN_BY_PACKAGE = ["scripts", "husky", "simple-git-hooks", "lint-staged", "gitHooks"]
  .concat(["pre-commit", "packageManager", "trustedDependencies"]);
/** Of `OF_KEYS`: keys whose values are loaded as code, or start something, by checkers, editors or pnpm. */
const KEYS = String
  .raw`plugins|jsPlugins|parser|extends|processor|customRules|rulesdir|library_path|load_macros_from_path` +
  String
    .raw`|cmakeExecutable|toolchainFile|CMAKE_\w+_(?:COMPILER|LAUNCHER)|load[-_]plugins|init[-_]hook` +
  String
    .raw`|local[-_]plugins|extension|report|scriptShell|nodeOptions|pnpmfile|globalPnpmfile|configDependencies` +
  String
    .raw`|onlyBuiltDependencies|onlyBuiltDependenciesFile|allowBuilds|dangerouslyAllowAllBuilds` +
  String
    .raw`|python[-_]executable|(?:fallback-)?python-interpreter(?:-path|-name)?|with-compiler|with-hc-pkg`;
/** At the end of all, too, so that none is looked for again and again. */
const LIST = String
  .raw`\[(?:"(?:[^"\\]|\\[^])*(?:"|(?![^]))|'[^']*(?:'|(?![^]))|[^\]"'])*(?:\]|(?![^]))`;
/**
 * As INI (any case), TOML (dotted), YAML (`? key`, `!tag key`, `*alias :`) and JSON with comments have them; with a comment
 * behind a key all that follows counts.
 */
const KEYS_RUN = new RegExp(
  String
    .raw`(?:^|[{,]|\*/)[ \t]*(?:(?:[?-]|[!&][^\s"',{}[\]]*)[ \t]+)*(?:["']?[\w-]+["']?[ \t]*\.[ \t]*)*` +
    String
      .raw`["']?(?:${KEYS}|\*\w+(?= ))["']?\s*(?:[:=]\s*(?:${LIST}|.*(?:\n(?:[ \t]+|-).*)*)|/[/*][^]*)` +
    String
      .raw`|^[ \t]*org\.gradle\.(?:java\.home|jvmargs(?=.*-(?:javaagent|agent|XX:On)))[ \t]*[:= \t].*` +
    String.raw`|^\[tool\.poetry\.requires-plugins\](?:\n[^[].*)*`,
  "gim",
);
/** A letter by its number (JSON, YAML, TOML, Java), a line that goes on, a letter as it is. */
const ESCAPE = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|\r?\n[ \t]*|(?=.))/gi;
const PATH_IN_VERSION = /(?:^|[=\s/])\.{1,2}\/.*|^[^\S\n]*[/~].*|=\s*[/~].*/gm;
/** Of a package.json: settings of formatters, checkers and pnpm, with such keys in them, or the name of a file. */
const SETTINGS_IN_PACKAGE = ["prettier", "eslintConfig", "stylelint", "commitlint", "pnpm"];
/** A folder of workflows or hooks has fewer files. */
const MOST_FILES = 500;
const DEEPEST = 4;
/** Steps of a rebase that was left unfinished may be commands; `info/attributes` says which filters run; Lazygit, Sapling and GitLab's glab have settings here. */
const IN_GIT = ["rebase-merge/git-rebase-todo", "info/attributes", "sl/config", "lazygit.yml"]
  .concat(["glab-cli/config.yml", "glab-cli/aliases.yml"]);
/** Where a rebase, a cherry-pick or a revert that waits for `--continue` has the name of a strategy: git starts `git-merge-NAME`. */
const STRATEGIES = ["rebase-merge/strategy", "sequencer/opts"];
/** Those that are git's own. */
const OWN_STRATEGY = /^"?(?:ort|recursive|resolve|octopus|ours|subtree)"?$/;

/** What is read for a file that a shell or an editor is told to read: zsh prefers one that it has compiled, Emacs adds an ending. */
const ENDS = ["", ".zwc", ".el", ".elc"];

const ANY_EXECUTE = 0o111;

/** What such files were before the run could change them: the digest of each, null if there was none. */
export class Named {
  readonly #first = new Map<string, Digest | null>();
  #looked = false;
  #replaced: ReadonlyMap<string, string> = new Map();
  #home: readonly LedTo[] | null = null;
  #names: readonly string[] | null = null;

  /** `saved`: what is put back; what it leads to is named. */
  constructor(
    private readonly policy: Pick<Policy, "workspace" | "env">,
    private readonly from: {
      readonly raw: Folders;
      readonly sights: FolderScan;
      readonly saved: Baseline;
    },
  ) {}

  /** A tool is about to write this file. */
  expect(path: string): void {
    const led_to = () =>
      this.#led_to(this.from.saved).some((place) => is_inside(`/${path}`, `/${place}`));
    if (runs_later(path) || led_to()) this.#note(path);
    const other = as_asked_for(path);
    if (other !== path && runs_later(other)) this.#note(other);
  }

  /** The first command is about to run: everything is as it was until now, except for what tools wrote. */
  see(): void {
    if (this.#looked) return;
    this.#looked = true;
    for (const path of this.#now()) this.#note(path);
    this.#replaced = replaced_in(git_folders(this.from.saved.scope));
  }

  /** The lines for the result. */
  lines(): readonly string[] {
    return [this.changed(), this.replaced()].filter((line) => line !== null);
  }

  /** The line for what git no longer shows as it was committed; null if there is nothing new of that. */
  replaced(): string | null {
    if (!this.#looked) return null;
    const places = [...replaced_in(git_folders(this.from.saved.scope))]
      .filter(([place, says]) => this.#replaced.get(place) !== says)
      .map(([place]) => workspace_path(place, this.policy.workspace));
    if (places.length === 0) return null;
    return "git now shows other content or history than was committed, because of " +
      listed_names(places);
  }

  /** The line for the result; null if no such file differs from the start. */
  changed(): string | null {
    if (!this.#looked && this.#first.size === 0) return null;
    const now = this.#looked ? this.#now() : new Set<string>();
    const paths = [...new Set([...this.#first.keys(), ...now])].sort()
      .filter((name) => is_other(this.#first.get(name) ?? null, this.#digest(name)))
      .filter((name) => !this.#is_checked_out_again(name));
    if (paths.length === 0) return null;
    const names = paths.map((name) => is_package(name) ? `${name} (scripts)` : name);
    return `changed files that run later outside the sandbox: ${listed_names(names)}`;
  }

  /** A worktree, or a clone, that the run has made has the files of the workspace once more, as they were. */
  #is_checked_out_again(name: string): boolean {
    const now = (this.#first.get(name) ?? null) === null ? this.#digest(name) : null;
    return now !== null && this.from.sights.dotgits.some((dotgit) => {
      const folder = dotgit.slice(0, -path.basename(dotgit).length);
      return folder !== "" && name.startsWith(folder) &&
        !is_other(this.#first.get(name.slice(folder.length)) ?? null, now);
    });
  }

  #note(path: string): void {
    if (!this.#first.has(path)) this.#first.set(path, this.#digest(path));
  }

  #digest(place: string): Digest | null {
    const full = path.resolve(this.policy.workspace, place);
    const of = digest_of(this.from.raw, full);
    const stat = of === null ? null : look(full);
    return of === null
      ? null
      : { of, inode: stat?.ino ?? null, is_shared: stat?.isFile === true && stat.nlink !== 1 };
  }

  /** All that there are. */
  #now(): Set<string> {
    const known = new Set<string>();
    const { sights, saved } = this.from;
    for (const place of [...sights.named, ...this.#led_to(saved)]) {
      const slash = place.lastIndexOf("/") + 1;
      if (!place.startsWith(ANY, slash)) {
        this.#add(place, known);
        continue;
      }
      const folder = place.slice(0, slash), end = place.slice(slash + ANY.length);
      const names = names_in(path.resolve(this.policy.workspace, folder)).sort();
      for (const name of names.filter((name) => name.endsWith(end)).slice(0, MOST_FILES)) {
        this.#add(folder + name, known);
      }
    }
    return known;
  }

  #add(place: string, known: Set<string>, depth = 0): void {
    if (known.has(place) || known.size > MOST_FILES * 4) return;
    const full = path.resolve(this.policy.workspace, place);
    const stat = look(full);
    if (stat?.isFile || stat?.isSymlink) known.add(place);
    // What it leads to is what runs.
    const real = stat === null || depth === DEEPEST ? null : real_or_null(full);
    const inside = real !== null && real !== full ? this.#relative(real) : null;
    if (inside !== null) this.#add(inside, known, depth + 1);
    else if (stat?.isDirectory && depth < DEEPEST) {
      for (const name of names_in(full).sort().slice(0, MOST_FILES)) {
        this.#add(`${place}/${name}`, known, depth + 1);
      }
    }
  }

  #relative(full: string): string | null {
    const top = this.#workspaces().find((folder) => is_inside(full, folder) && full !== folder);
    return top === undefined ? null : path.relative(top, full);
  }

  /** The workspace by all its names: where it is mounted twice, the user's files may lead to it by another. */
  #workspaces(): readonly string[] {
    const { workspace } = this.policy;
    return this.#names ??= [workspace, ...other_reach([workspace]).names];
  }

  /**
   * What the user's settings lead to inside the workspace: a link among the hooks, `core.hooksPath`, `include.path` or a command of
   * git's, and a folder of `PATH`.
   */
  #led_to({ scope, things }: Baseline): string[] {
    const { workspace, env } = this.policy;
    const home = env["HOME"] ?? "";
    const places: string[] = [];
    const add = (full: string) =>
      places.push(...[this.#relative(full)].filter((one) => one !== null));
    const add_file = (full: string) => {
      for (const end of ENDS) if (!follow(full + end)?.isDirectory) add(full + end);
    };
    const add_script = (file: string, top: string, started = started_by) => {
      if (look(file)?.isSymlink) add(real_or(file));
      const files = follow(file)?.isFile ? started(text_of(file)) : [];
      files.map((word) => path.resolve(top, word)).filter((full) => follow(full)?.isFile)
        .forEach(add);
    };
    const add_scripts = (folder: string, top: string, started = started_by) => {
      for (const name of names_in(folder).slice(0, MOST_FILES)) {
        add_script(path.join(folder, name), top, started);
      }
    };
    const add_started = (settings: string, top: string) => {
      const { hooks, words } = in_git_settings(settings, home);
      for (const folder of hooks) {
        add(path.resolve(top, folder));
        add_scripts(path.resolve(top, folder), top);
      }
      // A word may be anything: what is a folder is none of a command's.
      const files = words.map((word) => path.resolve(top, word));
      files.filter((full) => follow(full)?.isFile).forEach(add);
    };
    const add_settings = (file: string, top: string) => {
      for (const [read, text] of with_included(file, home)) {
        // What a link of theirs leads to, too.
        add(real_or(read));
        add_started(text, top);
      }
    };
    const search = env["PATH"] ?? "";
    const workspaces = this.#workspaces();
    [...in_path(search, workspaces), ...linked_in_path(search, { home, workspaces })].filter(
      is_program,
    ).forEach(add);
    user_settings(home).forEach((file) => add_settings(file, workspace));
    for (const { full, as } of this.#home ??= led_to_by_home(home, workspaces)) {
      if (as === "files_in") names_in(full).forEach((name) => add_file(`${full}/${name}`));
      else if (as === "file") add_file(full);
      else add(full);
    }
    for (const place of this.from.sights.named) {
      const starts = starter_of(place);
      if (starts === null) continue;
      const full = path.join(workspace, place), top = path.join(workspace, starts.top);
      if (follow(full)?.isDirectory) add_scripts(full, top, starts.starter);
      else add_script(full, top, starts.starter);
    }
    for (const folder of git_folders(scope)) {
      for (const name of [...IN_GIT, ...STRATEGIES]) add(`${folder}/${name}`);
    }
    for (const [full, { role, thing }] of things) {
      if (role === "hooks") add_scripts(full, path.resolve(full, "../.."));
      if (thing.kind === "link") add(path.resolve(path.dirname(full), thing.to));
      if (role !== "config" || thing.kind !== "file") continue;
      const text = new TextDecoder().decode(thing.bytes);
      const git_dir = path.dirname(full);
      const top = path.dirname(git_dir);
      add_started(text, top);
      for (const other of included(text, { file: full, home })) {
        add(other);
        add_settings(other, top);
      }
    }
    return places;
  }
}

/** What a file runs, and whether it is the only name of it: another may be written to later. */
interface Digest {
  readonly of: string;
  readonly inode: number | null;
  readonly is_shared: boolean;
}

function is_other(first: Digest | null, now: Digest | null): boolean {
  return first?.of !== now?.of || (now?.is_shared === true && first?.inode !== now.inode);
}

/** Git's folders, with those of worktrees and submodules. */
function git_folders({ dotgits, git_dirs }: Baseline["scope"]): string[] {
  const own = [...dotgits, ...git_dirs];
  const inner = ["worktrees", "modules"].flatMap((kind) =>
    own.flatMap((folder) =>
      names_in(`${folder}/${kind}`).map((name) => `${folder}/${kind}/${name}`)
    )
  );
  return [...own, ...inner];
}

function is_program(full: string): boolean {
  const stat = follow(full);
  return stat?.isFile === true && ((stat.mode ?? 0) & ANY_EXECUTE) !== 0;
}

function is_package(name: string): boolean {
  return path.basename(name) === "package.json";
}

/** Of a file's content, or of what is run in it; null if nothing is. */
function digest_of(raw: Folders, full: string): string | null {
  const state = state_of(raw, full);
  if (state === null) return null;
  const of_keys = OF_KEYS.has(path.basename(full));
  const of_strategy = STRATEGIES.some((name) => full.endsWith(`/${name}`));
  const of_version = is_version(path.basename(full));
  const bytes = of_keys || of_version || of_strategy || is_package(full)
    ? content_of(raw, full)
    : null;
  // A hook that may not be run is not run.
  const may_run = (state.mode & ANY_EXECUTE) === 0 ? "" : " that may be run";
  if (bytes === null || bytes.length > KEEP_BYTES) return (state.hash ?? "not read") + may_run;
  const text = new TextDecoder().decode(bytes);
  const lines = of_keys ? KEYS_RUN : of_version ? PATH_IN_VERSION : null;
  const run = of_strategy
    ? strategies_of(text, full.endsWith("/sequencer/opts"))
    : lines === null
    ? parts_run(text)
    : matched(text, lines);
  return run === null ? null : sha256(new TextEncoder().encode(run));
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

/** Strategies that are not git's own, in settings or in a file with nothing else; null if there is none. Only a line feed ends a line to git. */
function strategies_of(text: string, in_settings: boolean): string | null {
  const settings = [...text.matchAll(/(?<![\w-])strategy[ \t\r]*=([^\n]*)/gi)];
  const names = in_settings
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
