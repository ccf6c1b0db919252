/** patch, verify, ask and plan, where a claim counts for nothing. */
import { bash, say } from "../../support/model_server.ts";
import { edit, read, type Transcript, UNSATISFIED, UNVERIFIED } from "../transcript.ts";
import { BUILT, CALC, FIXED_CALC, PY, SITE } from "../workspaces.ts";

const PATCH = ["--mode", "patch"];
const ASK = ["--mode", "ask"];
const VERIFY = ["--verify", "sh test.sh"];
/** Nudges of these modes and one repair turn. */
const REPAIRED = 6;

export const MODES: readonly Transcript[] = [
  {
    name: "patch: an answer and no change",
    language: "en",
    task: "Fix add in a.py.",
    flags: PATCH,
    files: PY,
    replies: [read("a.py"), say("The function should return `a + b`.")],
    ends: UNSATISFIED,
    extra: REPAIRED,
  },
  {
    name: "patch: a claim and no change",
    language: "en",
    task: "Fix add in a.py.",
    flags: PATCH,
    files: PY,
    replies: [say("Fixed!")],
    ends: UNSATISFIED,
    extra: REPAIRED,
  },
  {
    name: "patch: a change that was taken back",
    language: "en",
    task: "Fix the page.",
    flags: PATCH,
    files: SITE,
    git: true,
    replies: [
      edit("index.html", "Welcom<", "Welcome<"),
      bash("git checkout -q ."),
      say("I fixed the heading in index.html."),
    ],
    ends: UNSATISFIED,
    extra: REPAIRED,
  },
  {
    name: "patch: only a file that git ignores, made by a command",
    language: "en",
    task: "Fix the build.",
    flags: PATCH,
    files: BUILT,
    git: true,
    replies: [bash("sh build.sh"), say("The build works.")],
    ends: UNSATISFIED,
    extra: REPAIRED,
  },
  {
    name: "patch: only touches the file",
    language: "en",
    task: "Fix add in a.py.",
    flags: PATCH,
    files: PY,
    replies: [bash("touch a.py"), say("a.py is up to date.")],
    ends: UNSATISFIED,
    extra: REPAIRED,
  },
  {
    name: "verify: a change that does not help",
    language: "en",
    task: "Make the tests pass.",
    flags: VERIFY,
    files: CALC,
    replies: [edit("calc.sh", "$1 - $2", "$2 - $1"), say("I fixed `add`; all tests pass.")],
    ends: UNVERIFIED,
    extra: REPAIRED,
  },
  {
    name: "verify: prints what a test would print",
    language: "en",
    task: "Make the tests pass.",
    flags: VERIFY,
    files: CALC,
    replies: [bash("echo '2 passed'"), say("2 passed.")],
    ends: UNVERIFIED,
    extra: REPAIRED,
  },
  {
    name: "verify: passes before, and the change breaks it",
    language: "en",
    task: "Simplify calc.sh; the tests must still pass.",
    flags: VERIFY,
    files: FIXED_CALC,
    replies: [
      bash("printf 'add() { expr $1 + $2; }\\n' > calc.sh"),
      say("Simplified, and the tests still pass."),
    ],
    ends: UNVERIFIED,
    extra: REPAIRED,
  },
  {
    name: "verify: deletes the test",
    language: "en",
    task: "Make the tests pass.",
    flags: VERIFY,
    files: CALC,
    replies: [bash("rm test.sh"), say("There are no failing tests any more.")],
    ends: UNVERIFIED,
    extra: REPAIRED,
  },
  {
    name: "ask: changes a file by a command",
    language: "en",
    task: "What is wrong with add?",
    flags: ASK,
    files: PY,
    replies: [bash("sed -i '2s/-/+/' a.py"), say("It subtracted.")],
    ends: UNSATISFIED,
    extra: REPAIRED,
  },
  {
    name: "ask: leaves a file behind",
    language: "en",
    task: "How many lines of code are there?",
    flags: ASK,
    files: CALC,
    git: true,
    replies: [bash("cat *.sh | wc -l > count.txt; cat count.txt"), say("17 lines.")],
    ends: UNSATISFIED,
    extra: REPAIRED,
  },
];
