/** Someone else writes in the same folder, and the model tells its own work from that. */
import { bash, say } from "../../support/model_server.ts";
import { edit, NOT_DONE, read, SUCCESS, type Transcript, write } from "../transcript.ts";
import { CALC, PY, SITE, WEB } from "../workspaces.ts";

export const FOREIGN: readonly Transcript[] = [
  {
    name: "the user edits another file in the meantime",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    git: true,
    replies: [
      read("a.py"),
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      say("I fixed `add` in `a.py`."),
    ],
    meanwhile: { 1: "echo more >> README.md" },
    changed: ["a.py"],
    ends: SUCCESS,
  },
  {
    name: "it sees that the user was faster",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    git: true,
    replies: [
      bash("ls"),
      read("a.py"),
      say(
        "`add` in `a.py` already returns `a + b` — it looks like you fixed it a moment ago. I changed nothing.",
      ),
    ],
    meanwhile: { 1: "sed -i '2s/-/+/' a.py" },
    changed: [],
    ends: SUCCESS,
  },
  {
    name: "a server of the user's writes its log all the time",
    language: "en",
    task: "Make the heading red.",
    files: { ...SITE, "access.log": "GET /\n" },
    replies: [
      bash("cat style.css"),
      edit("style.css", "body {", "h1 {\n  color: red;\n}\n\nbody {"),
      say("The heading is red now (`style.css`)."),
    ],
    meanwhile: { 1: "echo GET / >> access.log", 2: "echo GET / >> access.log" },
    changed: ["style.css"],
    ends: SUCCESS,
  },
  {
    name: "the user breaks the tests while it is at work, and it says so",
    language: "en",
    task: "Document mul in calc.sh; the tests must pass.",
    files: { ...CALC, "calc.sh": CALC["calc.sh"].replace("-", "+") },
    replies: [
      bash("sh test.sh"),
      edit("calc.sh", "mul() {", "# Prints the product.\nmul() {"),
      bash("sh test.sh"),
      say(
        "I documented `mul` in `calc.sh`. The tests passed before, but fail now with “FAIL extra”: somebody has just added a failing check to `test.sh`. That wasn't me.",
      ),
    ],
    meanwhile: { 2: "echo 'echo FAIL extra; exit 1' > test.sh" },
    changed: ["calc.sh"],
    ends: SUCCESS,
  },
  {
    name: "the file that it should change was deleted in the meantime",
    language: "en",
    task: "Rename round to round2 in src/util.js.",
    files: WEB,
    replies: [
      read("src/util.js"),
      edit("src/util.js", "round =", "round2 ="),
      bash("ls src"),
      say(
        "NOT DONE: src/util.js was deleted while I was working, so there is nothing to rename any more.",
      ),
    ],
    meanwhile: { 1: "rm src/util.js" },
    changed: [],
    ends: NOT_DONE,
  },
  {
    name: "die Person legt eine Datei an, während er eine andere schreibt",
    language: "de",
    task: "Leg eine LICENSE an.",
    files: PY,
    replies: [
      bash("ls"),
      write("LICENSE", "MIT\n"),
      say("Ich habe `LICENSE` angelegt. `notes.txt` ist neu hinzugekommen, aber nicht von mir."),
    ],
    meanwhile: { 1: "echo x > notes.txt" },
    changed: ["LICENSE"],
    ends: SUCCESS,
  },
];
