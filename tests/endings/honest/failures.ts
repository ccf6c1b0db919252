/** What did not work, told as it is. */
import { bash, call, say } from "../../support/model_server.ts";
import { edit, NOT_DONE, read, SUCCESS, type Transcript, write } from "../transcript.ts";
import { BUILT, CALC, PY, SITE, WEB } from "../workspaces.ts";

export const FAILURES: readonly Transcript[] = [
  {
    name: "the tests still fail after the change",
    language: "en",
    task: "Fix the failing tests.",
    files: {
      ...CALC,
      "test.sh": `${
        CALC["test.sh"].replace("exit $fail", "")
      }echo "FAIL div: not implemented"\nexit 1\n`,
    },
    git: true,
    replies: [
      bash("sh test.sh"),
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      bash("sh test.sh"),
      say(
        "I fixed `add`, so that test passes now. The suite still fails, though: `div` is not implemented anywhere, and I don't know what it should do for a divisor of zero. Please decide that first.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "reports failing tests, which was the task",
    language: "en",
    task: "Run the tests and tell me what fails.",
    files: CALC,
    replies: [
      bash("sh test.sh"),
      say(
        "1 of 2 tests fails:\n\n- ❌ `add` — expected 5 for `add 2 3`, but `add` subtracts\n- ✅ `mul`",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "reports a failing build, which was the task",
    language: "en",
    task: "Does it build?",
    files: { ...BUILT, "build.sh": "echo 'error: no compiler' >&2; exit 1\n" },
    replies: [bash("sh build.sh"), say("No. `sh build.sh` exits with 1: “error: no compiler”.")],
    ends: SUCCESS,
  },
  {
    name: "the edit fails and it says so plainly",
    language: "en",
    task: "Replace foo by bar in a.py.",
    files: PY,
    replies: [
      edit("a.py", "foo", "bar"),
      say("I could not make the change: the edit failed. Nothing was changed."),
    ],
    ends: NOT_DONE,
    holds: "! grep -q bar a.py",
  },
  {
    name: "NOT DONE after an edit that failed",
    language: "en",
    task: "Replace foo by bar in a.py.",
    files: PY,
    replies: [
      edit("a.py", "foo", "bar"),
      bash("grep -rn foo . || true"),
      say(
        "NOT DONE: `foo` does not occur in a.py or anywhere else in the workspace. Which identifier did you mean?",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "NOT DONE because a file is missing",
    language: "en",
    task: "Convert data.csv to JSON.",
    files: PY,
    replies: [
      bash("ls -R"),
      say("NOT DONE: there is no data.csv in this workspace."),
    ],
    ends: NOT_DONE,
  },
  {
    name: "NOT DONE with half of it done and said",
    language: "en",
    task: "Fix add and make the CI green.",
    files: PY,
    git: true,
    replies: [
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      bash("ls -a"),
      say(
        "NOT DONE: I fixed `add` in a.py, but there is no CI configuration in this repository, so I can't make it green.",
      ),
    ],
    ends: NOT_DONE,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "NOT DONE in bold, as some models write everything",
    language: "en",
    task: "Upgrade the compiler to version 14.",
    files: PY,
    replies: [
      bash("some-compiler-of-ours --version"),
      say(
        "**NOT DONE:** the compiler isn't installed here, and I have no network access to install it.",
      ),
    ],
    ends: NOT_DONE,
    extra: 1,
  },
  {
    name: "the policy refuses a command, and it leaves it",
    language: "en",
    task: "Free up disk space, delete everything in my home folder.",
    files: PY,
    replies: [
      bash("rm -rf ~"),
      say(
        "NOT DONE: deleting your home folder was refused by the policy, and I'm not going to work around it. `du -sh ~/*` shows what is large there.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "the policy refuses a file outside, and the rest is done",
    language: "en",
    task: "Fix add in a.py and copy it to ../outside.",
    files: PY,
    replies: [
      bash("sed -i '2s/-/+/' a.py"),
      bash("cp a.py ../outside/"),
      say(
        "I fixed `add` in `a.py`. Copying it to `../outside` was refused: that folder is not writable for me. Start hamr with `--allow-write=../outside`, or copy it yourself with `cp a.py ../outside/`.",
      ),
    ],
    ends: SUCCESS,
    holds: 'grep -q "a + b" a.py && ! test -e "$OUTSIDE/a.py"',
  },
  {
    name: "read-only, told as NOT DONE",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    flags: ["--read-only"],
    replies: [
      read("a.py"),
      bash("sed -i '2s/-/+/' a.py"),
      say(
        "NOT DONE: the workspace is read-only in this run. The fix is one character: line 2 of `a.py` should be `return a + b`.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "NOT DONE in patch mode",
    language: "en",
    task: "Fix the crash in parser.c.",
    flags: ["--mode", "patch"],
    files: PY,
    replies: [
      bash("find . -name 'parser*'"),
      say("NOT DONE: this workspace has no parser.c."),
    ],
    ends: NOT_DONE,
  },
  {
    name: "NOT DONE in verify mode",
    language: "en",
    task: "Make the tests pass without touching test.sh.",
    flags: ["--verify", "sh test.sh"],
    files: { "test.sh": "echo 'FAIL: needs a GPU'; exit 1\n" },
    replies: [
      read("test.sh"),
      bash("sh test.sh"),
      say(
        "NOT DONE: test.sh fails unconditionally (“needs a GPU”), so it can't pass without being changed.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "NOT DONE in ask mode",
    language: "en",
    task: "What does the function frobnicate return?",
    flags: ["--mode", "ask"],
    files: PY,
    replies: [
      read(".", { search: "frobnicate" }),
      say("NOT DONE: there is no function `frobnicate` in this workspace."),
    ],
    ends: NOT_DONE,
  },
  {
    name: "NOT DONE in plan mode",
    language: "en",
    task: "Plan the upgrade of the Rails app.",
    flags: ["--mode", "plan"],
    files: PY,
    replies: [
      bash("ls -R"),
      say(
        "NOT DONE: this is not a Rails app, it is a single Python module; there is nothing to upgrade.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "a bug that it could not reproduce, after a search",
    language: "en",
    task: "Users report that the page sometimes flickers. Find out why.",
    files: SITE,
    replies: [
      read("index.html"),
      read("style.css"),
      bash("grep -rn 'transition\\|animation' . || echo none"),
      say(
        "I couldn't find a cause for the flickering. The page has no scripts, no animations and a single stylesheet. A browser extension or slow loading of `style.css` are the most likely explanations, but that's a guess.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a change that it reverted because it made things worse",
    language: "en",
    task: "Speed up test.sh.",
    files: CALC,
    git: true,
    replies: [
      bash("time sh test.sh"),
      bash("sed -i 's/fail=0/fail=0; set -e/' test.sh && sh test.sh"),
      bash("git checkout -q test.sh && git status --short"),
      say(
        "NOT DONE: the script already takes only a few milliseconds, and the one idea I tried made it stop early, so I reverted it. The working tree is as you left it.",
      ),
    ],
    ends: NOT_DONE,
    holds: 'test -z "$(git status --porcelain)"',
  },
  {
    name: "says what it did not check",
    language: "en",
    task: "Rename total to cart_total.",
    files: WEB,
    replies: [
      bash(
        "grep -rln '\\btotal\\b' src | xargs sed -i 's/\\btotal\\b/cart_total/g' && grep -rn cart_total src",
      ),
      say(
        "Renamed `total` to `cart_total` in `src/cart.js` and `src/server.js`. There are no tests in this project, so I have only checked by searching that no old name is left.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a tool is missing and another way worked",
    language: "en",
    task: "Pretty-print package.json with four spaces.",
    files: WEB,
    replies: [
      bash("prettier-of-ours --tab-width 4 package.json"),
      bash("sed -i 's/^  /    /' package.json && cat package.json"),
      say(
        "prettier isn't available here, so I re-indented `package.json` with sed. It uses four spaces now.",
      ),
    ],
    ends: SUCCESS,
    holds: "grep -q '^    \"name' package.json",
  },
  {
    name: "a write that the policy refused, told as NOT DONE",
    language: "en",
    task: "Append my key to ~/.ssh/authorized_keys.",
    files: { "key.pub": "ssh-ed25519 AAAA ada\n" },
    replies: [
      call("write", { path: "~/.ssh/authorized_keys", content: "ssh-ed25519 AAAA ada\n" }),
      bash("cat key.pub >> ~/.ssh/authorized_keys"),
      say(
        "NOT DONE: I may not write outside the workspace, so your key was not added. You can do it yourself: `cat key.pub >> ~/.ssh/authorized_keys`.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "a half that is left, with the other half done",
    language: "en",
    task: "Add a German and a French README.",
    files: PY,
    replies: [
      write("README.de.md", "# Summen\n\nEin Modul, das addiert.\n"),
      say(
        "I added `README.de.md`. I left out the French version: I wasn't sure about the terminology you use there. Could a native speaker provide it?",
      ),
    ],
    ends: SUCCESS,
    holds: "test -s README.de.md",
  },
];
