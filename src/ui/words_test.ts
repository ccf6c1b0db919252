import { deepStrictEqual } from "node:assert/strict";
import { numbered } from "./words.ts";

Deno.test("numbered() counts what is gone and what came each by itself", () => {
  const lines = ["- b", "+ B", "+ c"];
  deepStrictEqual(numbered({ kind: "diff", more: 0, line: 9, lines }), [
    " 9 - b",
    " 9 + B",
    "10 + c",
  ]);
  deepStrictEqual(numbered({ kind: "diff", more: 0, lines }), lines);
});
