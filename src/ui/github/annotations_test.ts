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

/** What the tools themselves have said of small projects with faults in them, one recording a tool: `tests/recorded_faults`. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  bash: [
    "error s.sh:2: syntax error: unexpected end of file",
  ],
  cargo_build: [
    "error src/lib.rs:1:21 mismatched types",
  ],
  cargo_test: [
    "error src/lib.rs:6:9 assertion `left == right` failed",
  ],
  eslint: [
    "error /w/js/lint.js:1:11 'b' is not defined     no-undef",
    "error /w/js/lint.js:2:13 Empty block statement  no-empty",
  ],
  flake8: [
    "error bad.py:1:1 F401 'os' imported but unused",
    "error bad.py:2:1 E302 expected 2 blank lines, found 0",
    "error bad.py:4:1 E305 expected 2 blank lines after class or function definition, found 0",
  ],
  gcc2: [
    "error b.c:1:28 ‘x’ undeclared (first use in this function)",
    "warning b.c:1:18 unused variable ‘y’ [-Wunused-variable]",
  ],
  go_build: [
    "error b/b.go:3:23 undefined: undefined",
  ],
  go_test: [
    "error a_test.go:7: got -1, want 3",
    "error /w/go/a_test.go:13: assignment to entry in nil map",
  ],
  go_vet: [
    'error b/b.go:5:24 fmt.Printf format %d has arg "x" of wrong type string',
  ],
  javac: [
    "error A.java:2: incompatible types: String cannot be converted to int",
  ],
  jest: [
    "error sum.test.js:3:21 sum › adds",
  ],
  mocha: [
    "error mo/a.js:3:10 AssertionError [ERR_ASSERTION]: -1 == 3",
  ],
  mypy: [
    'error bad.py:3: Incompatible return value type (got "int", expected "str")  [return-value]',
    'error bad.py:4: Argument 1 to "f" has incompatible type "str"; expected "int"  [arg-type]',
  ],
  node_syntax: [
    "error /w/js/syn.js:2: SyntaxError: Unexpected end of input",
  ],
  node_test: [
    "error /w/js/n.test.mjs:3:1 -1 == 3",
  ],
  node_throw: [
    "error /w/js/th.js:1: TypeError: x is bad",
  ],
  py_syntax: [
    "error syn.py:1: SyntaxError: invalid syntax",
  ],
  pylint: [
    "error bad.py:1:0 C0114: Missing module docstring (missing-module-docstring)",
    "error bad.py:2:0 C0116: Missing function or method docstring (missing-function-docstring)",
    "error bad.py:1:0 W0611: Unused import os (unused-import)",
  ],
  pytest: [
    "error tests/test_calc.py:6: assert -1 == 3",
    "error calc.py:5: ValueError: no",
    "error tests/test_calc.py:15: AssertionError: -1 != 3",
  ],
  pytest_import: [
    "error tests/test_imp.py:1: ModuleNotFoundError: No module named 'nope_x'",
  ],
  pytest_short: [
    "error tests/test_calc.py:6: assert -1 == 3",
    "error calc.py:5: ValueError: no",
    "error tests/test_calc.py:15: AssertionError: -1 != 3",
  ],
  ruff: [
    "error bad.py:1:1 I001 [*] Import block is un-sorted or un-formatted",
    "error bad.py:1:8 F401 [*] `os` imported but unused",
  ],
  ruff_concise: [
    "error bad.py:1:1 I001 [*] Import block is un-sorted or un-formatted",
    "error bad.py:1:8 F401 [*] `os` imported but unused",
  ],
  tsc: [
    "error t.ts:1:7 TS2322: Type 'number' is not assignable to type 'string'.",
    "error t.ts:2:40 TS2322: Type 'number' is not assignable to type 'string'.",
  ],
  tsc_pretty: [
    "error t.ts:1:7 TS2322: Type 'number' is not assignable to type 'string'.",
    "error t.ts:2:40 TS2322: Type 'number' is not assignable to type 'string'.",
  ],
  unittest: [
    "error /w/py/tests/test_calc.py:15: AssertionError: -1 != 3",
  ],
  vitest: [
    "error vt/a.test.mjs:3:17 vt/a.test.mjs > sum > adds",
  ],
};

Deno.test("annotations() finds what the tools themselves have said", () => {
  const folder = new URL("../../../tests/recorded_faults/", import.meta.url);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name.replace(".txt", "")).sort();
  assert.deepEqual(names, Object.keys(RECORDED).sort());
  for (const [name, expected] of Object.entries(RECORDED)) {
    const output = Deno.readTextFileSync(new URL(`${name}.txt`, folder));
    assert.deepEqual(place(output), expected, name);
  }
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
