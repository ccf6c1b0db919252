/** Recognizes how tests ended by their runner's last words, and what a search found, if the exit code is another command's: `cargo test | tail`, `npm test || true`, `rg x | wc -l`. */

/** A runner's line that sums up: that something failed. */
const FAILED = new RegExp(
  [
    "test result: FAILED", // cargo
    "error: (?:test failed, to rerun|could not compile|\\d+ targets? failed)",
    "FAIL(?:\\t.*)?$|--- FAIL: ", // go
    "=*\\s*(?:\\d+ \\w+, )*[1-9]\\d* (?:failed|errors?)\\b.* in [\\d.]+s\\b", // pytest
    "FAILED \\((?:failures|errors)=|(?:FAIL|ERROR): \\w+ \\(", // unittest
    "FAILED \\| \\d+ passed", // deno
    "\\s*Tests:?\\s.*\\b[1-9]\\d* failed\\b", // jest, vitest
    "\\s*[1-9]\\d* failing$", // mocha
    "(?:#|ℹ) fail +[1-9]", // node, tape
    "\\d+ (?:examples|runs)?,.* [1-9]\\d* (?:failures|errors)\\b", // rspec, minitest
    "(?:FAILURES|ERRORS)!$|Tests: \\d+,.* (?:Failures|Errors): [1-9]", // phpunit
    "(?:\\[\\w+\\] )?BUILD FAIL(?:ED|URE)\\b", // gradle, maven
    "\\d+% tests passed, [1-9]\\d* tests? failed", // ctest
    "make(?:\\[\\d+\\])?: \\*\\*\\* ",
    "npm (?:ERR!|error) (?:Test failed|Lifecycle script|code ELIFECYCLE)",
    "Failed!\\s+-", // dotnet
    "Executed \\d+ tests?, with [1-9]\\d* failures?", // swift
    "Found [1-9]\\d* (?:errors?|issues?)\\b", // tsc, ruff, mypy
    "(?:\\d+ passed, )?[1-9]\\d* (?:(?:checks?|tests?) )?failed$|(?:FAILURES|FAILED|Failures|Failed): [1-9]\\d*$",
    "✖ [1-9]\\d* problems? \\([1-9]", // eslint
  ].map((line) => `^(?:${line})`).join("|"),
);
/** `echo exit=$?`, behind what it tells of. */
const CODE = /^(?:exit|rc|status)(?: code)? ?[=:] ?[1-9]\d*$/;
/** A runner's line that sums up: that nothing failed. */
const PASSED = new RegExp(
  [
    "test result: ok",
    "(?:ok|PASS)(?:$| *\\t| \\| \\d)",
    "=*\\s*\\d+ passed\\b(?!.*\\b(?:failed|errors?)\\b)",
    "OK(?:$| \\()|\\d+ passed, 0 failed",
    "\\s*Tests:?\\s+\\d+ passed\\b",
    "\\s*\\d+ passing\\b",
    "(?:#|ℹ) fail +0",
    "\\d+ (?:examples|runs),.* 0 failures\\b",
    "(?:\\[\\w+\\] )?BUILD SUCCESS",
    "100% tests passed",
    "Passed!\\s+-",
    "All checks passed|Success: no issues|Found 0 ",
  ].map((line) => `^(?:${line})`).join("|"),
);
/** A program that an exception or an error ended, where nothing else sums up: the last line of it, or the first. */
const THROWN = new RegExp(
  [
    "(?:\\w+\\.)*\\w*(?:Error|Exception)(?::|$)",
    "(?:error|fatal|ERROR)(?:\\[\\w+\\])?: |npm (?:ERR!|error) ",
    "Cannot connect to the Docker daemon",
    "Automatic merge failed|Could not apply [\\da-f]{7}|and the repository exists\\.$", // git
    "\\S+: .*: (?:No such file or directory|Permission denied|Operation not permitted|command not found)$",
  ].map((line) => `^(?:${line})`).join("|"),
);
const TRACEBACK = /^Traceback \(most recent call last\):$/;
/** Runs its command once for each of some things, whose words all count. */
const REPEATS = /\bxargs\b|\s-exec(?:dir)?\s|\bfor\b/;
/** What hides the exit code of a part of a line. */
const HIDES = /[|;&\n]/;
/** A script may hide the exit code of what it runs. */
const SCRIPT = /^(?:\.{1,2}\/|(?:ba|da|z)?sh |make\b|just\b|task\b|npm run )/;
/** It goes on after an error, and ends in 0. */
const PSQL = /(?:^|[\s;&|])psql /;
const SQL_ERROR = /^(?:psql:.*: )?ERROR: {2}/m;
/** Whether a command that ended in 0 runs something whose own last word is that it failed. */
export function reports_failure(command: string, output: string): boolean {
  const hides = HIDES.test(command);
  if (PSQL.test(command) && SQL_ERROR.test(output)) return true;
  if (!hides && !SCRIPT.test(command)) return false;
  const lines = lines_of(output);
  const end = lines.findLast((line) => !line.startsWith("hint: ")) ?? "";
  const failed = (line: string) => FAILED.test(line) || hides && CODE.test(line);
  const words = lines.filter((line) => failed(line) || PASSED.test(line));
  const counted = REPEATS.test(command) && !/\bbreak\b/.test(command) ? words : words.slice(-1);
  if (counted.length > 0) return counted.some(failed);
  return hides && (THROWN.test(end) || lines.some((line) => TRACEBACK.test(line)));
}

/** A runner's line for no test at all: of one of several parts, which a pipe may have left out. */
const NONE_IN_PART = new RegExp(
  [
    "test result: ok\\. 0 passed; 0 failed", // cargo
    "\\?\\s.*\\[no test files\\]|testing: warning: no tests to run", // go
    "ok .*\\[no tests to run\\]",
    "ok \\| 0 passed", // deno
    "(?:\\[\\w+\\] )?(?:No tests to run|Tests run: 0,)", // maven
  ].map((line) => `^(?:${line})`).join("|"),
);
/** A runner's line for no test at all, of all its parts. */
const NONE = new RegExp(
  [
    "=*\\s*(?:no tests ran|\\d+ deselected\\b.*) in [\\d.]+s\\b", // pytest
    "Ran 0 tests\\b|NO TESTS RAN", // unittest
    "\\s*0 passing\\b", // mocha
    "(?:#|ℹ) tests 0$", // node
    "No tests? (?:files? )?found\\b|No tests (?:executed|were found)", // jest, vitest, phpunit, ctest
    "0 examples, 0 failures|Executed 0 tests", // rspec, swift
  ].map((line) => `^(?:${line})`).join("|"),
);
/** A runner's line for some tests. */
const SOME = new RegExp(
  [
    "\\b[1-9]\\d* (?:passed|passing|examples?|tests?|runs|assertions)\\b",
    "(?:\\b(?:Ran|Executed|Tests run:|Tests:)|^(?:#|ℹ) (?:tests|pass)) +[1-9]",
    "^(?:ok|not ok) \\d|^ok\\s+\\S+\\s+(?:\\(cached\\)|[\\d.]+s)(?!.*no tests to run)|^--- PASS|^1\\.\\.[1-9]",
  ].join("|"),
);

/** Longer than this, some of it may have been left out. */
const CUT_CHARS = 16_000;

/** Whether all runners whose words are in an output say that they had no test to run. */
export function ran_no_test(command: string, output: string): boolean {
  const lines = lines_of(output);
  const is_whole = !command.includes("|") && output.length < CUT_CHARS;
  const says_none = (line: string) => NONE.test(line) || is_whole && NONE_IN_PART.test(line);
  return lines.some(says_none) && !lines.some((line) => SOME.test(line) && !says_none(line));
}

function lines_of(output: string): readonly string[] {
  return output.trimEnd().split("\n").map((line) => line.trimEnd());
}

const PIPED_SEARCH = /(?:^|[\s;&(])(?:git grep|[ef]?grep|rg|ag)\s[^|]*\|/;
/** A count of nothing, or what the search could not look into. */
const NO_MATCH = /^\s*(?:0|(?:[ef]?grep|rg|ag): .*)?$/;

/** A search that something else follows, and its first word that is no option. */
const FIRST_SEARCH = /^(?:git grep|[ef]?grep|rg|ag) (?:-\S+ )*["']?(\w{3,})["']? [^|]*?(?:;|&&|\n)/;

/** Whether a search had any matches: its exit code is that of what came last, its readers in a pipe or others. */
export function prints_matches(command: string, output: string): boolean {
  const lines = output.split("\n");
  const [, word = ""] = FIRST_SEARCH.exec(command) ?? [];
  if (word !== "" && (lines[0]?.includes(word) || /^[1-9]\d*$/.test(lines[0] ?? ""))) return true;
  return PIPED_SEARCH.test(command) && lines.some((line) => !NO_MATCH.test(line));
}
