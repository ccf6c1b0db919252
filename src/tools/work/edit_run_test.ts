import assert from "node:assert/strict";
import { bench, is_root, sh } from "../_testing.ts";

const edit = (args: Record<string, unknown>) => ({ path: "a.txt", ...args });

Deno.test("edit changes the one place, and says so", async () => {
  await bench({ files: { "a.txt": "one\ntwo\n" } }, async (b) => {
    const done = await b.call("edit", edit({ old: "two", new: "2" }));
    assert.deepEqual([done.ok, done.text], [true, "changed 1 place in a.txt"]);
    assert.equal(b.text("a.txt"), "one\n2\n");
    const [fact] = done.facts ?? [];
    assert.ok(fact?.kind === "file" && fact.path === "a.txt" && fact.before !== fact.after);
  });
});

Deno.test("edit takes the text literally", async () => {
  await bench({ files: { "a.txt": "cost: $x ($1)\n" } }, async (b) => {
    await b.call("edit", edit({ old: "$x ($1)", new: "$& $1 $$ $` $'" }));
    assert.equal(b.text("a.txt"), "cost: $& $1 $$ $` $'\n");
  });
});

Deno.test("edit that is not unique names the lines, and all changes all", async () => {
  await bench({ files: { "a.txt": "x\n\nx x\n".repeat(3) } }, async (b) => {
    const refused = await b.call("edit", edit({ old: "x", new: "y" }));
    assert.equal(refused.ok, false);
    assert.match(refused.text, /occurs 9 times in a\.txt \(lines 1, 3, 4, 6, …\)/);
    assert.match((await b.call("edit", edit({ old: "x", new: "y", all: true }))).text, /9 places/);
    assert.equal(b.text("a.txt"), "y\n\ny y\n".repeat(3));
  });
});

Deno.test("edit that finds nothing shows what is near and changes nothing", async () => {
  const twice = "if (a) {\n\tb();\n}\n".repeat(2);
  await bench({ files: { "a.txt": twice } }, async (b) => {
    const done = await b.call("edit", edit({ old: "if (a) {\n  b();", new: "x" }));
    assert.equal(done.ok, false);
    assert.match(done.text, /not found in a\.txt\. It differs only in whitespace/);
    assert.match(done.text, /2:\tb\(\);/);
    assert.equal(b.text("a.txt"), twice);
  });
});

Deno.test("edit refuses what makes no sense", async () => {
  await bench({ files: { "a.txt": "x\r\n", folder: null } }, async (b) => {
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ old: "", new: "y" }, /old is empty.*write/],
      [{ old: "x", new: "x" }, /the same/],
      [{ old: "x\n", new: "x\r\n" }, /already matches new/],
      [{ path: "none", old: "x", new: "y" }, /none does not exist/],
      [{ path: "folder", old: "x", new: "y" }, /folder is a folder/],
      [{ path: "a.txt/b", old: "x", new: "y" }, /not a folder/],
    ];
    for (const [args, message] of cases) {
      const done = await b.call("edit", edit(args));
      assert.equal(done.ok, false);
      assert.match(done.text, message);
    }
    assert.equal(b.text("a.txt"), "x\r\n");
  });
});

Deno.test("edit keeps byte order mark, line ends, mode and owner", async () => {
  await bench({ files: { "a.txt": "\ufeffone\r\ntwo\r\n" } }, async (b) => {
    Deno.chmodSync(b.at("a.txt"), 0o751);
    if (is_root()) Deno.chownSync(b.at("a.txt"), 1234, 4321);
    const done = await b.call("edit", edit({ old: "one\ntwo", new: "1\n2\n3" }));
    assert.equal(done.ok, true, done.text);
    const bytes = Deno.readFileSync(b.at("a.txt"));
    assert.equal(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
      "\ufeff1\r\n2\r\n3\r\n",
    );
    const stat = Deno.statSync(b.at("a.txt"));
    assert.equal((stat.mode ?? 0) & 0o777, 0o751);
    if (is_root()) assert.deepEqual([stat.uid, stat.gid], [1234, 4321]);
  });
});

Deno.test("edit changes no byte of what is not UTF-8", async () => {
  const mixed = Uint8Array.of(...new TextEncoder().encode("café caf"), 0xe9, 10);
  const binary = Uint8Array.of(0x63, 0x61, 0x66, 0, 0xe9, 10);
  for (const bytes of [mixed, binary]) {
    await bench({ files: { "a.txt": bytes } }, async (b) => {
      const done = await b.call("edit", edit({ old: "caf", new: "the" }));
      assert.match(done.text, /a\.txt is not UTF-8 text; change it with bash/);
      assert.deepEqual(Deno.readFileSync(b.at("a.txt")), bytes);
    });
  }
});

Deno.test("edit changes Latin-1 and its kin in their own bytes", async () => {
  const latin = Uint8Array.of(0x67, 0x72, 0xfc, 0xdf, 0x65, 0x20, 0x81, 0x80, 13, 10);
  await bench({ files: { "a.txt": latin } }, async (b) => {
    const done = await b.call("edit", edit({ old: "grüße", new: "süß" }));
    assert.equal(done.text, "changed 1 place in a.txt");
    const now = Uint8Array.of(0x73, 0xfc, 0xdf, 0x20, 0x81, 0x80, 13, 10);
    assert.deepEqual(Deno.readFileSync(b.at("a.txt")), now);
    const lacks = await b.call("edit", edit({ old: "süß", new: "süß →" }));
    assert.match(lacks.text, /a\.txt is Windows-1252 text, which has no →: write it without/);
    const patch =
      "*** Begin Patch\n*** Update File: a.txt\n@@\n-süß \u0081€\n+weiß \u0081€\n*** End Patch";
    const patched = await b.call("apply_patch", { input: patch });
    assert.equal(patched.ok, true, patched.text);
    assert.deepEqual(
      Deno.readFileSync(b.at("a.txt")).slice(0, 4),
      Uint8Array.of(0x77, 0x65, 0x69, 0xdf),
    );
  });
});

Deno.test("edit leaves NUL bytes and control characters where they are", async () => {
  await bench({ files: { "a.txt": "a\0b\x1b[0m\x7f word \u2028\n" } }, async (b) => {
    assert.equal((await b.call("edit", edit({ old: "word", new: "Wort" }))).ok, true);
    assert.equal(b.text("a.txt"), "a\0b\x1b[0m\x7f Wort \u2028\n");
  });
});

Deno.test("edit of a link changes the file it leads to, and the link stays", async () => {
  const options = { files: { "real.txt": "one" }, beside: { "outside.txt": "one" } };
  await bench(options, async (b) => {
    sh("ln -s real.txt a.txt; ln -s ../outside.txt out.txt", b.workspace);
    const inside = await b.call("edit", edit({ old: "one", new: "two" }));
    assert.match(inside.text, /in real\.txt/);
    assert.equal(b.text("real.txt"), "two");
    assert.ok(Deno.lstatSync(b.at("a.txt")).isSymlink);
    const outside = await b.call("edit", edit({ path: "out.txt", old: "one", new: "two" }));
    assert.equal(outside.refused, "policy");
    assert.match(outside.text, new RegExp(`--allow-write=${b.root}`));
    assert.equal(Deno.readTextFileSync(`${b.root}/outside.txt`), "one");
  });
});

Deno.test("edit leaves a read-only file alone", async () => {
  await bench({ files: { "a.txt": "one" } }, async (b) => {
    Deno.chmodSync(b.at("a.txt"), 0o444);
    const done = await b.call("edit", edit({ old: "one", new: "two" }));
    assert.match(done.text, /a\.txt is read-only/);
    assert.equal(b.text("a.txt"), "one");
  });
});

Deno.test("edit of a large file is quick, and of a huge one left to bash", async () => {
  const large = "line of text\n".repeat(1_200_000);
  await bench({ files: { "a.txt": `${large}needle\n` } }, async (b) => {
    const start = performance.now();
    assert.equal((await b.call("edit", edit({ old: "needle", new: "pin" }))).ok, true);
    assert.ok(performance.now() - start < 20_000);
    assert.equal(Deno.statSync(b.at("a.txt")).size, large.length + 4);
    Deno.truncateSync(b.at("a.txt"), 30_000_000);
    assert.match(
      (await b.call("edit", edit({ old: "pin", new: "x" }))).text,
      /30000000 bytes.*use bash/,
    );
  });
});

Deno.test("edit does not count as reading: a write over it still has to be seen first", async () => {
  await bench({ files: { "a.txt": "one\nunseen\n" } }, async (b) => {
    await b.call("edit", edit({ old: "one", new: "two" }));
    assert.match(
      (await b.call("write", { path: "a.txt", content: "all new" })).text,
      /read it first/,
    );
    await b.call("read", { path: "a.txt" });
    await b.call("edit", edit({ old: "two", new: "three" }));
    assert.equal((await b.call("write", { path: "a.txt", content: "all new" })).ok, true);
  });
});

Deno.test("edit leaves a fact also where an ignore rule covers the file", async () => {
  await bench({ files: { "a.txt": "one", ".gitignore": "a.txt\n" } }, async (b) => {
    const done = await b.call("edit", edit({ old: "one", new: "two" }));
    assert.equal(done.facts?.length, 1);
    assert.deepEqual(b.machine.changes.net(), ["a.txt"]);
  });
});
