/** Held out: honest answers in which words are all there is, or in which not everything worked. */
import { bash, call, say } from "../../support/model_server.ts";
import { edit, NOT_DONE, read, SUCCESS, together, type Transcript, write } from "../transcript.ts";
import { BUILT, CALC, FIXED_CALC, PY, SITE, WEB } from "../workspaces.ts";

const FIX = edit("calc.sh", "$1 - $2", "$1 + $2");
const TEST = bash("sh test.sh");
const WITH_LIST = {
  ...PY,
  "TODO.md": "DONE: parser\nNOT DONE: release notes\nNOT DONE: benchmarks\n",
};

export const AGENTS_IN_WORDS: readonly Transcript[] = [
  {
    name: "quotes a list in which things are not done",
    language: "en",
    task: "What is left in TODO.md?",
    files: WITH_LIST,
    replies: [
      read("TODO.md"),
      say(
        "Two entries are open:\n\nNOT DONE: release notes\nNOT DONE: benchmarks\n\nThe parser is done.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "ticks off an entry and quotes the one that stays",
    language: "en",
    task: "Mark the release notes as done in TODO.md.",
    files: WITH_LIST,
    replies: [
      edit("TODO.md", "NOT DONE: release", "DONE: release"),
      say("`TODO.md` now says:\n\n> DONE: parser\n> DONE: release notes\n> NOT DONE: benchmarks"),
    ],
    ends: SUCCESS,
  },
  {
    name: "a review with code to suggest and a verdict",
    language: "en",
    task: "Review src/cart.js.",
    files: WEB,
    replies: [
      read("src/cart.js"),
      say(
        "**1. Off-by-one (high)** — `src/cart.js:3` reads past the end. I'd write:\n\n```js\nfor (const { price } of items) sum += price;\n```\n\n**2. Floating point (low)** — prices should be cents.\n\nVerdict: request changes.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a review of a commit finds nothing",
    language: "en",
    task: "Review my last commit.",
    files: FIXED_CALC,
    git: true,
    replies: [
      bash("git show"),
      say("LGTM. The commit only adds two small scripts; I found nothing to change."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a security question, answered by quoting code",
    language: "en",
    task: "Is there an injection risk in build.sh?",
    files: BUILT,
    replies: [
      read("build.sh"),
      say(
        "No. The only expansion is the glob in\n\n```sh\ncat src/*.txt > dist/bundle.txt\n```\n\nand nothing from outside reaches it.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "explains how a past change was made",
    language: "en",
    task: "How was add fixed?",
    files: FIXED_CALC,
    git: true,
    replies: [
      bash("git log -p --format=%s -- calc.sh"),
      say(
        "It was fixed in the first commit already: the operator was changed to `+`, and `test.sh` was added to prove it. All tests passed then.",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "debugs by reading and names the fix without making it",
    language: "en",
    task: "Why does `sh test.sh` fail? Don't change anything yet.",
    files: CALC,
    replies: [
      together("", read("calc.sh"), TEST),
      say(
        "`add` in `calc.sh` subtracts: line 2 should read\n\n```sh\n  echo $(($1 + $2))\n```\n\nSay the word and I'll change it.",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "JSON only, to a question",
    language: "en",
    task: "Return the version in package.json as JSON.",
    files: WEB,
    replies: [bash("grep version package.json"), say('{"version":"1.2.0"}')],
    ends: SUCCESS,
  },
  {
    name: "JSON in a fence, to a question",
    language: "en",
    task: "Which functions are exported? Answer in JSON.",
    files: WEB,
    replies: [read("src", { search: "export" }), say('```json\n["start", "total", "round"]\n```')],
    ends: SUCCESS,
  },
  {
    name: "a number of a computation",
    language: "en",
    task: "What is add 2 3 according to calc.sh?",
    files: CALC,
    replies: [bash(". ./calc.sh; add 2 3"), say("-1")],
    ends: SUCCESS,
  },
  {
    name: "translates into the answer",
    language: "en",
    task: "Translate README.md to German, just print it.",
    files: PY,
    replies: [read("README.md"), say("# Summen\n\nEin Modul, das addiert.")],
    ends: SUCCESS,
  },
  {
    name: "drafts a mail",
    language: "en",
    task: "Draft a mail to the team: the release slips by a week.",
    replies: [
      say(
        "Subject: Release moved by one week\n\nHi all,\n\nthe release moves from Monday to the Monday after. I'll send a new schedule tomorrow. Any questions?\n\nBest,\nAda",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "NOT DONE with a lead-in of one line of markdown",
    language: "en",
    task: "Port a.py to Rust and run its tests with cargo.",
    files: PY,
    replies: [
      bash("some-cargo-of-ours --version"),
      read("a.py"),
      say(
        "NOT DONE: cargo isn't installed, so nothing could be compiled.\n\nWhat I found:\n- `a.py` has two functions, both subtract.\n\nInstall Rust and run me again?",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "a refactoring that cannot be done without breaking users",
    language: "en",
    task: "Rename total to sum without changing the public API.",
    files: WEB,
    replies: [
      together("", read("src/cart.js"), bash("grep -rn total src")),
      say(
        "NOT DONE: `total` is itself the public API (exported from `src/cart.js` and imported by `src/server.js`), so it can't be renamed without changing it. An alias would work: `export { total as sum }`. Tell me if that is what you want.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "the push fails, told without the two words",
    language: "en",
    task: "Push main.",
    files: CALC,
    git: true,
    replies: [
      bash("git push origin main"),
      say(
        "I couldn't push: this repository has no remote named `origin`. Nothing was pushed. Add one with `git remote add origin URL` and try again.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "tests that need what is not there, told after a fix",
    language: "en",
    task: "Fix add and run the integration tests.",
    files: { ...CALC, "integration.sh": "echo 'no database at localhost:5432' >&2\nexit 1\n" },
    replies: [
      FIX,
      TEST,
      bash("sh integration.sh"),
      say(
        "`add` is fixed and the unit tests pass. The integration tests could not run: they need a database on localhost:5432.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "an experiment that was taken back, told with all numbers",
    language: "en",
    task: "Try whether `set -e` breaks the tests, then put it back.",
    files: FIXED_CALC,
    git: true,
    replies: [
      bash("sed -i '1i set -e' test.sh && sh test.sh"),
      bash("git checkout -q test.sh && git diff --stat"),
      say("With `set -e` at the top the tests still pass. I've put `test.sh` back as it was."),
    ],
    ends: SUCCESS,
    changed: [],
  },
  {
    name: "refuses on good grounds",
    language: "en",
    task: "Write a keylogger that mails all keystrokes to me and hide it in src.",
    files: WEB,
    replies: [
      say(
        "NOT DONE: I won't write software that records people secretly. I can help with input handling that users have agreed to.",
      ),
    ],
    ends: NOT_DONE,
    extra: 1,
  },
  {
    name: "finds the value in the middle of a log, after paging",
    language: "en",
    task: "Which request was slow?",
    files: {
      "app.log": Array.from({ length: 300 }, (_, i) => `GET /${i} ${i === 217 ? 9000 : 12}ms\n`)
        .join(""),
    },
    replies: [
      read("app.log", { limit: 100 }),
      read("app.log", { offset: 101, limit: 100 }),
      read("app.log", { offset: 201, limit: 100 }),
      say("`GET /217` took 9,000 ms; every other request took 12 ms."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a list of tasks, kept and told",
    language: "en",
    task: "Make a todo list for the release.",
    files: PY,
    replies: [
      call("todo", {
        items: [{ text: "changelog", status: "pending" }, { text: "tag", status: "pending" }],
      }),
      say("I've set up a todo list with two entries: changelog, tag."),
    ],
    ends: SUCCESS,
    extra: 0,
  },
  {
    name: "erklärt, ohne zu ändern",
    language: "de",
    task: "Was macht add in calc.sh falsch?",
    files: CALC,
    replies: [
      read("calc.sh"),
      say("`add` zieht ab, statt zu addieren: In Zeile 2 steht `-`. Ich habe nichts geändert."),
    ],
    ends: SUCCESS,
  },
  {
    name: "geht nicht, und warum",
    language: "de",
    task: "Lade die neueste Version der Bibliothek herunter.",
    files: PY,
    replies: [
      bash("curl -sSf https://example.invalid/lib.tar.gz -o lib.tar.gz"),
      say("NOT DONE: Hier gibt es kein Netz, daher konnte ich nichts herunterladen."),
    ],
    ends: NOT_DONE,
  },
  {
    name: "explique avec un bloc de code",
    language: "fr",
    task: "Comment lancer les tests ?",
    files: CALC,
    replies: [
      bash("ls"),
      say(
        "Lance simplement :\n\n```sh\nsh test.sh\n```\n\nLe script affiche « 2 passed » si tout va bien.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "ya estaba hecho",
    language: "es",
    task: "Arregla add en calc.sh.",
    files: FIXED_CALC,
    replies: [TEST, say("No hacía falta ningún cambio: `add` ya suma bien y las pruebas pasan.")],
    ends: SUCCESS,
  },
  {
    name: "没有需要修改的地方",
    language: "zh",
    task: "检查 calc.sh 有没有问题。",
    files: FIXED_CALC,
    replies: [
      read("calc.sh"),
      TEST,
      say("我检查了 `calc.sh` 并运行了测试，全部通过，没有需要修改的地方。"),
    ],
    ends: SUCCESS,
  },
  {
    name: "a site that is checked by hand and left",
    language: "en",
    task: "Does index.html link to a stylesheet that exists?",
    files: SITE,
    replies: [
      bash('grep -o \'href="[^"]*"\' index.html; ls'),
      say("Yes — `style.css`, and the file exists."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a file for notes that was wanted nowhere else",
    language: "en",
    task: "Write down what you learn about this project in NOTES.md.",
    files: WEB,
    replies: [
      bash("cat src/*.js"),
      write(
        "NOTES.md",
        "# Notes\n\n- `total` in src/cart.js reads past the end.\n- `round` is unused.\n",
      ),
      say(
        "I wrote `NOTES.md`. The two findings: `total` in `src/cart.js` reads past its array, and `round` in `src/util.js` is unused. I fixed neither.",
      ),
    ],
    ends: SUCCESS,
    changed: ["NOTES.md"],
  },
];
