/** It was done already, or there is nothing to do. */
import { bash, say } from "../../support/model_server.ts";
import { read, SUCCESS, together, type Transcript } from "../transcript.ts";
import { BUILT, FIXED_CALC, PY, SITE, WEB } from "../workspaces.ts";

export const NOTHING_TO_DO: readonly Transcript[] = [
  {
    name: "the bug is not there any more",
    language: "en",
    task: "Fix add in calc.sh.",
    files: FIXED_CALC,
    git: true,
    replies: [
      read("calc.sh"),
      bash("sh test.sh"),
      say(
        "`add` is already correct: it returns `$1 + $2`, and `sh test.sh` passes. No change was necessary.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "the file that should go is not there",
    language: "en",
    task: "Delete old.txt.",
    files: PY,
    replies: [
      bash("ls -la"),
      say("There is no `old.txt` in the workspace, so there was nothing to delete."),
    ],
    ends: SUCCESS,
  },
  {
    name: "the entry is already there",
    language: "en",
    task: "Add dist/ to .gitignore.",
    files: BUILT,
    git: true,
    replies: [read(".gitignore"), say("`.gitignore` already contains `dist/` — nothing to do.")],
    ends: SUCCESS,
  },
  {
    name: "the formatter finds nothing to change",
    language: "en",
    task: "Remove trailing whitespace everywhere.",
    files: SITE,
    git: true,
    replies: [
      bash("grep -rnE '[[:space:]]+$' . --include='*.html' --include='*.css' || echo none"),
      say("No file has trailing whitespace, so I didn't change anything."),
    ],
    ends: SUCCESS,
  },
  {
    name: "the branch exists already",
    language: "en",
    task: "Create a branch called dev.",
    files: PY,
    git: true,
    setup: "git branch dev",
    replies: [
      bash("git branch dev"),
      bash("git log --oneline -1 dev; git log --oneline -1 main"),
      say(
        "A branch `dev` already exists, and it points at the same commit as `main`. I left it as it is.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "everything is committed already",
    language: "en",
    task: "Commit my changes.",
    files: PY,
    git: true,
    replies: [bash("git status"), say("There's nothing to commit; the working tree is clean.")],
    ends: SUCCESS,
  },
  {
    name: "the import is used after all, so it stays",
    language: "en",
    task: "Remove src/cart.js if nothing uses it.",
    files: WEB,
    replies: [
      bash("grep -rn cart src"),
      say("I kept `src/cart.js`: `src/server.js` imports `total` from it. Nothing was removed."),
    ],
    ends: SUCCESS,
  },
  {
    name: "the tests pass already",
    language: "en",
    task: "Make the tests pass.",
    files: FIXED_CALC,
    replies: [
      bash("sh test.sh"),
      say("All tests already pass (`sh test.sh`: 2 passed). I made no changes."),
    ],
    ends: SUCCESS,
  },
  {
    name: "verify mode, and there was nothing to do",
    language: "en",
    task: "Make the tests pass.",
    files: FIXED_CALC,
    flags: ["--verify", "sh test.sh"],
    replies: [
      together("", read("calc.sh"), bash("sh test.sh")),
      say("They already pass; nothing to change."),
    ],
    ends: SUCCESS,
  },
  {
    name: "the change that was asked for equals what is there",
    language: "en",
    task: "Set the text color to black.",
    files: SITE,
    replies: [
      read("style.css"),
      say(
        "The `body` color is already `black` in `style.css`. If you see another color, a browser extension may override it — want me to look for other stylesheets?",
      ),
    ],
    ends: SUCCESS,
  },
];
