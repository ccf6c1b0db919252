/** What hamr writes as lines of JSON is one line for every reader; what servers write as JSON is read. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { json_line, loose_json } from "./json.ts";

Deno.test("json_line() has no character that any reader takes for the end of a line, no half of one, and else the same value", () => {
  const every = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
  const line = json_line({ [every]: every, emoji: "é 😀 \ud800\\\udc00 \\ud800" });
  strictEqual(/[\p{Cc}\u2028\u2029]/u.test(line.slice(0, -1)), false);
  strictEqual(line.endsWith("}\n"), true);
  deepStrictEqual(JSON.parse(line), { [every]: every, emoji: "é 😀 \ufffd\\\ufffd \\ud800" });
});

const LOOSE: Readonly<Record<string, unknown>> = {
  '{"a": NaN, "b": [Infinity,-Infinity], "c":-nan, "d":inf}': {
    a: null,
    b: [null, null],
    c: null,
    d: null,
  },
  '{"NaN":"NaN \\"Infinity","x":NaN}': { NaN: 'NaN "Infinity', x: null },
  '{"a":1e400}': { a: Infinity },
  "NaN": null,
  '{"a":nano}': undefined,
  '{"a":NaN,"b":"cut': undefined,
  '{"a":NaN,"b":"cut\\': undefined,
  "": undefined,
};

Deno.test("loose_json() takes numbers that JSON has not for null, and leaves texts alone", () => {
  for (const [text, value] of Object.entries(LOOSE)) deepStrictEqual(loose_json(text), value, text);
});
