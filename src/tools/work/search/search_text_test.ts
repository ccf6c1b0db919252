import assert from "node:assert/strict";
import { type Bench, bench, sh } from "../../_testing.ts";
import { search_text } from "./search_text.ts";

async function search(b: Bench, args: Record<string, unknown>): Promise<string> {
  return (await b.call("read", { path: ".", ...args })).text;
}

Deno.test("search finds the literal text, line by line, in order", async () => {
  const files = {
    "b.ts": "let a;\r\nf(.*) here\r\nand f(.*)\n",
    "a/x.ts": "f(.*)\n",
    "a/b/y.ts": "f(.*)",
    "c/z.ts": "f(xx)\n",
    "node_modules/m.js": "f(.*)\n",
  };
  await bench({ files }, async (b) => {
    assert.equal(
      await search(b, { search: "f(.*)" }),
      "b.ts:2:f(.*) here\nb.ts:3:and f(.*)\na/x.ts:1:f(.*)\na/b/y.ts:1:f(.*)",
    );
    assert.equal(await search(b, { path: "a", search: "f(" }), "a/x.ts:1:f(.*)\na/b/y.ts:1:f(.*)");
    assert.equal(await search(b, { path: "b.ts", search: "let" }), "b.ts:1:let a;");
    assert.equal(
      await search(b, { path: "node_modules", search: "f(" }),
      "node_modules/m.js:1:f(.*)",
    );
    assert.equal(await search(b, { search: "none" }), "no line contains it");
    assert.match(await search(b, { search: "a\nb" }), /within one line/);
    assert.match(await search(b, { path: "gone", search: "x" }), /does not exist/);
  });
});

Deno.test("search keeps to its limits and says when there is more", async () => {
  await bench({ files: { "a.txt": "hit\n".repeat(9), "b.txt": "hit\n".repeat(9) } }, async (b) => {
    const lines = (await search(b, { search: "hit", limit: 10 })).split("\n");
    assert.equal(lines.length, 11);
    assert.match(lines[10] ?? "", /^\[10 of 18 lines shown: search a subfolder/);
    assert.equal((await search(b, { search: "hit", limit: 18 })).split("\n").length, 18);
  });
  const options = { files: { "a.txt": "hit\n".repeat(99) }, limits: { lines: 2000, bytes: 100 } };
  await bench(options, async (b) => {
    const text = await search(b, { search: "hit" });
    assert.ok(text.length < 200);
    assert.match(text, /^\[8 of 99 lines shown: /m);
  });
});

Deno.test("search leaves out what is binary, and says what was too large", async () => {
  const files = {
    "bin": new Uint8Array([0, ...new TextEncoder().encode("hit")]),
    "large.txt": "hit\n".repeat(1_200_000),
    "small.txt": "hit\n",
  };
  await bench({ files }, async (b) => {
    const large = "[1 larger than 4194304 bytes not searched: use bash with grep]";
    assert.equal(await search(b, { search: "hit" }), `small.txt:1:hit\n${large}`);
    assert.equal(
      await search(b, { path: "large.txt", search: "hit" }),
      `no line contains it\n${large}`,
    );
  });
});

Deno.test("search does not go in circles or wait for pipes", async () => {
  await bench({ files: { "a/x.txt": "hit\n" } }, async (b) => {
    sh("ln -s .. a/up; ln -s a link; mkfifo a/pipe; ln -s /proc a/proc", b.workspace);
    assert.equal(await search(b, { search: "hit" }), "a/x.txt:1:hit");
    assert.equal(await search(b, { path: "link", search: "hit" }), "a/x.txt:1:hit");
  });
});

Deno.test("search shows a long line around the match", async () => {
  const line = `${"x".repeat(9000)}needle${"y".repeat(9000)}`;
  await bench({ files: { "a.txt": line } }, async (b) => {
    const text = await search(b, { search: "needle" });
    assert.match(text, /^a\.txt:1:…x+needley+…$/);
    assert.ok(text.length < 600);
  });
});

Deno.test("what is not there as it stands is taken as a regular expression, line by line", async () => {
  const files = {
    "a.ts": "export function one() {}\r\nlet two = f(1);\nlast",
    "b.ts": "\ufeffexport class Two {}\nx.y\nxay\n",
    "c.ts": "tail\n\nexport",
  };
  const cases: [string, string[]][] = [
    ["x.y", ["b.ts:2"]],
    ["x.[y]", ["b.ts:2", "b.ts:3"]],
    ["^export", ["a.ts:1", "b.ts:1", "c.ts:3"]],
    ["\\{\\}$", ["a.ts:1", "b.ts:1"]],
    ["function|class", ["a.ts:1", "b.ts:1"]],
    ["(?i)TWO", ["a.ts:2", "b.ts:1"]],
    ["f\\(\\d\\)", ["a.ts:2"]],
    // None of these goes on in the next line.
    ["tail\\s+export", []],
    ["tail[^x]*export", []],
    ["last[\\s\\S]*export", []],
    ["y\\Dx|y\\Wx", []],
    ["x(?!\\.)[\\s\\S]", ["a.ts:1", "b.ts:1", "b.ts:3", "c.ts:3"]],
    ["(foo|class)+ T", ["b.ts:1"]],
  ];
  await bench({ files }, async (b) => {
    for (const [pattern, expected] of cases) {
      const text = await search(b, { search: pattern });
      const places = text.split("\n").flatMap((line) => /^\w\.ts:\d+/.exec(line)?.[0] ?? []);
      assert.deepEqual(places, expected, `${pattern}: ${text}`);
    }
    assert.match(await search(b, { search: "x.[y]" }), /\[matched as a regular expression\]$/);
    assert.doesNotMatch(await search(b, { search: "x.y" }), /regular expression/);
    assert.equal(
      await search(b, { search: "g\\|h" }),
      "no line contains it, nor matches it as a regular expression; " +
        "`\\|` means the character | (write a|b for either)",
    );
    assert.match(await search(b, { search: "f(*" }), /not a valid regular expression/);
    assert.match(await search(b, { search: "last\\nlet" }), /within one line/);
  });
});

Deno.test("a regular expression that could take forever is not tried, others end soon", async () => {
  const files = {
    "a.txt": `${"a".repeat(60)}b\n`,
    "long.txt": `${"ab".repeat(20_000)}\nabc\n`,
    "many.txt": "ab".repeat(450) + "\n" + "x".repeat(150) + "\nfn main(a: int, b: int) = d\n",
  };
  await bench({ files }, async (b) => {
    for (
      const pattern of ["(a+)+$", "(a|ab)*c$", "(?:a*)*$c", "(a|a)+$", "(a?a)*$", "(a)\\1c"]
    ) {
      assert.match(await search(b, { search: pattern }), /take forever .*bash with grep/, pattern);
    }
    const too_many = [
      ".*.*.*.*.*q",
      ".?".repeat(300) + "q",
      "\\w*1\\w*1\\w*1\\w*1\\w*q",
      "x?(x)?x*x*x*x*q",
    ];
    for (const pattern of too_many) {
      assert.match(await search(b, { search: pattern }), /forever .*too many.*bash with/, pattern);
    }
    // Of many repetitions that share nothing, and at the end.
    const apart = "fn\\s+\\w+\\s*\\(\\s*\\w+\\s*:\\s*\\w+,\\s*[^:]*:\\s*[^)]*\\)\\s*=\\s*.*";
    assert.match(await search(b, { search: apart }), /^many\.txt:3:fn main/);
    assert.match(await search(b, { search: ".*fn.*main.*int" }), /3:fn main.*longer than 400 /s);
    assert.equal(
      await search(b, { search: "a.*b.*c" }),
      "long.txt:2:abc\n[matched as a regular expression]\n" +
        "[1 line longer than 2000 characters not searched: use bash with grep]",
    );
  });
});

Deno.test("search finds what grep finds, whatever files fill the batches that are read", async () => {
  const words = ["needle", "Nadel", "é", "😀", "straw", "need", "le", " ", "\r"];
  let seed = 7;
  const next = (n: number) => (seed = (seed * 48271) % 0x7fffffff) % n;
  const line = () => Array.from({ length: next(9) }, () => words[next(words.length)]).join("");
  const text = (lines: number) => Array.from({ length: lines }, line).join("\n");
  const names = ["a", "b/c", "b/d/e", "b/ü", "z z", "y/x"];
  const sizes = [0, 1, 40_000, 120_000, 7, 90_000];
  const files = Object.fromEntries(
    names.flatMap((name, n) =>
      sizes.map((size, m) => [`${name}${m}`, text(n === 2 ? size : size % 999)])
    ),
  );
  await bench({ files }, async (b) => {
    for (const wanted of ["needle", "é", "😀", "needneedle"]) {
      const grep = sh(`grep -rnF --no-messages '${wanted}' . | cut -d: -f1,2 | sort`, b.workspace);
      const found = await search(b, { search: wanted, limit: 100_000 });
      const places = found.split("\n").flatMap((line) => /^(.*?:\d+):/.exec(line)?.[1] ?? []);
      const [, count = `${places.length}`] = / of (\d+) lines shown/.exec(found) ?? [];
      const all = grep.trimEnd().split("\n").map((line) => line.replace(/^\.\//, ""));
      assert.equal(Number(count), all.length, wanted);
      assert.deepEqual(places.filter((place) => !all.includes(place)), [], wanted);
    }
  });
});

Deno.test("what may not be read is neither shown nor counted", async () => {
  const files = { ".env": "KEY=hit\n", "a.txt": "hit\n" };
  const beside = { "keys/b.txt": "hit\n", "keys/large": "hit\n".repeat(1_200_000) };
  await bench({ files, beside, deny_read: ["keys"] }, async (b) => {
    assert.equal(await search(b, { path: "..", search: "hit" }), "a.txt:1:hit");
    assert.equal(
      await search(b, { path: "..", search: "h.t$" }),
      "a.txt:1:hit\n[matched as a regular expression]",
    );
  });
});

Deno.test("a file of any name is found, and shown on one line", async () => {
  await bench({}, async (b) => {
    sh("for n in $'two\\nlines' $'caf\\xe9'; do echo hit > \"$n\"; done", b.workspace);
    assert.equal(await search(b, { search: "hit" }), 'caf\ufffd:1:hit\n"two\\nlines":1:hit');
  });
});

Deno.test("a search ends with the run, and says how far it came", async () => {
  await bench({ files: { a: "hit\n" } }, async (b) => {
    const machine = { ...b.machine, signal: AbortSignal.abort() };
    const most = { lines: 10, bytes: 1000 };
    const { text } = await search_text({ full: b.workspace, search: "hit", most }, machine);
    assert.match(text, /^no line contains it\n\[the search was stopped with the run: /);
  });
});

Deno.test("a file that lies 600 folders deep is found, without looking at each folder for each of those below it", async () => {
  await bench({ files: { ".gitignore": "skipped\n" } }, async (b) => {
    const deep = "d/".repeat(600);
    sh(`mkdir -p ${deep}skipped; echo hit > ${deep}f; echo hit > ${deep}skipped/f`, b.workspace);
    try {
      const { text } = await b.call("read", { path: ".", search: "hit" });
      assert.equal(text, `${deep}f:1:hit`);
      const ignored = await b.call("read", { path: `${deep}skipped`, search: "hit" });
      assert.equal(ignored.text, `${deep}skipped/f:1:hit`);
    } finally {
      sh("rm -rf d", b.workspace);
    }
  });
});

Deno.test("search finds words in files that are not UTF-8", async () => {
  const latin = Uint8Array.of(0x67, 0x72, 0xfc, 0xdf, 0x65, 10);
  await bench({ files: { "a.txt": latin, "b.txt": "grüße\n" } }, async (b) => {
    assert.equal(await search(b, { search: "grüße" }), "a.txt:1:grüße\nb.txt:1:grüße");
    Deno.removeSync(b.at("b.txt"));
    assert.equal(await search(b, { search: "grüße" }), "a.txt:1:grüße");
  });
});

Deno.test("a search says whether what it looks for stands somewhere as a word of its own", async () => {
  const files = { "a.ts": "new AppConfig(Config2, `config`);\n", "b.ts": "a: Config;\nf(x);\n" };
  const cases: readonly (readonly [path: string, search: string, found: boolean])[] = [
    ["a.ts", "Config", false],
    ["b.ts", "Config", true],
    [".", "Config", true],
    ["a.ts", "config", true],
    ["b.ts", "(x", true],
    ["b.ts", "f\\(.\\)", false],
    [".", "Setting", false],
  ];
  await bench({ files }, async (b) => {
    for (const [path, text, found] of cases) {
      assert.equal((await b.call("read", { path, search: text })).found ?? false, found, text);
    }
  });
});
