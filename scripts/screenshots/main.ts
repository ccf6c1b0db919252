/**
 * Draws docs/images/: five scenes of a chat, from what a terminal (tmux) shows of the program with a scripted model.
 *
 *     deno run -A scripts/screenshots/main.ts && deno fmt docs/images
 */
import { fileURLToPath } from "node:url";
import { bash, call, say, type Script } from "../../tests/support/model_server.ts";
import { stage } from "../../tests/support/stage.ts";
import { IDLE, on_terminal, type Screen } from "../../tests/support/tmux.ts";
import { svg_of } from "./svg.ts";

const SIZE = { width: 84, height: 24 };
const IMAGES = fileURLToPath(new URL("../../docs/images/", import.meta.url));

const FILES = {
  "add.sh": 'total=0\nfor number in "$@"; do\n  total=$((total - number))\ndone\necho "$total"\n',
  "test.sh": '[ "$(sh add.sh 2 3 4)" = 9 ] || { echo "FAIL: 2 + 3 + 4 is not 9"; exit 1; }\n' +
    'echo "1 passed"\n',
};

interface Scene {
  readonly name: string;
  readonly script: Script;
  readonly play: (screen: Screen) => Promise<void>;
}

const ask = async (screen: Screen, text: string) => {
  await screen.shows(IDLE);
  await screen.keys(text, "Enter");
};

const SCENES: readonly Scene[] = [
  {
    name: "edit",
    script: [
      bash("sh test.sh"),
      call("edit", { path: "add.sh", old: "total - number", new: "total + number" }),
      bash("sh test.sh"),
      say("`add.sh` subtracted; it **adds** now, and the test passes."),
    ],
    async play(screen) {
      await ask(screen, "make the failing test pass");
      await screen.shows(/and the test passes\.\n\n .*3 tool calls.*\n─/);
    },
  },
  {
    name: "approval",
    script: [bash("git push --force origin main"), say("NOT DONE: you said no.")],
    async play(screen) {
      await ask(screen, "publish the fix");
      await screen.shows("y yes");
    },
  },
  {
    name: "question",
    script: [
      call("clarify", { question: "Which shell should it run in?", choices: ["sh", "bash"] }),
      say("Good."),
    ],
    async play(screen) {
      await ask(screen, "make add.sh portable");
      await screen.shows("1 sh");
    },
  },
  {
    name: "plan",
    script: [say("1. Add in `add.sh` instead of subtracting.\n2. Run `sh test.sh`.")],
    async play(screen) {
      await screen.shows(IDLE);
      await screen.keys("BTab");
      await screen.shows(/· plan ·/);
      await ask(screen, "how would you fix add.sh?");
      await screen.shows("carry it out");
    },
  },
  {
    name: "steering",
    script: [bash("sleep 30"), say("Done.")],
    async play(screen) {
      await ask(screen, "run the long test");
      await screen.shows(/running sleep 30/);
      await screen.keys("only the first half", "Enter", "then tidy up", "Tab");
      await screen.shows("⧗ then tidy up");
    },
  },
];

for (const { name, script, play } of SCENES) {
  await stage({ script, files: FILES, violations: true }, async (s) => {
    await on_terminal(s, SIZE, async (screen) => {
      await play(screen);
      const shown = await screen.tmux("capture-pane", "-p", "-e");
      Deno.writeTextFileSync(`${IMAGES}chat-${name}.svg`, svg_of(shown, SIZE.width));
    });
  });
}
