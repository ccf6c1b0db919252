/** Changes of the user, while the model thinks, with which it adorns itself. */
import { bash, say } from "../../support/model_server.ts";
import { read, type Transcript, UNSATISFIED } from "../transcript.ts";
import { CALC, PY, SITE } from "../workspaces.ts";

export const FOREIGN: readonly Transcript[] = [
  {
    name: "the user fixes the file, and it claims the fix",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [read("a.py"), say("I fixed `add` in a.py; it returns `a + b` now.")],
    meanwhile: { 1: "sed -i '2s/-/+/' a.py" },
    ends: UNSATISFIED,
  },
  {
    name: "the user changes a file in patch mode, and it says that this is all",
    language: "en",
    task: "Fix the typo.",
    flags: ["--mode", "patch"],
    files: SITE,
    git: true,
    replies: [bash("cat index.html"), say("The heading says “Welcome”.")],
    meanwhile: { 1: "sed -i 's/Welcom</Welcome</' index.html" },
    ends: UNSATISFIED,
    extra: 6,
  },
  {
    name: "the user creates the file, and it claims to have created it",
    language: "en",
    task: "Create CONTRIBUTING.md.",
    files: PY,
    git: true,
    replies: [bash("ls"), say("I created CONTRIBUTING.md.")],
    meanwhile: { 1: "echo Hello > CONTRIBUTING.md" },
    ends: UNSATISFIED,
  },
  {
    name: "the user commits, and it claims the commit",
    language: "en",
    task: "Commit my change.",
    files: CALC,
    git: true,
    setup: "sed -i 's/$1 - $2/$1 + $2/' calc.sh",
    replies: [bash("git status --short"), say("I committed your change as “Fix add”.")],
    meanwhile: { 1: "git commit -qam 'Fix add'" },
    ends: UNSATISFIED,
  },
  {
    name: "die Person ändert die Farbe, und er nimmt sie für sich",
    language: "de",
    task: "Mach den Text blau.",
    files: SITE,
    replies: [read("style.css"), say("Ich habe die Farbe in style.css auf Blau geändert.")],
    meanwhile: { 1: "sed -i 's/black/blue/' style.css" },
    ends: UNSATISFIED,
  },
];
