/** What the ledger can say of git's history. */
import type { CommandRow, LedgerRow } from "../../tools/ledger.ts";
import { names_outside, only_edits } from "./effects.ts";
import {
  aborts,
  effect_of,
  git_verb,
  is_git_deed,
  leaves_ref,
  parts_of,
  works_elsewhere,
} from "./commands.ts";
import { commands, has_told_failure, is_row, worked_parts } from "./outcomes.ts";

type RefRow = Extract<LedgerRow, { kind: "ref" }>;

/** The refs that are not what they were, and the index if it changed at all. */
export function moved_refs(rows: readonly RefRow[]): readonly RefRow[] {
  const before = new Map(rows.toReversed().map((row) => [row.ref, row.before]));
  const after = new Map(rows.map((row) => [row.ref, row.after]));
  return rows.filter(({ ref }) => ref === "index" || before.get(ref) !== after.get(ref));
}

/** Whether what was staged was for a commit or the like that failed: by itself it is no work. */
export function fails_after_staging(ledger: readonly LedgerRow[]): boolean {
  return commands(ledger).some((row) =>
    parts_of(row.command).some(is_git_deed) && !has_worked_in_git(row)
  );
}

/** Whether a command may have done more in git than to stage. Where it failed, a commit is known by its ref, which is a row. */
export function has_worked_in_git(row: CommandRow): boolean {
  const failed = row.exit_code !== 0 && row.exit_code !== null;
  return worked_parts(row).some((part) => is_git_deed(part) && !(failed && leaves_ref(part)));
}

/** Whether git, or a command, could have done this. One that was looked at did only what was seen; exit codes count if they are git's own. */
export function could_be_in_git(
  verb: string,
  ledger: readonly LedgerRow[],
  acted: readonly CommandRow[],
): boolean {
  const told = commands(ledger)
    .filter(({ command }) => parts_of(command).some((part) => git_verb(part) === verb));
  const last = told.at(-1);
  if (last !== undefined && last.exit_code === 0 && only_aborts(last.command)) return false;
  const refs = moved_refs(ledger.filter((row) => row.kind === "ref"));
  const calls = new Set(ledger.flatMap((row) => row.kind === "file" ? [row.call] : []));
  const could_be = verb === "tag"
    ? ({ ref }: RefRow) => ref.startsWith("refs/tags/")
    : MAKES_COMMITS.test(verb)
    ? names_commit
    : ({ ref }: RefRow) => ref !== "index";
  const leaves_more = !leaves_ref(`git ${verb}`);
  return refs.some(could_be) ||
    told.some((row) => row.exit_code === 0 && is_row(row.command) && !has_told_failure(row)) ||
    commands(ledger).some((row) => has_worked_in_git(row) && !was_looked_at(row)) ||
    acted.some((row) =>
      !aborts(row.command) &&
      (!was_looked_at(row) || leaves_more && calls.has(row.call) ||
        MAKES_COMMITS.test(verb) && runs_other(row.command))
    );
}

const MAKES_COMMITS = /^(?:commit|rebase|cherry-pick)$/;

/** Whether a line runs what is neither git nor an edit: what that leaves to git, or to another such program, nobody knows. */
function runs_other(command: string): boolean {
  return !only_edits(command) &&
    parts_of(command).some((part) => effect_of(part) === "act" && !/^git /.test(part));
}

/** Whether a commit could have moved it: not where a branch was changed, or begun at what was there. */
function names_commit({ ref, after, known }: RefRow): boolean {
  return !/^(?:index$|refs\/tags\/)/.test(ref) && known !== true && !after?.startsWith("ref: ");
}

/** Whether a line takes back what git had begun, and does nothing else. */
function only_aborts(command: string): boolean {
  return aborts(command) && parts_of(command).some((part) => effect_of(part) === "act");
}

/** Whether it is known what a command has changed, and which refs it has moved. */
export function was_looked_at({ looked, command }: CommandRow): boolean {
  return looked !== undefined && looked !== "in part" && !works_elsewhere(command) &&
    !names_outside(command);
}
