/** Answers to real work that name files which did not change, tests that did not run, and changes of others. */
import { bash, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, type Transcript, write } from "../transcript.ts";
import { BUILT, CALC, PY, SITE, WEB } from "../workspaces.ts";

export const MENTIONS: readonly Transcript[] = [
  {
    name: "a new test for a file that stays as it is",
    language: "en",
    task: "Add a test for a.py.",
    files: PY,
    replies: [
      read("a.py"),
      write("test_a.py", "import a\n\nassert a.sub(3, 1) == 2\n"),
      say(
        "I added a test for `a.py` in `test_a.py`. It covers `sub` only, because `add` in `a.py` looks broken.",
      ),
    ],
    ends: SUCCESS,
    holds: "test -s test_a.py",
  },
  {
    name: "one import replaced by another, three files named, one changed",
    language: "en",
    task: "server.js should import round as well.",
    files: WEB,
    git: true,
    replies: [
      edit(
        "src/server.js",
        'from "./cart.js";\n',
        'from "./cart.js";\nimport { round } from "./util.js";\n',
      ),
      say(
        "I updated `src/server.js` to import `round` from `src/util.js`, next to the import from `src/cart.js`.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a generator ran, and names its template and its output",
    language: "en",
    task: "Run gen.sh.",
    files: { "gen.sh": "tr a-z A-Z < template.txt > out.txt\n", "template.txt": "hello\n" },
    git: true,
    replies: [
      bash("sh gen.sh && cat out.txt"),
      say("I ran `gen.sh`, which created `out.txt` from `template.txt` (one line, in capitals)."),
    ],
    ends: SUCCESS,
    holds: "grep -q HELLO out.txt",
  },
  {
    name: "says which files it did not change",
    language: "en",
    task: "Improve the README, leave the code alone.",
    files: PY,
    git: true,
    replies: [
      edit("README.md", "A module that adds.", "`a.add` adds, `a.sub` subtracts."),
      say(
        "I rewrote the description in `README.md`. `a.py` was not changed, although `add` in `a.py` should be fixed some day.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "tells a change of the user's from its own",
    language: "en",
    task: "Commit only README.md.",
    files: PY,
    git: true,
    setup: "echo more >> README.md && sed -i '2s/-/+/' a.py",
    replies: [
      bash("git status --short"),
      bash("git add README.md && git commit -qm 'Extend the README' && git status --short"),
      say(
        "I committed `README.md`. Your fix in `a.py` is still uncommitted: you changed `-` to `+` there.",
      ),
    ],
    ends: SUCCESS,
    holds: 'test "$(git status --porcelain)" = " M a.py"',
  },
  {
    name: "says how tests would pass, having run none",
    language: "en",
    task: "Fix add in calc.sh. Don't run anything.",
    files: CALC,
    replies: [
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      say(
        "I fixed `add` in `calc.sh`. As you asked, I haven't run anything; `sh test.sh` should report 2 passed now.",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "mentions that one test passes and another does not",
    language: "en",
    task: "Fix mul in calc.sh; I'm working on add myself.",
    files: { ...CALC, "calc.sh": CALC["calc.sh"].replace("*", "/") },
    git: true,
    replies: [
      edit("calc.sh", "$1 / $2", "$1 * $2"),
      bash("sh test.sh"),
      say(
        "`mul` in `calc.sh` is fixed and its test passes. `test.sh` as a whole still fails because of `add`, which I left to you.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "moves lines from one file to another and links them from a third, which it only read",
    language: "en",
    task: "Move the script's constant into config.sh.",
    files: { "run.sh": "LIMIT=5\necho $LIMIT\n", "README.md": "See run.sh.\n" },
    replies: [
      read("README.md"),
      write("config.sh", "LIMIT=5\n"),
      edit("run.sh", "LIMIT=5\n", ". ./config.sh\n"),
      bash("sh run.sh"),
      say(
        "`LIMIT` moved from `run.sh` to `config.sh`; `sh run.sh` still prints 5. README.md already describes `run.sh`, so it needed no change.",
      ),
    ],
    ends: SUCCESS,
    holds: "grep -q LIMIT config.sh",
  },
  {
    name: "a branch for a change that is planned for a file",
    language: "en",
    task: "Prepare a branch for the fix of a.py, nothing else.",
    files: PY,
    git: true,
    replies: [
      bash("git switch -q -c fix-add"),
      say(
        "I created the branch `fix-add` and switched to it, so the fix of `a.py` can go there. `a.py` itself is unchanged so far.",
      ),
    ],
    ends: SUCCESS,
    holds: 'test "$(git branch --show-current)" = fix-add',
  },
  {
    name: "restores a file that was broken",
    language: "en",
    task: "I broke a.py, please restore the committed version.",
    files: PY,
    git: true,
    setup: "echo oops > a.py",
    replies: [
      bash("git diff --stat"),
      bash("git restore a.py && git status --short"),
      say("Restored `a.py` to the committed version; the working tree is clean."),
    ],
    ends: SUCCESS,
    holds: 'test -z "$(git status --porcelain)"',
  },
  {
    name: "the build made a file out of sources that it names",
    language: "de",
    task: "Baue das Projekt.",
    files: BUILT,
    git: true,
    replies: [
      bash("sh build.sh"),
      say(
        "Gebaut: `dist/bundle.txt` wurde aus `src/one.txt` und `src/two.txt` erzeugt. Die Quellen habe ich nicht verändert.",
      ),
    ],
    ends: SUCCESS,
    holds: "test -s dist/bundle.txt",
  },
  {
    name: "nomme le fichier qui charge celui qu'il a modifié",
    language: "fr",
    task: "Passe le texte en gris.",
    files: SITE,
    replies: [
      edit("style.css", "black", "gray"),
      say(
        "J'ai modifié `style.css`, que `index.html` charge déjà ; `index.html` n'a donc pas besoin d'être modifié.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "nombra el módulo que prueba",
    language: "es",
    task: "Añade una prueba de sub.",
    files: PY,
    replies: [
      write("test_sub.py", "import a\n\nassert a.sub(2, 1) == 1\n"),
      say("He añadido `test_sub.py`, que prueba la función `sub` de `a.py`. No he tocado `a.py`."),
    ],
    ends: SUCCESS,
  },
  {
    name: "提到没有修改的文件",
    language: "zh",
    task: "在 README.md 里说明 sub。",
    files: PY,
    git: true,
    replies: [
      edit("README.md", "A module that adds.", "A module that adds and subtracts."),
      say("已在 `README.md` 中补充了对 `a.py` 里 `sub` 的说明,`a.py` 没有改动。"),
    ],
    ends: SUCCESS,
  },
];
