import assert from "node:assert/strict";
import { annotations } from "./annotations.ts";

const place = (output: string) =>
  annotations(output).map(({ file, line, column, level, message }) =>
    `${level} ${file}:${line}:${column ?? ""} ${message}`
  );

Deno.test("annotations() finds where the usual tools say a fault is", () => {
  const cases: [string, string[]][] = [
    ["src/a.ts(3,5): error TS2322: Type 'x'.", ["error src/a.ts:3:5 TS2322: Type 'x'."]],
    ["src/a.ts:3:5 - error TS2322: Type.", ["error src/a.ts:3:5 TS2322: Type."]],
    ["a.c:3:5: warning: unused variable 'x'", ["warning a.c:3:5 unused variable 'x'"]],
    ["Main.java:7: error: ';' expected", ["error Main.java:7: ';' expected"]],
    ["a.c:1:10: fatal error: x.h: No such file", ["error a.c:1:10 x.h: No such file"]],
    ["tests/test_a.py:3: AssertionError", ["error tests/test_a.py:3: AssertionError"]],
    ["a.py:3:5: F401 `os` imported but unused", ["error a.py:3:5 F401 `os` imported but unused"]],
    ["./a.go:3:5: undefined: x", ["error a.go:3:5 undefined: x"]],
    ["    sum_test.go:12: got 1, want 2", ["error sum_test.go:12: got 1, want 2"]],
    ["test.sh: line 3: syntax error", ["error test.sh:3: syntax error"]],
    [
      "error[E0308]: mismatched types\n  --> src/main.rs:3:5\n   |",
      ["error src/main.rs:3:5 mismatched types"],
    ],
    [
      "  ● sum › adds\n\n    expect(received)\n\n      at Object.<anonymous> (src/a.test.js:3:5)",
      ["error src/a.test.js:3:5 sum › adds"],
    ],
    [
      "error: AssertionError: Values are not equal.\n    at assertEquals (file:///w/a_test.ts:3:5)",
      ["error /w/a_test.ts:3:5 AssertionError: Values are not equal."],
    ],
    [
      'Traceback (most recent call last):\n  File "a.py", line 9, in <module>\n    f()\n' +
      '  File "b.py", line 2, in f\n    1 / 0\nZeroDivisionError: division by zero',
      ["error b.py:2: ZeroDivisionError: division by zero"],
    ],
    [
      "/w/src/a.js\n  3:5  error  'x' is not defined  no-undef\n  4:1  warning  Unexpected  no-x\n\n✖ 2",
      [
        "error /w/src/a.js:3:5 'x' is not defined  no-undef",
        "warning /w/src/a.js:4:1 Unexpected  no-x",
      ],
    ],
    ["\x1b[31ma.c:3:5: error: red\x1b[0m", ["error a.c:3:5 red"]],
  ];
  for (const [output, expected] of cases) assert.deepEqual(place(output), expected, output);
});

Deno.test("annotations() takes no other words for faults", () => {
  const none = [
    "ok 3:5: fine",
    "12:30:05: started",
    "http://127.0.0.1:8080/v1: error",
    "error: 3 tests failed",
    "FAIL everything",
  ];
  for (const output of none) assert.deepEqual(place(output), [], output);
});
