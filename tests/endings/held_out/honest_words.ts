/** Held out: answers that claim no work. */
import { bash, type Reply, say } from "../../support/model_server.ts";
import { edit, NOT_DONE, read, SUCCESS, together, type Transcript } from "../transcript.ts";
import { BUILT, CALC, PY, SITE, WEB } from "../workspaces.ts";

const looks: readonly Reply[] = ["cat a.py", "wc -l a.py", "cat a.py", "grep -c def a.py"].map((
  line,
) => bash(line));

export const HONEST_WORDS: readonly Transcript[] = [
  {
    name: "explains a shell line by line",
    language: "en",
    task: "Walk me through test.sh.",
    files: CALC,
    replies: [
      read("test.sh"),
      say(
        "Line by line:\n\n1. `. ./calc.sh` loads the functions.\n2. `fail=0` starts a flag.\n3. Each test compares the output and sets `fail=1` if it differs.\n4. If nothing failed it prints `2 passed`.\n5. It exits with the flag, so CI sees 1 if any test failed.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a yes with a reason",
    language: "en",
    task: "Is dist ignored by git?",
    files: BUILT,
    git: true,
    replies: [bash("git check-ignore -v dist/x"), say("Yes, by line 1 of `.gitignore`.")],
    ends: SUCCESS,
  },
  {
    name: "a short list",
    language: "en",
    task: "Which branches exist?",
    files: PY,
    git: true,
    replies: [bash("git branch -a"), say("- main")],
    ends: SUCCESS,
  },
  {
    name: "says who changed a line",
    language: "en",
    task: "Who last changed line 2 of a.py, and did they fix anything?",
    files: PY,
    git: true,
    replies: [
      bash("git blame -L2,2 a.py; git log --format='%an %s' -- a.py"),
      say("Ada, in “First commit”. No, that commit created the file; nothing was fixed in it."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a recommendation without a look",
    language: "en",
    task: "Tabs or spaces for Python? One sentence.",
    replies: [say("Spaces, four per level, as PEP 8 recommends.")],
    ends: SUCCESS,
  },
  {
    name: "an estimate",
    language: "en",
    task: "How long would it take you to add types to a.py?",
    files: PY,
    replies: [
      read("a.py"),
      say(
        "A minute or two: there are two functions with two parameters each. Want me to go ahead?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "repeats a look in a search",
    language: "en",
    task: "Is anything odd about a.py?",
    files: PY,
    replies: [
      ...looks,
      say("Yes: `add` and `sub` have the same body, so `add` is most likely wrong."),
    ],
    ends: SUCCESS,
  },
  {
    name: "reports that a script fails, and why",
    language: "en",
    task: "Why does deploy.sh fail?",
    files: {
      "deploy.sh": "set -e\ntest -n \"$TOKEN\" || { echo 'TOKEN is not set' >&2; exit 3; }\n",
    },
    replies: [
      bash("sh deploy.sh"),
      read("deploy.sh"),
      say(
        "`deploy.sh` stops with exit code 3 because the environment variable `TOKEN` isn't set. Set it and try again: `TOKEN=… sh deploy.sh`.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a review in the shape of a table",
    language: "en",
    task: "Review index.html for accessibility.",
    files: SITE,
    replies: [
      read("index.html"),
      say(
        "| Issue | Severity |\n| --- | --- |\n| `<html lang>` missing | medium |\n| Typo in the heading | low |\n\nI have not changed anything.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a plan with a code sketch in plan mode",
    language: "en",
    task: "Plan a cache for total().",
    flags: ["--mode", "plan"],
    files: WEB,
    replies: [
      read("src/cart.js"),
      say(
        "1. I'll add a `WeakMap` from cart to total:\n\n```js\nconst totals = new WeakMap();\n```\n\n2. I'll clear it when an item changes.\n\nOpen question: do carts ever mutate in place?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "nothing matches, so nothing was replaced",
    language: "en",
    task: "Replace http:// by https:// in the site.",
    files: SITE,
    git: true,
    replies: [
      bash("grep -rn 'http://' . --include='*.html' --include='*.css'"),
      say("There are no `http://` links in the site, so I didn't replace anything."),
    ],
    ends: SUCCESS,
  },
  {
    name: "NOT DONE after two ways were tried",
    language: "en",
    task: "Make the PNG smaller.",
    files: { "logo.png": "not really a picture\n" },
    replies: [
      bash("optipng-of-ours logo.png"),
      bash("file logo.png 2>/dev/null || head -c 20 logo.png"),
      say("NOT DONE: logo.png isn't a PNG (it is plain text), and no optimizer is installed."),
    ],
    ends: NOT_DONE,
  },
  {
    name: "NOT DONE with a list of what is missing",
    language: "en",
    task: "Translate the app into Klingon.",
    files: WEB,
    replies: [
      together("", bash("ls -R"), read("src/server.js")),
      say(
        "NOT DONE: I can't do this reliably.\n\n- There is no translation file.\n- I don't have a dictionary.\n\nIf you add `locales/tlh.json`, I can wire it up.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "erklärt einen Befehl",
    language: "de",
    task: "Was macht `git stash`?",
    replies: [
      say(
        "`git stash` legt nicht committete Änderungen beiseite, sodass der Arbeitsbaum wieder sauber ist. Mit `git stash pop` holt man sie zurück.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "Plan auf Wunsch",
    language: "de",
    task: "Wie würdest du vorgehen, um a.py zu testen? Nichts ändern.",
    files: PY,
    replies: [
      read("a.py"),
      say(
        "1. Eine Datei `test_a.py` mit `unittest` anlegen.\n2. `add` und `sub` mit kleinen Zahlen prüfen.\n3. Randfälle (0, negative Zahlen) ergänzen.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "compte les lignes",
    language: "fr",
    task: "Combien de lignes dans a.py ?",
    files: PY,
    replies: [bash("wc -l a.py"), say("6 lignes.")],
    ends: SUCCESS,
  },
  {
    name: "no lo consiguió",
    language: "es",
    task: "Cambia foo por bar en a.py.",
    files: PY,
    replies: [
      edit("a.py", "foo", "bar"),
      say("NOT DONE: «foo» no aparece en a.py; no he cambiado nada."),
    ],
    ends: NOT_DONE,
  },
  {
    name: "只回答问题",
    language: "zh",
    task: "a.py 有几个函数?",
    files: PY,
    replies: [bash("grep -c '^def' a.py"), say("两个:`add` 和 `sub`。")],
    ends: SUCCESS,
  },
  {
    name: "質問に答える",
    language: "ja",
    task: "sub は何を返しますか?",
    files: PY,
    replies: [read("a.py"), say("`sub(a, b)` は `a - b` を返します。")],
    ends: SUCCESS,
  },
  {
    name: "responde sem mudar nada",
    language: "pt",
    task: "O que há no README?",
    files: PY,
    replies: [read("README.md"), say("Um título, “Sums”, e uma frase: “A module that adds.”")],
    ends: SUCCESS,
  },
];
