import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { bench } from "../_testing.ts";

const patch = (...lines: string[]) => ({
  input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
});
const CODE = "def a():\n    return 1\n\n\ndef b():\n    return 1\n";

Deno.test("apply_patch adds, changes, moves and deletes, with a row for each file", async () => {
  const files = { "a.py": CODE, "old.txt": "x\n", "run.sh": "echo 1\n" };
  await bench({ files }, async (b) => {
    Deno.chmodSync(b.at("run.sh"), 0o755);
    const done = await b.call(
      "apply_patch",
      patch(
        ...["*** Add File: new/c.py", "+x = 1", "+"],
        ...["*** Update File: a.py", "@@ def b():", "-    return 1", "+    return 2"],
        ...["*** Delete File: old.txt"],
        ...["*** Update File: run.sh", "*** Move to: bin/run.sh", "@@", "-echo 1", "+echo 2"],
      ),
    );
    ok(done.ok, done.text);
    strictEqual(b.text("new/c.py"), "x = 1\n\n");
    strictEqual(b.text("a.py"), CODE.replace("b():\n    return 1", "b():\n    return 2"));
    strictEqual(b.text("bin/run.sh"), "echo 2\n");
    strictEqual((Deno.statSync(b.at("bin/run.sh")).mode ?? 0) & 0o111, 0o111);
    const rows = (done.facts ?? []).flatMap((fact) =>
      fact.kind === "file" ? [[fact.path, fact.before === null, fact.after === null]] : []
    );
    deepStrictEqual(rows.sort(), [
      ["a.py", false, false],
      ["bin/run.sh", true, false],
      ["new/c.py", true, false],
      ["old.txt", false, true],
      ["run.sh", false, true],
    ]);
  });
});

Deno.test("apply_patch changes all or nothing", async () => {
  await bench({ files: { "a.py": CODE, "b.py": "y = 1\n" } }, async (b) => {
    const good = ["*** Update File: b.py", "@@", "-y = 1", "+y = 2"];
    const bad: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ["*** Update File: a.py", "@@", "-    return 7", "+    return 2"],
        /hunk 1 of a\.py was not found/,
      ],
      [
        ["*** Update File: a.py", "@@", "-    return 1", "+    return 2"],
        /fits 2 places \(lines 2, 6\)/,
      ],
      [["*** Update File: c.py", "@@", "-x", "+y"], /c\.py does not exist/],
      [["*** Add File: a.py", "+x"], /a\.py exists; read it first/],
      [["*** Add File: ../out.py", "+x"], /is outside what may be written/],
      [["*** Delete File: gone"], /gone does not exist/],
      [
        ["*** Update File: a.py", "*** Move to: b2.py", "@@ def zzz():", "-x"],
        /no line "def zzz\(\):"/,
      ],
      [["*** Update File: a.py", "oops"], /does not begin with a space/],
      [["*** Add File: z.py", "x"], /must begin with \+/],
    ];
    for (const [lines, expected] of bad) {
      const done = await b.call("apply_patch", patch(...good, ...lines));
      ok(!done.ok, lines.join("\n"));
      match(done.text, expected);
      strictEqual(b.text("b.py"), "y = 1\n");
    }
    match((await b.call("apply_patch", patch("@@", "-x"))).text, /does not begin a file section/);
    deepStrictEqual([...Deno.readDirSync(b.workspace)].map(({ name }) => name).sort(), [
      "a.py",
      "b.py",
    ]);
  });
});

Deno.test("apply_patch puts back what it wrote where a later part can't be written", async () => {
  await bench({ files: { "a.txt": "a\n", "b.txt": "b\n" } }, async (b) => {
    Deno.chmodSync(b.at("b.txt"), 0o444);
    const done = await b.call(
      "apply_patch",
      patch(
        ...["*** Add File: new.txt", "+x"],
        ...["*** Update File: a.txt", "@@", "-a", "+A", "*** Update File: b.txt", "@@", "-b", "+B"],
      ),
    );
    match(done.text, /b\.txt is read-only/);
    strictEqual(b.text("a.txt"), "a\n");
    deepStrictEqual([...Deno.readDirSync(b.workspace)].map(({ name }) => name).sort(), [
      "a.txt",
      "b.txt",
    ]);
  });
});

Deno.test("apply_patch keeps what it does not change: line ends, BOM, the end of the file, whitespace of context", async () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ["a\r\nb\r\n", [" a", "-b", "+c", "+d"], "a\r\nc\r\nd\r\n"],
    ["\ufeffa\nb\n", ["-a", "+A", " b"], "\ufeffA\nb\n"],
    ["a\nb", [" a", "-b", "+c"], "a\nc"],
    ["a\nb", [" b", "+c"], "a\nb\nc"],
    ["a  \nb\n", [" a", "-b", "+c"], "a  \nc\n"],
    ["\tif x:\n\t\ty()\n", [" if x:", "-    y()", "+    z()"], "\tif x:\n\t\tz()\n"],
    ["a\nb\nb\n", ["-b", "+c", "*** End of File"], "a\nb\nc\n"],
    ["a\n\nb\n", [" a", "", "-b", "+c"], "a\n\nc\n"],
    ["a\n", ["+b"], "a\nb\n"],
  ];
  for (const [before, lines, after] of cases) {
    await bench({ files: { "f": before } }, async (b) => {
      const done = await b.call("apply_patch", patch("*** Update File: f", "@@", ...lines));
      ok(done.ok, done.text);
      strictEqual(b.text("f"), after, JSON.stringify(before));
    });
  }
});

Deno.test("apply_patch takes hunks in their order, nested @@ lines and the numbers of a unified diff", async () => {
  const code = "class A:\n  def f():\n    x\n  def g():\n    x\nclass B:\n  def f():\n    x\n";
  await bench({ files: { "f.py": code } }, async (b) => {
    const done = await b.call(
      "apply_patch",
      patch(
        ...[
          "*** Update File: f.py",
          "@@ class A:",
          "@@   def g():",
          "-    x",
          "+    y",
          " class B:",
        ],
        ...["@@ -6,3 +6,3 @@ class B:", "   def f():", "-    x", "+    z"],
      ),
    );
    ok(done.ok, done.text);
    strictEqual(b.text("f.py"), code.replace("g():\n    x", "g():\n    y").replace(/x\n$/, "z\n"));
  });
});

Deno.test("blanks behind the name of a file, however many, are not part of it", async () => {
  await bench({ files: { "a.txt": "one\n" } }, async (b) => {
    const blanks = " ".repeat(300_000);
    const names = [`*** Update File: a.txt${blanks}`, `*** Move to:${blanks}b.txt${blanks}`];
    const done = await b.call("apply_patch", patch(...names, "@@", "-one", "+two"));
    ok(done.ok, done.text);
    strictEqual(b.text("b.txt"), "two\n");
    const within = await b.call("apply_patch", patch(`*** Delete File: b${blanks}.txt`));
    match(within.text, /longer than 4096 bytes/);
  });
});
