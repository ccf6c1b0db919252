/** The work that came last in a turn, where it is known to have failed. */
import { type CommandRow, type LedgerRow } from "../tools/ledger.ts";
import { is_trace } from "./blank.ts";
import { effect_of, git_verb, is_deed, parts_of, writes_file } from "./commands.ts";
import { commands, failed_parts, going_on, is_row, skipped_parts } from "./worked.ts";

/** Cleans up, waits or makes sure: that it failed, or not, says nothing of the work before it. */
const BESIDE = /^(?:p?kill(?:all)?|rm|rmdir|mkdir|wait|fg|trap|unset|source|\.)(?: |$)/;
/** A time limit, or a signal: who looks whether a server starts ends it so. */
const ENDED_BY_OTHERS = new Set([124, 130, 137, 143]);

/**
 * Whether the last command of the turn that does more than to look is known to have failed, and nothing was done since.
 */
export function failed_last(turn: readonly LedgerRow[], { only_for }: Only = {}): boolean {
  const row = turn.findLast((one) =>
    one.kind === "command" ? works(one.command).length > 0 : !LEFT.includes(one.kind)
  );
  if (row?.kind !== "command") return false;
  const part = works(row.command).at(-1) ?? "";
  return has_failed(row, part) && !left_something(row, turn) && !is_repeated(part, row, turn) &&
    (only_for === undefined ||
      (is_deed(part) || git_verb(part) !== null) && names_word(only_for, part));
}

/** A task for which nothing but a deed that it names counts: what tests or lints tells something when it fails, and may have been run for that. */
interface Only {
  readonly only_for?: string;
}

function names_word(task: string, part: string): boolean {
  return part.split(/[^A-Za-z]+/).some((word) => word.length > 2 && task.includes(word));
}

/** Rows of what a command has left. */
const LEFT: readonly LedgerRow["kind"][] = ["file", "ref", "path"];

function works(command: string): readonly string[] {
  return parts_of(command).filter((part) => effect_of(part) !== "look" && !BESIDE.test(part));
}

function has_failed(row: CommandRow, part: string): boolean {
  const { command, exit_code } = row;
  if (exit_code === null || ENDED_BY_OTHERS.has(exit_code)) return false;
  if (failed_parts(row).length + skipped_parts(row).length > 0) {
    return failed_parts(row).includes(part) && !going_on(row).includes(part);
  }
  return exit_code !== 0 && is_row(command) && parts_of(command).at(-1) === part;
}

/** Whether it has left something all the same, which nothing else in its line can have. */
function left_something(row: CommandRow, turn: readonly LedgerRow[]): boolean {
  const rest = (row.failed ?? []).reduce((text, part) => text.replace(part, ""), row.command);
  if (row.exit_code === 0 && writes_file(rest)) return true;
  const others = works(row.command).length > 1 && row.failed !== undefined;
  return !others &&
    turn.some((one) =>
      one.kind === "ref" && one.call === row.call && one.ref !== "index" ||
      (one.kind === "file" || one.kind === "path") && one.call === row.call && !is_trace(one.path)
    );
}

/** To commit once more fails, as there is nothing left. */
function is_repeated(part: string, row: CommandRow, turn: readonly LedgerRow[]): boolean {
  const verb = git_verb(part);
  return verb !== null &&
    commands(turn).some((one) =>
      one !== row && one.exit_code === 0 && going_on(one).some((other) => git_verb(other) === verb)
    );
}
