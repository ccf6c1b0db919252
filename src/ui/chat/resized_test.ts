import { deepEqual } from "node:assert/strict";
import { same_place, still_seen } from "./resized.ts";

/** Lines of 40 columns, with the input between two rules, and the status below. */
const frame = (said: number) => [
  ...Array.from({ length: said }, (_, nth) => `${nth}: `.padEnd(40, "x")),
  "─".repeat(40),
  "",
  "─".repeat(40),
  "status",
];

const drawn = (said: number, rows = 10) => {
  const lines = frame(said);
  const cursor = { line: said + 1, column: 0 };
  const row = cursor.line - Math.max(0, lines.length - rows);
  return { lines, cursor, window: { columns: 40, rows, row } };
};

Deno.test("a wider window shows the same lines, and more of them where it is higher, too", () => {
  deepEqual(still_seen(drawn(20), { columns: 80, rows: 10, row: 7 }), { line: 14, row: 0, cut: 0 });
  deepEqual(still_seen(drawn(20), { columns: 80, rows: 15, row: 12 }), { line: 9, row: 0, cut: 0 });
  // What stood there before the program is above it.
  deepEqual(still_seen(drawn(2), { columns: 80, rows: 10, row: 6 }), { line: 0, row: 3, cut: 0 });
});

Deno.test("in a narrower window lines are broken, and what they push up can only be scrolled back to", () => {
  // Below the input: a rule of two rows, and the status.
  deepEqual(still_seen(drawn(20), { columns: 20, rows: 10, row: 6 }), { line: 18, row: 0, cut: 0 });
  // A row of its first line is gone.
  deepEqual(still_seen(drawn(20), { columns: 20, rows: 10, row: 5 }), {
    line: 18,
    row: 0,
    cut: 20,
  });
  deepEqual(still_seen(drawn(1), { columns: 20, rows: 10, row: 6 }), { line: 0, row: 2, cut: 0 });
});

Deno.test("a terminal that cuts lines off, and breaks none, pushes nothing up", () => {
  deepEqual(still_seen(drawn(20), { columns: 20, rows: 10, row: 7 }), { line: 14, row: 0, cut: 0 });
  deepEqual(still_seen(drawn(4), { columns: 20, rows: 10, row: 5 }), { line: 0, row: 0, cut: 0 });
});

Deno.test("a place in a text is found again however it is broken into lines", () => {
  const wide = ["\x1b[1mone two three\x1b[0m", "", "four five six"];
  const narrow = ["one two", "\x1b[1mthree\x1b[0m  ", "", "four", "five", "six"];
  const place = (line: number) => same_place(narrow, { line, cut: 0, of: wide }).line;
  deepEqual([0, 1, 2, 3].map(place), [0, 2, 3, 6]);
  // In mid-line: what is above the window is part of one.
  deepEqual(same_place(wide, { line: 1, cut: 0, of: narrow }), { line: 0, cut: 7 });
  deepEqual(same_place(wide, { line: 4, cut: 2, of: narrow }), { line: 2, cut: 7 });
  // A comma that is above does not come again, and a family is one sign.
  const said = "你好，世界，👩‍👩‍👧‍👦。";
  deepEqual(same_place([said], { line: 1, cut: 0, of: ["你好，", "世界，"] }), { line: 0, cut: 6 });
  deepEqual(same_place([said], { line: 1, cut: 2, of: ["你好，世界，", "👩‍👩‍👧‍👦。"] }), {
    line: 0,
    cut: 14,
  });
});

Deno.test("signs of two columns are not halved: in a window of odd width they take more rows", () => {
  const lines = ["漢字".repeat(10), "─".repeat(40), "", "─".repeat(40)];
  const drawn = {
    lines,
    cursor: { line: 2, column: 0 },
    window: { columns: 40, rows: 10, row: 2 },
  };
  // 16 columns to a row of 17: three rows, and as many of the rule.
  deepEqual(still_seen(drawn, { columns: 17, rows: 10, row: 4 }), { line: 0, row: 0, cut: 32 });
  const joined = { ...drawn, lines: ["👩‍💻".repeat(20), ...lines.slice(1)] };
  deepEqual(still_seen(joined, { columns: 17, rows: 10, row: 4 }), { line: 0, row: 0, cut: 32 });
});
