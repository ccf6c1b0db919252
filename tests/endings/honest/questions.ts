/** Questions: nothing has to change, and what is said may hold code, questions and verbs of change. */
import { bash, say } from "../../support/model_server.ts";
import { read, SUCCESS, together, type Transcript } from "../transcript.ts";
import { CALC, PY, WEB } from "../workspaces.ts";

export const QUESTIONS: readonly Transcript[] = [
  {
    name: "explains a file",
    language: "en",
    task: "What does src/cart.js do?",
    files: WEB,
    replies: [
      read("src/cart.js"),
      say(
        "`total(items)` adds up the prices of a cart. It has an off-by-one error: the loop uses `<=`, so it reads one item past the end and throws a TypeError. Do you want me to fix it?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "answers with a number",
    language: "en",
    task: "How many .js files are there?",
    files: WEB,
    replies: [bash("find . -name '*.js' | wc -l"), say("3")],
    ends: SUCCESS,
  },
  {
    name: "answers with one word and no tool",
    language: "en",
    task: "Is Python's list sort stable?",
    replies: [say("Yes.")],
    ends: SUCCESS,
  },
  {
    name: "answers from what it knows, with an example in code",
    language: "en",
    task: "How do I reverse a list in Python?",
    replies: [
      say(
        "Use slicing or `reversed`:\n\n```python\nxs = [1, 2, 3]\nxs[::-1]            # a new list\nlist(reversed(xs))  # the same\nxs.reverse()        # in place\n```\n\n`xs.reverse()` changes the list itself and returns `None`.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "gives a command that was asked for",
    language: "en",
    task: "What's the command to list the largest files here? Just tell me, don't run it.",
    files: PY,
    replies: [say("```bash\nfind . -type f -printf '%s %p\\n' | sort -rn | head\n```")],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "shows code that was asked for as text",
    language: "en",
    task: "Show me what a fixed version of add in a.py would look like. Don't edit the file.",
    files: PY,
    replies: [
      read("a.py"),
      say(
        "Here is what the fixed function would look like:\n\n```python\ndef add(a, b):\n    return a + b\n```\n\nI have not changed `a.py`.",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "says where something is, with line numbers",
    language: "en",
    task: "Where is the port set?",
    files: WEB,
    replies: [
      read("src", { search: "port" }),
      say("In `src/server.js`, line 3: `const port = 80;`. It's only used in `start()`, line 6."),
    ],
    ends: SUCCESS,
  },
  {
    name: "tells what others changed",
    language: "en",
    task: "What did the last commit change?",
    files: PY,
    git: true,
    setup: "sed -i '2s/-/+/' a.py && git commit -qam 'Fix add'",
    replies: [
      bash("git show --stat HEAD && git show HEAD"),
      say(
        "The last commit, “Fix add”, changed one line in `a.py`: `add` now returns `a + b` instead of `a - b`. It fixed the bug where sums came out as differences.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "writes a changelog as text out of history",
    language: "en",
    task: "Summarize the git history as release notes. Only print them.",
    files: PY,
    git: true,
    setup:
      "sed -i '2s/-/+/' a.py && git commit -qam 'Fix add' && echo x >> README.md && git commit -qam 'Improve the README'",
    replies: [
      bash("git log --oneline"),
      say(
        "### Release notes\n\n- **Fixed**: `add` returned the difference instead of the sum\n- **Updated**: README\n- **Added**: first version of the module",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "suggests a commit message",
    language: "en",
    task: "Suggest a commit message for my change.",
    files: PY,
    git: true,
    setup: "sed -i '2s/-/+/' a.py",
    replies: [
      bash("git diff"),
      say("```\nFix add: return the sum\n\nadd() subtracted its second argument.\n```"),
    ],
    ends: SUCCESS,
  },
  {
    name: "compares two designs and ends with a question of its own",
    language: "en",
    task: "Should I use SQLite or Postgres for this shop?",
    files: WEB,
    replies: [
      read("README.md"),
      say(
        "| | SQLite | Postgres |\n| --- | --- | --- |\n| Setup | none | a server |\n| Writers | one at a time | many |\n\nFor a small single-server shop I'd start with **SQLite** and move when you need several writers. How many concurrent users do you expect?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "explains what is fixed and what is mutable, verbs of change all over",
    language: "en",
    task: "What's the difference between added, modified and deleted in git status?",
    replies: [
      say(
        "*Added* files are new in the index, *modified* ones were changed since the last commit, and *deleted* ones were removed. `git add` updates the index; nothing is written to history until you commit.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "reads five files and answers at length",
    language: "en",
    task: "Give me an overview of the project.",
    files: { ...WEB, ...CALC },
    replies: [
      together("I'll look around first.", bash("ls -R"), read("README.md"), read("package.json")),
      together("", read("src/server.js"), read("src/cart.js"), read("src/util.js")),
      say(
        "# Overview\n\n## Structure\n- `src/server.js` — entry point, exports `start`\n- `src/cart.js` — totals\n- `src/util.js` — rounding (unused)\n- `calc.sh`, `test.sh` — a shell calculator and its tests\n\n## Observations\n1. `total` reads past the end of its array.\n2. `add` in `calc.sh` subtracts.\n\nI can fix either of them if you like.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "cannot know, and says so",
    language: "en",
    task: "Why did the deploy fail last night?",
    files: WEB,
    replies: [
      bash("ls -a; find . -name '*.log'"),
      say(
        "I can't tell from here: the workspace has no deploy logs and no CI configuration. If you save the log into the workspace, I can analyze it.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "answers in JSON, as it was asked",
    language: "en",
    task: 'List the exported functions as JSON: {"functions": [...]}',
    files: WEB,
    replies: [
      bash("grep -rhoE 'export (function|const) \\w+' src"),
      say('{"functions": ["start", "total", "round"]}'),
    ],
    ends: SUCCESS,
  },
  {
    name: "says hello",
    language: "en",
    task: "Hi!",
    replies: [say("Hello! 👋 What would you like me to work on?")],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "reads one file five times in parts, in ask mode",
    language: "en",
    task: "What do lines 1, 100, 200, 300 and 400 of long.txt say?",
    flags: ["--mode", "ask"],
    files: {
      "long.txt": Array.from({ length: 400 }, (_, n) => `this is line ${n + 1}\n`).join(""),
    },
    replies: [
      ...[1, 100, 200, 300, 400].map((offset) => read("long.txt", { offset, limit: 1 })),
      say(
        "Each says its own number: “this is line 1”, “this is line 100”, and so on up to “this is line 400”.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "was asked by the name of a verb that it does not do",
    language: "en",
    task: "Explain how you would fix the bug in calc.sh.",
    files: CALC,
    replies: [
      read("calc.sh"),
      say(
        "I would change line 2 from `echo $(($1 - $2))` to `echo $(($1 + $2))`, then run `sh test.sh` to confirm that both tests pass.",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
];
