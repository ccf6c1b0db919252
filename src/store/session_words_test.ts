import assert from "node:assert/strict";
import { words_in } from "./session_words.ts";

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
