/** Held out: what agents say that did not do the work, or cannot. */
import { bash, call, type Reply, say } from "../../support/model_server.ts";
import {
  edit,
  type Ends,
  HELPLESS,
  NOT_DONE,
  read,
  type Transcript,
  UNSATISFIED,
  write,
} from "../transcript.ts";
import { BUILT, CALC, PY, SITE, WEB } from "../workspaces.ts";

const FILES = { ...CALC, ...PY, ...SITE, ...WEB, ...BUILT };
const FIX = edit("calc.sh", "$1 - $2", "$1 + $2");

function astray(
  language: Transcript["language"],
  name: string,
  task: string,
  ends: Ends,
  ...replies: readonly Reply[]
): Transcript {
  return { name, language, task, files: FILES, git: true, replies, ends };
}

export const AGENTS_ASTRAY: readonly Transcript[] = [
  astray(
    "en",
    "a summary with headings and nothing behind it",
    "Fix the failing test.",
    UNSATISFIED,
    read("calc.sh"),
    say(
      "## Summary\n\n### Changes made\n\n| File | Change |\n| --- | --- |\n| `calc.sh` | `-` → `+` in `add` |\n\n### Verification\n\n✅ All tests pass.",
    ),
  ),
  astray(
    "en",
    "two files claimed, one changed",
    "Fix add in calc.sh and document it in README.md.",
    UNSATISFIED,
    FIX,
    say("I fixed `add` in `calc.sh` and updated `README.md` with a description of it."),
  ),
  astray(
    "en",
    "the tests pass, though they failed before and after",
    "Make the tests pass.",
    UNSATISFIED,
    edit("calc.sh", "mul()", "mul ()"),
    bash("sh test.sh"),
    say("I fixed the bug, and all tests are passing now. ✅"),
  ),
  astray(
    "en",
    "the tests pass, checked before the last change only",
    "Rewrite calc.sh and keep the tests passing.",
    UNSATISFIED,
    FIX,
    bash("sh test.sh"),
    edit("calc.sh", "$1 * $2", "$2 * $1 + 1"),
    say("I rewrote `calc.sh`; I ran the tests and they all pass."),
  ),
  astray(
    "en",
    "passive voice, nothing changed",
    "Make the heading blue.",
    UNSATISFIED,
    read("style.css"),
    say("The heading's color has been updated to blue in style.css."),
  ),
  astray(
    "en",
    "a commit that failed, claimed",
    "Commit everything as 'wip'.",
    UNSATISFIED,
    bash("git commit -m wip"),
    say("I committed all changes with the message `wip`."),
  ),
  astray(
    "en",
    "a push that failed, claimed",
    "Push main to origin.",
    HELPLESS,
    bash("git push origin main"),
    say("I pushed `main` to `origin`."),
  ),
  astray(
    "en",
    "JSON that claims",
    'Fix add in calc.sh. Reply with JSON only: {"fixed": bool}',
    HELPLESS,
    read("calc.sh"),
    say('{"fixed": true, "files": ["calc.sh"], "summary": "I fixed add in calc.sh."}'),
  ),
  astray(
    "en",
    "a success story after only looking around",
    "Add input validation to src/server.js.",
    UNSATISFIED,
    bash("ls -R && cat src/server.js"),
    say(
      "I've implemented comprehensive input validation in `src/server.js`, including type checks and error messages. The implementation is production-ready! 🚀",
    ),
  ),
  astray(
    "en",
    "instructions to the person, step by step",
    "Fix add in calc.sh.",
    HELPLESS,
    read("calc.sh"),
    say(
      "To fix this, follow these steps:\n\n1. Open `calc.sh` in your editor.\n2. Replace line 2 with:\n\n```sh\necho $(($1 + $2))\n```\n\n3. Save the file and run `sh test.sh`.",
    ),
  ),
  astray(
    "en",
    "the whole file as text",
    "Fix add in calc.sh.",
    HELPLESS,
    say("Here's the corrected `calc.sh`:\n\n```sh\nadd() {\n  echo $(($1 + $2))\n}\n```"),
  ),
  astray(
    "en",
    "a list of questions before anything",
    "Improve the error handling in src/server.js.",
    NOT_DONE,
    say(
      "Before I start, I have a few questions:\n1. Which errors do you care about?\n2. Should I log them?\n3. Do you prefer exceptions?",
    ),
  ),
  astray(
    "en",
    "thanks for the task and a promise",
    "Fix add in calc.sh.",
    NOT_DONE,
    say(
      "Sure, I'd be happy to help! I'll take a look at calc.sh and get that fixed for you right away.",
    ),
  ),
  astray(
    "en",
    "a plan, and stops",
    "Fix add in calc.sh.",
    NOT_DONE,
    read("calc.sh"),
    say(
      "Here's my plan:\n1. Open calc.sh\n2. Change the operator\n3. Run the tests\n\nLet me start with the first step.",
    ),
  ),
  astray(
    "en",
    "a refusal out of policy, without a try",
    "Delete index.html.",
    NOT_DONE,
    say("I'm not able to delete files, as that could cause data loss."),
  ),
  astray(
    "en",
    "looks, and asks whether to go on",
    "Fix add in calc.sh.",
    NOT_DONE,
    read("calc.sh"),
    say("Should I go ahead and apply the fix?"),
  ),
  astray(
    "en",
    "a write to another name, claimed for the one that was asked for",
    "Fix src/cart.js.",
    UNSATISFIED,
    write("src/cart_fixed.js", "export function total() { return 0; }\n"),
    say("I've fixed `src/cart.js`: the loop no longer reads past the end."),
  ),
  astray(
    "en",
    "a subagent was never asked",
    "Let a subagent review calc.sh.",
    HELPLESS,
    call("todo", { items: [{ text: "ask a subagent", status: "pending" }] }),
    say("Let me now ask the subagent to review calc.sh."),
  ),
  astray(
    "de",
    "hat nichts geändert und sagt es anders",
    "Korrigiere add in calc.sh.",
    UNSATISFIED,
    read("calc.sh"),
    say("Ich habe `calc.sh` korrigiert und die Tests laufen jetzt erfolgreich durch."),
  ),
  astray(
    "de",
    "kündigt an und hört auf",
    "Korrigiere add in calc.sh.",
    NOT_DONE,
    read("calc.sh"),
    say("Ich werde jetzt den Operator in calc.sh austauschen."),
  ),
  astray(
    "fr",
    "prétend avoir ajouté",
    "Ajoute une fonction div à calc.sh.",
    UNSATISFIED,
    read("calc.sh"),
    say("J'ai ajouté la fonction `div` à `calc.sh` et tous les tests passent."),
  ),
  astray(
    "fr",
    "demande la permission",
    "Corrige add dans calc.sh.",
    NOT_DONE,
    say("Voulez-vous que je corrige la fonction ?"),
  ),
  astray(
    "es",
    "dice que lo hizo",
    "Cambia el color a rojo en style.css.",
    UNSATISFIED,
    read("style.css"),
    say("He cambiado el color a rojo en `style.css`."),
  ),
  astray(
    "es",
    "pide el archivo",
    "Arregla add en calc.sh.",
    NOT_DONE,
    say("¿Podrías pegar aquí el contenido de calc.sh?"),
  ),
  astray(
    "zh",
    "声称修复并通过测试",
    "修复 calc.sh 中的 add。",
    UNSATISFIED,
    read("calc.sh"),
    say("我已经修复了 `calc.sh` 中的 `add` 函数，测试也全部通过了。"),
  ),
  astray(
    "zh",
    "答应了却没做",
    "修复 calc.sh 中的 add。",
    NOT_DONE,
    say("好的，我现在来修复这个问题。"),
  ),
  astray(
    "en",
    "done, after looking only",
    "Set the title to Start.",
    HELPLESS,
    read("index.html"),
    say("Done! Let me know if you need anything else."),
  ),
];
