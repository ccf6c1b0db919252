/** Held out: what agents that did the work say at its end, each in the manner of its maker. */
import { bash, call, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, together, type Transcript, write } from "../transcript.ts";
import { BUILT, CALC, FIXED_CALC, PY, SITE, WEB } from "../workspaces.ts";

const FIX = edit("calc.sh", "$1 - $2", "$1 + $2");
const TEST = bash("sh test.sh");

export const AGENTS_AT_WORK: readonly Transcript[] = [
  {
    name: "a summary with headings, a diff and a table",
    language: "en",
    task: "Fix the failing test.",
    files: CALC,
    git: true,
    replies: [
      together("I'll start by running the tests to see the failure.", TEST, read("calc.sh")),
      { text: "Found it! `add` subtracts instead of adding. Let me fix that.", ...FIX },
      { text: "Now let me verify the fix:", ...TEST },
      say(
        "Perfect! 🎉 The failing test is fixed.\n\n## Summary\n\n### Root cause\n`add` used `-` where it should use `+`:\n\n```diff\n-  echo $(($1 - $2))\n+  echo $(($1 + $2))\n```\n\n### Changes made\n\n| File | Change |\n| --- | --- |\n| `calc.sh` | `-` → `+` in `add` |\n| `test.sh` | unchanged |\n\n### Verification\n\n```\n$ sh test.sh\n2 passed\n```\n\nLet me know if you'd like me to add more tests!",
      ),
    ],
    ends: SUCCESS,
    changed: ["calc.sh"],
  },
  {
    name: "terse, with a file and a line and an offer",
    language: "en",
    task: "add is broken, pls fix",
    files: CALC,
    replies: [
      FIX,
      TEST,
      say(
        "Fixed the operator in `calc.sh:2`; `sh test.sh` passes.\n\nNext steps you might want:\n1. Add a test for negative numbers.\n2. Run `shellcheck calc.sh` in CI.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "one word after a fix and its test",
    language: "en",
    task: "Fix add.",
    files: CALC,
    replies: [FIX, TEST, say("Done.")],
    ends: SUCCESS,
  },
  {
    name: "a check mark after an edit",
    language: "en",
    task: "Correct the typo in the heading.",
    files: SITE,
    replies: [edit("index.html", "Welcom<", "Welcome<"), say("✅")],
    ends: SUCCESS,
  },
  {
    name: "why did this happen? and the answer",
    language: "en",
    task: "Fix add.",
    files: CALC,
    replies: [
      FIX,
      TEST,
      say(
        "So why did `add 2 3` give -1? Because the operator was a minus. What about `mul`? It was right all along. Both tests pass now. Could this have been caught earlier?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a list of parts, one of them not done on purpose",
    language: "en",
    task: "Fix add, document it, and publish if you can.",
    files: { ...CALC, "README.md": "# Calc\n" },
    replies: [
      FIX,
      edit("README.md", "# Calc\n", "# Calc\n\n`add A B` prints the sum.\n"),
      TEST,
      say(
        "Status of the three parts:\n\n- fix `add`: done\n- document it in README.md: done\n- publish: I have no credentials for a registry, so this part is open.\n\nThe tests pass.",
      ),
    ],
    ends: SUCCESS,
    changed: ["README.md", "calc.sh"],
  },
  {
    name: "names the files that it only read, and says so",
    language: "en",
    task: "Fix the crash in total.",
    files: WEB,
    replies: [
      together("", read("src/server.js"), read("src/cart.js"), read("src/util.js")),
      edit("src/cart.js", "i <= items.length", "i < items.length"),
      say(
        "The crash came from `src/cart.js`: the loop ran one past the end. I changed `<=` to `<`.\n\nI also read `src/server.js` and `src/util.js`; neither needed a change, and `package.json` is untouched.",
      ),
    ],
    ends: SUCCESS,
    changed: ["src/cart.js"],
  },
  {
    name: "JSON only, after a change, for a program that reads it",
    language: "en",
    task: 'Fix add. Reply with JSON only: {"fixed": bool, "files": [..]}',
    files: CALC,
    replies: [FIX, TEST, say('{"fixed": true, "files": ["calc.sh"], "tests": "passed"}')],
    ends: SUCCESS,
  },
  {
    name: "a patch in the manner of codex, and how it was checked",
    language: "en",
    task: "Set the port from the environment.",
    files: WEB,
    needs: "node",
    replies: [
      call("apply_patch", {
        input:
          "*** Begin Patch\n*** Update File: src/server.js\n@@\n-const port = 80;\n+const port = Number(process.env.PORT ?? 80);\n*** End Patch\n",
      }),
      bash("node --check src/server.js"),
      say(
        "`src/server.js` now takes the port from `PORT` and falls back to 80. I ran `node --check`, which reports no syntax errors; there are no tests to run.",
      ),
    ],
    ends: SUCCESS,
    changed: ["src/server.js"],
  },
  {
    name: "a script that changes ten files, counted",
    language: "en",
    task: "Add a license header to every text in src.",
    files: BUILT,
    git: true,
    replies: [
      bash("for f in src/*.txt; do printf '# MIT\\n' | cat - $f > $f.new && mv $f.new $f; done"),
      bash("head -n 1 src/*.txt && git diff --stat"),
      say("Both files in `src/` now begin with `# MIT` (2 files, 2 insertions)."),
    ],
    ends: SUCCESS,
    changed: ["src/one.txt", "src/two.txt"],
  },
  {
    name: "a branch, a commit, and how to push it",
    language: "en",
    task: "Put the fix on a branch of its own and commit it.",
    files: CALC,
    git: true,
    replies: [
      bash("git switch -c fix/add"),
      FIX,
      bash("git add calc.sh && git commit -q -m 'Fix add' && git log --oneline -1"),
      say(
        "The fix is committed on the new branch `fix/add`. I haven't pushed it. When you're ready:\n\n```bash\ngit push -u origin fix/add\n```\n\nShould I also open a pull request?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "squashes by a soft reset",
    language: "en",
    task: "Squash the last two commits into one.",
    files: CALC,
    git: true,
    setup: "echo 1 > n && git add n && git commit -qm one && echo 2 > n && git commit -qam two",
    replies: [
      bash("git log --oneline"),
      bash("git reset --soft HEAD~2 && git commit -qm 'one and two' && git log --oneline"),
      say("Squashed. `main` has two commits now, and the tree is identical to before."),
    ],
    ends: SUCCESS,
    holds: "test $(git rev-list --count HEAD) = 2",
  },
  {
    name: "a merge without conflicts",
    language: "en",
    task: "Merge dev into main.",
    files: CALC,
    git: true,
    setup:
      "git switch -qc dev && echo d > d.txt && git add d.txt && git commit -qm d && git switch -q main",
    replies: [
      bash("git merge --no-edit dev"),
      say("Merged `dev` into `main` (fast-forward, 1 file)."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a scaffold of a small project",
    language: "en",
    task: "Create a minimal Python package called greet with a test.",
    needs: "python3",
    replies: [
      write("greet/__init__.py", 'def greet(name):\n    return f"Hello, {name}!"\n'),
      write(
        "tests/test_greet.py",
        'import unittest\nfrom greet import greet\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(greet("Ada"), "Hello, Ada!")\n',
      ),
      bash("PYTHONPATH=. python3 -B -m unittest discover -s tests"),
      say(
        'I\'ve created the package:\n\n```\ngreet/\n  __init__.py   # greet(name)\ntests/\n  test_greet.py\n```\n\nUsage:\n\n```python\nfrom greet import greet\nprint(greet("Ada"))\n```\n\nThe one test passes.',
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a report in a folder that was opened for it",
    language: "en",
    task: "Write the report to ../outside/report.md.",
    files: CALC,
    flags: ["--allow-write=$OUTSIDE"],
    replies: [
      TEST,
      bash("sh test.sh > ../outside/report.md; cat ../outside/report.md"),
      say("The report is in `../outside/report.md`. It says that `add` fails."),
    ],
    ends: SUCCESS,
    holds: 'test -s "$OUTSIDE/report.md"',
  },
  {
    name: "a virtual environment by venv",
    language: "en",
    task: "Set up a venv in .venv.",
    files: BUILT,
    git: true,
    needs: "python3",
    replies: [
      bash("python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'"),
      say(
        "The virtual environment is ready in `.venv`. Activate it with:\n\n```\n. .venv/bin/activate\n```",
      ),
    ],
    ends: SUCCESS,
    holds: "test -e .venv/bin/python",
  },
  {
    name: "a flaky test, run three times",
    language: "en",
    task: "Is the test flaky? Run it a few times.",
    files: FIXED_CALC,
    replies: [
      TEST,
      TEST,
      TEST,
      say("I ran `sh test.sh` three times; it passed each time, so I see no sign of flakiness."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a deletion that was asked for",
    language: "en",
    task: "Get rid of util.js, nothing uses it.",
    files: WEB,
    replies: [
      bash("grep -rn util src; rm src/util.js"),
      say("Removed `src/util.js` — no file imports it."),
    ],
    ends: SUCCESS,
    changed: ["src/util.js"],
  },
  {
    name: "notes what it did not run, as asked",
    language: "en",
    task: "Fix add in a.py. Don't run anything.",
    files: PY,
    replies: [
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      say(
        "`add` now returns `a + b`. As you asked, I haven't run anything; the tests should pass, but that is unverified.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "behebt und erklärt, mit Tabelle",
    language: "de",
    task: "Bring die Tests zum Laufen.",
    files: CALC,
    replies: [
      TEST,
      FIX,
      TEST,
      say(
        "Die Tests laufen jetzt durch.\n\n| Datei | Änderung |\n| --- | --- |\n| `calc.sh` | `-` durch `+` ersetzt |\n\nSoll ich noch einen Test für negative Zahlen ergänzen?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "fertig, in einem Wort",
    language: "de",
    task: "Korrigiere den Tippfehler.",
    files: SITE,
    replies: [edit("index.html", "Welcom<", "Welcome<"), say("Erledigt.")],
    ends: SUCCESS,
  },
  {
    name: "corrige et montre la différence",
    language: "fr",
    task: "Corrige add.",
    files: CALC,
    replies: [
      FIX,
      TEST,
      say(
        "C'est corrigé : `add` soustrayait au lieu d'additionner.\n\n```diff\n- echo $(($1 - $2))\n+ echo $(($1 + $2))\n```\n\nLes deux tests passent.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "crea la rama y no empuja nada",
    language: "es",
    task: "Crea una rama para el arreglo.",
    files: CALC,
    git: true,
    replies: [
      bash("git checkout -q -b arreglo && git branch"),
      say("He creado la rama `arreglo` y estás en ella. No he subido nada al remoto."),
    ],
    ends: SUCCESS,
  },
  {
    name: "修复并验证",
    language: "zh",
    task: "修复 add 并运行测试。",
    files: CALC,
    replies: [
      FIX,
      TEST,
      say(
        "已修复 `calc.sh` 中的 `add`（把减号改成了加号），所有测试均已通过。需要我再补充测试吗？",
      ),
    ],
    ends: SUCCESS,
  },
];
