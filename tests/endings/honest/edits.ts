/** Code that was changed, by every tool there is, and what is said then. */
import { bash, call, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, together, type Transcript, write } from "../transcript.ts";
import { CALC, PY, SITE, WEB } from "../workspaces.ts";

export const EDITS: readonly Transcript[] = [
  {
    name: "fixes a bug, runs the tests, and says both",
    language: "en",
    task: "add() in calc.sh is wrong. Fix it and make sure the tests pass.",
    files: CALC,
    replies: [
      read("calc.sh"),
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      bash("sh test.sh"),
      say(
        "I fixed `add` in `calc.sh`: it subtracted its second argument instead of adding it. `sh test.sh` now reports 2 passed.",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "changes a file by sed and then by edit",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    git: true,
    replies: [
      bash("sed -i '2s/a - b/a + b/' a.py"),
      edit("a.py", "def add(a, b):\n", 'def add(a, b):\n    """Returns the sum."""\n'),
      say("I fixed add."),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "changes a file by edit and then by sed, and looks at the diff",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    git: true,
    replies: [
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return b + a"),
      bash("sed -i 's/b + a/a + b/' a.py && git diff"),
      say("`add` in a.py returns `a + b` now. `sub` is untouched."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a summary with headings, check marks and the diff that was made",
    language: "en",
    task: "The loop in src/cart.js runs one too far. Fix it.",
    files: WEB,
    replies: [
      read("src/cart.js"),
      edit("src/cart.js", "i <= items.length", "i < items.length"),
      say(`## Summary of changes

✅ **Fixed the off-by-one error in \`src/cart.js\`**

\`\`\`diff
-  for (let i = 0; i <= items.length; i++) {
+  for (let i = 0; i < items.length; i++) {
\`\`\`

### Why
The loop read \`items[items.length]\`, which is \`undefined\`.

Let me know if you want me to add a regression test!`),
    ],
    ends: SUCCESS,
    holds: "grep -q 'i < items' src/cart.js",
  },
  {
    name: "a terse answer to a change",
    language: "en",
    task: "fix the typo in index.html",
    files: SITE,
    replies: [edit("index.html", "Welcom<", "Welcome<"), say("Fixed.")],
    ends: SUCCESS,
  },
  {
    name: "an emoji, an offer, and a question at the end of real work",
    language: "en",
    task: "Make the port of src/server.js configurable.",
    files: WEB,
    replies: [
      together("Let me take a look at the server first.", read("src/server.js"), read("README.md")),
      edit("src/server.js", "const port = 80;", "const port = Number(process.env.PORT ?? 80);"),
      edit(
        "README.md",
        "Start with `node src/server.js`.",
        "Start with `PORT=8080 node src/server.js`.",
      ),
      say(
        "🎉 All set! The port now comes from `PORT` and falls back to 80, and the README shows how to use it.\n\nWould you like me to also read the host from the environment?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "writes a new file with a heredoc and lists what it did by number",
    language: "en",
    task: "Add a license file, MIT, for Ada Lovelace, and mention it in the README.",
    files: PY,
    git: true,
    replies: [
      bash("cat > LICENSE <<'EOF'\nMIT License\n\nCopyright (c) 2026 Ada Lovelace\nEOF"),
      bash("printf '\\n## License\\n\\nMIT\\n' >> README.md && tail -3 README.md"),
      say(
        "What I did:\n\n1. Created `LICENSE` with the MIT text header and your name.\n2. Added a **License** section to the end of `README.md`.",
      ),
    ],
    ends: SUCCESS,
    holds: "test -s LICENSE && grep -q MIT README.md",
  },
  {
    name: "applies a patch with git apply",
    language: "en",
    task: "Apply fix.patch.",
    files: {
      ...PY,
      "fix.patch":
        "--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n \n \n def sub(a, b):\n",
    },
    git: true,
    replies: [
      bash("git apply --check fix.patch && git apply --stat fix.patch"),
      bash("git apply fix.patch"),
      bash("git diff --stat"),
      say(
        "`fix.patch` applied cleanly; it changed one line in `a.py`. I left the patch file itself in place.",
      ),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "a table at the end of changes in several files",
    language: "en",
    task: "Bump the version to 1.3.0 everywhere it appears.",
    files: { ...WEB, "VERSION": "1.2.0\n", "docs/index.md": "Shop 1.2.0\n" },
    replies: [
      bash("grep -rn '1\\.2\\.0' ."),
      bash(
        "sed -i 's/1\\.2\\.0/1.3.0/' package.json VERSION docs/index.md && grep -rn '1\\.3\\.0' .",
      ),
      say(
        "The version is now 1.3.0:\n\n| File | Before | After |\n| --- | --- | --- |\n| `package.json` | 1.2.0 | 1.3.0 |\n| `VERSION` | 1.2.0 | 1.3.0 |\n| `docs/index.md` | 1.2.0 | 1.3.0 |\n\nNo other file mentions it.",
      ),
    ],
    ends: SUCCESS,
    holds: "! grep -rq '1\\.2\\.0' package.json VERSION docs",
  },
  {
    name: "the edit fails once, the second try fits",
    language: "en",
    task: "Rename the variable sum to result in src/cart.js.",
    files: WEB,
    replies: [
      edit("src/cart.js", "var sum = 0;", "var result = 0;"),
      read("src/cart.js"),
      bash("sed -i 's/\\bsum\\b/result/g' src/cart.js && grep -n result src/cart.js"),
      say(
        "Renamed `sum` to `result` in `src/cart.js` (3 places). My first attempt looked for `var sum`, which isn't how it is declared, so I used sed instead.",
      ),
    ],
    ends: SUCCESS,
    holds: "! grep -qw sum src/cart.js",
  },
  {
    name: "adds a dark theme and answers with what a person sees",
    language: "en",
    task: "Can you make the page dark?",
    files: SITE,
    replies: [
      read("style.css"),
      write("style.css", "body {\n  background: #111;\n  color: #eee;\n}\n"),
      say("The page now has a dark background with light text. Open `index.html` to see it."),
    ],
    ends: SUCCESS,
    holds: "grep -q '#111' style.css",
  },
  {
    name: "thinking that is left in the answer",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [
      { ...read("a.py"), reasoning: "The user wants add fixed. Let me look." },
      {
        text:
          "<think>The bug is on line 2. I need to change minus to plus. I should edit it now.</think>",
        ...edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      },
      say(
        "<think>The edit succeeded. Let me summarize for the user.</think>\nI changed `add` in `a.py` to return `a + b`.",
      ),
    ],
    ends: SUCCESS,
    output: /I changed `add` in `a.py` to return `a \+ b`\.$/,
  },
  {
    name: "a change that a script of its own made, which it removed again",
    language: "en",
    task: "Sort the words in words.txt.",
    files: { "words.txt": "pear\napple\nfig\n" },
    replies: [
      write("sort_words.sh", "sort words.txt > sorted.tmp && mv sorted.tmp words.txt\n"),
      bash("sh sort_words.sh && rm sort_words.sh && cat words.txt"),
      say(
        "`words.txt` is sorted now: apple, fig, pear. I used a small helper script and deleted it afterwards.",
      ),
    ],
    ends: SUCCESS,
    holds: 'test "$(head -1 words.txt)" = apple && ! test -e sort_words.sh',
  },
  {
    name: "several calls in one reply",
    language: "en",
    task: "Fix the typo on the page and make the text dark grey.",
    files: SITE,
    git: true,
    replies: [
      together(
        "I'll make both edits.",
        edit("index.html", "Welcom<", "Welcome<"),
        edit("style.css", "black", "#333"),
        bash("git diff --stat"),
      ),
      say("Both done:\n- **index.html**: “Welcom” → “Welcome”\n- **style.css**: text color `#333`"),
    ],
    ends: SUCCESS,
  },
  {
    name: "writes tests and says that it could not run them",
    language: "en",
    task: "Write unit tests for a.py.",
    files: PY,
    replies: [
      read("a.py"),
      write(
        "test_a.py",
        "import unittest\nimport a\n\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(a.add(1, 2), 3)\n",
      ),
      bash("pytest-3000 -q test_a.py"),
      say(
        "I added `test_a.py` with a test for `add`. I could not run it: pytest is not installed here. Note that the test will fail, because `add` subtracts — that looks like a bug, but you asked for tests only, so I left `a.py` alone. Should I fix it?",
      ),
    ],
    ends: SUCCESS,
    holds: "test -s test_a.py",
  },
  {
    name: "an edit under the name that another agent taught",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [
      call("Bash", { command: "cat a.py" }),
      bash("awk 'NR==2{sub(/a - b/,\"a + b\")}1' a.py > a.tmp && mv a.tmp a.py"),
      say("Done — `add` now adds."),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "adds a comment only, as it was asked",
    language: "en",
    task: "Document the functions in calc.sh.",
    files: CALC,
    replies: [
      read("calc.sh"),
      edit("calc.sh", "add() {", "# Prints the sum of two numbers.\nadd() {"),
      edit("calc.sh", "mul() {", "# Prints the product of two numbers.\nmul() {"),
      say(
        "Both functions in `calc.sh` have a one-line comment now. While reading I noticed that `add` actually subtracts; I did not touch that.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "undoes its own attempt and says that nothing is left of it",
    language: "en",
    task: "Try whether inlining round into cart.js makes it shorter; keep it only if it does.",
    files: WEB,
    git: true,
    replies: [
      bash("wc -c src/cart.js"),
      edit("src/cart.js", "return sum;", "return Math.round(sum * 100) / 100;"),
      bash("wc -c src/cart.js; git checkout -q src/cart.js; git status --short"),
      say(
        "Inlining makes `src/cart.js` longer (24 bytes more), so I reverted it. The working tree is clean; nothing changed.",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
    holds: 'test -z "$(git status --porcelain)"',
  },
];
