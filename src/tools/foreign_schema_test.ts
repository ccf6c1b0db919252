import assert from "node:assert/strict";
import { checkable } from "./foreign_schema.ts";
import { fault_of } from "./check.ts";
import type { Tool } from "./tool.ts";

function fault(schema: Record<string, unknown>, args: unknown): string | null {
  const parameters = { type: "object", properties: {}, required: [], ...schema };
  const mcp = { server: "x", tool: "y", read_only: false };
  return fault_of({ parameters, mcp } as unknown as Tool<unknown>, args);
}

Deno.test("arguments of other people's tools are checked: what is left out of their schemas fits", () => {
  const model = {
    properties: {
      shape: { $ref: "#/$defs/Shape" },
      note: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["shape"],
    // As pydantic writes it.
    $defs: {
      Kind: { enum: ["circle", "box"], type: "string" },
      Shape: {
        type: "object",
        properties: {
          kind: { $ref: "#/$defs/Kind", description: "what it is" },
          parts: { type: "array", items: { $ref: "#/$defs/Shape" } },
        },
        required: ["kind"],
      },
    },
  };
  assert.equal(
    fault(model, { shape: { kind: "box", parts: [{ kind: "circle" }] }, note: null }),
    null,
  );
  assert.match(fault(model, { shape: { kind: "ball" } })!, /^shape\.kind: /);
  assert.match(fault(model, { shape: { kind: "box", parts: [{}] } })!, /required property "kind"/);
  assert.match(fault(model, { note: "a" })!, /required property "shape"/);
  assert.match(fault(model, { shape: { kind: "box" }, note: 5 })!, /note/);
  // Honest, and no schema or expression that could be used here.
  const odd: readonly (readonly [Record<string, unknown>, unknown])[] = [
    [{ properties: { a: { type: "string", pattern: "^[\\w\\-]+$" } } }, { a: "b" }],
    [{ properties: { a: { $ref: "https://example.com/schema.json" } } }, { a: "b" }],
    [{ properties: { a: { items: [{ type: "number" }] } } }, { a: ["b"] }],
    [{ properties: { a: { required: 5, enum: "x" } } }, { a: {} }],
    [{ properties: { a: true, b: null } }, { a: 1, b: 2 }],
    // @playwright/mcp's browser_take_screenshot.
    [{ properties: { scale: { default: "css", type: "string" } }, required: ["scale"] }, {}],
  ];
  for (const [schema, args] of odd) assert.equal(fault(schema, args), null, JSON.stringify(schema));
});

Deno.test("no schema takes long to check, whatever it is", () => {
  const loop = { properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { $ref: "#/$defs/b" } } };
  const names = Array.from({ length: 60 }, (_, n) => n);
  const twice = {
    properties: { a: { $ref: "#/$defs/n0" } },
    $defs: Object.fromEntries(names.map((n) => {
      const next = { $ref: `#/$defs/n${n + 1}` };
      return [`n${n}`, { allOf: [next, next], properties: { a: next, b: next } }];
    })),
  };
  const slow = { properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  let deep: Record<string, unknown> = {};
  for (let n = 0; n < 5000; n++) deep = { properties: { a: deep } };
  let args: Record<string, unknown> = {};
  for (let n = 0; n < 40; n++) args = { a: args };
  for (const schema of [loop, twice, slow, deep]) {
    assert.equal(fault(schema, { a: "a".repeat(60) + "!" }), null);
  }
  for (const schema of [loop, twice, deep]) assert.equal(fault(schema, args), null);
  assert.equal(JSON.stringify(checkable(twice)).length < 1_000_000, true);
});
