import { deepStrictEqual } from "node:assert/strict";
import { portable } from "./portable_schema.ts";

const object = (more: object) => JSON.stringify({ type: "object", ...more });
const [text, count] = [{ type: "string" }, { type: "integer" }];

Deno.test("a choice at the top becomes one object, with what all of it needs", () => {
  const a = { properties: { kind: { const: "a" }, id: text }, required: ["kind", "id"] };
  const b = { properties: { kind: { const: "b" }, n: count }, required: ["kind"] };
  const kinds = { anyOf: [{ const: "a" }, { const: "b" }] };
  const properties = { kind: kinds, id: text, n: count };
  for (const key of ["anyOf", "oneOf"]) {
    deepStrictEqual(portable(object({ [key]: [a, b] })), {
      ...{ type: "object", properties, required: ["kind"] },
    });
  }
  // By reference, as zod writes it; all of several; and what is said of the whole counts.
  const $defs = { A: a, B: { allOf: [{ $ref: "#/$defs/A" }, b] } };
  deepStrictEqual(portable(object({ anyOf: [{ $ref: "#/$defs/B" }], $defs })), {
    ...{ type: "object", $defs, properties, required: ["kind", "id"] },
  });
  const either = { anyOf: [{ required: ["id"] }, { required: ["n"] }], not: {}, enum: [{}] };
  const own = { properties: { id: text, n: count }, additionalProperties: false };
  deepStrictEqual(portable(object({ ...own, ...either })), {
    ...{ type: "object", ...own, required: [] },
  });
});

Deno.test("any other schema stays as it is; what is no schema is none, and a circle ends", () => {
  const properties = {
    a: { anyOf: [text, { type: "null" }] },
    list: { type: "array", items: text },
  };
  const plain = { type: "object", properties, required: ["a"], additionalProperties: false };
  deepStrictEqual(portable(JSON.stringify(plain)), plain);
  deepStrictEqual(portable(object({ properties: { a: true, list: { type: "array" } } })), {
    ...{ type: "object", properties: { a: {}, list: { type: "array", items: {} } }, required: [] },
  });
  deepStrictEqual(portable("{}"), { type: "object", properties: {}, required: [] });
  const odd = { anyOf: [5, null, { $ref: "#" }, { $ref: "https://x" }], allOf: {}, required: 5 };
  deepStrictEqual(portable(object(odd)), { type: "object", properties: {}, required: [] });
  const circles = { anyOf: Array(2000).fill({ $ref: "#" }), properties: { a: text } };
  deepStrictEqual(portable(object(circles)).properties, { a: text });
});
