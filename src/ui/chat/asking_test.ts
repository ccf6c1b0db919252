import { deepEqual, equal } from "node:assert/strict";
import type { PersonAnswer, Question } from "../../permission/approval.ts";
import { Asking } from "./asking.ts";
import { theme_of } from "./theme.ts";

const PUSH: Question = {
  ...{ id: "1", tool: "bash", summary: "git push", command: "git push", why: null, diff: [] },
  edits: false,
};
/** Longer than a letter waits for another one. */
const ALONE_MS = 400;

/** A question, with an input that had `draft` in it. */
async function asked(draft = "") {
  let text = draft;
  const editor = {
    getText: () => text,
    setText: (next: string) => void (text = next),
    insertTextAtCursor: (more: string) => void (text += more),
  };
  const notes: string[] = [];
  const asking = new Asking(theme_of("none"), {
    ...{ editor, rows: () => 24, render() {}, asked() {} },
    note: (words) => void notes.push(words),
  });
  const answers: PersonAnswer[] = [];
  void asking.leave(PUSH, new AbortController().signal).then((one) => void answers.push(one));
  await new Promise((resolve) => setTimeout(resolve, 0));
  /** As fast as a person types, or a paste without its marks comes. */
  const types = (words: string) => {
    for (const one of words) if (!asking.key(one)) text += one;
  };
  const enter = async () => {
    const taken = asking.key("\r") || asking.typed(text);
    await new Promise((resolve) => setTimeout(resolve, 0));
    return taken;
  };
  const alone = () => new Promise((resolve) => setTimeout(resolve, ALONE_MS));
  return { types, enter, alone, answers, asking, input: () => text };
}

for (
  const words of [
    ...["outside is fine", "not yet", "wait, what?", "very well", "and then", "yet another", "?"],
    ...["edit it", "nobody", "Yes", "1"],
  ]
) {
  Deno.test(`a message that is typed over a question keeps its first letter: ${words}`, async () => {
    const { types, answers, input } = await asked();
    types(words);
    equal(input(), words);
    deepEqual(answers, []);
  });
}

Deno.test("what is typed over a question goes on with the message that was begun before it", async () => {
  const { types, answers, input, enter } = await asked("say ");
  types("no");
  equal(input(), "say no");
  equal(await enter(), false);
  deepEqual(answers, []);
});

for (const [typed, answer] of [["y", "yes"], ["n", "no"], ["a", "always"]] as const) {
  Deno.test(`a letter that stands alone answers: ${typed}`, async () => {
    const { types, answers, alone } = await asked();
    types(typed);
    deepEqual(answers, []);
    await alone();
    deepEqual(answers, [answer]);
  });
  Deno.test(`a letter with Enter answers at once: ${typed}`, async () => {
    const { types, answers, enter } = await asked();
    types(typed);
    equal(await enter(), true);
    deepEqual(answers, [answer]);
  });
}

for (const word of ["yes", "no", "No", "YES"]) {
  Deno.test(`the word with Enter answers: ${word}`, async () => {
    const { types, answers, enter } = await asked();
    types(word);
    equal(await enter(), true);
    deepEqual(answers, [word.toLowerCase()]);
  });
}

Deno.test("what ends as yes and began before the question is a message", async () => {
  const { types, answers, enter, input } = await asked("y");
  types("es");
  equal(input(), "yes");
  equal(await enter(), false);
  deepEqual(answers, []);
});

Deno.test("w alone, and words: no, with them", async () => {
  const { types, answers, alone, enter } = await asked("a draft");
  types("w");
  await alone();
  types("use npm");
  equal(await enter(), true);
  deepEqual(answers, [{ no: "use npm" }]);
});

Deno.test("a message that was begun before a question for words is no answer to it; what is typed after it is", async () => {
  let text = "deploy with ";
  const editor = {
    getText: () => text,
    setText: (next: string) => void (text = next),
    insertTextAtCursor: (more: string) => void (text += more),
  };
  const asking = new Asking(theme_of("none"), {
    ...{ editor, rows: () => 24, render() {}, asked() {}, note() {} },
  });
  const types = (words: string) => {
    for (const one of words) if (!asking.key(one)) text += one;
  };
  const soon = () => new Promise((resolve) => setTimeout(resolve, 0));
  types("to");
  const asked = { id: "1", question: "MCP server x asks: Name", choices: [] };
  const answers: (string | null)[] = [];
  const signal = new AbortController().signal;
  void asking.words(asked, signal).then((one) => void answers.push(one));
  await soon();
  types("ken 1");
  deepEqual([text, asking.typed(text)], ["deploy with token 1", false]);
  editor.setText("");
  await soon();
  deepEqual(answers, []);
  equal(asking.typed("Ann"), true);
  await soon();
  deepEqual(answers, ["Ann"]);
});
