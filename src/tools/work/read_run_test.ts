import assert from "node:assert/strict";
import { bench, sh } from "../_testing.ts";

const count = (n: number, word = "line") =>
  Array.from({ length: n }, (_, i) => `${word} ${i + 1}\n`).join("");

/** Reads one file of this content. */
async function read(
  content: string | Uint8Array,
  args: Record<string, unknown> = {},
  limits = { lines: 2000, bytes: 51_200 },
): Promise<string> {
  return await bench(
    { files: { "a.txt": content }, limits },
    async (b) => (await b.call("read", { path: "a.txt", ...args })).text,
  );
}

Deno.test("read numbers the lines, with and without an end to the last", async () => {
  assert.equal(await read("alpha\n\nbeta\n"), "1:alpha\n2:\n3:beta");
  assert.equal(await read("alpha\nbeta"), "1:alpha\n2:beta");
  assert.equal(await read("\n"), "1:");
  assert.equal(await read(""), "a.txt is empty");
  assert.equal(await read("a\r\nb\r\n"), "1:a\n2:b");
  assert.equal(await read("\ufeffa\n\ufeffb\n"), "1:a\n2:\ufeffb");
});

Deno.test("read gives a range and says how to go on", async () => {
  assert.equal(
    await read(count(9), { offset: 4, limit: 2 }),
    "4:line 4\n5:line 5\n[lines 4-5 of 9; go on with offset=6]",
  );
  assert.equal(await read(count(9), { offset: 8 }), "8:line 8\n9:line 9");
  assert.equal(await read(count(9), { offset: 8, limit: 2 }), "8:line 8\n9:line 9");
  assert.equal(await read(count(9), { offset: 10 }), "a.txt has only 9 lines");
  assert.equal(await read("x", { offset: 2 }), "a.txt has only 1 line");
});

Deno.test("read stops at the lines or the bytes, whichever come first", async () => {
  const by_lines = (await read(count(2500))).split("\n");
  assert.equal(by_lines.length, 2001);
  assert.equal(by_lines.at(-1), "[lines 1-2000 of 2500; go on with offset=2001]");
  const by_bytes = await read(count(2500, "é".repeat(100)));
  const lines = by_bytes.split("\n");
  assert.ok(lines.length < 300 && lines.length > 200);
  assert.ok(new TextEncoder().encode(by_bytes).length < 51_300);
  assert.match(lines.at(-1) ?? "", new RegExp(`go on with offset=${lines.length}\\]$`));
  assert.equal(
    await read("first\nsecond\n", {}, { lines: 2000, bytes: 3 }),
    "1:first\n[lines 1-1 of 2; go on with offset=2]",
    "at least one line is shown",
  );
});

Deno.test("read cuts a long line, and goes on after it", async () => {
  const text = await read(`${"x".repeat(1_000_000)}\nnext\n`);
  assert.equal(text, `1:${"x".repeat(2000)}… [cut: the line has 1000000 bytes]\n2:next`);
  const wide = await read(`${"😀".repeat(3000)}\nnext`);
  assert.match(wide, /^1:(?:😀)+… \[cut: the line has 12000 bytes\]\n2:next$/u);
  assert.equal(await read("x".repeat(2000)), `1:${"x".repeat(2000)}`);
});

Deno.test("read keeps characters whole where chunks of the file meet", async () => {
  for (const shift of [0, 1, 2, 3]) {
    const line = `${"-".repeat(shift)}${"é😀".repeat(10)}`;
    const content = Array.from({ length: 60_000 }, () => line).join("\n");
    assert.equal(
      (await read(content, { offset: 4000, limit: 1 })).split("\n")[0],
      `4000:${line}`,
    );
    const text = await read(content, { offset: 3000, limit: 2000 });
    assert.ok(!text.includes("\ufffd"), `shifted by ${shift}`);
  }
});

Deno.test("read shows what is not UTF-8, and says that it is not", async () => {
  const latin = new Uint8Array([99, 97, 102, 0xe9, 10]);
  assert.equal(await read(latin), "1:café\n[not UTF-8: read as Windows-1252]");
  const note = "[\ufffd stands for bytes that are not UTF-8]";
  assert.equal(await read("\ufeffa \ufffd\n"), `1:a \ufffd\n${note}`);
  const mixed = new Uint8Array([...new TextEncoder().encode("café caf"), 0xe9, 10]);
  assert.equal(await read(mixed), "1:café caf\ufffd\n[\ufffd stands for bytes that are not UTF-8]");
});

Deno.test("read shows no NUL, wherever it stands", async () => {
  assert.equal(await read(`${"x".repeat(9000)}\na\0b\n`, { offset: 2 }), "2:a␀b");
});

Deno.test("read names what is not text, and does not show it", async () => {
  const cases: [number[], RegExp][] = [
    [[0x89, 0x50, 0x4e, 0x47, 13, 10], /^a\.txt: binary file \(PNG image\), 6 bytes; not shown$/],
    [[0xff, 0xd8, 0xff, 0xe0], /JPEG/],
    [[0xff, 0xfe, 65, 0], /UTF-16 text: convert it with iconv/],
    [[0xfe, 0xff, 0, 65], /UTF-16/],
    [[0xff, 0xfe, 0, 0, 65, 0, 0, 0], /UTF-32 text: convert it with iconv/],
    [[0, 0, 0xfe, 0xff, 0, 0, 0, 65], /UTF-32/],
    [[0x50, 0x4b, 3, 4], /ZIP/],
    [[0x7f, 0x45, 0x4c, 0x46], /ELF/],
    [[65, 66, 0, 67], /^a\.txt: binary file, 4 bytes; not shown$/],
  ];
  for (const [bytes, message] of cases) assert.match(await read(new Uint8Array(bytes)), message);
});

Deno.test("read of 1 GB takes no memory", async () => {
  await bench({}, async (b) => {
    sh("truncate -s 1G zeros; seq 1 3000 > big; truncate -s 1G big", b.workspace);
    sh("yes | head -c 100000000 > lines", b.workspace);
    sh("tr '\\0' x < /dev/zero | head -c 100000000 > wide", b.workspace);
    const before = Deno.memoryUsage().rss;
    const read = async (args: Record<string, unknown>) => (await b.call("read", args)).text;
    assert.match(await read({ path: "zeros" }), /binary file, 1073741824 bytes/);
    assert.equal(
      await read({ path: "big", offset: 2999, limit: 1 }),
      "2999:2999\n[lines 2999-2999; go on with offset=3000]",
    );
    assert.match(await read({ path: "lines", offset: 40_000_000, limit: 1 }), /^40000000:y\n/);
    assert.match(await read({ path: "lines", offset: 999_999_999 }), /has only 50000000 lines/);
    assert.match(await read({ path: "wide" }), /cut: the line has 100000000 bytes/);
    assert.ok(Deno.memoryUsage().rss - before < 60_000_000);
  });
});

Deno.test("read of a pipe, a device or the kernel's own is refused", async () => {
  await bench({}, async (b) => {
    sh("mkfifo pipe; ln -s /proc/self/environ link", b.workspace);
    for (const path of ["pipe", "link", "/proc/self/environ", "/dev/zero", "/dev/stdin"]) {
      const done = await b.call("read", { path });
      assert.equal(done.ok, false, path);
      assert.match(done.text, /not a regular file|not a file of the project/, path);
      const found = await b.call("read", { path, search: "PATH" });
      assert.equal(found.ok, false, path);
    }
  });
});

Deno.test("read of what is not there says so", async () => {
  await bench({ files: { "a.txt": "" } }, async (b) => {
    assert.equal((await b.call("read", { path: "none.txt" })).text, "none.txt does not exist");
    assert.match((await b.call("read", { path: "a.txt/x" })).text, /not a folder/);
    assert.match((await b.call("read", { path: "../none" })).text, /^\/.*none does not exist$/);
  });
});

Deno.test("read follows links to files and folders anywhere that is readable", async () => {
  await bench({ files: { "a.txt": "one" }, beside: { "outside/b.txt": "two" } }, async (b) => {
    sh("ln -s a.txt link; ln -s ../outside out", b.workspace);
    assert.equal((await b.call("read", { path: "link" })).text, "1:one");
    assert.equal((await b.call("read", { path: "out/b.txt" })).text, "1:two");
    assert.equal((await b.call("read", { path: "out" })).text, "b.txt");
  });
});
