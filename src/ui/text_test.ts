import assert from "node:assert/strict";
import { harmless, line, plural, short } from "./text.ts";

Deno.test("harmless() leaves nothing that steers a terminal", () => {
  assert.equal(harmless("a\x1b[31mb\x07\u202ec\r\nd\te"), "a[31mbc\nd\te");
  assert.equal(line("a\n  b\x1b]0;title\x07", 40), "a b]0;title");
  assert.equal(line("x".repeat(50), 10), "xxxxxxxxx…");
});

Deno.test("short() and plural() round as people do", () => {
  assert.deepEqual([0, 999, 1234, 4100, 2_500_000].map(short), [
    "0",
    "999",
    "1.2k",
    "4.1k",
    "2.5M",
  ]);
  assert.deepEqual([0, 1, 2].map((n) => plural(n, "file")), ["0 files", "1 file", "2 files"]);
});
