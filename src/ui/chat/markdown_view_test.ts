import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { stripTerminalSequences } from "@earendil-works/pi-tui";
import { MarkdownView } from "./markdown_view.ts";
import { theme_of } from "./theme.ts";

function drawn(text: string, width = 60): string[] {
  return new MarkdownView(text, 0, 0, theme_of("dark").markdown).render(width)
    .map((line) => stripTerminalSequences(line).trimEnd());
}

Deno.test("columns are aligned as the table says, and rows of one line have no lines between them", () => {
  const table =
    "| name | count | mark |\n|:--|--:|:-:|\n| `a|b` | 1 | x |\n| 日本 | 1000 | &lt; |\n";
  deepStrictEqual(drawn(table.replace("a|b", "a\\|b") + "\nAfter."), [
    "┌──────┬───────┬──────┐",
    "│ name │ count │ mark │",
    "├──────┼───────┼──────┤",
    "│ a|b  │     1 │  x   │",
    "│ 日本 │  1000 │  <   │",
    "└──────┴───────┴──────┘",
    "",
    "After.",
  ]);
  deepStrictEqual(drawn("| a | b |\n|--:|---|\n| 1 | one two |\n| 20 | three |\n", 15), [
    "┌────┬────────┐",
    "│  a │ b      │",
    "├────┼────────┤",
    "│  1 │ one    │",
    "│    │ two    │",
    "├────┼────────┤",
    "│ 20 │ three  │",
    "└────┴────────┘",
  ]);
});

Deno.test("entities are characters, but not in code, and none steers the terminal", () => {
  for (
    const [text, shown] of [
      ["AT&amp;T &mdash; 1 &lt; 2 &#39;a&#x27; &#9731;", "AT&T — 1 < 2 'a' ☃"],
      ["- one\n    - **&lt;b&gt;**", "- one\n    - <b>"],
      ["`&lt;` &lt;", "&lt; <"],
      ["a && b &unknown; &amp", "a && b &unknown; &amp"],
      ["&amp;lt; &#42;not bold&#42;", "&lt; *not bold*"],
      [
        "&#27;[31m &#x202e; &#1; &#55296; &#9999999;",
        "&#27;[31m &#x202e; &#1; &#55296; &#9999999;",
      ],
    ] as const
  ) strictEqual(drawn(text).join("\n"), shown);
});

Deno.test("no line begins with the blank behind a word that filled the line before", () => {
  deepStrictEqual(drawn("It has **bold** and `code` in [it](https://a.b).\n", 11).slice(0, 3), [
    "It has bold",
    "and code",
    "in it",
  ]);
  deepStrictEqual(drawn("- has **bold** and\n", 10), ["- has bold", "  and"]);
  deepStrictEqual(drawn("> has **bold** and\n", 10), ["│ has bold", "│ and"]);
});
