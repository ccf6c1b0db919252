import assert from "node:assert/strict";
import { fitter } from "./loose_lines.ts";
import { line_numbers, lines_around, put_at, text_matches } from "./replace_text.ts";

function replaced(content: string, old: string, text: string): string {
  return put_at(content, text_matches(content, old), { old, new: text });
}

Deno.test("text is put in place as it is, dollars and all", () => {
  assert.equal(replaced("a $x b", "$x", "$& $1 $$ $` \\n"), "a $& $1 $$ $` \\n b");
  assert.equal(replaced("f(.*)+ costs\n", "f(.*)+", ""), " costs\n");
  assert.equal(replaced("aaa", "aa", "b"), "ba", "places do not overlap");
});

Deno.test("a file with CRLF stays one, whatever the model writes", () => {
  const crlf = "one\r\ntwo\r\nthree\r\n";
  assert.equal(replaced(crlf, "one\ntwo", "1\n2\n3"), "1\r\n2\r\n3\r\nthree\r\n");
  assert.equal(
    replaced(crlf, "two", "2\n2a"),
    "one\r\n2\r\n2a\r\nthree\r\n",
    "one line becomes two",
  );
  assert.equal(replaced(crlf, "three\n", "3\n"), "one\r\ntwo\r\n3\r\n");
  assert.equal(replaced(crlf, "\ntwo\n", "\n"), "one\r\nthree\r\n");
  assert.equal(replaced(crlf, "one\r\ntwo", "1\n2"), "1\n2\r\nthree\r\n", "ends that were meant");
  assert.equal(replaced(crlf, "two", "2\r\n2a"), "one\r\n2\r\n2a\r\nthree\r\n");
  assert.equal(replaced("a\r\nlast", "last", "x\ny"), "a\r\nx\r\ny", "no end of its own");
});

Deno.test("in a file of mixed ends each place has its own, and the rest is not touched", () => {
  const mixed = "a\r\nb\nc\r\nd\n";
  assert.equal(replaced(mixed, "b", "x\ny"), "a\r\nx\ny\nc\r\nd\n");
  assert.equal(replaced(mixed, "a\nb\nc", "1\n2"), "1\r\n2\r\nd\n");
  assert.equal(text_matches("x\r\ny\nx\ny\n", "x\ny").length, 2, "both are what read shows");
});

Deno.test("in a file of mixed ends the lines that only frame a change keep theirs", () => {
  const mixed = "a\r\nb\nc\r\nd\ne\r\n";
  assert.equal(replaced(mixed, "a\nb\nc\nd", "a\nb\nc\nD"), "a\r\nb\nc\r\nD\ne\r\n");
  assert.equal(replaced(mixed, "b\nc\nd\n", "b\nC\nd\n"), "a\r\nb\nC\r\nd\ne\r\n");
  assert.equal(replaced(mixed, "b\nc\nd\n", "b\nd\n"), "a\r\nb\nd\ne\r\n", "one is deleted");
  assert.equal(
    replaced(mixed, "a\nb\nc\n", "a\nb\n1\n2\nc\n"),
    "a\r\nb\n1\r\n2\r\nc\r\nd\ne\r\n",
    "new lines have the end of the first",
  );
  assert.equal(replaced("a\nb\n", "a\nb", "a\r\nb"), "a\r\nb\n", "an end that was meant");
});

Deno.test("places are named by line, each line once", () => {
  const content = "x x\n\nx\ny\nx\nx\nx\nx\n";
  assert.equal(line_numbers(content, text_matches(content, "x"), 5), "1, 3, 5, 6, …");
  assert.equal(line_numbers("a\nb", text_matches("a\nb", "b"), 5), "2");
});

Deno.test("lines that are all alike, and places in one line without end, take no longer", () => {
  const content = "\r\n".repeat(400_000);
  assert.deepEqual(text_matches(content, "\n".repeat(100_000) + "b"), []);
  assert.deepEqual(text_matches(`a${content}b\r\n`, "\nb\n"), [{ start: 799_999, end: 800_004 }]);
  assert.equal(replaced("a\r\nb\nc\r\n\r\nd", "b\nc\r\n", "x\n"), "a\r\nx\n\r\nd");
  assert.equal(replaced("a".repeat(2_000_000), "a", "b"), "b".repeat(2_000_000));
  const alike = Array(400_000).fill("a");
  assert.deepEqual(fitter(alike)([...alike.slice(200_000), "b"]), { at: [], loose: false });
  assert.deepEqual(fitter(["x", "a", " a", "a", "a"])(["a", "a"]), { at: [3], loose: false });
  assert.deepEqual(fitter(["a", "b", "a", "b", "a", "b"])(["a ", "b", "a"], 1), {
    at: [2],
    loose: true,
  });
  assert.deepEqual(fitter(["a", "b", "a", "b", "a"])(["a", "b", "a"]), {
    at: [0, 2],
    loose: false,
  });
});

Deno.test("a hundred thousand places take no time to speak of", () => {
  const content = "needle\r\n".repeat(100_000);
  const start = performance.now();
  assert.equal(replaced(content, "needle\n", "n\n"), "n\r\n".repeat(100_000));
  assert.ok(performance.now() - start < 20_000);
});

Deno.test("around() is what is left of the lines of a place", () => {
  const shown = (content: string, old: string, more = 0) => {
    const [place] = text_matches(content, old);
    assert.ok(place !== undefined);
    return lines_around(content, place, more);
  };
  assert.deepEqual(shown("a b c\nd", "b"), ["a ", " c"]);
  assert.deepEqual(shown("one\ntwo three\n", "two"), ["", " three"]);
  assert.deepEqual(shown("one\r\ntwo three\r\nx", "two"), ["", " three"]);
  assert.deepEqual(shown("one\ntwo\nthree", "two\n"), ["", ""]);
  assert.deepEqual(shown("one\ntwo\nthree", "e\ntwo"), ["on", ""]);
  assert.deepEqual(shown("one", "one"), ["", ""]);
  assert.deepEqual(shown("\none", "one"), ["", ""]);
  const numbers = "1\r\n2\r\n3\r\n4 5\r\n6\r\n7\r\n8\r\n";
  assert.deepEqual(shown(numbers, "5", 2), ["2\n3\n4 ", "\n6\n7"]);
  assert.deepEqual(shown(numbers, "1", 2), ["", "\n2\n3"]);
  assert.deepEqual(shown("1\n2\n3\n4\n", "3\n", 2), ["1\n2\n", "4\n"]);
});

Deno.test("a long text is found as a short one is, and in time where all of it is alike", () => {
  const starts = (content: string, old: string) =>
    text_matches(content, old).map(({ start }) => start);
  const pairs = "ab".repeat(50_000);
  assert.deepEqual(
    starts(`x${pairs}`, "abab"),
    Array.from({ length: 25_000 }, (_, n) => 1 + n * 4),
  );
  const blanks = " ".repeat(200_000);
  assert.deepEqual(starts(`${blanks}x${blanks}`, `${blanks}x`), [0]);
  assert.deepEqual(starts(blanks.repeat(10), `${blanks}x${blanks}`), []);
  // There is no line end behind any of them, where each was looked for.
  assert.equal(replaced(`\r\n${"a".repeat(300_000)}`, "a", "\n"), "\r\n".repeat(300_001));
});
