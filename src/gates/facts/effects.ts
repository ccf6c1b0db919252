/** Commands that could have changed something, as far as their words tell, and of which it was seen that they have not. */
import type { CommandRow, LedgerRow } from "../../tools/ledger.ts";
import { effect_of, effects_of, parts_of, works_elsewhere, writes_file } from "./commands.ts";
import { commands, ended_well, worked_parts } from "./outcomes.ts";

/** Byproducts of running something, including those in the workspace's own cache folder. */
const TRACES =
  /(?:^|\/)(?:__pycache__|pytest-of-[\w.-]+|pip-\w+-\w+|\.\w+_cache|\.cache|cache\/[\w.-]+-[\da-f]{16}|\.nyc_output|\.coverage|coverage)(?:\/|$)|\.pyc$/;
/** Changes text where it finds it, or a file that is there, and nothing else. A folder that is empty nobody sees. */
const IN_PLACE =
  /^(?:find .* -exec )?(?:sed .*(?:-\w*i|--in-place)|perl -\w*i)|^(?:rm (?!.*-\w*[rR])|sqlite3 )/;
/** A program in the line itself that writes a text back with something replaced in it. */
const REPLACES =
  /^(?=[^]*(?:\.replace(?:All)?|\.sub)\()(?=[^]*(?:\.write_text\(|writeFile(?:Sync)?\(|\bopen\([^)\n]{1,200},\s*["'](?:w|r\+)))/;
const INLINE = /^(?:\S*\/)?(?:python[\d.]*|node|bun|ruby)(?: -[ce]?(?: |$)|$)/;
/** Runs a program: what that does, only its traces tell. */
const PROGRAM =
  /^(?:(?:\S*\/)?(?:python\d?(?:\.\d+)?|node|deno|bun|tsx|ruby|perl|php|lua|java|(?:go|cargo|npm|pnpm|yarn) run|bash|sh|zsh)(?: |$)|\.{1,2}\/)/;
/** May act on what is not a file: a process, a server. */
const ACTS_BEYOND = /\bkill|(?<![&>])&(?![&>])|https?:|\blocalhost\b|127\.0\.0\.1|\bserve/i;
/** Changes what git keeps of a repository beside its files and refs, where nobody looks. */
const KEPT_BY_GIT =
  /\bgit (?:-\S+ (?:[^-\s]\S* )?)*(?:config|remote|update-index|submodule|worktree|lfs|sparse-checkout|replace|maintenance|gc|init)\b/;
const OUTSIDE = /(?:^|[\s"'=>])(?:[/~$]|\.\.)/;

/** Whether a simple command changes text where it finds it, and nothing else. */
export function is_in_place(part: string): boolean {
  return IN_PLACE.test(part);
}

/** Whether all that a line does is to change text where it finds it, or to put files somewhere. */
export function only_edits(command: string): boolean {
  return parts_of(command).every((part) =>
    effect_of(part) !== "act" || is_in_place(part) || /^(?:cp|mv|mkdir|touch|chmod|tee) /.test(part)
  );
}

/** Whether a simple command runs a program, as far as its words tell one of the workspace. */
export function runs_program(part: string): boolean {
  return PROGRAM.test(part);
}

/** What is looked for, or put in its place, names no file: `s/"1.0"/"1.1"/`. */
const SCRIPT =
  /\b(?:sed|[ef]?grep|rg)(?: -\S+)* (?:'(?![^']*\bw \/)[^']*'|"(?![^"]*(?:\bw \/|\$))(?:[^"\\]|\\.)*")/g;

export function names_outside(command: string): boolean {
  return OUTSIDE.test(command.replaceAll("/dev/null", "").replace(SCRIPT, ""));
}

/**
 * Of commands that have changed nothing, which are no work: those that replace text, which was not there; programs, too, where the
 * work is a change of files; or all, where it is one of code: what makes sure of something, as `mkdir -p` does, is none.
 */
export type Disbelieved = "edits" | "programs" | "all";

/** Whether a command is known to have changed nothing, and is of those. */
export function is_blank(row: CommandRow, ledger: readonly LedgerRow[], of: Disbelieved): boolean {
  const { looked, command } = row;
  if (looked === undefined || looked === "in part") return false;
  if (works_elsewhere(command) || KEPT_BY_GIT.test(command)) return false;
  const left = what_is_left(row.call, ledger);
  if (left === "more") return false;
  const acts = worked_parts(row).filter((part) => effect_of(part) === "act");
  const everywhere = looked === "everywhere";
  if (writes_file(command) && !(of === "all" && everywhere)) return false;
  const edits = (part: string) =>
    IN_PLACE.test(part) ||
    INLINE.test(part) && REPLACES.test(command) && !ACTS_BEYOND.test(command);
  if (acts.every(edits)) {
    return (left === "nothing" || effects_of(command).has("check")) &&
      (everywhere || !names_outside(command));
  }
  if (left === "built") return false;
  return of !== "edits" && everywhere && !ACTS_BEYOND.test(command) &&
    acts.every((part) => of === "all" || IN_PLACE.test(part) || PROGRAM.test(part));
}

/** What a call is known to have changed: byproducts, where builds put what they make, or anything else. */
type Leaves = "nothing" | "traces" | "built" | "more";

/** What was worked out of a ledger up to this row: each command of a long run is held against all of it. */
const KNOWN = new WeakMap<
  readonly LedgerRow[],
  { last: LedgerRow | undefined; calls: ReadonlyMap<string, Leaves> }
>();

function what_is_left(call: string, ledger: readonly LedgerRow[]): Leaves {
  const known = KNOWN.get(ledger);
  if (known !== undefined && known.last === ledger.at(-1)) {
    return known.calls.get(call) ?? "nothing";
  }
  const calls = new Map<string, Leaves>();
  for (const row of ledger) {
    const leaves = row.kind === "file" || row.kind === "path" ||
      row.kind === "ref" && row.ref !== "index";
    if (!leaves || row.call === null || calls.get(row.call) === "more") continue;
    if (row.kind !== "ref" && is_trace(row.path)) {
      if (!calls.has(row.call)) calls.set(row.call, "traces");
    } else calls.set(row.call, row.kind === "path" && is_built_path(row.path) ? "built" : "more");
  }
  KNOWN.set(ledger, { last: ledger.at(-1), calls });
  return calls.get(call) ?? "nothing";
}

/** Folders that a build or a test run builds into. */
const BUILT = /^(?:target|build|out|dist|obj|\.build|\.gradle)\//;

export function is_built_path(path: string): boolean {
  return BUILT.test(path);
}

export function is_trace(path: string): boolean {
  return TRACES.test(path);
}

/** Files in which a build notes what it took. */
const LOCK =
  /(?:^|\/)(?:\w+[.-]lock(?:\.\w+)?|package-lock\.json|pnpm-lock\.yaml|npm-shrinkwrap\.json|go\.(?:work\.)?sum|Package\.resolved)$/;

/** New files that builds and tests have left that do not name them: of those that failed, and lockfiles of any. */
export function by_products(
  ledger: readonly LedgerRow[],
  { locks }: { locks: boolean },
): ReadonlySet<string> {
  const by = new Map(commands(ledger).map((row) => [row.call, row]));
  const found = new Set<string>();
  const others = new Set<string>();
  for (const row of ledger) {
    if (row.kind !== "file") continue;
    const ran = by.get(row.call ?? "");
    const is_one = row.before === null && ran !== undefined &&
      (locks && LOCK.test(row.path) || !ended_well(ran)) &&
      !effects_of(ran.command).has("act") && !names_path(ran.command, row.path);
    (is_one ? found : others).add(row.path);
  }
  return found.difference(others);
}

/** Whether a path, or a folder that it is in, is a word of a command: `--junitxml=out/report.xml`. */
function names_path(command: string, path: string): boolean {
  return command.split(/[\s"'=:,]+/).some((word) =>
    word !== "" && `/${path}/`.startsWith(`/${word.replace(/^\.\/|\/$/g, "")}/`)
  );
}
