import assert from "node:assert/strict";
import { MARKED } from "./every_dialect.ts";
import { hermes } from "./hermes.ts";
import { type Split, split, Splitter } from "./splitter.ts";

const dialects = [hermes];
const NONE_OFFERED = () => undefined;

/** What a text comes to, whole and cut at every place; the same each time. */
function read(text: string, cut = false): Split {
  const whole = split(text, { dialects, cut });
  const ways = [[...text], ...Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)])];
  for (const pieces of ways) {
    const splitter = new Splitter(dialects);
    const content = pieces.map((piece) => splitter.push(piece)).join("") + splitter.end(cut);
    const { found, dropped, shown } = splitter;
    assert.deepEqual({ content, found, dropped, shown }, whole, JSON.stringify(pieces.slice(0, 2)));
  }
  return whole;
}

/** Names and arguments of what was found; of what is malformed its name and its fault. */
function calls(text: string, cut = false) {
  return read(text, cut).found.map((found) =>
    found.kind === "call"
      ? [found.name, JSON.parse(found.arguments)]
      : [found.name, `malformed: ${found.fault}`]
  );
}

const block = (body: string) => `<tool_call>\n${body}\n</tool_call>`;
const A = { path: "a" };
const READ = '{"name":"read","arguments":{"path":"a"}}';

Deno.test("a block is taken out of the text, however it is cut", () => {
  const { content, found } = read(`I look.\n${block(READ)}\n`);
  assert.equal(content, "I look.\n\n");
  assert.deepEqual(found, [{
    kind: "call",
    name: "read",
    arguments: '{"path":"a"}',
    repaired: false,
    dialect: "hermes",
  }]);
});

Deno.test("blocks in all the ways in which models write them", () => {
  const texts: Record<string, string> = {
    "on one line": `<tool_call>${READ}</tool_call>`,
    "with blanks": `  <tool_call> \n\n ${READ} \r\n </tool_call>`,
    "python": `<tool_call>\n{'name': 'read', 'arguments': {'path': 'a'}}\n</tool_call>`,
    "fenced inside": block("```json\n" + READ + "\n```"),
    "arguments as text": block('{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}'),
    "parameters": block('{"name":"read","parameters":{"path":"a"}}'),
    "never closed": `<tool_call>\n${READ}`,
    "never closed, with words behind": `<tool_call>\n${READ}\nNow I wait for it.`,
    "brackets too many": block(READ + "}"),
    "brackets missing": block('{"name":"read","arguments":{"path":"a"}'),
    "a list": block(`[${READ}]`),
    "a trailing comma": block('{"name":"read","arguments":{"path":"a",},}'),
  };
  for (const [way, text] of Object.entries(texts)) {
    assert.deepEqual(calls(text), [["read", A]], way);
    assert.equal(read(text).content.trim(), "", way);
  }
});

Deno.test("several blocks, and a bad one between good ones", () => {
  const bad = block('{"name":"read","arguments":{"path":"say "hi" there"}}');
  const found = calls(`${block(READ)}${block(READ)}\n${bad}\n<tool_call>\n${READ}\n${block(READ)}`);
  assert.deepEqual(found, [
    ["read", A],
    ["read", A],
    ["read", "malformed: the call is not one JSON object"],
    ["read", A],
    ["read", A],
  ]);
});

Deno.test("the tags may be in an argument", () => {
  const content = `# Format\n${block('{"name":"bash","arguments":{"command":"rm -rf build"}}')}\n`;
  const args = { path: "a.md", content };
  const text = block(JSON.stringify({ name: "write", arguments: args }));
  assert.deepEqual(calls(text), [["write", args]]);
  // Line breaks that are not escaped, and Python's quotes.
  assert.deepEqual(calls(text.replaceAll("\\n", "\n")), [["write", args]]);
  const python = `{'name': 'write', 'arguments': {'path': 'a', 'content': '</tool_call>"'}}`;
  assert.deepEqual(calls(block(python)), [["write", { path: "a", content: '</tool_call>"' }]]);
});

Deno.test("nothing is run out of a string that never ends", () => {
  const inside = block('{"name":"bash","arguments":{"command":"rm -rf build"}}');
  const text = `<tool_call>\n{"name":"write","arguments":{"path":"a","content":"# Use\n`;
  const found = calls(text + inside.replaceAll('"', '\\"'));
  assert.deepEqual(found, [["write", "malformed: the call is not one JSON object"]]);
});

Deno.test("an answer about such blocks is left alone", () => {
  const definition = '{"name":"read","description":"x"}';
  const texts = [
    "Use the <tool_call> tag.",
    "A model writes `<tool_call>{...}</tool_call>` to call.",
    `It writes ${"<tool_call>"}${READ}</tool_call> in its reply.`,
    "<tool_call> and </tool_call> surround a call.",
    "<tool_call> is the opening tag, `</tool_call>` the closing one.",
    "<tool_calls>\nmany\n</tool_calls>",
    "The tags are\n<tool_call>\nand\n</tool_call>\nand nothing else.",
    "<tool_call></tool_call>",
    "<tool_call>\n</tool_call>",
    "<tool_call",
    "<tool_call>",
    "```\n" + block(READ) + "\n```",
    "````md\n```\n" + block(READ) + "\n```\n" + block(READ) + "\n````\n",
    "~~~xml\n" + block(READ) + "\n~~~\nThat is all.",
    "- Like this:\n  ```xml\n  " + block(READ) + "\n  ```",
    "It goes on in the block:\n```\n" + block(READ),
    "    " + `<tool_call>${READ}</tool_call>`,
    `> <tool_call>${READ}</tool_call>`,
    `- <tool_call>${READ}</tool_call>`,
    `1. <tool_call>${READ}</tool_call>`,
    'The format is:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n' +
    "</tool_call>\nas Qwen has it.",
    'The format is:\n<tool_call>\n{"name": "tool", "arguments": {...}}\n</tool_call>',
    'Like\n<tool_call>{"name": "...", "arguments": ...}</tool_call>\nand so on.',
    "The result is in <tool_response> tags:\n<tool_response>\nx\n</tool_response>",
    `<tools>\n${definition}\n</tools>`,
    "",
    "\n\n",
    "a < b\n<b>bold</b>\n`` ` ``\n``` x ``` y\n<tool_call >",
  ];
  for (const text of texts) {
    const { content, found, dropped } = read(text);
    assert.deepEqual([content, found, dropped], [text, [], false], text);
  }
});

Deno.test("code in a line and a closed fence hide nothing", () => {
  const openers = ["``` x ``` y\n", "```js\nf()\n```\n", "~~~\n```\n~~~\n", "`` ` ``\n"];
  for (const opener of openers) {
    assert.deepEqual(calls(opener + block(READ)), [["read", A]], opener);
  }
});

Deno.test("a block that cannot be read is a malformed call, never one with {}", () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['{"name":"read","arguments":{"path":"a}}', "read", /not one JSON object/],
    ['{"name":"read","path":"a"}', "read", /no "arguments" object/],
    ['{"name":"read","arguments":null}', "read", /no "arguments" object/],
    ['{"name":"read","arguments":["a"]}', "read", /no "arguments" object/],
    ['{"name":"read","parameters":{"type":"object","properties":{}}}', "read", /"arguments"/],
    ['{"arguments":{"path":"a"}}', "_", /no "name"/],
    ['{"name":"read a","arguments":{}}', "_", /no "name"/],
    ['{"tool":"read"}', "_", /no "name"/],
    ["{read: a}", "_", /not one JSON object/],
    [`${READ}\n${READ}`, "read", /not one JSON object/],
    ["read a.txt", "_", /not one JSON object/],
    ['[{"path":"a"}]', "_", /no "name"/],
  ];
  for (const [body, name, fault] of cases) {
    const [found, ...more] = read(block(body)).found;
    assert.equal(more.length, 0, body);
    assert.ok(found?.kind === "malformed", body);
    assert.equal(found.name, name, body);
    assert.match(found.fault, fault, body);
  }
});

Deno.test("a cut reply keeps its whole blocks and drops the cut one", () => {
  const text = `I look.\n${block(READ)}\n${block('{"name":"bash","arguments":{"command":"ls"}}')}`;
  const second = text.lastIndexOf("<tool_call>");
  const body_end = text.lastIndexOf("\n</tool_call>");
  for (let at = text.indexOf("</tool_call>") + 12; at <= text.length; at++) {
    const { found, dropped, content } = split(text.slice(0, at), { dialects, cut: true });
    const what = JSON.stringify(text.slice(0, at));
    assert.equal(found.length, at >= body_end ? 2 : 1, what);
    assert.equal(dropped, at >= second + 2 && at < body_end, what);
    if (at !== second + 1) assert.equal(content.trim(), "I look.", what);
  }
  // A model that ends without closing has said all; the limit has not.
  const open = '<tool_call>\n{"name":"bash","arguments":{"command":"rm -rf build"}';
  assert.deepEqual(calls(open), [["bash", { command: "rm -rf build" }]]);
  assert.deepEqual([calls(open, true), read(open, true).dropped], [[], true]);
});

Deno.test("a result that the model makes up is not heard, nor what it does with it", () => {
  const text = `${block(READ)}\n<tool_response>\nok\n</tool_response>\n${block(READ)}\nDone.`;
  const { content, found } = read(text);
  assert.deepEqual([content.trim(), found.length], ["", 1]);
});

Deno.test("what is not a block is shown as it comes", () => {
  const splitter = new Splitter(dialects);
  const shown = ["It", " is 4", "2.\n", "<", "b>", "\n<tool", "s>", "\n``", "`\nx"]
    .map((piece) => splitter.push(piece));
  assert.deepEqual(shown, ["It", " is 4", "2.\n", "", "<b>", "\n", "<tools>", "\n", "```\nx"]);
});

Deno.test("headers of nothing but blanks, and long thoughts in small pieces, do not hold hamr up", () => {
  for (
    const opening of ["<|channel|>", "<|start|>assistant", "<|tool_call_begin|>", "to=functions."]
  ) {
    for (const blank of [" ", "\n", "\t", "\u00a0"]) {
      const text = opening + blank.repeat(100_000) + "x";
      const { content, found } = split(text, {
        dialects: MARKED,
        offered: NONE_OFFERED,
        cut: false,
      });
      assert.equal(found.length, 0);
      assert.ok(content.endsWith("x"));
    }
  }
  const splitter = new Splitter(MARKED, NONE_OFFERED);
  const shown =
    ["<|channel|>analysis<|message|>", ...Array(1_000_000).fill("a "), "<|e", "nd|>", "It is 4."]
      .map((piece) => splitter.push(piece)).join("") + splitter.end(false);
  assert.equal(shown, "It is 4.");
});
