/** The chat in plain lines: for screen readers, terminals that only print, and pipes. */
import assert from "node:assert/strict";
import { PROGRAM, until } from "./support/hamr.ts";
import { bash, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";
import { BY_WORDS, HAS_TMUX } from "./support/tmux.ts";
import { Terminal } from "./support/terminal.ts";

/** What steers a terminal, or draws over what stands there; `script` itself ends lines in `\r\n`. */
const DRAWN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]|\r(?!\n)/;

for (
  const [name, words, env] of [
    ["TERM=dumb", [...PROGRAM, "chat"], { TERM: "dumb" }],
    ["into a pipe", ["sh", "-c", '"$@" | (trap "" INT; cat)', "sh", ...PROGRAM, "chat"], {
      TERM: "xterm",
    }],
  ] as const
) {
  Deno.test({
    name: `chat: plain lines, ${name}: everything asked and said is text, and nothing is drawn`,
    ignore: !HAS_TMUX,
    fn: () =>
      stage({ script: BY_WORDS, violations: true }, async (s) => {
        const priced = `base_url = "${s.server.url}"\nprice_in = 1\nprice_out = 10\n`;
        s.home.write(".config/hamr/config.toml", `[providers.mine]\n${priced}`);
        const place = { cwd: s.ws.path, home: s.home.path, env: { ...s.env, ...env } };
        const terminal = new Terminal(words, place);
        let from = 0;
        const says = async (text: string) => {
          await terminal.until(text, from);
          from = terminal.shown.indexOf(text, from) + text.length;
        };
        await says("/help lists the commands, Ctrl-D quits.");
        await terminal.type("one\\\ntwo\n");
        await says("You said: one|two.");
        await terminal.type("Write it\n");
        await says("write: a.txt (2 lines)");
        await says("OK");
        await terminal.type("Push\n");
        await says("may this run? bash: git push --force");
        await says("answer: y yes; n no; n WORDS");
        await terminal.type("n only locally\n");
        await says("failed: ");
        await terminal.type("Ask\n");
        await says("the model asks: Which?");
        await says("2: blue");
        await terminal.type("2\n");
        await says("Done:");
        // Into a pipe Ctrl-C is for all that is in it, and the shell that waits for them.
        if (env.TERM === "dumb") {
          await terminal.type("Wait\n");
          await says("bash: touch began; sleep 60");
          await until("it runs", () => s.ws.exists("began"));
          await terminal.type("be quick\n");
          await says("the model gets it before its next step");
          await terminal.type("\x03");
          await says("You said: be quick.");
          await terminal.type("/undo\n");
          await says("began: removed");
          await says("> ");
          await terminal.type("/mode\n");
          await says("mode: auto");
          await says("> ");
        }
        await terminal.type("/undo\n");
        await says("a.txt: removed");
        await terminal.type("!echo mine\n");
        await says("exit code 0");
        await terminal.type("/rewind\n");
        await says("Go back to before:");
        await says("a number, a word to search for");
        await terminal.type("one\n");
        await says("1: one two");
        await terminal.type("\n");
        await terminal.type("again\n");
        await says("You said: again");
        await terminal.type("\x04");
        await says(" tokens, $0.");
        await says("To continue: hamr chat --resume");
        await terminal.status;
        const shown = terminal.shown.replaceAll("^C", "").replaceAll("^D\b\b", "");
        assert.doesNotMatch(shown, DRAWN);
        assert.equal(
          shown.split("Type a task, then Enter").length,
          2,
          "a restart tells nothing twice",
        );
        if (env.TERM === "dumb") assert.doesNotMatch(shown, /[^\0-\x7f]/);
        assert.match(JSON.stringify(s.server.requests.map(({ raw }) => raw)), /only locally/);
      }),
  });
}

Deno.test({
  name: "run, TERM=dumb: nothing is drawn on the terminal, and the answer stands there once",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: [bash("sleep 0.5; echo x"), say("All is well.")] }, async (s) => {
      const place = { cwd: s.ws.path, home: s.home.path, env: { ...s.env, TERM: "dumb" } };
      const terminal = new Terminal([...PROGRAM, "run", "look"], place);
      await terminal.until("Done (", 0);
      await terminal.status;
      assert.doesNotMatch(terminal.shown, DRAWN);
      assert.equal(terminal.shown.split("All is well.").length, 2, terminal.shown);
    }),
});

Deno.test({
  name: "run - on a terminal says what it waits for",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS }, async (s) => {
      const place = { cwd: s.ws.path, home: s.home.path, env: s.env };
      const terminal = new Terminal([...PROGRAM, "run", "-"], place);
      await terminal.until("hamr: type the input, then Ctrl-D", 0);
      await terminal.type("from the keys\n\x04");
      await terminal.until("You said: from the keys.", 0);
      await terminal.status;
    }),
});
