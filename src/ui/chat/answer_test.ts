import { deepStrictEqual, ok } from "node:assert/strict";
import type { Component } from "@earendil-works/pi-tui";
import { Answer } from "./answer.ts";
import { MarkdownView } from "./markdown_view.ts";
import { theme_of } from "./theme.ts";

const WIDTH = 60;
const { markdown } = theme_of("dark");

/** The parts of an answer, after pieces of this length; what is new or last is drawn after each, as in the log. */
function streamed(text: string, length: number, theme = markdown, clock = () => 0): Component[] {
  const parts: Component[] = [];
  const answer = new Answer(theme, (part) => parts.push(part), clock);
  let drawn = 0;
  for (let at = 0; at < text.length; at += length) {
    answer.add(text.slice(at, at + length));
    for (const part of parts.slice(drawn)) part.render(WIDTH);
    drawn = parts.length - 1;
  }
  answer.end();
  return parts;
}

const BLOCKS = [
  "A paragraph with **bold** and `code`,\non two lines, and a [link](https://example.com).",
  "- one\n- two\n  - three\n\n  more of two\n- four",
  "1. first\n\n2. second\n\n   ```ts\n   const a = 1;\n\n   const b = 2;\n   ```\n3. third",
  "```ts\nconst a = 1;\n\nWords at the left.\n\n# no heading\n```",
  "~~~\n```\n\nstill code\n~~~",
  "# Heading\nText below it.",
  "> quoted\n> more\n\n> another",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "**Bold** begins this one.\n\n\n\nThree empty lines were above.",
  "    indented code\n\n    more of it",
  "---",
  "$$\nx = y\n\nz = 1\n$$",
  "<details>\n<summary>More</summary>\n\nHidden words.\n\n</details>",
  `Long lines of one paragraph.\n${"It goes on, *and* on, in `lines` of its own.\n".repeat(160)}`,
  `\`\`\`py\n${"def name():\n\n    return 1\n".repeat(160)}\`\`\``,
];

Deno.test("an answer that streams looks as it does when it comes as a whole", () => {
  for (const first of BLOCKS) {
    for (const second of BLOCKS) {
      const text = `Before it.\n\n${first}\n\n${second}\n\nAfter it.\n`;
      const whole = new MarkdownView(text, 0, 0, { ...markdown, codeBlockBorder: () => "\0" })
        .render(WIDTH).filter((line) => !line.includes("\0"));
      for (const length of [Math.max(7, Math.ceil(text.length / 40)), text.length]) {
        const parts = streamed(text, length);
        deepStrictEqual(parts.flatMap((part) => part.render(WIDTH)), whole, text);
      }
    }
  }
});

Deno.test("names keep their underscores, in words and in code", () => {
  const text = "See __init__.py, `__main__`, **bold** and __two words__: def __init__(self).\n\n" +
    "```py\n__all__ = []\n```\n\n    __name__\n";
  for (const length of [1, 1000]) {
    const drawn = streamed(text, length).flatMap((part) => part.render(WIDTH)).join("\n");
    const shown = drawn.replace(/\x1b\[[\d;]*m/g, "").replace(/ *\n */g, "\n").trim();
    deepStrictEqual(
      shown,
      "See __init__.py, __main__, bold and two words: def\n__init__(self).\n\n" +
        "__all__ = []\n\n__name__",
    );
  }
});

Deno.test("a line of code that is too long goes on below its own beginning", () => {
  const code =
    "def f():\n    return another_function(with_some_arguments, and_more, and_one_more)\n";
  const [part] = streamed("```py\n" + code + "```\n", 1000, theme_of("none").markdown);
  deepStrictEqual(part?.render(40).map((line) => line.trimEnd()), [
    "  def f():",
    "      return",
    "      another_function(with_some_argumen",
    "      ts, and_more, and_one_more)",
  ]);
  // In a narrow window there is no room for that.
  const narrow = part?.render(9) ?? [];
  deepStrictEqual(
    narrow.map((line) => line.trim()).join("").replaceAll(" ", ""),
    code.replaceAll(/\s/g, ""),
  );
});

Deno.test("a piece of a long answer costs what a piece of a short one costs", () => {
  /** How often each of its lines is painted. */
  const painted = (before: string, line: string, lines: number) => {
    let times = 0;
    const count = (text: string) => (times++, text);
    const highlightCode = (code: string) => code.split("\n").map(count);
    streamed(before + line.repeat(lines), 400, { ...markdown, bold: count, highlightCode });
    return times / lines;
  };
  const kinds: readonly (readonly [kind: string, before: string, line: string])[] = [
    ["paragraphs", "", "Words with **bold** in it.\n\n"],
    ["one paragraph", "", "Words with **bold** in it.\n"],
    ["one code block", "```ts\n", "a line of code\n"],
    ["one line", "", "Words with **bold** in it. "],
    ["one line without sentences", "", "Words with **bold** in it, "],
    ["one line with an open mark", "2 * 3 is 6. ", "Words with **bold** in it. "],
    ["one list", "", "- Words with **bold** in it.\n"],
    ["lines that begin with a mark", "", "**bold** words, some more of them\n"],
  ];
  for (const [kind, before, line] of kinds) {
    const short = painted(before, line, 600), long = painted(before, line, 2400);
    ok(short >= 1 && long < short * 1.5, `${kind}: ${short} and ${long} times a line`);
  }
});

Deno.test("a list without an end looks as it does when it comes as a whole", () => {
  const items = Array.from({ length: 1500 }, (_, nth) => `${nth + 1}. Item with **bold** in it.`);
  const bullets = items.map((item) => item.replace(/^\d+\./, "-"));
  for (const text of [items.join("\n"), bullets.join("\n"), bullets.join("\n  - sub\n")]) {
    const whole = new MarkdownView(text, 0, 0, markdown).render(WIDTH);
    const parts = streamed(text, 1000);
    ok(parts.length > 2);
    deepStrictEqual(parts.flatMap((part) => part.render(WIDTH)), whole);
  }
});

Deno.test("what takes long to lay out is not laid out with each piece, and in the end it is all there", () => {
  let now = 0;
  let painted = 0;
  // Half a second each time somebody looks at the clock.
  const slow = () => now += 500;
  const bold = (text: string) => (painted++, text);
  const line = "**Bold** words, and (an open one ";
  const parts = streamed(line.repeat(400), line.length, { ...markdown, bold }, slow);
  const shown = parts.flatMap((part) => part.render(WIDTH)).join(" ");
  ok(shown.split("Bold").length === 401, "all of it is shown");
  ok(painted < 400 * 400 / 8, `${painted} times`);
});
