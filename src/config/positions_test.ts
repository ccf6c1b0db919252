import { strictEqual } from "node:assert/strict";
import { parse } from "smol-toml";
import { positions } from "./positions.ts";

const NASTY = String.raw`# [agent] in a comment
title = "not [a.table] # nor a comment"
  [ agent ]   # blanks around the name
  max_model_steps=7#no blanks
"mode" = 'ask'
'odd key' = 1
"esc\u0061ped\"key" = 2
dotted . name = 3
text = """
[fake]
max = 1
\""" = 2
five quotes: """""
after_text = 4
raw = '''
x = 1 ' '' \'''
list = [
  "a]", # ]]]
  ['''
]''', 2],
]
after_list = 5
inline = { a = 1, b = { c = "}" }, d = [ 1, 2 ] }
[providers."my.box"]
model = "m"
[providers.'other'.headers]
X-Team = "t"
[[tables]]
name = "one"
[[tables]]
name = "two"
[last]
empty = ""
also_empty = ''
at_end = true`;

Deno.test("positions() finds keys among everything that only looks like one", () => {
  parse(NASTY); // It is valid; the rest of the test would mean little otherwise.
  const line_of = positions(NASTY);
  const cases: [string[], number][] = [
    [["title"], 2],
    [["agent"], 3],
    [["agent", "max_model_steps"], 4],
    [["agent", "mode"], 5],
    [["agent", "odd key"], 6],
    [["agent", 'escaped"key'], 7],
    [["agent", "dotted"], 8],
    [["agent", "dotted", "name"], 8],
    [["agent", "text"], 9],
    [["agent", "after_text"], 14],
    [["agent", "raw"], 15],
    [["agent", "list"], 17],
    [["agent", "after_list"], 22],
    [["agent", "inline"], 23],
    [["agent", "inline", "b", "c"], 23],
    [["providers", "my.box"], 24],
    [["providers", "my.box", "model"], 25],
    [["providers", "other", "headers"], 26],
    [["providers", "other", "headers", "X-Team"], 27],
    [["tables"], 28],
    [["tables", "0"], 28],
    [["tables", "0", "name"], 29],
    [["tables", "1"], 30],
    [["tables", "1", "name"], 31],
    [["tables", "2", "name"], 28],
    [["last", "empty"], 33],
    [["last", "also_empty"], 34],
    [["last", "at_end"], 35],
    [["last", "missing"], 32],
    [["fake"], 1],
    [[], 1],
  ];
  for (const [path, line] of cases) strictEqual(line_of(path), line, path.join("."));
});

Deno.test("positions() counts lines with Windows line ends, a BOM and no last newline", () => {
  const line_of = positions("\ufeff# one\r\n\r\n[agent]\r\nmode = 'ask'");
  strictEqual(line_of(["agent"]), 3);
  strictEqual(line_of(["agent", "mode"]), 4);
});

Deno.test("positions() takes no longer on a large document than reading it does", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `key_${at} = "${"x".repeat(20)}"`);
  const start = performance.now();
  strictEqual(positions(many.join("\n"))(["key_19999"]), 20_000);
  strictEqual(performance.now() - start < 20_000, true);
});

Deno.test("positions() reads what is as long as a file of settings may be", () => {
  const long = "x".repeat(500_000);
  const [list, text] = [`[\n${'"a", # ]\n'.repeat(20_000)}]`, `"""\n${long}\\""""""`];
  for (const value of [list, text, `"${long}"`, `'${long}'`, `'''\n${long}'''`]) {
    const toml = `[a]\nb = ${value}\nc = 1`;
    parse(toml);
    strictEqual(positions(toml)(["a", "c"]), toml.split("\n").length);
  }
});
