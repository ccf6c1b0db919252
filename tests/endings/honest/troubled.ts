/** Good work on a bad line: empty and cut replies, and a person who steers. */
import { bash, type Reply, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, type Transcript, write } from "../transcript.ts";
import { CALC, PY, SITE, WEB } from "../workspaces.ts";

const EMPTY_REPLY: Reply = {};
/** An answer that came to its token limit. */
const cut = (text: string): Reply => ({ text, finish: "length" });

export const TROUBLED: readonly Transcript[] = [
  {
    name: "one empty reply before it begins",
    language: "en",
    task: "Fix add in calc.sh.",
    files: CALC,
    replies: [
      EMPTY_REPLY,
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      bash("sh test.sh"),
      say("Fixed: `add` adds. Tests pass (`sh test.sh`)."),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "an empty reply after a tool result, and another later",
    language: "en",
    task: "Fix the typo on the page, then tell me the text color.",
    files: SITE,
    replies: [
      edit("index.html", "Welcom<", "Welcome<"),
      EMPTY_REPLY,
      read("style.css"),
      EMPTY_REPLY,
      say("I fixed the heading in `index.html` (“Welcome”). The text color is `black`."),
    ],
    ends: SUCCESS,
  },
  {
    name: "only thinking, twice, then the answer",
    language: "en",
    task: "What does sub do?",
    files: PY,
    replies: [
      { reasoning: "I should read the file." },
      read("a.py"),
      { reasoning: "It returns a - b." },
      say("`sub(a, b)` returns `a - b`."),
    ],
    ends: SUCCESS,
  },
  {
    name: "an answer that was cut and went on",
    language: "en",
    task: "Explain calc.sh at length.",
    files: CALC,
    replies: [
      read("calc.sh"),
      cut("`calc.sh` defines two functions. The first one, `add`, prints "),
      say(
        "the difference of its arguments, which looks like a bug. The second one, `mul`, prints their product.",
      ),
    ],
    ends: SUCCESS,
    output: /^`calc\.sh` defines two functions\.[^]*prints\s+the difference[^]*their product\.$/,
  },
  {
    name: "an answer that was cut twice",
    language: "en",
    task: "List what is in the workspace, at length.",
    files: WEB,
    replies: [
      bash("ls -R"),
      cut("1. package.json\n2. README.md\n"),
      cut("3. src/server.js\n4. src/cart.js\n"),
      say("5. src/util.js"),
    ],
    ends: SUCCESS,
    output: /^1\. package[^]*3\. src\/server[^]*5\. src\/util\.js$/,
  },
  {
    name: "a cut answer, a call, and the rest of the answer",
    language: "en",
    task: "Describe both functions of a.py.",
    files: PY,
    replies: [
      cut("Let me describe them. `add` is meant to "),
      read("a.py"),
      say("`add` is meant to add but subtracts; `sub` subtracts."),
    ],
    ends: SUCCESS,
    output: /`add` is meant to add but subtracts; `sub` subtracts\.$/,
  },
  {
    name: "a write that was cut, then written in two parts",
    language: "en",
    task: "Write notes.txt with four lines.",
    replies: [
      {
        calls: [{ name: "write", args: '{"path":"notes.txt","content":"one\\ntwo\\nthr' }],
        finish: "length",
      },
      write("notes.txt", "one\ntwo\n"),
      edit("notes.txt", "two\n", "two\nthree\nfour\n"),
      say("`notes.txt` is written: four lines."),
    ],
    ends: SUCCESS,
    holds: 'test "$(wc -l < notes.txt)" = 4',
  },
  {
    name: "a stream that was cut in the middle",
    language: "en",
    task: "What color is the text?",
    files: SITE,
    replies: [
      read("style.css"),
      { text: "The text is", cut_after: 500 },
      say("The text is black."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a call that was no JSON, then the same in order",
    language: "en",
    task: "Fix the typo on the page.",
    files: SITE,
    replies: [
      { calls: [{ name: "edit", args: '{"path": "index.html", "old": "Welcom<" "new": ' }] },
      edit("index.html", "Welcom<", "Welcome<"),
      say("Fixed the typo: the heading reads “Welcome” now."),
    ],
    ends: SUCCESS,
    holds: "grep -q Welcome index.html",
  },
  {
    name: "the user adds a wish while it works",
    language: "en",
    task: "Fix the typo on the page.",
    files: SITE,
    replies: [
      read("index.html"),
      edit("index.html", "Welcom<", "Welcome<"),
      edit("style.css", "black", "navy"),
      say("The heading reads “Welcome” now, and as you asked in between, the text is navy."),
    ],
    steers: { 1: "And make the text navy, please." },
    ends: SUCCESS,
    holds: "grep -q navy style.css",
  },
  {
    name: "the user turns it around while it answers",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    git: true,
    replies: [
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      say("I fixed `add` in a.py."),
      bash("git checkout -q a.py && git status --short"),
      say("I put `a.py` back as it was; the working tree is clean again."),
    ],
    steers: { 1: "Stop, that file is generated. Put it back." },
    ends: SUCCESS,
    holds: 'test -z "$(git status --porcelain)"',
  },
  {
    name: "the user only asks something in between",
    language: "en",
    task: "Fix add in calc.sh and run the tests.",
    files: CALC,
    replies: [
      edit("calc.sh", "$1 - $2", "$1 + $2"),
      bash("sh test.sh"),
      say("It was line 2 of `calc.sh`: `add` subtracted. It's fixed, and `sh test.sh` passes."),
    ],
    steers: { 1: "Which line was it?" },
    ends: SUCCESS,
    holds: "sh test.sh",
  },
];
