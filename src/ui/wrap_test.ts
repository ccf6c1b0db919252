import assert from "node:assert/strict";
import { columns, indent_of, wrap, Wrapper } from "./wrap.ts";

const indent = "  ";

Deno.test("wrap() breaks between words, never in one, and keeps every character", () => {
  assert.equal(wrap("one two three", { width: 8, indent }), "one two\n  three");
  assert.equal(wrap("a-very-long-word and", { width: 8, indent }), "a-very-long-word\n  and");
  assert.equal(wrap("a\n\n  b", { width: 8, indent }), "a\n\n    b");
  assert.equal(wrap("a\n\n", { width: 8, indent }), "a");
  assert.equal(wrap("  indented", { width: 40 }), "  indented");
  const text = "The quick brown fox jumps over the lazy dog, twice.";
  for (let width = 1; width < 60; width++) {
    assert.equal(wrap(text, { width }).replaceAll("\n", " "), text, String(width));
  }
});

Deno.test("a color takes no room, and what follows a colored line stands below its words", () => {
  const dim = (text: string) => `\x1b[2m${text}\x1b[0m`;
  assert.equal(columns(dim("ab")), 2);
  assert.equal(wrap(dim("one two three"), { width: 8, indent }), dim("one two\n  three"));
  assert.deepEqual(["  a", dim("  a"), `  ${dim("a")}`, dim("a"), ""].map(indent_of), [
    2,
    2,
    2,
    0,
    0,
  ]);
});

Deno.test("wide letters and signs take two columns, and a line may break between them", () => {
  assert.deepEqual(["ab文字", "🔧 a", "✓ → a"].map(columns), [6, 4, 5]);
  assert.equal(wrap("已经修改了颜色", { width: 6 }), "已经修\n改了颜\n色");
});

Deno.test("a line of a list goes on below its words, and an indented one below itself", () => {
  const text = "List:\n- one two three\n  - four five\n 10. six seven\n   eight nine ten";
  assert.equal(
    wrap(text, { width: 13, indent: "" }),
    "List:\n- one two\n  three\n  - four five\n 10. six\n     seven\n   eight nine\n   ten",
  );
});

Deno.test("a text that comes in pieces is wrapped like the whole", () => {
  const text = "Some words, a\nline break,\n\n  an indented one and 文字 at the end.";
  for (let size = 1; size < 12; size++) {
    const wrapper = new Wrapper({ width: 12, indent, start: 0 });
    let out = "";
    for (let at = 0; at < text.length; at += size) out += wrapper.push(text.slice(at, at + size));
    assert.equal(out + wrapper.end(), wrap(text, { width: 12, indent }), String(size));
  }
});
