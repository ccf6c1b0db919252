import assert from "node:assert/strict";
import { words_in, words_of } from "./session_words.ts";

Deno.test("a plain text has the same words alone as beside other letters", () => {
  const texts = [
    "Fix src/app/main.ts: it's O_CREAT|0x1F, isn't it?",
    "a\0b\tc\r\nd",
    "",
    "...",
    "x1 Y2",
  ];
  for (const text of texts) {
    assert.deepEqual([...words_in(text), "né"], words_in(`${text} né`), text);
  }
  assert.deepEqual(words_in(`${"x".repeat(41)} Kept-Words`), ["kept", "words"]);
});

Deno.test("a long text has the same words in blocks as in one piece", () => {
  const line = "Fix src/app/main.ts: it's O_CREAT|0x1F, né";
  // Blocks end at every place of a line.
  for (let shift = 0; shift < line.length; shift++) {
    const text = `${" ".repeat(8192 - shift)}${line}. ${line}`;
    assert.deepEqual([...words_of(text)], words_in(text), String(shift));
  }
  const unspaced = "中文字".repeat(30_000);
  const pairs = [...new Set(words_of(unspaced))].filter((word) => word.length === 2);
  assert.deepEqual(pairs, ["中文", "文字", "字中"]);
  assert.deepEqual([...words_of("x".repeat(200_000))], []);
});
