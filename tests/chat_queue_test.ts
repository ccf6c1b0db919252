/** What is said while something is under way, on a real terminal: tmux. */
import assert from "node:assert/strict";
import { BY_WORDS, chat, IDLE } from "./support/tmux.ts";

chat("what waits is changed, sent another way and taken back", {
  script: BY_WORDS,
}, async (screen, s) => {
  const asked = () =>
    s.server.requests.flatMap(({ body }) => body.messages)
      .filter(({ role }) => role === "user").map(({ content }) => String(content));
  await screen.shows(IDLE);
  await screen.keys("Wait", "Enter");
  await screen.shows(/running touch began/);
  await screen.keys("told one", "Enter", "told two", "Enter");
  await screen.keys("later one", "Tab", "later two", "Tab");
  await screen.shows(
    /⇢ told one .*\n⇢ told two .*\n⧗ later one .*\n⧗ later two .*\n {2}↑ to change/,
  );
  // The one above the last is changed where it stands.
  await screen.keys("Up", "Up");
  await screen.shows(/enter tells it, tab queues it.*\n─+\nlater one *\n/);
  await screen.keys("!", "Tab");
  await screen.shows(/⧗ later one! .*\n⧗ later two .*\n {2}↑ to change.*\n─+\n *\n/);
  // What the task was told is taken back, and said otherwise.
  await screen.keys("Up", "Up", "Up");
  await screen.shows(/─\ntold two *\n─/);
  await screen.keys("C-c");
  await screen.shows(/⇢ told one .*\n⧗ later one! /);
  await screen.keys("Up", "Up", "Up");
  await screen.shows(/─\ntold one *\n─/);
  await screen.keys(" or so", "Enter");
  await screen.shows(/⇢ told one or so .*\n⧗ later one! /);
  // Left as it was: by esc, and by going past the last.
  await screen.keys("Up", "Escape");
  await screen.shows(/⧗ later two .*\n {2}↑ to change.*\n─+\n *\n─/);
  await screen.keys("Up", "Down");
  await screen.shows(/⧗ later two .*\n {2}↑ to change.*\n─+\n *\n─/);
  await screen.keys("Up", "Enter");
  await screen.shows(/─\nlater two *\n─|⇢ later two/);
  await screen.shows(/⇢ told one or so .*\n⇢ later two .*\n⧗ later one! .*\n {2}↑/);
  await screen.keys("Up", "Up", "C-c", "half");
  await screen.keys("Escape");
  await screen.has_shown(
    /› told one or so\n[^›]*You said: told one or so\.\s[^›]*› later one!\n\s*You said: later one!\./,
  );
  await screen.shows(/─\nhalf *\n─/);
  const said = asked().join("\n");
  assert.doesNotMatch(said, /told two|later two|half/);
});

chat("/stop interrupts, and a command that there is none of is told at once", {
  script: BY_WORDS,
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("/stop", "Enter");
  await screen.shows("no task is under way");
  await screen.keys("Wait", "Enter");
  await screen.shows(/running touch began/);
  await screen.keys("/efort low", "Enter");
  await screen.shows(/no command \/efort; did you mean \/effort\?[^]*running touch began/);
  await screen.keys("/effort wild", "Tab");
  await screen.shows(/⧗ \/effort wild /);
  await screen.keys("/cancel", "Enter");
  await screen.shows(/interrupted[^]*effort wild from the next task on, if the server knows it/);
});

chat("a new start loses nothing that was typed or queued", {
  script: BY_WORDS,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Wait", "Enter");
  await screen.shows(/running touch began/);
  await screen.keys("/rename A name", "Tab", "after it", "Tab", "half a thought");
  await screen.shows(/⧗ \/rename A name .*\n⧗ after it /);
  await screen.keys("Escape");
  await screen.has_shown(/is now: A name[^]*You said: after it\./);
  await screen.shows(/─\nhalf a thought *\n─/);
  await screen.keys("BTab");
  await screen.shows(/─\nhalf a thought *\n─+\n.*· plan · read-only/);
  await screen.keys("C-g");
  await screen.shows(/─\nhalf a thought, edited *\n─+\n.*· plan · read-only/);
  await screen.keys("C-c", "!echo seen; touch made", "Enter");
  await screen.shows(/ {2}seen\n[^]*(?:Read-only|denied)[^]* {2}exit code 1/);
  await screen.keys("BTab");
  await screen.shows(/· ask · workspace/);
  await screen.keys("now", "Enter");
  await screen.has_shown(/You said: now\./);
  assert.match(String(s.server.requests.at(-1)!.body.messages.at(-1)?.content), /echo seen.*seen/s);
});

chat("what ends a chat ends it also where something is to be picked", {
  script: BY_WORDS,
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("One", "Enter");
  await screen.shows(/You said: One\.[^]*─\n *\n─+\n(?:(?!esc to)[^])*$/);
  await screen.keys("/rewind", "Enter");
  await screen.shows(/Go back to before:[^]*→ One/);
  Deno.kill(screen.pid(), "SIGTERM");
  await screen.shows("EXIT 130");
});

chat(
  "what is typed while it restarts is said once, and what has no end yet stays in the input",
  {
    script: BY_WORDS,
  },
  async (screen, s) => {
    await screen.shows(IDLE);
    await screen.keys("Hello", "Enter");
    await screen.has_shown("You said: Hello.");
    for (const nth of ["1", "2", "3"]) {
      const asked = s.server.requests.length;
      await screen.keys("/new", "Enter", `One ${nth}`, "Enter", `Two ${nth}`, "Enter", "half");
      await screen.has_shown(
        new RegExp(`You said: One ${nth}\\.[^]*You said: Two ${nth}\\.[^]*─\\nhalf *\\n─`),
      );
      assert.equal(s.server.requests.length, asked + 2);
      await screen.keys("C-c");
    }
  },
);
