/** Somebody who is typing when a question comes has not answered it: on a real terminal, tmux. */
import assert from "node:assert/strict";
import { BY_WORDS, chat, IDLE } from "./support/tmux.ts";
import { bash, say, type Script } from "./support/model_server.ts";

const ASKED = { script: BY_WORDS, args: ["--confirm", "all"] };

for (const words of ["any yak", "yes", "Again", "e", "always"]) {
  const typed = words === "e" ? "ecru" : words;
  chat(`words that begin with the letter of an answer give no right: ${typed}`, {
    ...ASKED,
  }, async (screen, s) => {
    await screen.shows(IDLE);
    await screen.keys("Touch", "Enter");
    await screen.shows(/touch made[^]*y yes/);
    await screen.keys(typed);
    // They are in the input, and the question stands.
    await screen.shows(new RegExp(`y yes[^]*─\\n${typed} *\\n─`));
    await screen.keys("Escape");
    await screen.shows(new RegExp(`the user said no[^]*─\\n${typed} *\\n─`));
    assert.ok(!s.ws.exists("made"));
    await screen.keys("C-u");
  });
}

chat("words and Enter are told to the model, and the question stands", {
  ...ASKED,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Touch", "Enter");
  await screen.shows(/touch made[^]*y yes/);
  await screen.keys("all of it", "Enter");
  await screen.shows(/y yes[^]*⇢ all of it/);
  assert.ok(!s.ws.exists("made"));
  // One letter is an answer, and what was typed before comes back.
  await screen.keys("y");
  await screen.shows(/bash: yes/);
  await screen.has_shown("› all of it");
  assert.ok(s.ws.exists("made"));
});

chat("a letter and Enter, however fast, are an answer and no message", {
  ...ASKED,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Touch", "Enter");
  await screen.shows(/touch made[^]*y yes/);
  await screen.keys("y", "Enter");
  const shown = await screen.has_shown(/bash: yes[^]*Done:/);
  assert.ok(s.ws.exists("made"));
  assert.doesNotMatch(shown, /[›⇢] y\n/);
});

const REFUSED: Script = ({ body: { messages } }) =>
  messages.at(-1)?.role === "tool"
    ? say("NOT DONE: it was refused.")
    : String(messages.at(-1)?.content).includes("Out")
    ? bash("echo x > ../outside/x")
    : say("Well.");

chat("words choose nothing in a list that nobody asked for", {
  script: REFUSED,
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("Out", "Enter");
  await screen.shows(/The sandbox refused[^]*→ leave it as it is/);
  await screen.keys("go on", "Enter");
  await screen.has_shown(/› go on\n/);
  await screen.shows(IDLE);
  assert.doesNotMatch(await screen.has_shown(/Well\./), /I have allowed/);
});

chat("words carry out no plan, and change it instead", {
  script: BY_WORDS,
  args: ["--mode", "plan"],
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("Touch", "Enter");
  await screen.shows(/The plan:[^]*→ carry it out/);
  await screen.keys("change a word", "Enter");
  await screen.has_shown(/› change a word\n/);
  assert.doesNotMatch(await screen.shows(/· plan ·/), /Carry out the plan/);
});

/** Its first and its last line are those that count. */
const LONG = [
  "echo first > made",
  ...Array.from({ length: 36 }, (_, at) => `echo ${at}`),
  "echo last",
]
  .join("\n");

chat("a command that is longer than the window shows where it begins and where it ends", {
  script: ({ body: { messages } }) =>
    messages.at(-1)?.role === "tool" ? say("NOT DONE: no.") : bash(LONG),
  args: ["--confirm", "all"],
  height: 20,
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("Long", "Enter");
  const shown = await screen.shows(
    /bash → echo first > made[^]*rows left out[^]*echo last\n[^]*y yes[^]*v show all of it/,
  );
  assert.ok(shown.trimEnd().split("\n").length <= 20);
  await screen.keys("v");
  await screen.has_shown(/echo 17\n/);
  await screen.keys("Escape");
  await screen.shows(/the user said no/);
});

for (const first of [[], ["y"]]) {
  chat(
    `ctrl-d leaves while something is asked, and allows nothing${
      first.length > 0 ? ", a letter before it included" : ""
    }`,
    {
      ...ASKED,
    },
    async (screen, s) => {
      await screen.shows(IDLE);
      await screen.keys("Touch", "Enter");
      await screen.shows(/touch made[^]*y yes/);
      await screen.keys("C-l");
      await screen.keys(...first, "C-d");
      await screen.has_shown("EXIT 0");
      assert.ok(!s.ws.exists("made"));
    },
  );
}

chat("what is typed before the chat begins stands in its input, and nowhere else", {
  script: BY_WORDS,
}, async (screen) => {
  await screen.keys("early");
  const shown = await screen.has_shown(/─\nearly *\n─+\n.*·/);
  assert.equal(shown.match(/early/g)?.length, 1, shown);
});
