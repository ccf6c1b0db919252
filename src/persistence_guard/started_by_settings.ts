/** Files of the workspace that its own settings run unasked: at a commit, an install or a `cd`, or when an editor or another agent opens the folder. */
import { fields, json } from "../config/json.ts";
import { without_comments } from "../config/jsonc.ts";
import { path } from "../config/path.ts";
import { is_of_keys, is_of_typescript } from "./names_that_run.ts";
import { parts_with_keys } from "./run_digest.ts";
import { files_started_by } from "./started.ts";

/** What a text starts, relative to the folder that it is about. */
type Starter = (text: string) => readonly string[];

/** A file of settings, or a folder of them, and what it starts. */
const STARTERS: readonly (readonly [place: RegExp, starter: Starter])[] = [
  [/(?:^|\/)\.(?:envrc|husky)$/, files_started_by],
  [
    /(?:^|\/)(?:\.pre-commit-config\.yaml|prek\.toml|(?:\.config\/)?\.?lefthook(?:-local)?\.\w+)$/,
    (
      settings,
    ) => [...files_started_by(settings.replace(COMMAND_KEY, "\n")), ...extended_by(settings)],
  ],
  // Mercurial enters a subrepository by itself, wherever it lies, and loads what its settings name.
  [
    /(?:^|\/)\.hgsub$/,
    (text) =>
      [...text.matchAll(/^[ \t]*([^#[\s=][^=\n]*?)[ \t]*=/gm)].map((line) => `${line[1]}/.hg/hgrc`),
  ],
  [/(?:^|\/)package\.json$/, started_by_package],
  [
    /(?:^|\/)(?:\.(?:lintstaged|husky)rc(?:\.json)?|\.?simple-git-hooks\.json)$/,
    (text) => started_of(strings_in(parsed(text))),
  ],
  [/(?:^|\/)\.vscode\/tasks\.json$/, started_at_opening],
  [
    /(?:^|\/)(?:\.config\/)?\.?mise(?:(?:\.[\w.-]+)?|\/config(?:\.[\w.-]+)?|\/conf\.d\/[\w.-]+)\.toml$/,
    (text) => started_of(commands_of_mise(text)),
  ],
  [/(?:^|\/)\.codex\/config\.toml$/, (text) => started_of(lines_of_toml(text, /^command$/))],
  [/(?:^|\/)\.[a-z][\w-]*\/(?:mcp|mcp[_-]config|hooks)\.jsonc?$/, started_by_keys],
  // A checker's or a formatter's, which an editor starts.
  [/(?:^|\/)(?:[\w-]+\.config|\.[a-z][\w-]*rc)\.[cm]?[jt]s$/, imported_by],
  // Hooks of agents, servers that they start, and containers for development, of which one command runs outside of it.
  [
    /(?:^|\/)(?:\.mcp\.json|opencode\.jsonc?|\.?crush\.json|\.devcontainer(?:\.json)?|\.github\/hooks|\.vscode\/mcp\.json)$/,
    started_by_keys,
  ],
  [
    /(?:^|\/)\.(?:amazonq|amp|augment|claude|codebuddy|codex|cursor|factory|gemini|grok|iflow|junie|kilocode|kiro|openhands|qwen|roo|tabnine|trae|windsurf)(?:\/[\w-][\w.-]*)+$/,
    started_by_keys,
  ],
];

/** What settings at a place in the workspace start; null if they start nothing. `top`: the folder that it is about. */
export function starter_of(
  place: string,
): { readonly top: string; readonly starter: Starter } | null {
  for (const [form, starter] of STARTERS) {
    const found = form.exec(place);
    if (found !== null) return { top: place.slice(0, found.index), starter };
  }
  const name = path.basename(place), top = path.dirname(place);
  return is_of_keys(name) && !is_of_typescript(name)
    ? { top: top === "." ? "" : top, starter: (text) => in_the_folder(parts_with_keys(text)) }
    : null;
}

/** What code takes in from beside itself. */
function imported_by(text: string): readonly string[] {
  if (text.length > MOST_CHARS) return [];
  const said = text.match(/\b(?:from|import|require)\b *\(? *["'][^"'\n]+["']/g) ?? [];
  return in_the_folder(said.join("\n"));
}

/** As Node finds them. */
function in_the_folder(text: string): readonly string[] {
  const ends = ["", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js"];
  return [...text.matchAll(/(?<=["'\s,[=:])\.{1,2}\/[\w@./-]+/g)].flatMap(([word]) =>
    ends.map((end) => word + end)
  );
}

/** A key of pre-commit's or Lefthook's settings whose value is a command, or a script that each hook sources. */
const COMMAND_KEY = /(?:^|[{,])[ \t]*(?:-[ \t]+)?["']?(?:entry|run|rc)["']?[ \t]*[:=][ \t]*/gm;

/** What Lefthook takes in besides. */
function extended_by(settings: string): readonly string[] {
  const list = /^[ \t]*["']?extends["']?[ \t]*[:=][ \t]*(\[[^\]]*\]|(?:\r?\n[ \t]*-[ \t]+.*)+)/m;
  return (list.exec(settings)?.[1] ?? "").split(/[\s"',[\]]+/)
    .filter((word) => /\.\w+$/.test(word));
}

/** What `npm install` runs of a package.json (npm-scripts(7)), and what a hook of git does. */
const AT_INSTALL = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare"]
  .concat(["postprepare", "dependencies"]);
const AT_COMMIT = ["husky", "simple-git-hooks", "lint-staged", "gitHooks", "pre-commit"];
/** A script that is started by its name, between options. */
const OTHER_SCRIPT =
  /\b(?:npm|pnpm|yarn|bun)[ \t]+(?:-\S+[ \t]+){0,9}(?:run(?:-script)?[ \t]+(?:-\S+[ \t]+){0,9})?(\w[\w:.-]*)/g;

function started_by_package(text: string): readonly string[] {
  const all = fields(parsed(text));
  const scripts = fields(all["scripts"]);
  const first = AT_INSTALL.flatMap((name) => script_of(scripts, name));
  return by_scripts([...first, ...AT_COMMIT.flatMap((name) => strings_in(all[name]))], scripts);
}

/** What the scripts of a package.json start that a text (a hook, a task) starts by their names. `package_text`: asked for only if there is one. */
export function started_by_scripts_in(text: string, package_text: () => string): readonly string[] {
  if (text.length > MOST_CHARS || text.search(OTHER_SCRIPT) < 0) return [];
  return by_scripts([text], fields(fields(parsed(package_text()))["scripts"]), { but: text });
}

/** What commands start, and the scripts that these start in turn. */
function by_scripts(
  first: readonly string[],
  scripts: Readonly<Record<string, unknown>>,
  { but }: { but?: string } = {},
): readonly string[] {
  const lines = new Set(first);
  // What is added on the way has its turn, too.
  for (const line of lines) {
    const others = [...line.matchAll(OTHER_SCRIPT)].map(([, name = ""]) => name);
    // pre-commit's are names of scripts.
    for (const name of [line, ...others]) {
      for (const called of [`pre${name}`, name, `post${name}`]) {
        script_of(scripts, called).forEach((other) => lines.add(other));
      }
    }
  }
  return started_of([...lines].filter((line) => line !== but));
}

function script_of(scripts: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  return Object.hasOwn(scripts, name) ? strings_in(scripts[name]) : [];
}

/** Tasks of VS Code that start by themselves, with those that they wait for. */
function started_at_opening(text: string): readonly string[] {
  const { tasks } = fields(parsed(text));
  const all = (Array.isArray(tasks) ? tasks : []).map(fields);
  const started = new Set(
    all.filter(({ runOptions }) => fields(runOptions)["runOn"] === "folderOpen"),
  );
  // What is added on the way has its turn, too.
  for (const { dependsOn } of started) {
    const names = strings_in(dependsOn);
    all.filter(({ label }) => typeof label === "string" && names.includes(label))
      .forEach((task) => started.add(task));
  }
  return started_of([...started].flatMap((task) => commands_in(task)));
}

function started_by_keys(text: string): readonly string[] {
  return started_of(commands_in(parsed(text)));
}

/** Keys whose value is a command: a line, a list of words, or, in `devcontainer.json`, several of them by name. */
const COMMAND = /^(?:bash|command|\w+Command)$/;
/** In mise.toml: a command's line or script, a list of these, or a table of them, behind its key; or what a template runs. */
const OF_MISE =
  /(?:(?:^|[{,.])[ \t]*"?(?:enter|leave|cd|preinstall|postinstall|source|scripts?|run)"?[ \t]*=[ \t]*|\bexec\([^)\n]{0,200}?\bcommand[ \t]*=[ \t]*)(\{.*|\[[^\]]*|"""[^]*?"""|'''[^]*?'''|"[^"\n]*|'[^'\n]*)/gm;

/** What mise runs at a `cd`, at a prompt or an install; its tasks are run by their names. */
function commands_of_mise(text: string): readonly string[] {
  if (text.length > MOST_CHARS) return [];
  return text.split(/^(?=[ \t]*\[)/m).filter((table) => !/^[ \t]*\[+[ \t]*tasks\b/.test(table))
    .flatMap((table) => [...table.matchAll(OF_MISE)])
    .flatMap(([, value = ""]) => value.split(/["']+/));
}
/** No settings are nested as deep. */
const DEEPEST = 20;

function commands_in(value: unknown, depth = 0): string[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => commands_in(one, depth + 1));
  const { args, ...table } = fields(value);
  return Object.entries(table).flatMap(([key, inner]) => {
    if (!COMMAND.test(key)) return commands_in(inner, depth + 1);
    const commands = Array.isArray(inner) || typeof inner === "string"
      ? [inner]
      : Object.values(fields(inner));
    return commands.map((command) => [command, args].flatMap((one) => strings_in(one)).join(" "));
  });
}

function strings_in(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((one) => strings_in(one, depth + 1));
}

/** The tables of a TOML file one after the other, of each what its command is; values that are on one line. */
function lines_of_toml(text: string, keys: RegExp): string[] {
  return text.split(/^[ \t]*\[.*/m).flatMap((table) => {
    const pairs = [...table.matchAll(/^[ \t]*([\w.-]+)[ \t]*=[ \t]*(["'[].*)/gm)]
      .map(([, key = "", value = ""]) =>
        [key, strings_in(parsed(value.replaceAll("'", '"')))] as const
      );
    const args = pairs.find(([key]) => key === "args")?.[1] ?? [];
    return pairs.filter(([key]) => keys.test(key))
      .flatMap(([, lines]) => lines.map((line) => [line, ...args].join(" ")));
  });
}

/** Not what an install puts there. */
function started_of(lines: readonly string[]): readonly string[] {
  return files_started_by(lines.join("\n"))
    .filter((word) => !/(?:^|\/)node_modules\//.test(word));
}

/** A person's settings are not as long. */
const MOST_CHARS = 256 * 1024;

/** Null if it is no JSON, comments aside. */
function parsed(text: string): unknown {
  if (text.length > MOST_CHARS) return null;
  return json(without_comments(text)) ?? null;
}
