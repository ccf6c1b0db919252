import assert from "node:assert/strict";
import { EchoFilter, without_echo } from "./echo.ts";

const CASES: readonly (readonly [string, string])[] = [
  ["<hamr>\nYou may stop.\n</hamr>", ""],
  ["<hamr>You may stop.</hamr>", ""],
  ["The sum is 3.\n\n<hamr>\nLook again.\n</hamr>", "The sum is 3."],
  ["<hamr>\na\n</hamr>\nThe sum is 3.", "The sum is 3."],
  ["<hamr>\na\n</hamr>\n<hamr>\nb\n</hamr>\nSo.", "So."],
  ["The sum is 3.\n<hamr>\nIt never ends", "The sum is 3."],
  ["(no reply)", ""],
  ["(no reply)\n\n(no reply)\n", ""],
  ["(no reply)\n<hamr>\na\n</hamr>", ""],
  ["(no reply)\nThe sum is 3.", "The sum is 3."],
];

/** Answers about such tags, and what only looks like one. */
const HONEST: readonly string[] = [
  "Text in `<hamr>` tags is from hamr itself; `</hamr>` ends it.",
  "The prompt says: <hamr>\nand goes on.",
  "It is written so:\n```\n<hamr>\nwords\n</hamr>\n```\nand nowhere else.",
  "<hamrlet> is no tag of ours, nor is\n<ham",
  "  <hamr> with blanks before it",
  "(no reply) is what main.py prints.",
  "It prints:\n(no reply)",
  "`(no reply)`",
  "(no",
];

Deno.test("what is repeated of hamr's own words is not part of an answer", () => {
  for (const [text, expected] of CASES) assert.equal(without_echo(text), expected);
  for (const text of HONEST) assert.equal(without_echo(text), text.trim());
  assert.equal(without_echo("Your reply was cut by the output limit.\n</hamr>"), "");
  const goes_on = "Your reply was cut.\n</hamr>\n\n<hamr>\nThe output is small.\n</hamr>";
  assert.equal(without_echo(goes_on), "");
});

Deno.test("it is the same in whatever pieces it comes", () => {
  for (const text of [...CASES.map(([text]) => text), ...HONEST]) {
    for (const size of [1, 2, 3, 7]) {
      const filter = new EchoFilter();
      let out = "";
      for (let at = 0; at < text.length; at += size) out += filter.push(text.slice(at, at + size));
      assert.equal((out + filter.end()).trim(), without_echo(text), `${size}: ${text}`);
    }
  }
});
