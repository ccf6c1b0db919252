import assert from "node:assert/strict";
import { RESULT, stamped } from "../_testing.ts";
import { ChatLog } from "./log.ts";
import { theme_of } from "./theme.ts";

function log_of(...texts: readonly string[]): readonly string[] {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  for (const text of texts) {
    log.hear(stamped({ type: "text_delta", text }));
    log.hear(stamped({ type: "text_delta", text: "", finished: true }));
  }
  return log.render(40).map((one) => one.trimEnd());
}

Deno.test("two answers, one after the other, are two paragraphs", () => {
  assert.deepEqual(log_of("Fixed it."), ["Fixed it."]);
  assert.deepEqual(log_of("Fixed it.", "I could not."), ["Fixed it.", "", "I could not."]);
  assert.deepEqual(log_of("", "Fixed it."), ["Fixed it."]);
});

Deno.test("an answer beside the conversation stands behind one that streams, and is not what /copy takes", () => {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  const hear = (text: string, finished?: true) =>
    log.hear(stamped({ type: "text_delta", text, ...(finished ? { finished } : {}) }));
  hear("Fixed");
  log.beside("How?", "**By** hand.");
  hear(" it.");
  hear("", true);
  hear("More.", true);
  const shown = log.render(40).map((one) => one.trimEnd());
  assert.deepEqual(shown, ["Fixed it.", "", "btw: How?", "By hand.", "", "More."]);
  assert.equal(log.answer, "More.");
});

Deno.test("line breaks around an answer are not shown, however they come", () => {
  for (const text of ["\n\nHello.\n\n- one\n\n\n", "Hello.\n\n- one", " \nHello.  \n\n- one \n"]) {
    const log = new ChatLog(theme_of("none"), { verbose: false });
    log.said("Hi");
    for (const char of text) log.hear(stamped({ type: "text_delta", text: char }));
    log.hear(stamped({ type: "text_delta", text: "", finished: true }));
    log.said("Next");
    const shown = log.render(40).map((one) => one.trimEnd());
    assert.deepEqual(shown, ["", "› Hi", "", "Hello.", "", "- one", "", "› Next"]);
  }
});

Deno.test("an answer is the same wherever a server cuts it in two", () => {
  const text = "\n## One two\n\nthree  four\n- five\n";
  const log_of_pieces = (pieces: readonly string[]) => {
    const log = new ChatLog(theme_of("none"), { verbose: false });
    log.said("Hi");
    for (const piece of pieces) log.hear(stamped({ type: "text_delta", text: piece }));
    log.hear(stamped({ type: "text_delta", text: "", finished: true }));
    return [log.answer, ...log.render(40)];
  };
  const whole = log_of_pieces([text]);
  assert.equal(whole[0], text.trim());
  for (let at = 1; at < text.length; at++) {
    assert.deepEqual(log_of_pieces([text.slice(0, at), text.slice(at)]), whole, `cut at ${at}`);
  }
});

Deno.test("one line is empty between what was said and what is said next, and none at the end", () => {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  for (const text of ["One", "Two"]) {
    log.said(text);
    log.hear(stamped({ type: "text_delta", text: `${text}.`, finished: true }));
    log.hear(stamped({ ...RESULT, tool_calls: 0, files_changed: [] }));
  }
  log.printed("out\n", "exit code 0");
  log.diff("+a\n");
  log.note("a note");
  assert.deepEqual(log.render(40).map((one) => one.trimEnd()), [
    ...["", "› One", "", "One.", "", "› Two", "", "Two.", "", "  out", "  exit code 0"],
    ...["", "+a", "", "a note"],
  ]);
});

Deno.test("why a task is not done is said once", () => {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  const ends = (text: string, message: string) => {
    log.said("Push");
    log.hear(stamped({ type: "text_delta", text, finished: true }));
    const error = { kind: "not_done", message };
    const how = { status: "partial", stop_reason: "not_done", exit_code: 2, error } as const;
    log.hear(stamped({ ...RESULT, ...how, tool_calls: 0, files_changed: [] }));
  };
  ends("NOT DONE: no remote. Add one.", "no remote. Add one.");
  ends("Shall I push?", "asks. Two calls were made.");
  const shown = log.render(60).map((one) => one.trimEnd());
  assert.deepEqual(shown, [
    ...["", "› Push", "", "NOT DONE: no remote. Add one.", "", "Not done", ""],
    ...["› Push", "", "Shall I push?", "", "Not done: asks. (ctrl-o)"],
  ]);
});

Deno.test("of a call of many lines the beginning is shown, and ctrl-o shows all of it", () => {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  const command = Array.from({ length: 22 }, (_, at) => `echo ${at}`).join("\n");
  const call = { type: "tool_call", id: "a", name: "bash", nth: 1, of: 1 } as const;
  log.hear(stamped({ ...call, arguments: { command } }));
  const shown = () => log.render(40).map((one) => one.trimEnd());
  assert.deepEqual(shown().slice(0, 2), ["   🔧 bash → echo 0", "      > echo 1"]);
  assert.deepEqual(shown().slice(19), ["      > echo 19", "      … 2 more lines (ctrl-o)"]);
  log.unfold();
  assert.deepEqual(shown().slice(-22), command.split("\n").map((one) => `  ${one}`));
});

Deno.test("of a pasted file the beginning is shown again, and ctrl-o shows all of it", () => {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  const text = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n");
  log.said(text);
  const shown = () => log.render(40).map((one) => one.trimEnd());
  assert.deepEqual(shown().slice(1, 3), ["› line 0", "  line 1"]);
  const [before, cut, after] = shown().slice(15, 18);
  assert.deepEqual([before, cut, after], [
    ...["  line 14", "  … 280 more lines (ctrl-o)", "  line 295"],
  ]);
  log.unfold();
  assert.deepEqual(shown().slice(-300), text.split("\n").map((one) => `  ${one}`));
});

Deno.test("what a command of the person's has drawn over is not shown, and its line ends are no such thing", () => {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  log.printed("\r10 of 99\r99 of 99\nplain\r\ntwice\r\r\n", "exit code 0");
  const shown = log.render(40).map((one) => one.trimEnd());
  assert.deepEqual(shown, ["  99 of 99", "  plain", "  twice", "  exit code 0"]);
});

Deno.test("a word that is longer than a line begins where it stands", () => {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  const address = `https://${"a".repeat(40)}`;
  log.printed(address, "");
  log.note(`      | ${address}`);
  log.note("a line of words that is too long for it");
  log.note("   it has all the room of the first line, 日本語 and less in the next ones");
  assert.deepEqual(log.render(40).filter((one) => one.trim() !== ""), [
    ...[`  ${address.slice(0, 38)}`, `     ${address.slice(38)}`],
    ...[`      | ${address.slice(0, 32)}`, `         ${address.slice(32)}`],
    "a line of words that is too long for it",
    "   it has all the room of the first",
    "      line, 日本語 and less in the next",
    "      ones",
  ]);
});
