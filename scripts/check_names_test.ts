import assert from "node:assert/strict";
import { crowded_names } from "./check_names.ts";

Deno.test("a name in three files is one too many, whatever declares it", () => {
  const files = new Map([
    ["a.ts", "export interface Place {}\nfunction told() {}\n"],
    ["b.ts", "type Place = string;\nexport async function told() {}\n"],
    ["c.ts", "class Place {}\nfunction told() {}\n"],
    ["d.ts", "const Place = 1;\n  type Place = 1;\nexport function* other() {}\n"],
  ]);
  assert.deepEqual(crowded_names(files), [{ name: "Place", paths: ["a.ts", "b.ts", "c.ts"] }]);
});

Deno.test("what is exported has a name of its own", () => {
  const files = new Map([
    ["a.ts", "export const LINES = 3;\nexport async function told() {}\n"],
    ["b.ts", "const LINES = 4;\nexport function told() {}\n"],
  ]);
  assert.deepEqual(crowded_names(files), [{ name: "told", paths: ["a.ts", "b.ts"] }]);
});
