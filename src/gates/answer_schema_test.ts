import assert from "node:assert/strict";
import { read_schema, shape, shape_in_time } from "./answer_schema.ts";

const POINT = JSON.stringify({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    x: { $ref: "#/$defs/whole" },
    tags: { type: "array", prefixItems: [{ type: "string" }] },
  },
  required: ["x"],
  unevaluatedProperties: false,
  $defs: { whole: { type: "integer" } },
});

Deno.test("shape() finds the value that meets the schema, however it is wrapped", () => {
  const answers = [
    '{"x":1}',
    '  {"x": 1}\n',
    '```json\n{"x": 1}\n```',
    'Here it is: {"x": 1}. Anything else?',
    "{'x': 1,}",
    'For example {"y": 2}, but really {"x": 1}',
    '```\n{"x": 7}\n```\nNo, rather:\n```\n{"x": 1}\n```',
  ];
  for (const answer of answers) {
    assert.deepEqual(shape(answer, POINT), { ok: true, json: '{"x":1}' }, answer);
  }
  assert.deepEqual(shape(' "a" ', '{"type":"string"}'), { ok: true, json: '"a"' });
  assert.deepEqual(shape("List: [1, 2]", '{"type":"array"}'), { ok: true, json: "[1,2]" });
});

Deno.test("shape() keeps all digits of a number", () => {
  const json = '{"id":12345678901234567890,"price":0.10,"all":[1.0]}';
  const spaced = json.replaceAll(",", ", ");
  for (const answer of [spaced, `\`\`\`json\n${spaced}\n\`\`\``, `The order is ${spaced}.`]) {
    assert.deepEqual(shape(answer, '{"type":"object"}'), { ok: true, json }, answer);
  }
});

Deno.test("shape() takes no property for what every object inherits", () => {
  const schema = '{"properties":{"constructor":{"type":"string"}},"required":["toString"]}';
  assert.deepEqual(shape('{"toString":1}', schema), { ok: true, json: '{"toString":1}' });
  assert.equal(shape("{}", schema).ok, false);
});

Deno.test("shape() says what is wrong", () => {
  const cases: [string, RegExp][] = [
    ["All done.", /^it is not JSON$/],
    ['{"x": "1"}', /^x: Instance type "string" is invalid/],
    ["{}", /does not have required property "x"/],
    ['{"x": 1, "z": 2}', /z.* |unevaluated/i],
    ['{"x": 1, "tags": [2]}', /^tags.0: /],
    ['{"x": 1', /^it is not JSON$/],
  ];
  for (const [answer, fault] of cases) {
    const shaped = shape(answer, POINT);
    assert.ok(!shaped.ok, answer);
    assert.match(shaped.fault, fault, answer);
  }
});

Deno.test("shape_in_time() ends, whatever a pattern does, and takes what fits", async () => {
  const schema = '{"properties":{"a":{"pattern":"^(a+)+$"}}}';
  const never = new AbortController().signal;
  const fits = await shape_in_time('{"a":"aaa"}', schema, never);
  assert.deepEqual(fits, { ok: true, json: '{"a":"aaa"}' });
  const over = new AbortController();
  const years = shape_in_time(`{"a":"${"a".repeat(60)}!"}`, schema, over.signal);
  over.abort();
  assert.equal((await years).ok, false);
});

Deno.test("read_schema() refuses what could never be met, or is none", () => {
  const cases: [string, RegExp][] = [
    ["{", /^is not JSON/],
    ["[]", /has to be an object/],
    ['{"type":"strng"}', /^is not a JSON Schema: type: Instance does not match any of \["null",/],
    ['{"pattern":"("}', /pattern: String does not match format "regex"/],
    ['{"patternProperties":{"(":{}}}', /patternProperties\.\(: /],
    ['{"properties":{"a":1}}', /properties\.a: /],
    ['{"required":"a"}', /required: .*Expected "array"/],
    ['{"enum":"a"}', /enum: /],
    ['{"anyOf":[]}', /anyOf: Array has too few items/],
    // As older drafts had it, it would mean something else.
    ['{"items":[{"type":"string"}]}', /items: .*Expected "object", "boolean"/],
    // What an API's response_format wraps it in: everything would meet that.
    ['{"name":"a","schema":{"type":"string"}}', /it knows no "name", "schema"/],
    ['{"$ref":"#"}', /refers to itself without end/],
    ['{"$defs":{"a":{"$dynamicRef":"#a"}}}', /has a \$dynamicRef, .* use \$ref/],
    ['{"$id":"a","$defs":{"x":{"$id":"a"}}}', /Duplicate schema URI/],
    ['{"$ref":"#/$defs/none"}', /refers to #\/\$defs\/none, which is not in it/],
    ['{"$ref":"https://example.com/x.json"}', /which is not in it/],
  ];
  for (const [text, why] of cases) {
    const read = read_schema(text);
    assert.ok(typeof read === "string", text);
    assert.match(read, why);
  }
  const taken = [
    POINT,
    "{}",
    '{"type":"array","x-note":{"type":"none"},"default":{"type":"none"}}',
    '{"$ref":"#/definitions/a","definitions":{"a":{"items":{"$ref":"#/definitions/a"}}}}',
  ];
  for (const text of taken) assert.equal(typeof read_schema(text), "object", text);
  assert.equal(typeof read_schema('{"$ref":"#/$defs/a","$defs":{"a":{"$anchor":"b"}}}'), "object");
});
