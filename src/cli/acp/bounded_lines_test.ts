import assert from "node:assert/strict";
import { bounded_lines, id_in } from "./bounded_lines.ts";

async function passed(given: readonly string[], most: number) {
  const refused: string[] = [];
  const text = ReadableStream.from(given.map((part) => new TextEncoder().encode(part)))
    .pipeThrough(bounded_lines((beginning) => void refused.push(beginning), most));
  return { text: await new Response(text).text(), refused };
}

Deno.test("bounded_lines() leaves out what is too long, wherever the pieces end, and passes on all else", async () => {
  const cases: readonly (readonly [string[], string, string[]])[] = [
    [["a\nb\n"], "a\nb\n", []],
    [["a", "bc\nd"], "abc\nd", []],
    [["1234567\n"], "1234567\n", []],
    [["12345678\nb\n"], "b\n", ["12345678\n"]],
    [["a\n1234", "56789", "0123", "\nb\n"], "a\nb\n", ["123456789"]],
    [["1234567890123\n1234567890\nc"], "c", ["1234567890123\n", "1234567890\n"]],
    [["123456789"], "", ["123456789"]],
    [["\n\n", "\n"], "\n\n\n", []],
  ];
  for (const [given, text, refused] of cases) {
    assert.deepEqual(await passed(given, 8), { text, refused }, JSON.stringify(given));
  }
});

Deno.test("id_in() finds a message's own id", () => {
  const cases: readonly (readonly [string, string | number | null])[] = [
    ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8', 7],
    ['{ "method": "x", "id" : "a\\"b", "params": {', 'a"b'],
    ['{"jsonrpc":"2.0","method":"x","params":{"a":{"id":8', null],
    ['{"result":{"id":8', null],
    ['{"id":null,"x":"', null],
    ["xxxxxx", null],
    ['{"id":007,"params":"', null],
    [String.raw`{"id":"\q","params":"`, null],
  ];
  for (const [beginning, id] of cases) assert.equal(id_in(beginning), id, beginning);
});
