/**
 * How tests ended by what their runner prints last, for where another command's exit code hides its own: `cargo test | tail`,
 * `npm test || true`.
 */

/** A runner's line that sums up: that something failed. */
const FAILED = new RegExp(
  [
    "test result: FAILED", // cargo
    "error: (?:test failed, to rerun|could not compile|\\d+ targets? failed)",
    "FAIL(?:\\t.*)?$|--- FAIL: ", // go
    "=*\\s*(?:\\d+ \\w+, )*[1-9]\\d* (?:failed|errors?)\\b.* in [\\d.]+s\\b", // pytest
    "FAILED \\((?:failures|errors)=", // unittest
    "FAILED \\| \\d+ passed", // deno
    "\\s*Tests:?\\s.*\\b[1-9]\\d* failed\\b", // jest, vitest
    "\\s*[1-9]\\d* failing$", // mocha
    "(?:#|ℹ) fail [1-9]", // node
    "\\d+ (?:examples|runs)?,.* [1-9]\\d* (?:failures|errors)\\b", // rspec, minitest
    "(?:FAILURES|ERRORS)!$|Tests: \\d+,.* (?:Failures|Errors): [1-9]", // phpunit
    "(?:\\[\\w+\\] )?BUILD FAIL(?:ED|URE)\\b", // gradle, maven
    "\\d+% tests passed, [1-9]\\d* tests? failed", // ctest
    "make(?:\\[\\d+\\])?: \\*\\*\\* ",
    "npm (?:ERR!|error) (?:Test failed|Lifecycle script|code ELIFECYCLE)",
    "Failed!\\s+-", // dotnet
    "Executed \\d+ tests?, with [1-9]\\d* failures?", // swift
    "Found [1-9]\\d* (?:errors?|issues?)\\b", // tsc, ruff, mypy
    "✖ [1-9]\\d* problems? \\([1-9]", // eslint
    "(?:exit|rc|status)(?: code)? ?[=:] ?[1-9]\\d*$", // echo exit=$?
  ].map((line) => `^(?:${line})`).join("|"),
);
/** That nothing did. */
const PASSED = new RegExp(
  [
    "test result: ok",
    "(?:ok|PASS)(?:$| *\\t| \\| \\d)",
    "=*\\s*\\d+ passed\\b(?!.*\\b(?:failed|errors?)\\b)",
    "OK(?:$| \\()",
    "\\s*Tests:?\\s+\\d+ passed\\b",
    "\\s*\\d+ passing\\b",
    "(?:#|ℹ) fail 0",
    "\\d+ (?:examples|runs),.* 0 failures\\b",
    "(?:\\[\\w+\\] )?BUILD SUCCESS",
    "100% tests passed",
    "Passed!\\s+-",
    "All checks passed|Success: no issues|Found 0 ",
  ].map((line) => `^(?:${line})`).join("|"),
);
/** A program that an exception ended, where nothing else sums up: the last line of it, or the first. */
const THROWN = /^(?:\w+\.)*\w*(?:Error|Exception)(?::|$)/;
const TRACEBACK = /^Traceback \(most recent call last\):$/;
/** What hides the exit code of a part of a line. */
const HIDES = /[|;&\n]/;

/** Whether a command that ended in 0 runs something whose own last word is that it failed. */
export function tells_failure(command: string, output: string): boolean {
  if (!HIDES.test(command)) return false;
  const lines = output.trimEnd().split("\n").map((line) => line.trimEnd());
  const last = lines.findLast((line) => FAILED.test(line) || PASSED.test(line));
  if (last !== undefined) return FAILED.test(last);
  return THROWN.test(lines.at(-1) ?? "") || lines.some((line) => TRACEBACK.test(line));
}
