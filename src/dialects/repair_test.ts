import assert from "node:assert/strict";
import { repair } from "./repair.ts";

Deno.test("repair() reads what a model meant", () => {
  const cases: readonly (readonly [string, Record<string, unknown>])[] = [
    ['{"a":1}', { a: 1 }],
    // Fences.
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['```\n{"a":"```"}\n```', { a: "```" }],
    // Encoded once more, and twice.
    [JSON.stringify('{"a":"b\\n"}'), { a: "b\n" }],
    [JSON.stringify(JSON.stringify('{"a":1}')), { a: 1 }],
    ['"```json\\n{\\"a\\":1}\\n```"', { a: 1 }],
    // Python.
    ["{'a': 'b', 'c': True, 'd': None, 'e': False}", { a: "b", c: true, d: null, e: false }],
    [`{'a': "it's", 'b': 'say "hi"', 'c': 'it\\'s'}`, { a: "it's", b: 'say "hi"', c: "it's" }],
    ["{'a': 'caf\\xe9 \\u00e9', 'b': [1, -2.5e3]}", { a: "café é", b: [1, -2500] }],
    ["{'command': 'grep \"\\d+\" x'}", { command: 'grep "\\d+" x' }],
    // Trailing commas.
    ['{"a":[1,2,],"b":{"c":1,},}', { a: [1, 2], b: { c: 1 } }],
    // Line breaks in strings, and apostrophes that JSON does not escape.
    ['{"content":"one\n\ttwo\n","b":"it\\\'s"}', { content: "one\n\ttwo\n", b: "it's" }],
    // Words around.
    ['Here you are: {"a":{"b":1}} Good luck!', { a: { b: 1 } }],
    ["Arguments:\n```python\n{'a': None}\n```\nDone.", { a: null }],
    ['{"a":1}}', { a: 1 }],
    // An empty object before it.
    ['{}{"a":1}', { a: 1 }],
    ['{} {} {"a":1}', { a: 1 }],
    // Nothing but brackets is missing.
    ['{"a":{"b":["c"', { a: { b: ["c"] } }],
    ['{"path":"a","content":"b"', { path: "a", content: "b" }],
    ["{'a': True", { a: true }],
    ['{"a":{}', { a: {} }],
    ['{"a":"}"', { a: "}" }],
    ['{"__proto__":1,}', JSON.parse('{"__proto__":1}')],
  ];
  for (const [text, value] of cases) assert.deepEqual(repair(text), value, text);
});

Deno.test("repair() makes nothing up", () => {
  const texts = [
    "",
    "null",
    "[1]",
    '"a"',
    "{",
    '{"a"',
    '{"a":',
    '{"a":"b',
    '{"a":"b\\"}',
    '{"a":"b",',
    '{"a":["b",',
    // A number may have lost digits, a word its end.
    '{"a":1',
    '{"a":[1',
    '{"a":tru',
    '{"a":truely}',
    '{"a":01}',
    '{"a":NaN}',
    "{a:1}",
    '{"a":1} or {"a":2}',
    '{"a":1}{}',
    // Pieces that came in another order.
    'the end"}{"a":"the beginning"}',
    "{'a': 'it's'}",
    "{'a': 'b' 'c'}",
    '{"a":"say "hi""}',
    '{"a" "b"}',
    '{"a":1;}',
    '{,"a":1}',
    '{"a":1]',
    "print({1, 2})",
    "use {x} here",
    '{"a":'.repeat(5000),
    '{"a":['.repeat(200) + "]}".repeat(200) + ",",
  ];
  for (const text of texts) assert.equal(repair(text), undefined, text.slice(0, 80));
});

Deno.test("repair() of a cut text gives members that are whole, or nothing", () => {
  const whole: Record<string, unknown> = { path: "a", content: "b\n}\"]'", list: [1, { x: "y" }] };
  const text = JSON.stringify({ ...whole, all: true });
  let kept = 0;
  for (let at = 0; at < text.length - 4; at++) {
    for (const [key, part] of Object.entries(repair(text.slice(0, at)) ?? {})) {
      assert.deepEqual(part, whole[key], text.slice(0, at));
      kept++;
    }
  }
  assert.ok(kept > 6, `${kept}`);
});
