import assert from "node:assert/strict";
import type { Question } from "../permission/approval.ts";
import { Spoken } from "./steer.ts";

Deno.test("a line is said as it stands, except for the objects", () => {
  const cases: readonly (readonly [line: string, said: readonly string[], interrupts: boolean])[] =
    [
      ["Look at the README. \r", ["Look at the README."], false],
      ["", [], false],
      ['{"type":"user","text":"one\\ntwo"}', ["one\ntwo"], false],
      ['{"type":"interrupt","text":"Stop that."}\r', ["Stop that."], true],
      ['{"type":"interrupt"}', [], true],
      // What is left out is null in many languages.
      ['{"type":"interrupt","text":null}', [], true],
      ['{"type":"interrupt","text":7}', ['{"type":"interrupt","text":7}'], false],
      ['{"type":"other"}', ['{"type":"other"}'], false],
      ["{ return 1; }", ["{ return 1; }"], false],
      ['["interrupt"]', ['["interrupt"]'], false],
    ];
  for (const [line, said, interrupts] of cases) {
    const spoken = new Spoken((fault) => assert.fail(fault));
    spoken.hear(line);
    assert.equal(spoken.steering.interrupting, interrupts, line);
    assert.deepEqual(spoken.steering.take(), said, line);
  }
});

const QUESTION: Question = {
  ...{ id: "c1", tool: "bash", summary: "git push", why: null, diff: [], edits: false },
  command: "git push",
};

Deno.test("an answer goes to what was asked with its id, and has to be one", async () => {
  const faults: string[] = [];
  const spoken = new Spoken((fault) => faults.push(fault));
  const { signal } = new AbortController();
  const said = async (question: Question, line: object) => {
    const answer = spoken.leave(question, signal);
    spoken.hear(JSON.stringify({ type: "approve", id: question.id, ...line }));
    return await answer;
  };
  assert.equal(await said(QUESTION, { answer: "yes" }), "yes");
  assert.equal(await said(QUESTION, { answer: "always" }), "always");
  assert.equal(await said({ ...QUESTION, edits: true }, { answer: "edits" }), "edits");
  assert.deepEqual(await said(QUESTION, { answer: "no", text: "later" }), { no: "later" });
  assert.equal(await said(QUESTION, { answer: "no" }), "no");
  assert.deepEqual(await said(QUESTION, { answer: "yes", command: "ls" }), { instead: "ls" });
  assert.deepEqual(faults, []);

  const open = spoken.leave(QUESTION, signal);
  for (const line of [{ answer: "edits" }, { answer: "maybe" }, { answer: "no", command: "ls" }]) {
    spoken.hear(JSON.stringify({ type: "approve", id: "c1", ...line }));
  }
  spoken.hear('{"type":"answer","id":"c1","text":"yes"}');
  spoken.hear('{"type":"approve","id":"c2","answer":"yes"}');
  assert.equal(faults.length, 5);
  assert.match(faults.at(-1)!, /no open question has the id "?c2/);
  assert.deepEqual(spoken.steering.take(), [], "no answer is said to the model");
  const asked = spoken.words({ id: "c3", question: "Which?", choices: [] }, signal);
  spoken.hear('{"type":"answer","id":"c3","text":"blue"}');
  assert.equal(await asked, "blue");
  spoken.end();
  assert.equal(await open, "nobody");
  assert.equal(await spoken.words({ id: "c4", question: "Which?", choices: [] }, signal), null);
});
