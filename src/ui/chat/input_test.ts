import { equal } from "node:assert/strict";
import { visibleWidth } from "@earendil-works/pi-tui";
import { Input } from "./input.ts";
import { theme_of } from "./theme.ts";

function input() {
  const tui = { requestRender() {}, terminal: { rows: 24 } };
  const made = new Input(tui as never, theme_of("none").editor);
  const sent: string[] = [];
  made.onSubmit = (text) => void sent.push(text);
  const paste = (text: string) => made.handleInput(`\x1b[200~${text}\x1b[201~`);
  return { made, sent, paste };
}

const LONG = Array.from({ length: 20 }, (_, nth) => `a${nth}:\n\techo`).join("\n");

for (
  const [what, text, shown] of [
    ["a few lines", "all:\r\n\techo hi\r\n", "all:\n\techo hi\n"],
    ["one line", "a\tb", "a\tb"],
    ["control characters", "a\tb\x1b[31m\x07c", "a\tb[31mc"],
    ["many lines", LONG, "[paste #1 +40 lines]"],
    ["a long line", `\t${"x".repeat(2000)}`, "[paste #1 2001 chars]"],
  ] as const
) {
  Deno.test(`a paste with tabs keeps them, in the input and where it is sent: ${what}`, () => {
    const { made, sent, paste } = input();
    made.handleInput(">");
    paste(text);
    equal(made.getText(), `>${shown}`);
    made.handleInput("\r");
    const whole = shown.startsWith("[paste") ? text : shown;
    equal(sent.join(), `>${whole}`.trim());
  });
}

Deno.test("tabs that come from the person's editor, or from earlier messages, stay too, and no row is too wide", () => {
  const { made } = input();
  made.setText("all:\n\techo hi");
  equal(made.getExpandedText(), "all:\n\techo hi");
  made.setText("");
  made.addToHistory("x:\n\ty");
  made.handleInput("\x1b[A");
  equal(made.getText(), "x:\n\ty");
  made.setText(`\t\t${"word ".repeat(30)}\tend`);
  for (const width of [20, 40, 80]) {
    for (const row of made.render(width)) equal(visibleWidth(row) <= width, true, row);
  }
});

Deno.test("a paste without tabs is the library's", () => {
  const { made, paste } = input();
  paste("one\r\ntwo");
  equal(made.getText(), "one\ntwo");
});

Deno.test("↑ brings an earlier message with the cursor behind it, and goes on to the one before", () => {
  const { made } = input();
  for (const text of ["first", "two\nlines", "last"]) made.addToHistory(text);
  const up = () => made.handleInput("\x1b[A");
  up();
  made.handleInput("!");
  equal(made.getText(), "last!");
  made.setText("");
  for (const text of ["last", "two\nlines", "first"]) {
    up();
    equal(made.getText(), text);
  }
});
