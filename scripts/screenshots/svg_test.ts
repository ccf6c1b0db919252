import { strictEqual } from "node:assert/strict";
import { svg_of } from "./svg.ts";

Deno.test("svg_of() draws each run at its column, in its color, and nothing that is markup", () => {
  const svg = svg_of("\x1b[31ma<b\x1b[39m \x1b[1mok\x1b[0m\n日本x\n\n", 10);
  const drawn = [...svg.matchAll(/<text x="([\d.]+)" y="(\d+)" fill="(#\w+)"([^>]*)>([^<]*)</g)]
    .map(([, ...parts]) => parts.join(" "));
  strictEqual(
    drawn.join("\n"),
    [
      "12.0 26 #f14c4c  a&lt;b",
      '45.6 26 #d4d4d4  font-weight="bold" ok',
      "12.0 44 #d4d4d4  日",
      "28.8 44 #d4d4d4  本",
      "45.6 44 #d4d4d4  x",
    ].join("\n"),
  );
  strictEqual(/viewBox="0 0 108 60"/.test(svg), true, svg);
});
