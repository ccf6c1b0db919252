import assert from "node:assert/strict";
import { Thinking } from "./thinking.ts";

/** What a text comes to, whole and cut at every place; the same each time. */
function read(text: string) {
  const results = [[text], [...text], ...cuts(text)].map((pieces) => {
    const thinking = new Thinking();
    const news = [...pieces.flatMap((piece) => thinking.push(piece)), ...thinking.end()];
    const shown = (kind: string) =>
      news.filter((delta) => delta.kind === kind).map((delta) => delta.text).join("");
    return { ...thinking.result(), text: shown("text"), thought: shown("reasoning") };
  });
  for (const result of results) assert.deepEqual(result, results[0]);
  return results[0]!;
}

function cuts(text: string): string[][] {
  return Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)]);
}

Deno.test("thinking at the beginning is taken out, in every spelling and however it is cut", () => {
  const tags = [
    ["<think>", "</think>"],
    ["<thinking>", "</thinking>"],
    ["<thought>", "</thought>"],
    ["<reasoning>", "</reasoning>"],
    ["[THINK]", "[/THINK]"],
    ["◁think▷", "◁/think▷"],
    ["<seed:think>", "</seed:think>"],
  ];
  for (const [open, close] of tags) {
    const { content, reasoning, text, thought } = read(`\n${open}is 1 < 2? </th yes${close}\n\n42`);
    assert.deepEqual([content, reasoning], ["42", "is 1 < 2? </th yes"], open);
    assert.deepEqual([text, thought], ["42", "is 1 < 2? </th yes"], open);
  }
});

Deno.test("several pieces of thinking before the answer, and none at all", () => {
  const two = read("<think>a</think>\n<think>b</think>42 <think>");
  assert.deepEqual([two.content, two.reasoning], ["42 <think>", "ab"]);
  assert.deepEqual(read("<think></think>42").content, "42");
  assert.deepEqual(read("").content, "");
  assert.deepEqual(read("  plain <b>text</b>").content, "  plain <b>text</b>");
});

Deno.test("thinking that never ends is not an answer", () => {
  const { content, reasoning } = read("<think>let me see, maybe </thi");
  assert.deepEqual([content, reasoning], ["", "let me see, maybe </thi"]);
});

Deno.test("an answer about such tags is left alone", () => {
  const texts = [
    "Use <think> tags.",
    "The model writes <think>x</think> first.",
    "<thin",
    "<thinker>",
    "`</think>` ends it.",
    "It ends with </think> and then the answer comes.",
    "```\n<think>\nx\n</think>\n```",
    "It ends with `</think>`\nalways.",
  ];
  for (const text of texts) {
    assert.deepEqual([read(text).content, read(text).reasoning], [text, ""], text);
  }
});

Deno.test("an end without a beginning: the template had opened it", () => {
  const { content, reasoning } = read("I should say 42.\n</think>\n\n42");
  assert.deepEqual([content, reasoning], ["42", "I should say 42.\n"]);
  assert.deepEqual(read("hm</think>").content, "");
  assert.deepEqual(read("I know it.</think>The answer is 42.").content, "The answer is 42.");
  const call = '{"name": "read", "arguments": {"path": "a"}}';
  for (const mark of [` <tool_call>${call}`, call, " <minimax:tool_call>"]) {
    assert.deepEqual(read(`I look.</think>${mark}`).content, mark.trim());
  }
});
