import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { bench } from "../../_testing.ts";
import { absent_of } from "./named_path.ts";

const FILES = {
  "src/a.py": "one\ntwo\nthree\nfour\n",
  "src/b.py": "two\n",
  "c.py:12": "really called so\n",
  "pages/[id].tsx": "page\n",
  "docs/readme.md": "text\n",
  ".gitignore": "dist\n",
  "dist/x.py": "two\n",
};

Deno.test("read takes the lines behind a name, a file address and ./, unless a file is called so", async () => {
  await bench({ files: FILES }, async (b) => {
    const cases: readonly (readonly [string, string])[] = [
      ["src/a.py:3", "3:three\n4:four"],
      ["src/a.py:2-3", "2:two\n3:three\n[lines 2-3 of 4; go on with offset=4]"],
      ["src/a.py:3:7", "3:three\n4:four"],
      ["src/a.py#L3-L4", "3:three\n4:four"],
      ["./src/b.py", "1:two"],
      [`file://${b.at("src/b.py")}`, "1:two"],
      ["c.py:12", "1:really called so"],
      ["pages/[id].tsx", "1:page"],
    ];
    for (const [path, text] of cases) {
      strictEqual((await b.call("read", { path })).text, text, path);
    }
    const own = await b.call("read", { path: "src/a.py:3", offset: 1, limit: 1 });
    match(own.text, /^1:one\n/);
  });
});

Deno.test("a file is absent that is neither there nor below any folder", async () => {
  await bench({ files: FILES }, (b) => {
    const there = ["src/a.py", "a.py", "x.py", "dist/x.py", "readme.md"];
    const absent = ["docs/a.py", "src/c.py", "d.py"];
    deepStrictEqual(absent_of([...there, ...absent], b.machine), absent);
    return Promise.resolve();
  });
});

Deno.test("read of a pattern lists what it matches, and searches there; ignored files are left out", async () => {
  await bench({ files: FILES }, async (b) => {
    const text = async (args: Record<string, unknown>) => (await b.call("read", args)).text;
    strictEqual(await text({ path: "src/*.py" }), "src/a.py\nsrc/b.py");
    strictEqual(await text({ path: "**/*.{py,md}" }), "docs/readme.md\nsrc/a.py\nsrc/b.py");
    strictEqual(await text({ path: "src/**" }), "src/a.py\nsrc/b.py");
    strictEqual(await text({ path: "src/[ab].py", limit: 1 }), "src/a.py\n[1 more file]");
    strictEqual(await text({ path: "*.py" }), "no file matches *.py");
    strictEqual(await text({ path: "**/*.py", search: "two" }), "src/a.py:2:two\nsrc/b.py:1:two");
    match(await text({ path: "**/*.py", search: "nowhere" }), /no line of 2 files/);
    match(await text({ path: "**/a.py", search: "nowhere" }), /no line of 1 file /);
    Deno.writeTextFileSync(b.at("src/two\nlines.c"), "");
    strictEqual(await text({ path: "**/*.c" }), '"src/two\\nlines.c"');
  });
});

Deno.test("a path that is not there gets the nearest one; a pattern is not a file to be edited", async () => {
  await bench({ files: FILES }, async (b) => {
    const cases: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
      ["read", { path: "a.py" }, /^a\.py does not exist; there is src\/a\.py$/],
      ["read", { path: "src/aa.py" }, /there is src\/a\.py/],
      ["read", { path: "docs/README.md" }, /there is docs\/readme\.md/],
      ["read", { path: "nothing/like/it" }, /^nothing\/like\/it does not exist$/],
      ["edit", { path: "b.py", old: "two", new: "2" }, /there is src\/b\.py/],
      ["edit", { path: "/repo/src/b.py", old: "two", new: "2" }, /not exist; there is src\/b\.py/],
      ["edit", { path: "src/*.py", old: "two", new: "2" }, /it matches src\/a\.py, src\/b\.py/],
    ];
    for (const [tool, args, expected] of cases) {
      const done = await b.call(tool, args);
      ok(!done.ok);
      match(done.text, expected);
    }
    // A new file may be called whatever it is to be called.
    ok((await b.call("write", { path: "pages/[slug].tsx", content: "x" })).ok);
    strictEqual(b.text("pages/[slug].tsx"), "x");
    ok((await b.call("write", { path: "log:3", content: "x" })).ok);
    strictEqual(b.text("log:3"), "x");
    ok((await b.call("edit", { path: "src/a.py:3", old: "three", new: "3" })).ok);
    strictEqual(b.text("src/a.py"), "one\ntwo\n3\nfour\n");
  });
});

Deno.test("an edit that fails only by whitespace is done where one place fits, and said", async () => {
  const code = "def f():\n\tif x:\n\t\treturn 1\n\treturn 2\n";
  await bench(
    {
      files: {
        "f.py": code,
        "g.py": "  a\n    a\n",
        "crlf": "a:\r\n\tb\r\n",
        "inner": "\tif (x) { y(1) }\n",
      },
    },
    async (b) => {
      const done = await b.call("edit", {
        path: "f.py",
        old: "  if x:\n    return 1",
        new: "  if y:\n    return 3\n",
      });
      ok(done.ok, done.text);
      match(done.text, /at line 2: old differed in whitespace/);
      strictEqual(b.text("f.py"), "def f():\n\tif y:\n\t\treturn 3\n\treturn 2\n");
      ok((await b.call("edit", { path: "crlf", old: "a:\n  b", new: "a:\n  c" })).ok);
      strictEqual(b.text("crlf"), "a:\r\n\tc\r\n");
      ok((await b.call("edit", { path: "inner", old: "  if(x){ y( 1 ) }", new: "  z()" })).ok);
      strictEqual(b.text("inner"), "\tz()\n");
      const bad: readonly (readonly [string, string, string])[] = [
        // Two places fit; whitespace alone; the indentation of a new line can't be told.
        ["g.py", "\ta", "b"],
        ["g.py", "   \n", "b"],
        ["f.py", "      return 2", "      return 2\n   x"],
      ];
      for (const [path, old, text] of bad) {
        const before = b.text(path);
        ok(!(await b.call("edit", { path, old, new: text })).ok, old);
        deepStrictEqual(b.text(path), before);
      }
    },
  );
});

Deno.test("insert_lines puts lines behind a line, with the line ends of the file", async () => {
  const cases: readonly (readonly [string, number, string, string])[] = [
    ["a\nb\n", 1, "x", "a\nx\nb\n"],
    ["a\nb\n", 0, "x\n", "x\na\nb\n"],
    ["a\nb", 2, "x", "a\nb\nx"],
    ["a\r\nb\r\n", 2, "x\ny", "a\r\nb\r\nx\r\ny\r\n"],
    ["", 0, "x", "x\n"],
  ];
  for (const [before, line, text, after] of cases) {
    await bench({ files: { f: before } }, async (b) => {
      const done = await b.call("insert_lines", { path: "f", line, text });
      ok(done.ok, done.text);
      strictEqual(b.text("f"), after);
      match(
        (await b.call("insert_lines", { path: "f", line: 99, text })).text,
        /has only \d+ lines?/,
      );
    });
  }
});
