import { strictEqual, throws } from "node:assert/strict";
import { unlike_commands, without_controls, writer } from "./io.ts";

/** A stream that answers each write from a script: how many bytes it takes, or what it throws. */
function stream(script: (number | Error)[]) {
  const seen: number[] = [];
  let calls = 0;
  return {
    text: () => new TextDecoder().decode(new Uint8Array(seen)),
    calls: () => calls,
    writeSync(bytes: Uint8Array): number {
      calls++;
      const next = script.shift() ?? bytes.length;
      if (next instanceof Error) throw next;
      seen.push(...bytes.subarray(0, next));
      return Math.min(next, bytes.length);
    },
  };
}

Deno.test("writer() writes all of a text over partial writes and full pipes", () => {
  const sink = stream([1, new Deno.errors.WouldBlock(), 2, new Deno.errors.Interrupted(), 1]);
  writer(sink, { quiet: false })("añ漢🔧 end\n");
  strictEqual(sink.text(), "añ漢🔧 end\n");
});

Deno.test("writer() stops at a reader that went away, without an error", () => {
  const sink = stream([3, new Deno.errors.BrokenPipe()]);
  const write = writer(sink, { quiet: false });
  write("one two");
  write("three");
  strictEqual(sink.text(), "one");
  strictEqual(sink.calls(), 2);
});

Deno.test("writer() tells of a full disk, unless it is quiet", () => {
  const full = () => stream([new Error("No space left on device")]);
  throws(() => writer(full(), { quiet: false })("x"), /No space left/);
  writer(full(), { quiet: true })("x");
});

Deno.test("nothing but colors and a live line steers a terminal", () => {
  const kept = [
    "a\tb\n",
    "\x1b[31mred\x1b[0m",
    "\r\x1b[K⠋ 3s",
    "line\r\n",
    "👩\u200d🔧 می\u200cخواهم ٣",
  ];
  for (const text of kept) strictEqual(without_controls(text), text);
  const taken: Readonly<Record<string, string>> = {
    "\x1b]0;title\x07x": "]0;titlex",
    "\x1b]52;c;aGk=\x1b\\": "]52;c;aGk=\\",
    "\x9b2Jx\x90q\x9c": "2Jxq",
    "\x1b[2J\x1b[1;1H\x1b[?1049h\x1bc": "[2J[1;1H[?1049hc",
    "yes\rno \b\b\0": "yesno ",
    "\u202egnp.exe\u2066\u200f\u061c": "gnp.exe",
    "\x1b": "",
    "\x07[31m\r\x07[K": "[31m[K",
    "[2J": "[2J",
  };
  for (const [text, rest] of Object.entries(taken)) strictEqual(without_controls(text), rest);
});

Deno.test("a CI service finds no command in what is written, in whatever pieces it comes", () => {
  const z = "\u200b";
  const shown: Readonly<Record<string, string>> = {
    "::error::x\n": `:${z}:error::x\n`,
    "a\n \t\u00a0\x85::add-mask::y": `a\n \t\u00a0\x85:${z}:add-mask::y`,
    "a\r::stop-commands::t\r\n::debug::": `a\r:${z}:stop-commands::t\r\n:${z}:debug::`,
    "see ##[add-matcher]x ###[group]": `see ##${z}[add-matcher]x ###${z}[group]`,
    "##vso[task.setvariable]##teamcity[x]": `##vso${z}[task.setvariable]##teamcity${z}[x]`,
    "a ::b std::c\n: :\n:a\n# [x] ## [y]\n": "a ::b std::c\n: :\n:a\n# [x] ## [y]\n",
  };
  for (const [text, whole] of Object.entries(shown)) {
    strictEqual(unlike_commands()(text), whole);
    for (let at = 0; at <= text.length; at++) {
      const write = unlike_commands();
      strictEqual(write(text.slice(0, at)) + write(text.slice(at)), whole, `cut at ${at}`);
    }
    const write = unlike_commands();
    strictEqual([...text].map(write).join(""), whole);
  }
  // Each line end, each blank and each letter may be the beginning of one.
  for (
    const [begun, end, whole] of [["\n", "::a", ":\u200b:a"], ["\n ", "::a", ":\u200b:a"], [
      "##a",
      "[",
      "[",
    ]]
  ) {
    const many = (begun ?? "").repeat(300_000);
    strictEqual(unlike_commands()(many + end).slice(0, many.length), many);
    const write = unlike_commands();
    for (const piece of many) write(piece);
    strictEqual(begun === "##a" ? whole : write(end ?? ""), whole);
  }
});
