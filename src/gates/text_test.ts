import assert from "node:assert/strict";
import { asks, END_CHARS, plain, read, sentences } from "./text.ts";

Deno.test("one spelling for what models write in many", () => {
  const cases: [string, string][] = [
    ["I’ll **read** it", "i'll read it"],
    ["让我看看：", "让我看看:"],
    ["Ｄｏｎｅ！", "done!"],
    ["Done ✅🎉", "done "],
    ["👩‍💻 ok", " ok"],
    ["wait…", "wait..."],
    ["„so“ «la» “it”", '"so" "la" "it"'],
    ["_yes_ and *no* and __maybe__", "yes and no and maybe"],
    ["snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"],
    ["* item", "* item"],
    ["a\r\nb", "a\nb"],
    ["zero\u200bwidth\ufeff", "zerowidth"],
    ["je regarde\u00a0:", "je regarde :"],
  ];
  for (const [text, expected] of cases) assert.equal(plain(text), expected);
});

Deno.test("blocks are told apart by their lines", () => {
  const cases: [string, string[]][] = [
    ["a\n\nb", ["prose:a|b"]],
    ["## a\nb", ["prose:a|b"]],
    ["a:\n- b\n  c\n- d", ["prose:a:", "list:b|c|d"]],
    ["1. a\n2) b\n3、c\n\nd", ["list:a|b|c", "prose:d"]],
    ["a\n```bash\nls\n```", ["prose:a", "code bash:ls"]],
    ["```\na\n```\n```\nb\n```", ["code:a", "code:b"]],
    ["```\nnot closed", ["code:not closed"]],
    ["~~~sh\nls\n~~~\na", ["code sh:ls", "prose:a"]],
    ["| a | b |\n> c", ["code:| a | b ||> c"]],
    ["a\n\n---\n\n", ["prose:a"]],
    ["**a**\nb", ["prose:a|b"]],
    ["", []],
  ];
  for (const [text, expected] of cases) {
    const blocks = read(text).tail.map((block) =>
      `${block.kind}${block.info && ` ${block.info}`}:${block.lines.join("|")}`
    );
    assert.deepEqual(blocks, expected, text);
  }
});

Deno.test("a line wrapped at a width goes on in the next", () => {
  const wrapped = "this is a line of text that was wrapped at some width and\ngoes on here. end.";
  assert.equal(read(wrapped).tail[0]?.lines.length, 1);
  assert.equal(read(wrapped.replace("and\n", "and\n\n")).tail[0]?.lines.length, 2);
});

Deno.test("sentences end at a stop, in Chinese without a space", () => {
  const cases: [string, string[]][] = [
    ["I read a.ts. Then? Yes!", ["i read a.ts.", "then?", "yes!"]],
    ["好的。我来看看！开始", ["好的。", "我来看看!", "开始"]],
    ["use `npm test` now", ["use npm test now"]],
    ['he said "I fixed it. Really." once', ['he said "" once']],
    ["(done.) next", ["(done.)", "next"]],
    ["```\ncode. more.\n```", []],
    ["!!!", []],
  ];
  for (const [text, expected] of cases) {
    assert.deepEqual(read(text).tail.flatMap(sentences), expected, text);
  }
});

Deno.test("a question is one with decoration behind it, too", () => {
  const cases: [string, boolean][] = [["really?", true], ["really?)", true], [
    "really? yes",
    false,
  ]];
  for (const [text, expected] of cases) assert.equal(asks(text), expected, text);
});

Deno.test("of a long reply the ends are read, and nothing else", () => {
  const seen = (text: string) => {
    const { head, tail, whole } = read(text);
    const lines = [...head, ...tail].flatMap((block) => block.lines);
    return { whole, chars: lines.join("").length, lines };
  };
  for (const filler of ["a", "a ", "a.\n", "我", "- a\n", "```\n", "ﬁ "]) {
    const text = `start\n${filler.repeat(200_000 / filler.length)}\nend`;
    const { whole, chars, lines } = seen(text);
    assert.equal(whole, false);
    // NFKC makes "fi" of a ligature; more than twice as long no ordinary text becomes.
    assert.ok(chars <= 4 * END_CHARS, `${chars} of ${JSON.stringify(filler)}`);
    assert.ok(!lines.some((line) => line.includes("middle")));
    const middle = `${text.slice(0, 100_000)} middle ${text.slice(100_000)}`;
    assert.deepEqual(seen(middle).lines, lines, "what stands in the middle changes nothing");
  }
});

Deno.test("no sentence is long", () => {
  const block = { kind: "prose", lines: ["word ".repeat(800)], info: "" } as const;
  assert.ok(sentences(block).every((sentence) => sentence.length <= 400));
});

Deno.test("a cut through a code block does not turn the text behind it into code", () => {
  const text = `a\n\`\`\`ts\n${"const a = 1;\n".repeat(1_000)}\`\`\`\nlet me look at it.`;
  const { tail } = read(text);
  assert.deepEqual(tail.map((block) => block.kind), ["code", "prose"]);
});
