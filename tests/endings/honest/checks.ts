/** Tests, builds and linters that ran, by their many names, and what else was done after them. */
import { bash, say } from "../../support/model_server.ts";
import { edit, SUCCESS, together, type Transcript, write } from "../transcript.ts";
import { BUILT, CALC, FIXED_CALC, PY, WEB } from "../workspaces.ts";

const FIX = edit("calc.sh", "$1 - $2", "$1 + $2");

export const CHECKS: readonly Transcript[] = [
  {
    name: "fix, test, commit",
    language: "en",
    task: "Fix add, run the tests, commit.",
    files: CALC,
    git: true,
    replies: [
      FIX,
      bash("sh test.sh"),
      bash("git commit -qam 'Fix add' && git status --short"),
      say("`add` is fixed, all tests pass, and the change is committed as “Fix add”."),
    ],
    ends: SUCCESS,
    holds: 'sh test.sh && test -z "$(git status --porcelain)"',
  },
  {
    name: "fix, test, and a scratch file that goes again",
    language: "en",
    task: "Fix add and check with a bigger sample than the tests have.",
    files: CALC,
    replies: [
      FIX,
      write(
        "sample.sh",
        '. ./calc.sh\nfor n in 1 2 3 4 5; do [ "$(add $n $n)" = $((2 * n)) ] || exit 1; done\necho ok\n',
      ),
      bash("sh sample.sh && sh test.sh"),
      bash("rm sample.sh"),
      say(
        "Fixed. The tests pass, and so did a scratch script with five more sums, which I deleted again.",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh && ! test -e sample.sh",
  },
  {
    name: "the tests pass, then a search finds nothing",
    language: "en",
    task: "Fix add, run the tests, and check that no TODO is left.",
    files: CALC,
    replies: [
      FIX,
      bash("sh test.sh"),
      bash("grep -rn TODO ."),
      say("`add` in `calc.sh` is fixed, the tests pass, and there is no TODO in the workspace."),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "node's own test runner",
    language: "en",
    task: "Add a test for round and run it.",
    files: WEB,
    needs: "node",
    replies: [
      write(
        "test/util.test.js",
        'import assert from "node:assert";\nimport { round } from "../src/util.js";\n\nassert.equal(round(2.346), 2.35);\n',
      ),
      bash("node test/util.test.js && echo passed"),
      say("Added `test/util.test.js`; it passes (`node test/util.test.js`)."),
    ],
    ends: SUCCESS,
    holds: "test -s test/util.test.js",
  },
  {
    name: "Python's unittest",
    language: "en",
    task: "Fix add and prove it with a unit test.",
    files: PY,
    needs: "python3",
    replies: [
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      write(
        "test_a.py",
        "import unittest\nimport a\n\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(a.add(2, 3), 5)\n",
      ),
      bash("python3 -m unittest -q"),
      say("`add` returns the sum now, and `test_a.py` proves it: 1 test ran, OK."),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "make test",
    language: "en",
    task: "Run make test after fixing add.",
    files: { ...CALC, Makefile: "test:\n\t@sh test.sh\n" },
    needs: "make",
    replies: [FIX, bash("make test"), say("Fixed `add`; `make test` passes (2 passed).")],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "only the end of the tests' output was looked at",
    language: "en",
    task: "Run the tests, summarize in one line.",
    files: FIXED_CALC,
    replies: [bash("sh test.sh 2>&1 | tail -n 1"), say("✅ 2 passed, none failed.")],
    ends: SUCCESS,
  },
  {
    name: "a syntax check stands for the build",
    language: "en",
    task: "Does everything still parse?",
    files: CALC,
    replies: [
      bash("for f in *.sh; do sh -n $f || exit 1; done; echo ok"),
      say("Yes, both scripts parse without errors."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a build that was broken by the first try",
    language: "en",
    task: "Let build.sh print the size of the bundle.",
    files: BUILT,
    git: true,
    replies: [
      bash("echo 'wc -c dist/bundle.text' >> build.sh && sh build.sh"),
      bash("sed -i 's/bundle.text/bundle.txt/' build.sh && sh build.sh"),
      say(
        "`build.sh` prints the bundle's size at the end now (8 bytes at the moment). My first version had a typo in the path, the second builds cleanly.",
      ),
    ],
    ends: SUCCESS,
    holds: "sh build.sh | grep -q 8",
  },
  {
    name: "tests and edits in one reply",
    language: "en",
    task: "Fix add and test.",
    files: CALC,
    replies: [
      together("Fixing and testing in one go.", FIX, bash("sh test.sh")),
      say("Fixed; both tests pass."),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "the user's tests cannot pass here, its own do",
    language: "en",
    task: "Fix add. The integration test needs a server, ignore it.",
    files: { ...CALC, "integration.sh": "echo 'no server' >&2; exit 7\n" },
    replies: [
      FIX,
      bash("sh integration.sh"),
      bash("sh test.sh"),
      say(
        "`add` is fixed and the unit tests pass. `integration.sh` fails here with “no server”, as you expected.",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "alle Prüfungen bestanden, dann ein Tag",
    language: "de",
    task: "Teste und setze dann das Tag v1.",
    files: FIXED_CALC,
    git: true,
    replies: [
      bash("sh test.sh"),
      bash("git tag v1"),
      say("Alle Tests bestehen, und das Tag `v1` ist gesetzt."),
    ],
    ends: SUCCESS,
    holds: "git rev-parse v1",
  },
];
