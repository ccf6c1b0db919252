import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { painted_code } from "./highlight.ts";
import { theme_of } from "./theme.ts";

const as = (kind: string) => (text: string) => `<${kind} ${text}>`;
const PAINTS = {
  ...{ comment: as("c"), string: as("s"), number: as("n"), keyword: as("k") },
  ...{ added: as("+"), removed: as("-") },
};

const SAMPLES: readonly (readonly [string, string, string])[] = [
  ["py", 'def f(a="x"): # it\'s', '<k def> f(a=<s "x">): <c # it\'s>'],
  ["python", '    """Doc\n    more"""', '    <s """Doc>\n    <s more""">'],
  ["rust", "fn a<'a>(x: &'a str) { 'x' }", "<k fn> a<'a>(x: &'a str) { <s 'x'> }"],
  ["ts", "x.default; // a", "x.default; <c // a>"],
  ["js", 'let u = "http://a/b";', '<k let> u = <s "http://a/b">;'],
  ["ts title=a.ts", "const n = 0xFF_u", "<k const> n = <n 0xFF_u>"],
  [
    "sh",
    "for f in *; do echo don't; done # x",
    "<k for> f <k in> *; <k do> echo don't; <k done> <c # x>",
  ],
  ["bash", "git commit --if ${a#b}", "git commit --if ${a#b}"],
  ["sql", "SELECT 1 -- x", "<k SELECT> <n 1> <c -- x>"],
  ["yaml", "url: http://x#y", "url: http://x#y"],
  ["html", '<!-- a --><a href="x">it\'s</a>', '<c <!-- a -->><a href=<s "x">>it\'s</a>'],
  ["diff", "@@ -1 +1 @@\n-a\n+b\n c", "<c @@ -1 +1 @@>\n<- -a>\n<+ +b>\n c"],
  ["go", 'x := "open', 'x := "open'],
  ["text", "if x # 1", "if x # 1"],
  ["", 'if "x"', 'if "x"'],
];

for (const [name, code, painted] of SAMPLES) {
  Deno.test(`code is painted: ${name || "no language"}: ${code.split("\n")[0]}`, () => {
    strictEqual(painted_code(code, name, PAINTS).join("\n"), painted);
  });
}

Deno.test("without colors code is as the model wrote it", () => {
  const code = 'def f():\n    return "x" # 1';
  deepStrictEqual(theme_of("none").markdown.highlightCode(code, "py"), code.split("\n"));
});
