import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  cut,
  defused,
  did_you_mean,
  either,
  first_of,
  flag_with,
  last_of,
  nearest,
  one_line,
  quote,
} from "./text.ts";

Deno.test("nearest() finds what a slip of the finger meant, and nothing far", () => {
  const commands = ["run", "demo", "doctor", "config", "completions", "help", ""];
  const cases: [string, string | null][] = [
    ["rnu", "run"],
    ["ru", "run"],
    ["runn", "run"],
    ["RUN", "run"],
    ["confg", "config"],
    ["completion", "completions"],
    ["comp", "completions"],
    ["frobnicate", null],
    ["x", null],
    ["", null],
    ["co", null],
    ["r".repeat(10_000), null],
  ];
  for (const [word, expected] of cases) strictEqual(nearest(word, commands), expected, word);
  strictEqual(nearest("--modle", ["--model", "--mode"]), "--model");
  const steps = ["max_model_steps", "delegate_max_steps", "max_tool_calls", "steps_max"];
  strictEqual(nearest("max_steps", steps), "max_model_steps");
  strictEqual(nearest("max_calls_tool", steps), null);
  strictEqual(nearest("max_s", steps), null);
  const flags = ["--output-schema", "--output", "--tool-call-format", "--tools", "--step-timeout"];
  strictEqual(nearest("--out", flags), "--output");
  strictEqual(nearest("--schema", flags), "--output-schema");
  strictEqual(nearest("--tool-format", flags), "--tool-call-format");
  strictEqual(nearest("--", flags), null);
  strictEqual(nearest("--temp", ["--help", "--temperature"]), "--temperature");
});

Deno.test("one_line() leaves nothing that breaks a line or talks to the terminal", () => {
  const nasty = "a\nb\r\tc\x1b[2J\x7f\x9b\u2028\u202e\u2066é漢🔧";
  const shown = one_line(nasty);
  strictEqual(shown, "a\\nb\\r\\tc\\u001b[2J\\u007f\\u009b\\u2028\\u202e\\u2066é漢🔧");
});

Deno.test("defused() leaves no tag of a name, in whatever spelling, and every other one", () => {
  const table: [string, string][] = [
    ["<hamr>a</hamr>", "<_hamr>a</_hamr>"],
    ["<HAMR >< / Hamr>", "<_HAMR >< / _Hamr>"],
    ["<hamr", "<_hamr"],
    ["<note/>", "<_note/>"],
    ["<hamrs> <hamr-x> hamr <b>", "<hamrs> <hamr-x> hamr <b>"],
  ];
  for (const [text, expected] of table) strictEqual(defused(text, "hamr|note"), expected, text);
  strictEqual(defused("</graded-x-1>", "graded-[\\w-]*"), "</_graded-x-1>");
});

Deno.test("quote() shows strings cut, and tables by name only", () => {
  deepStrictEqual(
    [quote("a\nb"), quote(3), quote([1]), quote({ a: 1 }), quote(new Date()), quote(undefined)],
    ['"a\\nb"', "3", "a list", "a table", "a date", "undefined"],
  );
  strictEqual(quote("x".repeat(1000)).length, 63);
});

Deno.test("cut() says that there was more, and leaves no half of a character", () => {
  deepStrictEqual(["abc", "abcd", "ab😀", "a😀bc"].map((text) => cut(text, 3)), [
    "abc",
    "abc…",
    "ab…",
    "a😀…",
  ]);
});

Deno.test("either() and did_you_mean() make the end of a sentence", () => {
  deepStrictEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(either), [
    "",
    "a",
    "a or b",
    "a, b or c",
  ]);
  strictEqual(did_you_mean("helpp", ["help"]), "; did you mean help?");
  strictEqual(did_you_mean("zzzz", ["help"], "; see above"), "; see above");
});

Deno.test("a flag that people may paste has its value in quotes where a shell would read more into it", () => {
  const cases: [string, string][] = [
    ["/home/me/a-b_c.d", "--allow-write=/home/me/a-b_c.d"],
    ["/home/zoë/x", "--allow-write=/home/zoë/x"],
    ["docs.example.com:8080", "--allow-write=docs.example.com:8080"],
    ["/home/me/My Files", "--allow-write='/home/me/My Files'"],
    ["/tmp/$(id)", "--allow-write='/tmp/$(id)'"],
    ["a;id;`id`.b", "--allow-write='a;id;`id`.b'"],
    ["/tmp/it's", "--allow-write='/tmp/it'\\''s'"],
    ["/tmp/a\nb\u202e", "--allow-write='/tmp/a\\nb\\u202e'"],
    ["[::1]:80", "--allow-write='[::1]:80'"],
  ];
  for (const [value, flag] of cases) strictEqual(flag_with("--allow-write", value), flag);
});

Deno.test("no single line is left out, as its mark would take its room", () => {
  for (
    const [count, shown] of [[0, 0], [1, 1], [19, 19], [20, 20], [21, 21], [22, 20], [300, 20]]
  ) {
    const lines = Array.from({ length: count! }, (_, at) => String(at));
    deepStrictEqual(first_of(lines, 20), { shown: lines.slice(0, shown), more: count! - shown! });
    const last = { shown: lines.slice(count! - shown!), more: count! - shown! };
    deepStrictEqual(last_of(lines, 20), last);
  }
});
