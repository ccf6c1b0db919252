import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ArgumentsSoFar } from "./arguments_so_far.ts";

const WHOLE = ["{}", ' {"a":"}"} ', '{"a":{"b":[1,"]\\""]}}\n', '{"a":"\\\\"}'];
const NOT_WHOLE = [
  "",
  " ",
  "{",
  '{"a":"}',
  '{"a":1}}',
  "{} {",
  '{"a" 1}',
  '"{}"',
  "[{}]",
  "{]",
  "x{}",
];

Deno.test("arguments are whole where they are one object, however they are cut", () => {
  for (const [texts, expected] of [[WHOLE, true], [NOT_WHOLE, false]] as const) {
    for (const text of texts) {
      for (const size of [1, 2, text.length || 1]) {
        const args = new ArgumentsSoFar();
        for (let at = 0; at < text.length; at += size) args.add(text.slice(at, at + size));
        deepStrictEqual([text, size, args.is_whole], [text, size, expected]);
        deepStrictEqual([args.text, args.length], [text, text.length]);
      }
    }
  }
});

Deno.test("what comes behind whole arguments makes them none", () => {
  const args = new ArgumentsSoFar();
  args.add("{}");
  strictEqual(args.is_whole, true);
  args.add(" ");
  strictEqual(args.is_whole, true);
  args.add("}");
  strictEqual(args.is_whole, false);
});
