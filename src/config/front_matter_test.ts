import { deepStrictEqual } from "node:assert/strict";
import { front_matter } from "./front_matter.ts";

Deno.test("front_matter() reads what stands between two lines, whether it is YAML or only looks like it", () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["just text\n---\nmore", {}, "just text\n---\nmore"],
    ["---\nname: a\n---\nbody\n", { name: "a" }, "body\n"],
    ["---\r\nname: a\r\n---\r\nbody", { name: "a" }, "body"],
    ["---\nname: 'a'\nmetadata:\n  x: 1\n  y: [1]\n---\n", { name: "a", metadata: { x: 1 } }, ""],
    ["---\ndescription: >-\n  two\n  lines\n---\nb", { description: "two lines" }, "b"],
    [
      '---\ndescription: Fix: this\nname: "b"\n---\nb',
      { description: "Fix: this", name: "b" },
      "b",
    ],
    ["---\na: &x [1]\nb: *x\n---\n", { a: [1], b: [1] }, ""],
    ["---\n- a\n---\nb", {}, "b"],
    ["---\n---\nb", {}, "b"],
    ["---\nnever closed", {}, "---\nnever closed"],
  ];
  // Each name stands for nine of the one before it.
  const names = [..."abcdefghijklmnop"];
  const bomb = names.map((name, at) => {
    const before = at === 0 ? "x" : `*${names[at - 1]}`;
    return `${name}: &${name} [${Array(9).fill(before).join()}]\n`;
  });
  const { fields } = front_matter(`---\n${bomb.join("")}tools: *p\n---\n`);
  deepStrictEqual([String(fields["tools"]), String(fields["a"])], ["", "x,x,x,x,x,x,x,x,x"]);
  for (const [text, fields, body] of cases) deepStrictEqual(front_matter(text), { fields, body });
});

Deno.test("lines of dashes or tabs without end are read at once", () => {
  const dashes = "---\n\n".repeat(200_000) + "x";
  deepStrictEqual(front_matter(`x\n${dashes}`), { fields: {}, body: `x\n${dashes}` });
  const tabs = "\t".repeat(200_000);
  deepStrictEqual(front_matter(`---\nb: [\na:${tabs}x${tabs}\u2028y\n---\n`).body, "");
});
