/** How the commands of a ledger ended, by their exit codes or by what they said, and what of them may have been done. */
import type { CommandRow, LedgerRow } from "../../tools/ledger.ts";
import { type Effect, effect_of, effects_of, is_test, parts_of, writes_file } from "./commands.ts";

/** Pass on what another command says, or hide how it ended. */
const FILTERS = /^(?:(?:true|:|tail|head|echo|cd|sleep)(?: |$)|(?:cat|tee [\w./-]+)$)/;

/** Runs its command again and again. */
const REPEATS = /\bxargs\b/;

/** A shell's exit code where there is no such program. */
const NOT_FOUND = 127;
/** `python3 -m coverage`, where there is none. */
const NO_MODULE = /python[\d.]*: No module named \S+\s*$/;

/** Whether what failed last in a command is a program that is not there. */
export function lacks_program({ exit_code, not_found, said = "" }: CommandRow): boolean {
  return exit_code === NOT_FOUND || not_found === true || NO_MODULE.test(said);
}

export function commands(ledger: readonly LedgerRow[]): readonly CommandRow[] {
  return ledger.filter((row) => row.kind === "command");
}

export function only_looked(ledger: readonly LedgerRow[]): boolean {
  return commands(ledger).every(({ command }) =>
    [...effects_of(command)].every((effect) => effect === "look")
  );
}

/** Whether a command ended well, also by the last word of its test; of several tests nobody knows whose word that is. */
export function ended_well(row: CommandRow): boolean {
  const tests = parts_of(row.command).filter(is_test);
  // `dropdb test` only sounds like one.
  const known = tests.filter((part) => effect_of(part) === "check");
  const last = known.length > 0 ? known.slice(-1) : tests;
  const is_only = (known.length > 0 ? known : tests).length < 2;
  return row.exit_code === 0 && !(row.tells_failure && is_only) &&
    (last.length === 0 || going_on(row).some((part) => last.includes(part)));
}

/** Whether the only thing that a command does has failed by its own word, which no exit code tells. */
export function has_told_failure({ command, tells_failure }: CommandRow): boolean {
  return tells_failure === true &&
    parts_of(command).filter((part) => !FILTERS.test(part)).length === 1;
}

/** Fails only where its file can't be written. */
const PRINTS = /^(?:echo|printf|cat)\b/;

/** What a command may have done; what failed may have filled its file all the same. */
export function worked_effects(row: CommandRow): ReadonlySet<Effect> {
  const { command } = row;
  const parts = worked_parts(row);
  if (parts.length === parts_of(command).length) return effects_of(command);
  const failed = failed_parts(row);
  const filled = is_row(command)
    ? command.split("&&").slice(0, parts.length).join("&&")
    : failed.length > 0 && failed.every((part) => PRINTS.test(part))
    ? ""
    : command;
  return new Set([...parts.map(effect_of), ...(writes_file(filled) ? ["act" as const] : [])]);
}

/** The parts that may have done their work: where the whole failed and nobody knows in which, all but the last of a row of `&&`; of others, any. */
export function worked_parts(row: CommandRow): readonly string[] {
  const { command, exit_code } = row;
  const parts = going_on(row);
  if (has_told_failure(row)) return [];
  if (exit_code === 0 || exit_code === null) return parts;
  return is_row(command) && failed_parts(row).length === 0 ? parts.slice(0, -1) : parts;
}

/** A line that failed in a known command, or whose last test is not there, as two: what worked before it, and that command. Any other row alone. */
export function taken_apart(row: LedgerRow): readonly LedgerRow[] {
  if (row.kind !== "command" || row.exit_code === 0 && (!lacks_program(row) || ended_well(row))) {
    return [row];
  }
  const { failed = [], skipped: _, ...rest } = row;
  const last = failed.at(-1);
  const at = last === undefined ? 0 : row.command.lastIndexOf(last);
  if (last === undefined || at <= 0 || !IN_ORDER.test(unquoted(row.command))) return [row];
  const worked = row.command.slice(0, at).replace(/(?:&&|;)\s*$/, "");
  return [{ ...rest, command: worked, exit_code: 0, failed: failed.slice(0, -1) }, {
    ...rest,
    command: last,
    exit_code: row.exit_code || NOT_FOUND,
  }];
}

/** The parts that failed. Of `(a; b)`, `x=$(a; b)` and `b $(a)` only the last is known to have failed or not run. */
export function failed_parts({ failed = [] }: Pick<CommandRow, "failed">): readonly string[] {
  return failed.filter((text) => !REPEATS.test(text)).flatMap((text) => {
    const parts = parts_of(text);
    return parts.filter((part) => part === parts.at(-1));
  });
}

export function skipped_parts({ skipped = [] }: Pick<CommandRow, "skipped">): readonly string[] {
  return skipped.flatMap(parts_of);
}

/** The parts without those that failed though the line went on, and those that did not run. */
export function going_on(row: CommandRow): readonly string[] {
  const undone = [...failed_parts(row), ...skipped_parts(row)];
  return parts_of(row.command).filter((part) => {
    const at = undone.indexOf(part);
    if (at >= 0) undone.splice(at, 1);
    return at < 0;
  });
}

/** Whether a line is one command, or a row of `&&`: it ends in 0 where each of them does. */
export function is_row(command: string): boolean {
  return /^(?:[^;|&\n]|&&)*$/.test(unquoted(command));
}

/** One command after the other, of which each may be a pipe. */
const IN_ORDER = /^(?:[^|&]|&&|\|(?!\|))*$/;

function unquoted(command: string): string {
  return command.replace(/'[^']*'|"[^"]*"/g, '""').replace(/>&|&>/g, ">");
}
