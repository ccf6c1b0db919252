/** The work that came last in a turn, where it is known to have failed and the answer does not say so. */
import type { View } from "../../guards/rule.ts";
import type { CommandRow, LedgerRow } from "../../tools/ledger.ts";
import { asked_for } from "../answer/task.ts";
import { is_trace, runs_program } from "../facts/effects.ts";
import {
  aborts,
  effect_of,
  git_verb,
  is_deed,
  is_test,
  parts_of,
  writes_file,
} from "../facts/commands.ts";
import { unfilled } from "../facts/failed_changes.ts";
import { is_checked, is_done, made } from "../facts/facts.ts";
import {
  counts_failures,
  hints_at_failure,
  tells_deed,
  tells_of_others,
  tells_red,
  tells_run,
  tells_success,
} from "../phrases/reports.ts";
import { plain } from "../answer/text.ts";
import {
  already,
  claims_pass,
  excepts,
  falls_short,
  marks_failure,
  tells_failure,
} from "../phrases/triggers.ts";
import {
  commands,
  ended_well,
  failed_parts,
  going_on,
  has_told_failure,
  is_row,
  lacks_program,
  skipped_parts,
} from "../facts/outcomes.ts";

/** Cleans up, waits or makes sure: that it failed, or not, says nothing of the work before it. */
const BESIDE = /^(?:p?kill(?:all)?|rm|rmdir|mkdir|wait|fg|trap|unset|source|\.)(?: |$)/;
/** A time limit, or a signal: who looks whether a server starts ends it so. */
const ENDED_BY_OTHERS = new Set([124, 130, 137, 141, 143]);
/** How checks are to end is a part of the task. */
const OF_CHECKS =
  /\b(?:tests?|specs?|suite|ci|green|pass|compil\w*|builds?|lint\w*|clippy|warnings|exits? (?:with )?0)\b|компил|сбор|собер|编译|构建|コンパイル|ビルド|컴파일|빌드/i;
const TO_RUN =
  /^\W*(?:please |can you |could you )?(?:(?:re-?)?run|try|execute|test|check|lint|measure|profile|reproduce)\b/i;

/** Whether the task is to run something: what that tells is what is wanted, whether it fails or not. */
export function is_to_run(task: string): boolean {
  return TO_RUN.test(task);
}

/**
 * The work that came last failed, or was refused where nothing was done; and no word of the answer hints at it.
 * Where a file was changed that is work, too: then it counts only if the answer says that something runs, or the task speaks of it.
 */
export function fails_unsaid(
  { text, said }: { text: string; said: readonly string[] },
  view: View,
): boolean {
  const { asked, turn, actions } = view;
  const { question, plan, optional } = asked_for(asked);
  if (plan || optional) return false;
  const last = last_work(turn);
  const part = last?.kind === "command" ? last_part(last) : "";
  const runs = said.some((one) =>
    tells_success(one) || tells_run(one) || !question && names_command(one, part)
  );
  if (question && !runs) return false;
  const deed = said.some(tells_deed);
  const failed = failed_last(view, { runs, deed }) ?? failed_before(view);
  const is_red = failed !== null && made(turn).length > 0 && is_demanded(failed, view) &&
    !lacks_program(failed);
  const hints = is_red ? tells_red : hints_at_failure;
  const words = plain(failed === null ? part : last_part(failed)).split(/[^\w-]+/)
    .filter((word) => word.length > 2);
  const without = (one: string) => words.reduce((rest, word) => rest.replaceAll(word, ""), one);
  // What was wrong before is no hint where the last run is said to have gone well.
  const is_affirmed = failed !== null &&
    said.some((one) => tells_run(one) && tells_success(one) && !CONTRAST.test(one) && !hints(one));
  const is_told = (one: string) =>
    (is_affirmed ? tells_failure : hints)(without(one)) &&
      !(claims_pass(one) && !CONTRAST.test(one) && !tells_failure(one)) ||
    already(one) || excepts(one) ||
    made(turn).length === 0 && tells_of_others(one) && tells_success(one) ||
    counts_failures(one) || failed !== null && counts_of(one, words, failed);
  if (said.some(is_told) || marks_failure(text)) return false;
  return failed !== null && !tells_outcome(text, failed) ||
    actions.at(-1)?.refused === true && (deed || !is_done(turn));
}

/** "All pass, but one": more is said than that something passes. */
const CONTRAST =
  /[;–—]|\b(?:but|however|except|although|though|while|only|yet|still|aber|jedoch|nur|mais|sauf|pero|salvo|mas|ma)\b/;

/** Whether a sentence names a command that failed, with a number that it printed: "lint: 2 problems". */
function counts_of(sentence: string, words: readonly string[], { said = "" }: CommandRow): boolean {
  return words.some((word) => sentence.includes(word)) && !claims_pass(sentence) &&
    !tells_success(sentence) &&
    (sentence.match(/(?<![\w.])[1-9]\d*(?![\w.])/g) ?? []).some((n) =>
      new RegExp(`\\b${n} (?:fail|err|problem|warn|issue|offen)`).test(said)
    );
}

/** Named for what they run. */
const STARTS_OTHERS = /^(?:python|docker|podman|gradle|poetry|kubectl|cargo|composer)/;

/** Whether a sentence of `plain` text has the words of a command in it, but for its options. */
function names_command(sentence: string, part: string): boolean {
  const [program = "", ...rest] = plain(part).split(" ").filter((word) => !word.startsWith("-"));
  return sentence.includes(plain(part)) && part !== "" ||
    /^[a-z-]{6,}$/.test(program) && !STARTS_OTHERS.test(program) &&
      new RegExp(`\\b${program}\\b`).test(sentence) ||
    rest[0] !== undefined && sentence.includes(`${program} ${rest[0]}`);
}

/** Whether a sentence tells how the last command that failed ended: by its exit code, or by a program that no other command ran. */
export function tells_of_failed(said: readonly string[], { turn }: View): boolean {
  const ran = commands(turn);
  const row = ran.findLast(({ exit_code }) => exit_code !== 0 && exit_code !== null);
  if (row === undefined) return false;
  const others = ran.filter((one) => one !== row).map(({ command }) => plain(command)).join(" ");
  const words = plain(row.command).split(" ").filter((word, at, all) =>
    /^\w{4,}$/.test(word) && !all[at - 1]?.startsWith("-") && !others.includes(word)
  );
  const code = new RegExp(`\\bexit.*\\b${row.exit_code}\\b`);
  return said.some((one) =>
    code.test(one) ||
    words.some((word) => one.includes(word)) && falls_short(one) && !claims_pass(one)
  );
}

/** Whether a check of this turn has failed. */
export function is_red({ turn }: View): boolean {
  return commands(turn).some((row) =>
    !ended_well(row) && parts_of(row.command).some((part) => effect_of(part) === "check")
  );
}

export function fails_last({ turn }: View): boolean {
  const row = last_work(turn);
  return row?.kind === "command" && has_failed(row, last_part(row));
}

/** Whether the last work of a turn failed, is no check, and is what the task names. */
export function fails_wanted(view: View): boolean {
  const row = last_work(view.turn);
  if (row?.kind !== "command" || is_to_run(view.asked)) return false;
  const part = last_part(row);
  return effect_of(part) !== "check" && has_failed(row, part) && names_word(view.asked, part);
}

/** The last of its simple commands that does more than to look. */
function last_part({ command }: CommandRow): string {
  return works(command).at(-1) ?? "";
}

function last_work(turn: readonly LedgerRow[]): LedgerRow | undefined {
  return turn.findLast((one) =>
    one.kind === "command" ? works(one.command).length > 0 : !LEFT.includes(one.kind)
  );
}

/** The last command of the turn that does more than to look, if it is known to have failed, and nothing was done since. */
function failed_last(
  view: View,
  said: { readonly runs: boolean; readonly deed: boolean },
): CommandRow | null {
  const { turn } = view;
  const row = last_work(turn);
  if (row?.kind !== "command") return null;
  const part = last_part(row);
  const files = made(turn);
  // "Write a compose file" names the file, and not what is done with it.
  const of_file = (word: string) =>
    files.some((path) => path.toLowerCase().includes(word.toLowerCase()));
  const is_wanted = files.length > 0
    ? (said.runs || said.deed && is_deed(part)) && !has_run_well(turn, row) ||
      names_word(view.asked, part, of_file) ||
      is_demanded(row, view)
    : asked_for(view.asked).change ||
      asked_for(view.asked).question && said.runs && !is_checked(turn) ||
      is_wanted_deed(part, view) ||
      lacks_program(row) && names_word(view.asked, part);
  return is_wanted && has_failed(row, part) && !left_something(part, row, turn) &&
      !is_repeated(part, row, turn)
    ? row
    : null;
}

/** Each is held against all that a turn ran. */
const MOST_FAILED = 20;

/** A step that the task names and that failed, where nothing like it went well and no file was changed since. */
function failed_before({ asked, turn }: View): CommandRow | null {
  if (!asked_for(asked).work || is_to_run(asked)) return null;
  const failed = commands(turn).filter((row) => {
    const part = last_part(row);
    return part !== "" && effect_of(part) !== "check" && !is_test(part) && has_failed(row, part);
  });
  return failed.slice(-MOST_FAILED).find((row) => {
    const part = last_part(row);
    const files = made(turn).filter((path) => !unfilled([row]).includes(path));
    const of_file = (word: string) =>
      files.some((path) => path.toLowerCase().includes(word.toLowerCase()));
    const words = words_in(asked, row.command, of_file);
    const is_like = (one: string) =>
      one.split(" ")[0] === part.split(" ")[0] ||
      words.some((word) => one.toLowerCase().includes(word));
    // What the task does not name may be another way to the same end.
    const is_another_step = (one: string) => words_in(asked, one, of_file).length > 0;
    return words.length > 0 && !left_something(part, row, turn) &&
      !commands(turn).some((one) => ended_well(one) && works(one.command).some(is_like)) &&
      !turn.slice(turn.indexOf(row) + 1).some((one) =>
        one.kind === "file" || one.kind === "attempt" || one.kind === "served" ||
        one.kind === "command" && ended_well(one) && !works(one.command).every(is_another_step)
      );
  }) ?? null;
}

/** Whether it is a test, or another check where the task says how those are to end. */
function is_demanded(row: CommandRow, { asked }: View): boolean {
  const part = last_part(row);
  return is_test(part) || effect_of(part) === "check" && OF_CHECKS.test(asked);
}

/** Whether something else did its work since the last change: then what is said to run may be that. */
function has_run_well(turn: readonly LedgerRow[], but: CommandRow): boolean {
  const change = turn.findLast((row) => row.kind === "file");
  const since = turn.slice(change === undefined ? 0 : turn.indexOf(change));
  return commands(since).some((row) =>
    row !== but && row.call !== change?.call && row.exit_code === 0 && works(row.command).length > 0
  );
}

/** Where no file was to be changed: what the task is about, by its words or as nothing else was done. A test that fails tells something, and so may any program. */
function is_wanted_deed(part: string, { asked, turn }: View): boolean {
  const is_one = is_known_deed(part) ||
    asked_for(asked).work && effect_of(part) !== "check" && !runs_program(part) &&
      !is_to_run(asked);
  return is_one && (!is_checked(turn) || names_word(asked, part));
}

function is_known_deed(part: string): boolean {
  return is_deed(part) || git_verb(part) !== null;
}

function names_word(
  task: string,
  part: string,
  but: (word: string) => boolean = () => false,
): boolean {
  return words_in(task, part, but).length > 0;
}

/** The words of a command that a task has, too, as far as both are alike. */
function words_in(task: string, part: string, but: (word: string) => boolean): readonly string[] {
  const words = task.toLowerCase().replace(/\bback(?:ing)? up\b/g, "backup");
  return part.split(/[^A-Za-z]+/).filter((word) =>
    (word.length > 2
      ? words.includes(word.slice(0, STEM).toLowerCase())
      : SHORT.test(word) && new RegExp(`\\b${word}s?\\b`, "i").test(task)) && !but(word)
  ).map((word) => word.slice(0, STEM).toLowerCase());
}

/** Whether an answer shows what a command said, or names its exit code. */
function tells_outcome(text: string, { command, said = "", exit_code }: CommandRow): boolean {
  const shown = [...text.matchAll(SHOWN)].map((found) => found.slice(1).find((one) => one) ?? "");
  return shown.some((one) =>
    one.includes(" ") && said.includes(one.trim()) && !command.includes(one)
  ) ||
    Number(exit_code) > 2 && new RegExp(`\\b${exit_code}\\b`).test(text) ||
    new RegExp(`\\b(?:exit|end|code|status|return)[^.]{0,30}\\b${exit_code}\\b`, "i").test(text);
}

/** Quoted, or a line of a block of code. */
const SHOWN =
  /`([^`\n]{4,200})`|"([^"\n]{4,200})"|[„“«]([^"“”»\n]{4,200})[”“»]|^[ \t]*(\S[^`\n]{3,200})$/gm;

/** Letters that "migrate" and "migration" share. */
const STEM = 6;

/** What a command and a task both call so. */
const SHORT = /^(?:pr|mr|db)$/;

/** Rows of what a command has left. */
const LEFT: readonly LedgerRow["kind"][] = ["file", "ref", "path"];

function works(command: string): readonly string[] {
  return parts_of(command).filter((part) =>
    effect_of(part) !== "look" && !BESIDE.test(part) && !takes_back(part)
  );
}

/** `git merge --abort`. */
function takes_back(part: string): boolean {
  return effect_of(part) === "act" && aborts(part);
}

function has_failed(row: CommandRow, part: string): boolean {
  const { command, exit_code } = row;
  if (has_told_failure(row)) return true;
  if (exit_code === null || ENDED_BY_OTHERS.has(exit_code)) return false;
  if (failed_parts(row).length + skipped_parts(row).length > 0) {
    // In a row of `&&` that stopped, the last one did not come.
    const is_undone = failed_parts(row).includes(part) ||
      exit_code !== 0 && skipped_parts(row).includes(part);
    return is_undone && !going_on(row).includes(part);
  }
  return exit_code !== 0 && is_row(command) && parts_of(command).at(-1) === part;
}

/** A conflict stops them with a part of the commits in place. */
const STOPS_HALFWAY = /^(?:rebase|merge|cherry-pick|revert)$/;

/** Whether it has left something all the same, which nothing else in its line can have; of git, files are a conflict, and of a build, its products. */
function left_something(part: string, row: CommandRow, turn: readonly LedgerRow[]): boolean {
  const rest = (row.failed ?? []).reduce((text, part) => text.replace(part, ""), row.command);
  const verb = git_verb(part);
  if (verb !== null && (STOPS_HALFWAY.test(verb) || parts_of(row.command).some(takes_back))) {
    return false;
  }
  if (row.exit_code === 0 && writes_file(rest)) return true;
  const others = works(row.command).length > 1 && row.failed !== undefined;
  return !others &&
    turn.some((one) =>
      one.kind === "ref" && one.call === row.call && one.ref !== "index" ||
      (one.kind === "file" || one.kind === "path") && one.call === row.call &&
        verb === null && effect_of(part) !== "check" && !is_trace(one.path) &&
        !unfilled([row]).includes(one.path)
    );
}

/** To commit once more fails, as there is nothing left. */
function is_repeated(part: string, row: CommandRow, turn: readonly LedgerRow[]): boolean {
  const verb = git_verb(part);
  return verb !== null &&
    commands(turn).some((one) =>
      one !== row && one.exit_code === 0 &&
      going_on(one).some((other) => git_verb(other) === verb && !takes_back(other))
    );
}
