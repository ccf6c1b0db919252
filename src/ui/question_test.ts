import assert from "node:assert/strict";
import { ask_on } from "./question.ts";

/** What is asked about a change, and what comes of this answer. */
async function asked(diff: readonly string[], answer: string): Promise<[string, unknown]> {
  let text = "";
  const waiting = Promise.withResolvers<string | null>();
  const ask = ask_on({
    write: (more) => {
      text += more;
      if (more.includes("Run it?")) waiting.resolve(answer);
    },
    read: () => waiting.promise,
    asking() {},
  });
  const question = { id: "1", tool: "edit", summary: "a.txt (1 line)", why: null, command: null };
  const said = await ask({ ...question, diff, edits: true }, new AbortController().signal);
  return [text, said];
}

Deno.test("who is asked about a change sees it: what can't be seen is named, and what is left out counted", async () => {
  const [text, said] = await asked(["- one", "+ two\u202e\x1b[2K"], "y\n");
  assert.equal(said, "yes");
  assert.match(
    text,
    /❓ edit → a\.txt \(1 line\)\n {6}- one\n {6}\+ two\[U\+202E\]\[U\+001B\]\[2K\n {6}Run it\?/,
  );
  const long = Array.from({ length: 250 }, (_, at) => `+ ${at}`);
  const [shown] = await asked(long, "n\n");
  assert.match(shown, /\n {6}\+ 199\n {6}… 50 more lines\n {6}Run it\?/);
  const [wide] = await asked([`+ ${"x".repeat(10_000)}`], "n\n");
  assert.match(wide, /x… \(8002 more characters\)\n {6}Run it\?/);
});
