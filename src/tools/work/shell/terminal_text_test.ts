import assert from "node:assert/strict";
import { TerminalText } from "./terminal_text.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** What is left of a text that comes in pieces of so many bytes. */
function left(text: string, piece: number): readonly [string, boolean] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let all = "";
  const terminal = new TerminalText((bytes) => all += decoder.decode(bytes, { stream: true }));
  const bytes = encode(text);
  for (let at = 0; at < bytes.length; at += piece) terminal.push(bytes.slice(at, at + piece));
  terminal.end();
  return [all, terminal.had_codes];
}

function is_left(text: string, expected: string, had_codes: boolean): void {
  for (const piece of [1, 2, 3, 7, 64, 100_000]) {
    assert.deepEqual(left(text, piece), [expected, had_codes], `${JSON.stringify(text)}, ${piece}`);
  }
}

Deno.test("escape sequences are left out, whatever pieces they come in", () => {
  const table: readonly (readonly [string, string])[] = [
    ["\x1b[31mERROR\x1b[0m tests/a.py\n", "ERROR tests/a.py\n"],
    ["\x1b[38;2;1;2;3mä\x1b[m", "ä"],
    ["\x1b[2K\x1b[1A\x1b[?25lx\x1b[?25h", "x"],
    ["\x1b]0;a title\x07text", "text"],
    ["\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\\n", "link\n"],
    ["\x1b(B\x1b=\x1b7a\x1bM", "a"],
    ["\x1bP1;2|data\x1b\\z", "z"],
  ];
  for (const [text, expected] of table) is_left(text, expected, true);
});

Deno.test("of a progress bar its last state is left", () => {
  const bar = (n: number) =>
    `\r${n}%|${"█".repeat(n / 10)}${" ".repeat(10 - n / 10)}| ${n}/100 [00:0${n / 20}, 98it/s]`;
  const bars = [0, 20, 40, 60, 80, 100].map(bar);
  const table: readonly (readonly [string, string])[] = [
    [`start\n${bars.join("")}\nend\n`, `start\n${bars.at(-1)!.slice(1)}\nend\n`],
    [
      "Receiving objects:  50% (1/2)\rReceiving objects: 100% (2/2), 1.2 KiB, done.\nok\n",
      "Receiving objects: 100% (2/2), 1.2 KiB, done.\nok\n",
    ],
    [
      "  % Total    % Received\n  0  0 --:--:--  0\r 50 12 --:--:-- 3\r100 25 --:--:-- 7\n",
      "  % Total    % Received\n100 25 --:--:-- 7\n",
    ],
    ["50%\r      \rDone\n", "Done\n"],
    ["⠋ Solving\r⠙ Solving\r⠹ Solving", "⠹ Solving"],
    ["1.2 MB\r3.4 MB\r\n", "3.4 MB\r\n"],
  ];
  for (const [text, expected] of table) is_left(text, expected, false);
  is_left("\x1b[32m 10%\x1b[0m\r\x1b[32m100%\x1b[0m\n", "100%\n", true);
});

Deno.test("what is no such thing stays, to the byte", () => {
  const table = [
    "a\r\nb\r\n\r\n",
    "one\rtwo\rthree\r",
    "Smith;20\rSmith;30\r",
    "1,2,3\r4,5,6\r",
    "the first 50% of it\rsomething else\n",
    "\r",
    "a\r\r\nb",
    "a\x1b",
    "\x1b\n",
    "\x1b[12\x01m",
    "\x1b]0;a title that never ends\nnext\n",
    `\x1b]0;${"x".repeat(5000)}\n`,
    `${"y".repeat(10_000)}\r${"z".repeat(10_000)}\n`,
    `${"10% ".repeat(2000)}\r100%\n`,
    "tab\there\x07\b\f\n",
    "",
    "no line end",
  ];
  for (const text of table) is_left(text, text, false);
});

Deno.test("any text without escape sequences and carriage returns stays, in any pieces", () => {
  let seed = 7;
  const random = (most: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  for (let round = 0; round < 200; round++) {
    const text = Array.from(
      { length: random(40) },
      () => ["a", "\n", "ß", "long ".repeat(random(3000)), "%"][random(5)],
    ).join("");
    assert.equal(left(text, 1 + random(9000))[0], text);
  }
});
