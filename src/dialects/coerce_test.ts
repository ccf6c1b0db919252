import assert from "node:assert/strict";
import { coerce } from "./coerce.ts";

const SCHEMA = {
  properties: {
    count: { type: "integer" },
    share: { type: "number" },
    all: { type: "boolean" },
    text: { type: "string" },
    from: { type: "integer", minimum: 1 },
    least: { type: "integer", minimum: 0 },
    how: { type: "string", enum: ["a", "b"] },
    note: { type: "string" },
    names: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    map: { type: "object" },
    either: { type: ["string", "integer"] },
    listed: { type: ["string", "array"] },
    free: {},
  },
  required: ["text"],
};

Deno.test("coerce() gives what the schema asks for, where nothing is lost", () => {
  const cases: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
    [{ count: "5" }, { count: 5 }],
    [{ count: " -12 " }, { count: -12 }],
    [{ share: "0.5" }, { share: 0.5 }],
    [{ all: "true" }, { all: true }],
    [{ all: "False" }, { all: false }],
    [{ names: "a" }, { names: ["a"] }],
    [{ names: "None" }, { names: ["None"] }],
    [{ names: '["a","b"]' }, { names: ["a", "b"] }],
    [{ sizes: "[1]" }, { sizes: [1] }],
    [{ map: '{"a":1}' }, { map: { a: 1 } }],
    [{ text: "x", count: null }, { text: "x" }],
    [{ text: "x", count: "", all: "null", names: "", map: " ", share: "undefined" }, {
      text: "x",
    }],
    [{ text: "x", from: 0 }, { text: "x" }],
    [{ text: "x", from: "0", how: "" }, { text: "x" }],
  ];
  for (const [given, wanted] of cases) assert.deepEqual(coerce(given, SCHEMA), wanted);
});

Deno.test("coerce() leaves alone what fits, and what could mean something else", () => {
  const cases: readonly Record<string, unknown>[] = [
    { text: "8080", count: 5, all: true, names: ["a"] },
    { text: "null" },
    { text: '{"a":1}' },
    { text: 5 },
    { text: null },
    { count: "007" },
    { count: "1e3" },
    { count: "0x10" },
    { count: 0, least: 0, from: -1 },
    { text: "", note: "", how: "c" },
    { note: "null", free: "" },
    { count: "5 lines" },
    { count: "99999999999999999999" },
    { share: "Infinity" },
    { all: "yes" },
    { all: 1 },
    { sizes: "1" },
    { map: "[1]" },
    { either: "5" },
    { listed: "" },
    { free: "5", other: "5", constructor: "5" },
    { free: null },
  ];
  for (const given of cases) assert.equal(coerce(given, SCHEMA), given, JSON.stringify(given));
});
