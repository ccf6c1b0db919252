import { deepEqual } from "node:assert/strict";
import { line_diff } from "./line_diff.ts";

Deno.test("line_diff() shows what differs, two lines around it, and counts the rest", () => {
  const old = Array.from({ length: 20 }, (_, at) => `${at}`);
  const fresh = old.toSpliced(15, 1).with(4, "four");
  deepEqual(line_diff(old.join("\n"), fresh.join("\n")), {
    first: 2,
    lines: [
      ...["  2", "  3", "- 4", "+ four", "  5", "  6"],
      "… 6 unchanged lines",
      ...["  13", "  14", "- 15", "  16", "  17"],
    ],
  });
});

Deno.test("line_diff() of anything puts one text together with the other", () => {
  for (
    const [old, fresh] of [
      ["", "a"],
      ["a", ""],
      ["a\n", ""],
      ["a\n", "a"],
      ["a\nb\n", "b\na\n"],
      ["{\n a\n}\n", "{\n b\n}\n{\n a\n}\n"],
      ["x\n".repeat(600), "y\n".repeat(600)],
    ] as const
  ) {
    const { lines } = line_diff(old, fresh);
    const side = (sign: string) =>
      lines.filter((line) => line.startsWith(sign) || line.startsWith("  "))
        .map((line) => line.slice(2)).join("\n");
    const both_end = [old, fresh].every((text) => text === "" || text.endsWith("\n"));
    const [before, after] = [old, fresh].map((text) => both_end ? text.replace(/\n$/, "") : text);
    deepEqual([side("-"), side("+")], [before, after]);
  }
  deepEqual(line_diff("a\nb", "a\nb"), { first: 0, lines: [] });
});
