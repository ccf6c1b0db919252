import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { nearest_passage } from "./nearest.ts";

const CODE = `import { a } from "./a.ts";

export function total(list: number[]): number {
\tlet sum = 0;

\tfor (const x of list) sum += x;
\treturn sum;
}
`;

Deno.test("a difference in whitespace alone is said to be one", () => {
  const cases = [
    "    let sum = 0;\n    for (const x of list) sum += x;",
    "let sum=0;",
    "sum = 0 ;\n\n\n  for (const x of list) sum += x;\n  return sum ;",
    "for  (const x of list)",
    "export function total(list: number[]):number {\n  let sum",
  ];
  for (const old of cases) {
    assert.match(
      nearest_passage(CODE, old),
      /^It differs only in whitespace\. Nearest lines:\n/,
      old,
    );
  }
});

Deno.test("where whole lines are wanted, a part of one is said to be that", () => {
  const whole = (old: string) => nearest_passage(CODE, old, { whole: true });
  assert.match(
    whole("  let sum = "),
    /^It is only a part of a line; give whole lines\. Nearest lines:\n/,
  );
  assert.match(whole("    let sum = 0;"), /^It differs only in whitespace\. /);
});

Deno.test("typeset signs that one has and the other has in ASCII are said to be the difference", () => {
  const content = "a = “quoted” – ‘dash’…\nb = 'plain'\n";
  const cases = [`a = "quoted" - 'dash'...`, `"quoted" -`, "b = ‘plain’"];
  for (const old of cases) {
    const only = /^It differs only in whitespace or signs beyond ASCII, such as [“‘]\. /;
    assert.match(nearest_passage(content, old), only, old);
  }
});

Deno.test("a byte order mark that one has and the other has not is said to be one", () => {
  const cases: [content: string, old: string, marked: boolean][] = [
    [CODE, "\ufefflet sum = 0;", true],
    [`${CODE}\ufeffnext();\nlast();\n`, "sum;\n}\nnext();", true],
    [`\ufeff${CODE}`, 'import  { a } from "./a.ts";', false],
    [`\ufeff${CODE}`, "let  sum = 0;", false],
  ];
  for (const [content, old, marked] of cases) {
    const only = marked ? "whitespace or a byte order mark \\(U\\+FEFF\\)" : "whitespace";
    assert.match(nearest_passage(content, old), new RegExp(`^It differs only in ${only}\\. `), old);
  }
});

Deno.test("no line is shown below the last one", () => {
  for (const end of ["\n", "\r\n", ""]) {
    const text = nearest_passage(`first();\nlast(one);${end}`, "last(two);");
    assert.equal(text, "Nearest lines:\n1:first();\n2:last(one);");
  }
});

Deno.test("the lines shown are those of the file, with their numbers", () => {
  const text = nearest_passage(CODE, "  let sum = 0;\n  for (const y of list) sum += y;");
  assert.equal(
    text,
    [
      "Nearest lines:",
      "2:",
      "3:export function total(list: number[]): number {",
      "4:\tlet sum = 0;",
      "5:",
      "6:\tfor (const x of list) sum += x;",
      "7:\treturn sum;",
      "8:}",
    ].join("\n"),
  );
});

Deno.test("a first line that is a little wrong is still found", () => {
  assert.match(
    nearest_passage(CODE, "export function totals(list: number): number {"),
    /3:export function/,
  );
  assert.match(nearest_passage(CODE, "wrong\n\tlet sum = 0;\n\treturn sum;\n}"), /4:\tlet sum/);
});

Deno.test("line numbers of read in the text are recognized", () => {
  const old = "4:\tlet sum = 0;\n5:\n6:\tfor (const x of list) sum += x;";
  assert.match(nearest_passage(CODE, old), /line numbers of `read` are not part/);
  assert.match(nearest_passage(CODE.replaceAll("\n", "\r\n"), old), /line numbers of `read`/);
});

Deno.test("where nothing is near, that is said", () => {
  assert.match(nearest_passage(CODE, "completely different words"), /No similar text/);
  assert.match(nearest_passage("", "x"), /No similar text/);
  assert.match(nearest_passage(CODE, " \n\t"), /only whitespace; give/);
  assert.match(nearest_passage(CODE, "}}"), /No similar text/, "braces mean nothing");
});

Deno.test("a long line is shown around the place", () => {
  const line = `${"x".repeat(5000)} const needle = 1; ${"y".repeat(5000)}`;
  const text = nearest_passage(line, "const  needle = 1;");
  assert.match(text, /only in whitespace/);
  assert.match(text, /const needle = 1;/);
  assert.ok(text.length < 500);
});

Deno.test("a large file and a long text do not take long", () => {
  const lines = (n: number, seed: number) =>
    Array.from({ length: n }, (_, i) => `  const value_${i * seed} = compute(${i}, "text");`)
      .join("\n");
  const start = cpuUsage();
  nearest_passage(lines(19_000, 3), lines(2000, 7));
  nearest_passage(lines(19_000, 3), lines(1, 7));
  // Half a second of a processor where it was measured.
  assert.ok(cpuUsage(start).user < 60_000_000);
  assert.match(nearest_passage("x\n".repeat(30_000), "y"), /Read the file/);
});
