/** `hamr review [BASE]`: reviews the changes of the workspace, read-only, and reports what is wrong with them. */
import { file_text, lstat_or_null, names_in, repository_root } from "../permission/paths.ts";
import { INSTRUCTION_FILES, instructions } from "../agent/instructions.ts";
import { SKILL_FOLDERS, skill_places } from "../agent/skill_places.ts";
import type { Ending, State } from "../agent/state.ts";
import { AGENT_FOLDERS } from "../app/agents.ts";
import { ask_endpoint } from "../app/endpoint.ts";
import type { Flags } from "../app/flags.ts";
import { BY_REVIEW } from "../app/saved_flags.ts";
import { load_settings, places_written, type RunSettings } from "../app/settings.ts";
import { is_file, is_inside, real_or, workspace_file } from "../config/paths.ts";
import { one_line, plural, quote } from "../config/text.ts";
import { whole_line } from "../ui/text.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { once_more } from "./base/restart.ts";
import { Audience } from "./audience.ts";
import type { HeardRun } from "./reports.ts";
import { run_job } from "./job.ts";
import { result_without_run } from "./result.ts";
import { StartError, UsageError } from "../config/error.ts";

/** How much a finding weighs, the heaviest first. */
const SEVERITIES = ["error", "warning", "note"] as const;
type Severity = (typeof SEVERITIES)[number];

interface Finding {
  readonly file: string;
  /** As it is after the change; absent: the whole file. */
  readonly line?: number;
  readonly severity: Severity;
  readonly title: string;
  readonly detail?: string;
}

const TEXT = { type: "string" };
const SCHEMA = {
  type: "object",
  properties: {
    findings: {
      type: "array",
      items: {
        type: "object",
        properties: {
          file: TEXT,
          line: { type: "integer", minimum: 1 },
          severity: { enum: SEVERITIES },
          title: TEXT,
          detail: TEXT,
        },
        required: ["file", "severity", "title"],
        additionalProperties: false,
      },
    },
  },
  required: ["findings"],
  additionalProperties: false,
};

/** A commit, branch or tag, as people write one; nothing that a shell or git would take for more. */
const REVISION = /^[\p{L}\p{N}_@][\p{L}\p{M}\p{N}_./@^~{}+#%=-]*$/u;
/** Where the default branch was left; on that branch itself, what is not committed. In full: git prefers a tag, which a fork may have brought. */
const LEFT = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"]
  .map((ref) => `git merge-base HEAD ${ref} 2>/dev/null`).join(" || ");
const MERGE_BASE = `$(${LEFT} || echo HEAD)`;
/** Nobody knows what a commit changes that has no branch, or a cut history, as CI services check out. A branch that stands alone is the default one. */
const IS_ADRIFT = `! { ${LEFT}; } >/dev/null && { ! git symbolic-ref -q HEAD >/dev/null || ` +
  `test "$(git rev-parse --is-shallow-repository)" = true; }`;
const ADRIFT = 42;
/** Git waits for a pipe in the place of a `.gitignore` without end. What it did not say until then is the model's to see. */
const GIT_MS = 30_000;
/** `.gitmodules`, which the change itself may have written, could leave out submodules. */
const DIFF = "git diff --ignore-submodules=untracked";
const STATUS = "git status --ignore-submodules=untracked";

/** Runs it; gives 0 where nothing is found that weighs as much as `--fail-on`, else 2. Throws `UsageError` and `StartError`. */
export async function review(parsed: Parsed, io: Io): Promise<number> {
  const [base] = parsed.operands;
  if (base !== undefined && !REVISION.test(base)) {
    throw new UsageError(
      `${quote(base)} is not a commit, branch or tag that can be named; write the commit's hash`,
    );
  }
  const overrides = [
    ...parsed.overrides,
    { key: "agent.mode", value: "ask", where: BY_REVIEW },
  ];
  const place = await load_settings({ flags: parsed.flags, overrides }, io);
  const root = repository_root(place.workspace);
  if (root === null) {
    throw new StartError(
      `${place.workspace} is not in a git repository: there are no changes to review`,
    );
  }
  const git = { place, flags: parsed.flags };
  if (base !== undefined) await must_be_known(base, git);
  const { config = [], mcp_config } = parsed.flags;
  // Where HAMR_HOME and the like lie in the repository, a branch brings the person's own settings. A link to them from outside is theirs.
  const own = place.files.filter(({ source, exists }) => exists && source !== "workspace")
    .map(({ path }) => path).filter((path) => is_inside(path, root));
  await must_be_unchanged([...new Set([config, mcp_config, own].flat())], base, git);
  const flags: Flags = { ...parsed.flags, read_only: true, output_schema: JSON.stringify(SCHEMA) };
  const task = task_of(base);
  const changes = await changes_since(base, git);
  if (changes === "none") {
    return await nothing_to_review({ task, place, flags, io }, base);
  }
  const judged_too = changes !== "some";
  const settings = { flags: parsed.flags, overrides, is_judged: true } as const;
  const told = changes === "settings" ? await load_settings(settings, io) : place;
  const warnings = judged_too ? [...told.warnings, JUDGED] : told.warnings;
  let findings: readonly Finding[] = [];
  return await run_job({
    ...{ task, flags, overrides, io, endpoint: ask_endpoint(told, task) },
    place: { ...told, warnings },
    is_review: true,
    is_judged: judged_too || undefined,
    judge: (ending, session) =>
      judged(ending, session?.state ?? null, {
        level: flags.fail_on ?? "note",
        in_words: flags.output === "text",
        heard: (all) => void (findings = all),
      }),
    found: () =>
      findings.map(({ file, line = 1, severity, title, detail = "" }) => ({
        ...{ file, line, level: severity, by: BY_REVIEW },
        message: detail === "" ? title : `${title}: ${detail}`,
      })),
  });
}

/** Git's own for a revision that it does not know, and for what it can't do at all. */
const REFUSALS = [1, 128];

interface Where {
  readonly place: RunSettings;
  readonly flags: Pick<Flags, "sandbox">;
}

async function must_be_known(base: string, { place, flags }: Where): Promise<void> {
  for (const revision of base.split(/\.{2,3}/).filter((one) => one !== "")) {
    const git = ["env", "LC_ALL=C", "git", "rev-parse", "--verify", `${revision}^{tree}`];
    const { code, stderr } = await in_sandbox(git, { place, flags });
    if (/^warning: refname .* is ambiguous/m.test(stderr)) {
      throw new UsageError(
        `${one_line(revision)} is a branch and a tag: write refs/heads/… or refs/tags/…`,
      );
    }
    if (!REFUSALS.includes(code)) continue;
    const why = /^fatal: (?!Needed a single revision)(.+)$/m.exec(stderr)?.[1];
    throw new UsageError(
      `${one_line(revision)} is not a commit, branch or tag of ${place.workspace}` +
        (why === undefined ? "" : `: git says: ${one_line(why)}`),
    );
  }
}

/** A branch would otherwise bring settings that give its reviewer rights, or run a command outside. Throws `UsageError`. */
async function must_be_unchanged(
  named: readonly string[],
  base: string | undefined,
  where: Where,
): Promise<void> {
  const root = repository_root(where.place.workspace) ?? "";
  for (const file of named) {
    const path = file.startsWith("/") ? file : `${Deno.cwd()}/${file}`;
    const inside = [path, real_or(path)].filter((one) => is_inside(one, root));
    if (inside.length === 0) continue;
    // What is not a file of git's did not come with a branch.
    const look = `${DIFF} --quiet "${base ?? MERGE_BASE}" -- "$@"`;
    const { code } = await in_sandbox(["sh", "-c", look, "sh", ...inside], where);
    if (code === 0) continue;
    throw new UsageError(
      `${one_line(file)} is among the changes, so whoever wrote them says how they are reviewed: ` +
        `name a copy of it as it was before, outside the workspace`,
    );
  }
}

/** Whoever writes a change could otherwise write what its reviewer is told and shown. */
const JUDGED =
  "the changes touch what AGENTS.md, skills, agents, .hamr/config.toml and the like say: " +
  "this review ignores them";

/** Folders of the workspace's own, where one of them is a submodule: to git, its files are not paths. */
const SUBMODULES = [".hamr", ".agents", ".claude", ".opencode"]
  .map((name) => `:(glob)${name.replace(".", "[.]")}`);

/** What tells agents something; behind links, too. */
function told_in(workspace: string): readonly string[] {
  const paths = [
    ...[...SKILL_FOLDERS, ...AGENT_FOLDERS, ...SUBMODULES],
    ...INSTRUCTION_FILES.map((name) => `:(glob)**/${name}`),
  ];
  instructions(workspace, null, { paths });
  const files = [
    ...skill_places(workspace, null).map(({ file }) => file.replace(/\/[^/]*$/, "")),
    ...AGENT_FOLDERS.flatMap((folder) =>
      names_in(`${workspace}/${folder}`).map((name) => `${workspace}/${folder}/${name}`)
    ),
  ];
  const modules = submodules(workspace).filter((module) =>
    lstat_or_null(`${module}/.git`) !== null ||
    INSTRUCTION_FILES.some((name) => is_file(`${module}/${name}`))
  );
  return [...paths, ...modules, ...real_in(files, workspace)];
}

/** Those that the change itself may list, by their paths. */
function submodules(workspace: string): readonly string[] {
  return [
    ...file_text(`${workspace}/.gitmodules`).matchAll(/^[^\S\n]*path[^\S\n]*=[^\S\n]*(\S.*)$/gm),
  ]
    .map(([, place = ""]) => `${workspace}/${place.trimEnd()}`)
    .filter((module) => is_inside(real_or(module), workspace));
}

/** Leaves out of the paths that `same` is asked for the submodules that tell agents nothing, however deep. */
const TELLING = 'for P do shift; test -e "$P/.git" && ' +
  `L=$(git -C "$P" ls-files --recurse-submodules -- ${
    INSTRUCTION_FILES.map((name) => `':(glob)**/${name}'`).join(" ")
  }) && test -z "$L" || set -- "$@" "$P"; done`;

function real_in(files: readonly string[], workspace: string): readonly string[] {
  return files.map((file) => real_or(file))
    .filter((real, at) => real !== files[at] && is_inside(real, workspace));
}

/** What there is to review, and whether what the workspace tells agents, or its file of settings, is a part of it. What git can't say is the model's to see, without these. Throws `UsageError`. */
async function changes_since(
  base: string | undefined,
  where: Where,
): Promise<"none" | "some" | "judged" | "settings"> {
  const { workspace } = where.place;
  const file = workspace_file(workspace);
  const settings = [file, SUBMODULES[0]!, real_in([file], workspace)[0] ?? file];
  const same = (paths: string) =>
    `S=$(${STATUS} --porcelain${paths}) && test -z "$S" && ${DIFF} --quiet "$B"${paths}`;
  const script = (base === undefined ? `if ${IS_ADRIFT}; then exit ${ADRIFT}; fi; ` : "") +
    `B=${base ?? MERGE_BASE}; ${same("")} && exit 0; ${TELLING}; ${same(' -- "$@"')} && exit 1; ` +
    `${same(' -- "$1" "$2" "$3"')} && exit 2; exit 3`;
  const paths = [...settings, ...told_in(workspace)];
  const { code } = await in_sandbox(["sh", "-c", script, "sh", ...paths], where);
  if (code === ADRIFT) {
    throw new UsageError(
      "there is no main, master or origin/HEAD here from which these changes began: fetch the " +
        "branch that they are for, with its history, and name it, as in hamr review origin/main",
    );
  }
  return (["none", "some", "judged"] as const)[code] ?? "settings";
}

async function nothing_to_review(run: HeardRun, base: string | undefined): Promise<number> {
  const words = `Nothing to review: the workspace has no changes ${since(base)}.`;
  const [output, warnings] = run.flags.output === "text"
    ? [words, []]
    : [JSON.stringify({ findings: [] }), [words]];
  const result = { ...result_without_run({ reason: "llm_done", output, error: null }), warnings };
  const audience = await Audience.open(run);
  for (const hear of await audience.subscribers()) hear({ ...result, t: 0, step: 0 });
  return audience.exit_code(result.exit_code);
}

/** Runs git in a sandbox of its own: this thread starts none, and the model would be asked before it could. */
async function in_sandbox(
  command: readonly string[],
  { place, flags }: Where,
): Promise<{ readonly code: number; readonly stderr: string }> {
  const how = ["-C", place.workspace, "--read-only", "--sandbox", flags.sandbox];
  const { code, stderr } = await once_more(["sandbox", ...how, "--", ...command], {
    places: places_written(place),
    // What git starts here has no terminal.
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(GIT_MS),
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

function since(base: string | undefined): string {
  if (base === undefined) return "since its branch left the default one";
  return base.includes("..") ? `in ${base}` : `since ${base}`;
}

function task_of(base: string | undefined): string {
  const from = base ?? MERGE_BASE;
  return `Review the changes of this workspace ${since(base)}. This shows them:

B=${from}; ${STATUS} --short; ${DIFF} --stat "$B"; ${DIFF} "$B"

If that is long, look at it file by file (git diff "$B" -- FILE). Where it calls a file of text binary, use git diff --text. Read new files that git status lists, and the code around a change before you judge it. Report what a change breaks or leaves broken: wrong results, crashes, lost data, security holes, callers that no longer fit, errors that nobody handles, tests that cannot fail. Not style, and not what was there before. error: it must not be merged; warning: it should be changed; note: worth a word. file is relative to the workspace; line is that of the file as it is now. Nothing found is an empty list.`;
}

/** Above what would otherwise be taken for findings. */
const NO_LIST = "The model gave no list of findings. In its own words:";

function judged(ending: Ending, state: Pick<State, "ledger"> | null, { level, in_words, heard }: {
  level: Severity;
  in_words: boolean;
  heard: (findings: readonly Finding[]) => void;
}): Ending {
  if (ending.reason === "schema_unmet" && in_words) {
    return { ...ending, output: `${NO_LIST}\n\n${ending.output}` };
  }
  if (ending.reason !== "llm_done") return ending;
  const has_looked = state?.ledger.some((row) =>
    row.kind === "command" && row.exit_code === 0 &&
    /\bgit\b.*\b(?:diff|show|log)\b/s.test(row.command)
  );
  if (!has_looked) {
    const output = "The model answered without looking at the changes.";
    return { ...ending, reason: "not_done", output, error: { kind: "not_done", message: output } };
  }
  const { findings } = JSON.parse(ending.output) as { readonly findings: readonly Finding[] };
  heard(findings);
  const heavy = findings.filter(({ severity }) => weight(severity) <= weight(level));
  const output = in_words ? words_of(findings) : ending.output;
  if (heavy.length === 0) return { ...ending, output };
  const error = { kind: "findings", message: counted(findings) };
  return { ...ending, output, reason: "findings", error };
}

function weight(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** `src/a.ts:12: error: title`, the heaviest first, each with its detail below; then how many there are. */
function words_of(findings: readonly Finding[]): string {
  if (findings.length === 0) return "No findings.";
  const sorted = SEVERITIES.flatMap((level) =>
    findings.filter(({ severity }) => severity === level)
  );
  const lines = sorted.flatMap(({ file, line, severity, title, detail = "" }) => [
    `${whole_line(file)}${line === undefined ? "" : `:${line}`}: ${severity}: ${whole_line(title)}`,
    ...detail.split("\n").map(whole_line).filter((text) => text !== "").map((text) =>
      `    ${text}`
    ),
  ]);
  return [...lines, "", counted(findings)].join("\n");
}

/** `1 error, 2 warnings`. */
function counted(findings: readonly Finding[]): string {
  return SEVERITIES.map((level) => {
    const { length } = findings.filter(({ severity }) => severity === level);
    return length === 0 ? "" : plural(length, level);
  }).filter((words) => words !== "").join(", ");
}
