/** Calls that look alike, with a reason; and searches that take long. */
import { bash, type Reply, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, type Transcript, write } from "../transcript.ts";
import { CALC, PY, WEB } from "../workspaces.ts";

const MODULES = Object.fromEntries(
  Array.from(
    { length: 24 },
    (_, n) => [`src/m${n}.py`, `def f${n}(x):\n    return x ${n === 21 ? "-" : "+"} ${n}\n`],
  ),
);

/** A look at every module, one a step. */
const SEARCH: readonly Reply[] = Object.keys(MODULES).map((path) => read(path));

export const REPEATS: readonly Transcript[] = [
  {
    name: "git status three times with work in between",
    language: "en",
    task: "Fix add and sub's docstrings, one commit each.",
    files: PY,
    git: true,
    replies: [
      bash("git status --short"),
      edit("a.py", "def add(a, b):\n", 'def add(a, b):\n    """Adds."""\n'),
      bash("git status --short"),
      bash("git commit -qam 'Document add'"),
      edit("a.py", "def sub(a, b):\n", 'def sub(a, b):\n    """Subtracts."""\n'),
      bash("git status --short"),
      bash("git commit -qam 'Document sub'"),
      bash("git status --short"),
      say("Both functions have docstrings now, each in its own commit."),
    ],
    ends: SUCCESS,
    holds: 'test "$(git rev-list --count HEAD)" = 3',
  },
  {
    name: "the same test after each of its fixes",
    language: "en",
    task: "Make sh test.sh pass.",
    files: { ...CALC, "calc.sh": CALC["calc.sh"].replace("*", "/") },
    replies: [
      bash("sh test.sh"),
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      bash("sh test.sh"),
      edit("calc.sh", "$1 / $2", "$1 * $2"),
      bash("sh test.sh"),
      say(
        "`sh test.sh` passes now (2 passed). There were two bugs in `calc.sh`: `add` subtracted and `mul` divided.",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "the same test three times to see whether it is flaky",
    language: "en",
    task: "Is test.sh flaky? Run it three times.",
    files: CALC,
    replies: [
      bash("sh test.sh"),
      bash("sh test.sh"),
      bash("sh test.sh"),
      say("Not flaky: it failed all three times, always with “FAIL add”."),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "a flaky test passes the second time",
    language: "en",
    task: "CI says test.sh is flaky. Check.",
    files: {
      "test.sh":
        "if [ -e .ran ]; then echo 1 passed; else touch .ran; echo 'FAIL: timeout'; exit 1; fi\n",
    },
    replies: [
      bash("sh test.sh"),
      bash("sh test.sh"),
      bash("cat test.sh"),
      say(
        "It depends on a leftover file: `test.sh` fails on the first run, creates `.ran`, and passes from then on. So it isn't random, but it fails on every clean checkout.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "twenty-four steps of search without a change, then the answer",
    language: "en",
    task: "One of the modules in src subtracts instead of adding. Which one?",
    files: MODULES,
    replies: [...SEARCH, say("`src/m21.py`: `f21` returns `x - 21`. All the others add.")],
    ends: SUCCESS,
  },
  {
    name: "twenty-four steps of search, then the fix",
    language: "en",
    task: "One of the modules in src subtracts instead of adding. Fix it.",
    files: MODULES,
    git: true,
    replies: [
      ...SEARCH,
      edit("src/m21.py", "x - 21", "x + 21"),
      say("Found it: `src/m21.py` subtracted. I changed it to `x + 21`."),
    ],
    ends: SUCCESS,
    holds: "grep -q '+ 21' src/m21.py",
  },
  {
    name: "looks for a bug with fourteen different commands",
    language: "en",
    task: "Why does total throw?",
    files: WEB,
    git: true,
    replies: [
      ...[
        "ls",
        "ls src",
        "git log --oneline",
        "grep -n total src/*.js",
        "wc -l src/*.js",
        "head -3 src/cart.js",
      ].map((line) => bash(line)),
      ...[
        "tail -5 src/cart.js",
        "grep -n length src/cart.js",
        "cat package.json",
        "git blame src/cart.js",
      ].map((line) => bash(line)),
      ...[
        "grep -n price src/*.js",
        "cat src/server.js",
        "sed -n 3p src/cart.js",
        "git status --short",
      ].map((line) => bash(line)),
      say(
        "`total` throws because the loop condition is `i <= items.length`: at `i === items.length` it reads `.price` of `undefined`.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "asks a slow job again and again",
    language: "en",
    task: "Start job.sh and wait until it has written result.txt.",
    files: { "job.sh": "sleep 0.7; echo 42 > result.txt\n" },
    replies: [
      bash("nohup sh job.sh > /dev/null 2>&1 & echo started"),
      bash("sleep 0.3; ls result.txt"),
      bash("sleep 0.3; ls result.txt"),
      bash("until [ -s result.txt ]; do sleep 0.1; done; cat result.txt"),
      say("The job is done: `result.txt` contains 42."),
    ],
    ends: SUCCESS,
    holds: "grep -q 42 result.txt",
  },
  {
    name: "reads a file again after each of its edits",
    language: "en",
    task: "Add functions two, three and four to n.py.",
    files: { "n.py": "def one():\n    return 1\n" },
    replies: [
      read("n.py"),
      ...[["two", 2, "one", 1], ["three", 3, "two", 2], ["four", 4, "three", 3]].flatMap((
        [name, n, , before],
      ) => [
        edit(
          "n.py",
          `return ${before}\n`,
          `return ${before}\n\n\ndef ${name}():\n    return ${n}\n`,
        ),
        read("n.py"),
      ]),
      say("Added `two`, `three` and `four` to `n.py`."),
    ],
    ends: SUCCESS,
    holds: "grep -q four n.py",
  },
  {
    name: "the same listing twice, with a new file in between",
    language: "en",
    task: "Create notes/today.md.",
    files: PY,
    replies: [
      bash("ls -R"),
      write("notes/today.md", "# Today\n"),
      bash("ls -R"),
      say("`notes/today.md` exists now, with just a heading."),
    ],
    ends: SUCCESS,
    holds: "test -s notes/today.md",
  },
  {
    name: "three commands in a row fail before it finds the right one",
    language: "en",
    task: "Run the tests.",
    files: CALC,
    replies: [
      bash("make test-of-ours"),
      bash("./gradlew test"),
      bash("./run_tests.sh"),
      bash("ls"),
      bash("sh test.sh"),
      say("The tests are in `test.sh`. They fail: `add` gives the wrong result (`FAIL add`)."),
    ],
    ends: SUCCESS,
  },
  {
    name: "four looks at a growing file",
    language: "en",
    task: "Append the numbers 1 to 3 to log.txt, checking after each.",
    files: { "log.txt": "start\n" },
    replies: [
      bash("cat log.txt"),
      ...[1, 2, 3].flatMap((n) => [bash(`echo ${n} >> log.txt`), bash("cat log.txt")]),
      say("`log.txt` now ends with 1, 2, 3."),
    ],
    ends: SUCCESS,
    holds: "tail -1 log.txt | grep -q 3",
  },
];
