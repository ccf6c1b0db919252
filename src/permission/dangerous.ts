/** The table of commands that do not run unless the user says so. */
import { cut } from "../config/text.ts";
import { starts_of_all } from "./listing_commands.ts";
import { type CommandPlace, commands_of } from "./shell_commands.ts";
import type { ShellCommand } from "./shell_word.ts";
import { GLOBAL_VALUED, operand_at, program } from "./wrappers.ts";

export type DangerKind = "push" | "publish" | "removal" | "ignored" | "history";

interface Danger {
  readonly kind: DangerKind;
  /** The command itself, in one line and cut: `git push origin main`. */
  readonly command: string;
}

const COMMAND_CHARS = 80;

/**
 * The first command of a command line that the table names; null if there is none:
 *
 * - a push: `git push` in any form but `--dry-run`, and what pushes by another name;
 * - a publish: of packages and images;
 * - the removal of the workspace, of what is around it, of the home folder, of the system's own, or of the workspace's `.git`;
 * - the removal of all that git ignores, which no undo brings back: `git clean -x` without a path;
 * - the rewriting of history: `filter-branch`, `filter-repo`, `rebase --root`, `reflog expire`, `update-ref -d`, and
 *   `reset --hard` to anything but HEAD, a branch that is put back, and what throws away all that the reflog keeps. Not
 *   `commit --amend` or a plain `rebase`: daily work, and the reflog keeps the old.
 *
 * A guard against mistakes, not a boundary: a script that a program reads from a file, a variable or an alias hides
 * anything from it. What holds is the sandbox.
 */
export function danger_of(script: string, place: CommandPlace): Danger | null {
  for (const words of commands_of(script, place)) {
    const kind = kind_of(words, place);
    if (kind === null) continue;
    const line = words.map(({ text }) => text).join(" ").replace(/\s+/g, " ");
    return { kind, command: cut(line, COMMAND_CHARS) };
  }
  return null;
}

function kind_of(words: ShellCommand, place: CommandPlace): DangerKind | null {
  const name = program(words);
  const texts = words.slice(1).map(({ text }) => text);
  if (texts.includes("--help")) return null;
  switch (name) {
    case "git":
      return git(words, place);
    case "git-filter-repo":
    case "git-filter-branch":
    case "bfg":
      return "history";
    case "python":
    case "python3":
      return /(?:^|\/)setup\.py$/.test(texts[0] ?? "") && texts.includes("upload")
        ? "publish"
        : null;
    case "rm":
    case "rimraf":
      return removes(words, place) ? "removal" : null;
    case "find":
      return finds_and_deletes(words, place) ? "removal" : null;
    default:
      return OTHERS.has(name) ? other(name, words) : null;
  }
}

/** A commit before another one, or one by its hash: a branch that is put there goes back. */
const GOES_BACK = /[~^]|@\{|^[0-9a-f]{7,40}$/;

interface GitCall {
  /** From the name of the command on. */
  readonly words: ShellCommand;
  readonly place: CommandPlace;
  readonly rest: readonly string[];
  readonly operands: readonly string[];
  readonly has: (pattern: RegExp) => boolean;
  /** In another folder, `.` is not the workspace. */
  readonly elsewhere: boolean;
}

const begins_with = (word: string) => ({ operands: [first] }: GitCall) => first === word;
const moves_branch = (option: RegExp) => ({ has, operands }: GitCall) =>
  has(option) && GOES_BACK.test(operands[1] ?? "");
const sends = ({ has }: GitCall) => !has(/^--dry/);
const switches = moves_branch(/^(?:-B|-C|--force-create)$/);

const GIT: Partial<Record<DangerKind, Readonly<Record<string, (call: GitCall) => boolean>>>> = {
  push: {
    // Options of one letter that stand together; `-o` takes the rest of the word for its value.
    push: ({ has }) => !has(/^--dry|^-[vqfdu46]*n/),
    ...{ "send-pack": sends, "http-push": sends, p4: begins_with("submit") },
    ...{ subtree: begins_with("push"), lfs: begins_with("push"), svn: begins_with("dcommit") },
  },
  history: {
    "filter-branch": () => true,
    "filter-repo": ({ has }) => !has(/^--(?:analyze|dry)/),
    reflog: ({ has, operands: [first] }) =>
      (first === "expire" || first === "delete") && !has(/^(?:-n|--dry)/),
    rebase: ({ has }) => has(/^--root$/),
    "update-ref": ({ has }) => has(/^(?:-d|--delete)$/),
    reset: ({ has, operands: [to = "@"] }) =>
      has(/^--(?:hard|keep|merge)$/) && !/^(?:HEAD|@)(?:[~^]0)?$/.test(to),
    branch: moves_branch(/^(?:-f|--force)$/),
    ...{ checkout: switches, switch: switches },
    gc: ({ has }) => has(/^--prune=(?:now|all)$/),
  },
  removal: {
    rm: ({ has, elsewhere, words, place }) =>
      !has(/^(?:--cached|--dry-run|-[rfq]*n[rfq]*)$/) && !elsewhere && removes(words, place),
  },
  ignored: { clean: cleans_all },
};

function git(all: ShellCommand, place: CommandPlace): DangerKind | null {
  const at = operand_at(all, 1, GLOBAL_VALUED);
  const [name, ...rest] = all.slice(at).map(({ text }) => text);
  const call: GitCall = {
    ...{ words: all.slice(at), place, rest },
    operands: rest.slice(0, rest.includes("--") ? rest.indexOf("--") : rest.length)
      .filter((text) => !text.startsWith("-")),
    has: (pattern) => rest.some((text) => pattern.test(text)),
    elsewhere: all.slice(1, at).some(({ text }) => /^(?:-C|--work-tree)/.test(text)),
  };
  if (name === undefined || call.has(/^-h$/)) return null;
  const found = Object.entries(GIT).find(([, rows]) =>
    Object.hasOwn(rows, name) && rows[name]?.(call)
  );
  return found === undefined ? null : found[0] as DangerKind;
}

/** `git clean -fdx` of the folder git is in, or of the top of the repository. */
function cleans_all({ words: [name], rest, has, elsewhere, place }: GitCall): boolean {
  const letters = rest.filter((text) => /^-[a-zA-Z]+$/.test(text)).join("");
  const kept = /[nie]/.test(letters) || has(/^--(?:dry|int|exc)/);
  const forced = /f/.test(letters) || has(/^--force$/);
  const named = rest.some((text) => !text.startsWith("-") && !/^(?:\.\/?|:\/)$/.test(text));
  if (kept || !forced || named || elsewhere || !/[xX]/.test(letters)) return false;
  const cleaned = name!.paths().map((path) => path.slice(0, path.lastIndexOf("/")) || "/");
  return cleaned.some((path) => is_root(path, place));
}

/** `rm -r` of the workspace or what is around it, or `rm` of every file in it; also without `-f`, since nobody answers its questions here. */
function removes(words: ShellCommand, place: CommandPlace): boolean {
  const end = words.findIndex(({ text }) => text === "--");
  const is_option = (text: string, at: number) => /^-./.test(text) && (end < 0 || at < end);
  const recursive = program(words) === "rimraf" ||
    words.some(({ text }, at) => is_option(text, at) && /^-[a-zA-Z]*[rR]|^--rec/.test(text));
  return words.some((word, at) =>
    at > 0 && at !== end && (recursive || word.deep === true) && !is_option(word.text, at) &&
    word.paths().some((path) => is_root(path, place))
  );
}

/** `find . -delete`, `find . -mindepth 1 -exec rm -rf {} +`, with nothing that leaves some of it. */
function finds_and_deletes(words: ShellCommand, place: CommandPlace): boolean {
  const deletes = words.some(({ text }, at) =>
    text === "-delete" || /^-(?:exec|ok)/.test(text) && words[at + 1]?.text === "rm"
  );
  if (!deletes) return false;
  const exec = words.findIndex(({ text }) => /^-(?:exec|ok)/.test(text));
  const own = words.slice(1, exec < 0 ? words.length : exec);
  return starts_of_all(own).some((word) => word.paths().some((path) => is_root(path, place)));
}

/** The last part of a path that stands for all there is in a folder, or for all that is hidden. */
const EVERYTHING = /\/(?:\.{0,2}(?:\[[!^][^\]/]*\]|\?)*\*+)$/;

/** Folders that each system has (hier(7)); with `--sandbox off`, nothing else keeps them. */
const SYSTEM = /^\/(?:bin|boot|dev|etc|home|lib(?:32|64)?|opt|root|sbin|srv|sys|usr|var)$/;

/** What commits, or the way to them, are kept in. */
const VITAL = /^\/\.git(?:\/(?:objects(?:\/.*)?|refs(?:\/heads)?|logs|HEAD|packed-refs))?$/;

/** Whether nothing of the workspace, or of what it is in, is left when this is gone. */
function is_root(path: string, { workspace, home }: CommandPlace): boolean {
  const folder = path.replace(EVERYTHING, "") || "/";
  return folder === "/" || folder === home || folder === workspace || SYSTEM.test(folder) ||
    workspace.startsWith(`${folder}/`) ||
    folder.startsWith(`${workspace}/.git`) && VITAL.test(folder.slice(workspace.length));
}

/** Goals of Maven, with and without the name of a plugin. */
const MAVEN_GOALS = "… deploy, … deploy:deploy, … deploy:deploy-file, … release:perform";

/** Tasks of Gradle and sbt: `publish`, `:lib:publishToMavenCentral`, `core/publishSigned`; not `publishToMavenLocal`. */
const TASK = /^(?:publish(?:Signed|Plugins|.*To(?!MavenLocal$).*)?|uploadArchives)$/s;

/** Words that must follow the program, options left out; `*` is any one word, `…` any number of them. */
const OTHERS: ReadonlyMap<
  string,
  { readonly kind: DangerKind; readonly forms: readonly string[] }
> = new Map([
  ...rows("push", { hg: "push", jj: "git push" }),
  ...rows("publish", {
    npm: "publish, unpublish, pub",
    pnpm: "publish",
    yarn:
      "publish, npm publish, workspace * publish, workspace * npm publish, workspaces … publish",
    bun: "publish",
    deno: "publish",
    jsr: "publish",
    lerna: "publish",
    changeset: "publish",
    "semantic-release": "",
    vsce: "publish",
    ovsx: "publish",
    cargo: "publish",
    gem: "push",
    twine: "upload",
    poetry: "publish",
    uv: "publish",
    flit: "publish",
    hatch: "publish",
    pdm: "publish",
    docker: "push, image push, compose push, manifest push",
    podman: "push, image push, manifest push",
    buildah: "push",
    helm: "push",
    mvn: MAVEN_GOALS,
    mvnw: MAVEN_GOALS,
    gradle: "",
    gradlew: "",
    sbt: "",
    dotnet: "nuget push",
    nuget: "push",
    dart: "pub publish",
    flutter: "pub publish",
    mix: "hex.publish",
    pod: "trunk push",
    cabal: "upload",
    stack: "upload",
    goreleaser: "release",
    gh: "release create, release upload, pr create, pr merge, repo delete",
  }),
]);

function rows(
  kind: DangerKind,
  forms: Readonly<Record<string, string>>,
): [string, { kind: DangerKind; forms: string[] }][] {
  return Object.entries(forms).map(([name, list]) => [name, { kind, forms: list.split(", ") }]);
}

function other(name: string, words: ShellCommand): DangerKind | null {
  const { kind, forms } = OTHERS.get(name) as { kind: DangerKind; forms: readonly string[] };
  const texts = words.slice(1).map(({ text }) => text);
  const dry = name === "cargo"
    ? /^(?:--dry|-n$)/
    : name === "goreleaser"
    ? /^--(?:snapshot|skip=.*\bpublish\b)/
    : /^--dry/;
  if (texts.some((text) => dry.test(text))) return null;
  // `docker buildx build --push`
  if (/^(?:docker|podman)$/.test(name) && texts.includes("build") && texts.includes("--push")) {
    return kind;
  }
  const operands: string[] = [];
  for (let at = 1;; at++) {
    at = operand_at(words, at, GLOBAL_VALUED);
    const word = words[at];
    if (word === undefined) break;
    operands.push(word.text);
  }
  if (/^(?:gradlew?|sbt)$/.test(name)) {
    return operands.some((task) => TASK.test(task.replace(/[^]*[:/+]/, ""))) ? kind : null;
  }
  if (name === "gh" && fits(operands, "repo create") && texts.includes("--push")) return kind;
  return forms.some((form) => fits(operands, form)) ? kind : null;
}

function fits(operands: readonly string[], form: string): boolean {
  if (form === "") return true;
  const wanted = form.split(" ");
  const any = wanted.indexOf("…");
  if (any >= 0) {
    const last = wanted.at(-1) ?? "";
    return wanted.slice(0, any).every((word, at) => operands[at] === word) &&
      operands.slice(any).includes(last);
  }
  return wanted.every((word, at) => word === "*" ? at < operands.length : operands[at] === word);
}
