import assert from "node:assert/strict";
import { EVERY_DIALECT } from "../../dialects/every_dialect.ts";
import { BASIC_TOOLS, schema_of } from "../../tools/declared/every_tool.ts";
import { LeakFilter } from "./leaks.ts";

const filter = () => new LeakFilter({ tools: BASIC_TOOLS.map(schema_of), made: () => 0 });

/** What is shown of each of these pieces as it comes. */
async function shown(pieces: readonly string[]): Promise<readonly string[]> {
  const one = filter();
  const out: string[] = [];
  for (const text of pieces) {
    out.push((await one.take([{ kind: "text", text }])).map((delta) => delta.text).join(""));
  }
  return out;
}

Deno.test("nothing that a dialect looks for passes, however it is cut", async () => {
  for (const { name, openings } of EVERY_DIALECT) {
    for (const opening of openings) {
      for (const pieces of [[opening], [...opening]]) {
        const seen = (await shown(["So.\n", ...pieces])).join("");
        assert.equal(seen, "So.\n", `${name}: ${opening}`);
      }
    }
  }
});

Deno.test("ordinary text is shown as it comes", async () => {
  const texts = [
    ["It", " is 4", "2.\n", "\nNothing", " else.\n"],
    ["# Title\n", "- one\n", "- two (see `a`)\n", "1. three\n"],
    ["const a = [1, 2];\n", "if (a[0] > b) { c(); }\n"],
    ["a ", "< b ", "and x[0],", " y[1] ", "[TO", "DO] ", "z"],
  ];
  for (const text of texts.slice(0, 3)) assert.deepEqual(await shown(text), text);
  assert.deepEqual(await shown(texts[3] ?? []), [
    "a ",
    "< b ",
    "and x[0],",
    " y[1] ",
    "",
    "[TODO] ",
    "z",
  ]);
});

Deno.test("what looks like a call is held back no longer than it does", async () => {
  const cases: readonly (readonly [pieces: readonly string[], last: string])[] = [
    [["{", '"na', 'me": "hamr"'], '{"name": "hamr"'],
    [["{", '"version"'], '{"version"'],
    [["[", "x", "] a"], "[x] a"],
    [["[re", "ad](url)"], "[read](url)"],
    [["[read", "(", "2"], "[read(2"],
    [["```", "json\n", '{"a"'], '```json\n{"a"'],
    [["```", "ts\n"], "```ts\n"],
    [["fun", "ny"], "funny"],
    [["Action", ": the"], "Action: the"],
    [["<tool_", "call> is a tag"], "<tool_call> is a tag"],
    [
      ["<tool_call>\n", '{"name": "get_time"', "x".repeat(400)],
      `<tool_call>\n{"name": "get_time"${"x".repeat(400)}`,
    ],
  ];
  for (const [pieces, last] of cases) {
    const seen = await shown(pieces);
    assert.equal(seen.at(-1), last, JSON.stringify(pieces));
    assert.equal(seen.slice(0, -1).join(""), "", JSON.stringify(pieces));
  }
});
