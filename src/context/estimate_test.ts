import assert from "node:assert/strict";
import { History } from "../agent/history.ts";
import { tokens_in } from "./estimate.ts";

Deno.test("tokens_in() counts ASCII by fours and every other character, as the history does", () => {
  const table: [string, number][] = [
    ["", 0],
    ["a", 1],
    ["four", 1],
    ["fours", 2],
    ["é", 1],
    ["漢字", 2],
    ["😀", 1],
    ["abcd漢😀", 3],
    ["\0\x7f", 1],
  ];
  for (const [text, tokens] of table) {
    assert.equal(tokens_in(text), tokens, text);
    const history = new History({
      before: () => "",
      encode: (all) => all.map(({ content }) => content).join(""),
    }, "m");
    history.append({ role: "user", content: text });
    history.seal();
    assert.equal(history.tokens, tokens, text);
  }
});
