import assert from "node:assert/strict";
import { prints_matches, ran_no_test, reports_failure } from "./test_report.ts";

/** What runners print last, as they do: where something failed, and where nothing did. */
const ENDS: readonly (readonly [failed: string, passed: string])[] = [
  [
    "test result: FAILED. 3 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`",
    "test result: ok. 4 passed; 0 failed; 0 ignored; finished in 0.00s",
  ],
  [
    "error: could not compile `demo` (lib test) due to 1 previous error",
    "test result: ok. 0 passed",
  ],
  ["--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\tdemo\t0.002s\nFAIL", "ok  \tdemo\t0.002s"],
  [
    "FAILED test_a.py::test_a - assert 3 == -1\n1 failed, 3 passed in 0.02s",
    "........\n8 passed, 1 warning in 0.10s",
  ],
  ["=========== 1 failed, 2 passed in 0.12s ===========", "===== 3 passed in 0.12s ====="],
  ["=========== 1 error in 0.05s ===========", "===== 3 passed, 1 skipped in 0.12s ====="],
  ["Ran 4 tests in 0.001s\n\nFAILED (failures=1)", "Ran 4 tests in 0.001s\n\nOK"],
  ["FAILED | 3 passed | 1 failed (20ms)\n\nerror: Test failed", "ok | 4 passed | 0 failed (20ms)"],
  ["Tests:       1 failed, 3 passed, 4 total", "Tests:       4 passed, 4 total"],
  ["      Tests  1 failed | 3 passed (4)", "      Tests  4 passed (4)"],
  ["  3 passing (5ms)\n  1 failing\n\n  1) adds", "  4 passing (5ms)"],
  ["ℹ pass 0\nℹ fail 1\nℹ todo 0", "ℹ pass 1\nℹ fail 0\nℹ todo 0"],
  ["# tests 1\n# pass  0\n# fail  1", "# tests 1\n# pass  1\n# fail  0"],
  ["4 examples, 1 failure, 0 errors\n5 examples, 2 failures", "5 examples, 0 failures"],
  ["FAILURES!\nTests: 4, Assertions: 4, Failures: 1.", "OK (4 tests, 4 assertions)"],
  ["BUILD FAILED in 3s", "BUILD SUCCESSFUL in 3s"],
  ["[INFO] BUILD FAILURE", "[INFO] BUILD SUCCESS"],
  ["50% tests passed, 1 tests failed out of 2", "100% tests passed, 0 tests failed out of 2"],
  ["make: *** [Makefile:2: test] Error 1", "ok  \tdemo\t0.002s"],
  ["npm error Lifecycle script `test` failed with error:", "ℹ fail 0"],
  ["Found 2 errors in a.ts:3", "All checks passed!"],
  ["✖ 3 problems (2 errors, 1 warning)", "Success: no issues found in 4 source files"],
  ["exit=1", "Passed!  - 4 tests"],
  ["    assert add(1, 2) == 3\nAssertionError", "3"],
];

Deno.test("the last word of a test counts where a pipe hides its exit code, and only there", () => {
  for (const [failed, passed] of ENDS) {
    assert.equal(reports_failure("npm test 2>&1 | tail -5", failed), true, failed);
    assert.equal(reports_failure("npm test 2>&1 | tail -5", passed), false, passed);
    assert.equal(
      reports_failure("sed -i s/a/b/ a.py; make test; git status", failed),
      true,
      failed,
    );
    assert.equal(reports_failure("npm test", failed), false, failed);
    const is_word = !/Error$|^exit/.test(failed);
    assert.equal(reports_failure("./t.sh", failed), is_word, `a script: ${failed}`);
  }
  assert.equal(reports_failure("./health.sh", "status: 200"), false);
  const sql = 'psql:a.sql:2: ERROR:  relation "x" does not exist\nCREATE INDEX';
  assert.equal(reports_failure("psql shop -f a.sql", sql), true);
  assert.equal(reports_failure("psql shop -f a.sql", "NOTICE:  x exists\nCREATE INDEX"), false);
});

/** The last words of other programs. */
const LAST: readonly (readonly [failed: string, done: string])[] = [
  ["npm error code ENOTCACHED\nnpm error A complete log is in x.log", "up to date in 1s"],
  ["ERROR: No matching distribution found for x", "Successfully installed x-1.0"],
  [
    "To ../o.git\nerror: failed to push some refs to '../o.git'",
    "   1a2b3c4..5d6e7f8  main -> main",
  ],
  ["CONFLICT (content): in a.py\nAutomatic merge failed; fix conflicts", "Fast-forward"],
  [
    "Please make sure you have the correct access rights\nand the repository exists.",
    "   1a2b3c4..5d6e7f8  main -> main",
  ],
  [
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    "Successfully tagged ms:latest",
  ],
  ["Could not apply 44cf8e1... f", "Successfully rebased and updated refs/heads/f."],
  ["chmod: cannot access 'x.py': No such file or directory", "mode of 'x.py' changed"],
];

Deno.test("an error in the last line is the end of a program, and what comes before another end is none", () => {
  for (const [failed, done] of LAST) {
    assert.equal(reports_failure("a || true", failed), true, failed);
    assert.equal(reports_failure("a || true", `${failed}\nhint: try again`), true, failed);
    assert.equal(reports_failure("a || b", `${failed}\n${done}`), false, done);
  }
});

Deno.test("a program that an exception ended has failed, whatever is printed behind it", () => {
  const trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nAssertionError\nend';
  assert.equal(reports_failure("python3 a.py; echo end", trace), true);
  assert.equal(
    reports_failure("python3 a.py; pytest -q | tail -1", `${trace}\n4 passed in 0.1s`),
    false,
  );
});

Deno.test("what failed first and passes in the end has passed; words in between are no summary", () => {
  for (const [failed, passed] of ENDS) {
    assert.equal(reports_failure("a; b", `${failed}\n\n${passed}\n`), false, passed);
  }
  for (
    const said of ["", "the test failed before", "0 failed, 4 passed", "Tests: none", "fail 1 of 2"]
  ) {
    assert.equal(reports_failure("a | b", said), false, said);
  }
});

Deno.test("of what runs again and again each round counts, unless it breaks off at the one that passes", () => {
  const rounds = "1 failed, 1 passed in 0.02s\n2 passed in 0.01s\nfinished";
  for (
    const line of [
      "for f in tests/test_*.py; do pytest -q $f | tail -1; done; echo finished",
      "ls tests/test_*.py | xargs -n1 pytest -q; echo finished",
      "find tests -name 'test_*.py' -exec pytest -q {} \\;",
    ]
  ) assert.equal(reports_failure(line, rounds), true, line);
  for (
    const line of [
      "for i in 1 2 3; do pytest -q && break; done; echo finished",
      "until pytest -q; do sleep 1; done; echo finished",
    ]
  ) assert.equal(reports_failure(line, rounds), false, line);
});

Deno.test("a run without a single test is known by what its runner says, beside no other that had one", () => {
  const some = [
    "test result: ok. 4 passed; 0 failed; 0 ignored",
    "ok  \tdemo\t0.002s",
    "ok  \tdemo\t(cached)",
    "===== 3 passed, 2 deselected in 0.12s =====",
    "Ran 4 tests in 0.001s\n\nOK",
    "ok | 4 passed | 0 failed (20ms)",
    "Tests:       4 passed, 4 total",
    "  4 passing (5ms)",
    "ℹ tests 2\nℹ pass 2",
    "ok 1 - adds\n1..1",
    "[INFO] Tests run: 4, Failures: 0",
  ];
  const none = [
    "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out",
    "?   \tdemo\t[no test files]",
    "testing: warning: no tests to run\nPASS\nok  \tdemo\t0.001s [no tests to run]",
    "no tests ran in 0.01s",
    "========= 2 deselected in 0.01s =========",
    "----\nRan 0 tests in 0.000s\n\nOK",
    "  0 passing (1ms)",
    "ℹ tests 0\nℹ pass 0",
    "No tests found, exiting with code 0",
    "No test files found, exiting with code 0",
    "ok | 0 passed | 0 failed (1ms)",
    "[INFO] No tests to run.",
  ];
  assert.deepEqual(none.filter((output) => !ran_no_test("npm test", output)), []);
  assert.deepEqual(some.filter((output) => ran_no_test("npm test", output)), []);
  // Doc tests of a crate, packages without tests: one that had some is enough.
  assert.deepEqual(
    none.flatMap((one) => some.map((other) => `${one}\n${other}`)).filter((output) =>
      ran_no_test("npm test", output)
    ),
    [],
  );
  assert.deepEqual(["", "OK", "all is well", "0 rows"].filter((one) => ran_no_test("a", one)), []);
  // `cargo test | tail -5` shows the doc tests, which come last.
  assert.equal(ran_no_test("cargo test | tail -5", none[0] ?? ""), false);
  assert.equal(
    ran_no_test("python3 -m unittest 2>&1 | tail -4", "Ran 0 tests in 0.1s\n\nOK"),
    true,
  );
});

Deno.test("what a search found is known where others read its lines", () => {
  for (
    const [command, output, found] of [
      ["rg -n x src | wc -l", "7\n", true],
      ["rg -n x src | wc -l", "       0\n", false],
      ["grep -rn x . | grep -v node_modules | head -5", "./a:1:x\n", true],
      ["grep -rn x . | head", "grep: b: Permission denied\n", false],
      ["cd a && git grep x | head", "a:x", true],
      ["npm test | tail", "7 passed", false],
      ["grep -rn x .", "a:x", false],
      ["grep -n TODO a.ts; npx tsc --noEmit", "52:  // TODO: queue\n", true],
      ["grep -n TODO a.ts; npx tsc --noEmit", "a.ts(3,5): error TS2304", false],
      ["grep -c 'callback' db.js && node --check db.js", "11\n", true],
      ["grep -c callback db.js; node --check db.js", "0\n", false],
    ] as const
  ) {
    assert.equal(prints_matches(command, output), found, `${command}: ${output}`);
  }
});
