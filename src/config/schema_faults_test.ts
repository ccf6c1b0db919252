import assert from "node:assert/strict";
import { type Schema, Validator } from "@cfworker/json-schema";
import { schema_faults } from "./schema_faults.ts";

Deno.test("schema_faults() names what does not fit, once, and what is not allowed", () => {
  const inner: Schema = {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  };
  const schema: Schema = { ...inner, properties: { n: { type: "integer" }, in: inner } };
  const faults = (value: unknown) =>
    schema_faults(new Validator(schema, "2020-12", false).validate(value).errors);
  const integer = 'Instance type "string" is invalid. Expected "integer".';
  assert.equal(faults({ n: "x" }), `n: ${integer}`);
  assert.equal(faults({ n: 1, m: 2 }), "m: it is not allowed.");
  assert.equal(faults({ n: "x", m: 2 }), `n: ${integer} m: it is not allowed.`);
  assert.equal(faults({ n: 1, in: { n: "x" } }), `in.n: ${integer}`);
  assert.equal(faults({ n: 1, in: { n: 1, m: 2 } }), "in.m: it is not allowed.");
  assert.equal(faults({}), 'Instance does not have required property "n".');
  const two = new Validator(schema, "2020-12", false).validate({ n: "x", m: 2 }).errors;
  assert.equal(schema_faults(two, 1), `n: ${integer}`);
});
