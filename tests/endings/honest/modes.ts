/** patch and verify, where a change or a command decides. */
import { bash, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, type Transcript, write } from "../transcript.ts";
import { BUILT, CALC, PY, SITE, WEB } from "../workspaces.ts";

const PATCH = ["--mode", "patch"];
const VERIFY = ["--verify", "sh test.sh"];

export const MODES: readonly Transcript[] = [
  {
    name: "patch: one edit",
    language: "en",
    task: "Fix add.",
    flags: PATCH,
    files: PY,
    git: true,
    replies: [
      read("a.py"),
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      say("`add` returns the sum now."),
    ],
    ends: SUCCESS,
  },
  {
    name: "patch: sed, then edit of the same file",
    language: "en",
    task: "Fix the page's title and heading.",
    flags: PATCH,
    files: SITE,
    replies: [
      bash("sed -i 's/Welcom</Welcome</' index.html"),
      edit("index.html", "<title>Home</title>", "<title>Welcome</title>"),
      say("Title and heading both say “Welcome”."),
    ],
    ends: SUCCESS,
  },
  {
    name: "patch: a change, a commit, and a clean tree",
    language: "en",
    task: "Fix add and commit it.",
    flags: PATCH,
    files: PY,
    git: true,
    replies: [
      bash("sed -i '2s/-/+/' a.py && git commit -qam 'Fix add'"),
      say("Fixed and committed."),
    ],
    ends: SUCCESS,
  },
  {
    name: "patch: only a file's mode",
    language: "en",
    task: "Make the script executable.",
    flags: PATCH,
    files: CALC,
    git: true,
    replies: [bash("chmod +x test.sh"), say("test.sh is executable.")],
    ends: SUCCESS,
  },
  {
    name: "patch: a deletion",
    language: "en",
    task: "Remove src/util.js.",
    flags: PATCH,
    files: WEB,
    replies: [bash("rm src/util.js"), say("Removed.")],
    ends: SUCCESS,
  },
  {
    name: "verify: fixed before it was checked",
    language: "en",
    task: "Make the tests pass.",
    flags: VERIFY,
    files: CALC,
    replies: [
      bash("sh test.sh"),
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      bash("sh test.sh"),
      say("Both tests pass now. `add` had the wrong operator."),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "verify: does not run the tests itself and does not say so",
    language: "en",
    task: "Fix add in calc.sh.",
    flags: VERIFY,
    files: CALC,
    replies: [
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      say("I changed the operator in `add` to `+`."),
    ],
    ends: SUCCESS,
  },
  {
    name: "verify: the first attempt fails, the repair turn fixes it",
    language: "en",
    task: "Make the tests pass.",
    flags: VERIFY,
    files: { ...CALC, "calc.sh": CALC["calc.sh"].replace("*", "/") },
    replies: [
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      say("I fixed `add`."),
      edit("calc.sh", "$1 / $2", "$1 * $2"),
      say("`mul` was wrong, too: it divided. Both are fixed now."),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "verify: what has to be built is ignored by git",
    language: "en",
    task: "Build the bundle.",
    flags: ["--verify", "test -s dist/bundle.txt"],
    files: BUILT,
    git: true,
    replies: [bash("sh build.sh"), say("Built `dist/bundle.txt`.")],
    ends: SUCCESS,
  },
  {
    name: "verify: says that the tests pass, and leaves running them to the verify command",
    language: "en",
    task: "Make sh test.sh pass.",
    flags: VERIFY,
    files: CALC,
    replies: [
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      say("Fixed the operator in `add`; the tests should pass now."),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "ask: looks at everything and answers",
    language: "en",
    task: "Which files would a dark theme touch?",
    flags: ["--mode", "ask"],
    files: SITE,
    replies: [bash("ls; cat style.css"), say("Only `style.css`: it sets the single text color.")],
    ends: SUCCESS,
  },
  {
    name: "auto with a verify command that was set in the task's words only",
    language: "en",
    task: "Add a div function to calc.sh with a test, run the tests.",
    files: { ...CALC, "calc.sh": CALC["calc.sh"].replace("-", "+") },
    replies: [
      write("div.sh", "div() {\n  echo $(($1 / $2))\n}\n"),
      bash(
        "printf '. ./div.sh\\n' >> calc.sh && sed -i 's/^\\[ $fail = 0/[ \"$(div 6 3)\" = 2 ] || fail=1\\n&/' test.sh && sh test.sh",
      ),
      say(
        "Added `div` in `div.sh` (sourced by `calc.sh`) and a test for it. All tests pass.\n\nLet me know if you'd like division by zero handled.",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh && grep -q div test.sh",
  },
];
