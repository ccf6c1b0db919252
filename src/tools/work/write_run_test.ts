import assert from "node:assert/strict";
import { bench, sh } from "../_testing.ts";

Deno.test("write makes a file, its folders, and a fact of it", async () => {
  await bench({}, async (b) => {
    const done = await b.call("write", { path: "deep/down/new.txt", content: "ñ\r\nno end" });
    assert.deepEqual([done.ok, done.text], [true, "created deep/down/new.txt (10 bytes)"]);
    assert.equal(b.text("deep/down/new.txt"), "ñ\r\nno end");
    const [fact] = done.facts ?? [];
    assert.ok(fact?.kind === "file" && fact.before === null && fact.path === "deep/down/new.txt");
    await b.machine.changes.begin("");
    const facts = await b.machine.changes.end("");
    assert.deepEqual(facts, [], "a look does not find it again");
    assert.equal((await b.call("write", { path: "empty", content: "" })).ok, true);
    assert.equal(b.text("empty"), "");
  });
});

Deno.test("write replaces only what was read, as it was read", async () => {
  await bench({ files: { "a.txt": "old\n" } }, async (b) => {
    const write = (content: string) => b.call("write", { path: "a.txt", content });
    assert.match((await write("new\n")).text, /a\.txt exists; read it first/);
    await b.call("read", { path: "a.txt" });
    await new Promise((resolve) => setTimeout(resolve, 15));
    sh("echo sneaked in >> a.txt", b.workspace);
    assert.match((await write("new\n")).text, /changed on disk since you read it/);
    assert.equal(b.text("a.txt"), "old\nsneaked in\n");
    await b.call("read", { path: "a.txt", offset: 2, limit: 1 });
    assert.equal((await write("new\n")).text, "replaced a.txt (4 bytes)");
    assert.equal((await write("newer\n")).ok, true, "it knows what it wrote itself");
    assert.equal(b.text("a.txt"), "newer\n");
  });
});

Deno.test("a time at the end of its millisecond is the same to whoever looks", async () => {
  await bench({ files: { "a.txt": "old\n" } }, async (b) => {
    sh("touch -d @1700000000.123999999 a.txt", b.workspace);
    await b.call("read", { path: "a.txt" });
    assert.equal((await b.call("write", { path: "a.txt", content: "new\n" })).ok, true);
  });
});

Deno.test("write replaces what commands of the run have made, while nobody else has touched it", async () => {
  await bench({ files: { "a.txt": "old\n" } }, async (b) => {
    const run = async (command: string) => {
      await b.machine.changes.begin("c", command);
      await b.call("bash", { command });
      await b.machine.changes.end("c");
    };
    const write = (path: string) => b.call("write", { path, content: "new\n" });
    await run("echo draft > own.txt; echo draft > theirs.txt; mv a.txt moved.txt");
    assert.equal((await write("own.txt")).text, "replaced own.txt (4 bytes)");
    await run("sed -i s/new/newer/ own.txt");
    assert.equal((await write("own.txt")).ok, true, "though it has not seen what sed made of it");
    sh("echo mine > theirs.txt", b.workspace);
    assert.match((await write("theirs.txt")).text, /theirs\.txt exists; read it first/);
    assert.match((await write("moved.txt")).text, /moved\.txt exists; read it first/);
  });
});

Deno.test("write replaces what a command has shown, as it was then", async () => {
  await bench({ files: { "a/x.py": "old\n", "a/y.py": "old\n", "z.py": "old\n" } }, async (b) => {
    const write = async (path: string) => (await b.call("write", { path, content: "new\n" })).text;
    const { shown } = b.machine;
    shown.ran("cat a/x.py", Date.now());
    assert.match(await write("a/x.py"), /x\.py exists; read it first/, "it may have changed since");
    shown.ran("cd a && sed -n '1,40p' x.py; git add y.py; echo z.py", Date.now() + 9000);
    assert.match(await write("a/y.py"), /y\.py exists; read it first/);
    assert.match(await write("z.py"), /z\.py exists; read it first/);
    assert.equal(await write("a/x.py"), "replaced a/x.py (4 bytes)");
    shown.ran("cat *.py; cat a/*.txt; cat 'a/*.py'; cat a/*x*.py; cat *", Date.now() + 9000);
    assert.match(await write("a/y.py"), /y\.py exists; read it first/);
    assert.equal(await write("z.py"), "replaced z.py (4 bytes)");
    shown.ran("head -50 */*.py", Date.now() + 9000);
    assert.equal(await write("a/y.py"), "replaced a/y.py (4 bytes)");
  });
});

Deno.test("write of the same content is not a change", async () => {
  await bench({ files: { "a.txt": "old\n" } }, async (b) => {
    await b.call("read", { path: "a.txt" });
    const done = await b.call("write", { path: "a.txt", content: "old\n" });
    assert.deepEqual([done.ok, done.facts], [true, []]);
    assert.deepEqual(b.machine.changes.net(), []);
  });
});

Deno.test("write keeps the mode of what it replaces, and replaces nothing binary", async () => {
  await bench({ files: { "a.sh": "old\n", "b.bin": new Uint8Array([1, 0, 2]) } }, async (b) => {
    Deno.chmodSync(b.at("a.sh"), 0o755);
    await b.call("read", { path: "a.sh" });
    await b.call("write", { path: "a.sh", content: "new\n" });
    assert.equal((Deno.statSync(b.at("a.sh")).mode ?? 0) & 0o777, 0o755);
    await b.call("read", { path: "b.bin" });
    assert.match((await b.call("write", { path: "b.bin", content: "x" })).text, /binary file/);
  });
});

Deno.test("write keeps what read does not show: CRLF, and a byte order mark", async () => {
  const files = { "a.cs": "\ufeffa\r\nb\r\n", "mixed": "a\r\nb\nc\r\n", "lf.sh": "a\nb\n" };
  await bench({ files }, async (b) => {
    const write = async (path: string, content: string) => {
      await b.call("read", { path });
      const { text } = await b.call("write", { path, content });
      const now = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
        Deno.readFileSync(b.at(path)),
      );
      return [text, now];
    };
    assert.deepEqual(await write("a.cs", "a\nB\nc\n"), [
      "replaced a.cs (12 bytes; its byte order mark and CRLF line ends were kept)",
      "\ufeffa\r\nB\r\nc\r\n",
    ]);
    assert.deepEqual(await write("mixed", "a\nb\n1\n2\nc\n"), [
      "replaced mixed (14 bytes; its CRLF line ends were kept)",
      "a\r\nb\n1\r\n2\r\nc\r\n",
    ]);
    assert.deepEqual(await write("mixed", "one line"), ["replaced mixed (8 bytes)", "one line"]);
    assert.deepEqual(await write("a.cs", "\ufeffa\r\nb\n"), [
      "replaced a.cs (8 bytes)",
      "\ufeffa\r\nb\n",
    ], "what was meant is written as it is");
    assert.deepEqual(await write("lf.sh", "a\r\nb\r\n"), [
      "replaced lf.sh (6 bytes)",
      "a\r\nb\r\n",
    ]);
  });
});

Deno.test("write puts no U+FFFD in the place of bytes that are not UTF-8", async () => {
  const latin = new Uint8Array([...new TextEncoder().encode("caf"), 0xe9, 13, 10]);
  await bench({ files: { "a.txt": latin, "b.txt": "\ufffd\n" } }, async (b) => {
    await b.call("read", { path: "a.txt" });
    const lossy = await b.call("write", { path: "a.txt", content: "caf\ufffd!\n" });
    assert.deepEqual([lossy.ok, lossy.text], [
      false,
      "a.txt is not UTF-8 text; change it with bash",
    ]);
    assert.deepEqual(Deno.readFileSync(b.at("a.txt")), latin);
    const meant = await b.call("write", { path: "a.txt", content: "café!\n" });
    const kept = "its Windows-1252 encoding and CRLF line ends were kept";
    assert.equal(meant.text, `replaced a.txt (7 bytes; ${kept})`);
    assert.deepEqual(
      Deno.readFileSync(b.at("a.txt")),
      Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x21, 13, 10),
    );
    const more = await b.call("write", { path: "a.txt", content: "→\n" });
    assert.equal(more.text, "replaced a.txt (5 bytes; it was Windows-1252, and is UTF-8 now)");
    await b.call("read", { path: "b.txt" });
    assert.equal((await b.call("write", { path: "b.txt", content: "\ufffd\ufffd\n" })).ok, true);
  });
});

Deno.test("write names what is in the way", async () => {
  await bench({ files: { folder: null, "a.txt": "" } }, async (b) => {
    sh("mkfifo pipe; ln -s loop loop", b.workspace);
    const cases: [string, RegExp][] = [
      ["folder", /folder is a folder/],
      ["new/", /names a folder/],
      ["", /is a folder/],
      ["a.txt/b.txt", /a\.txt.*not a folder/],
      ["a.txt/b/c.txt", /not a folder/],
      ["pipe", /a pipe, not a regular file/],
      ["loop", /leads to itself/],
      ["a\0b", /NUL/],
      ["a\ud83d", /lone surrogate/],
      ["file:///tmp/none/a\ud83d", /lone surrogate/],
      ["x/".repeat(5000) + "y", /longer than 4096 bytes/],
      ["n".repeat(300), /too long/],
    ];
    for (const [path, message] of cases) {
      const done = await b.call("write", { path, content: "x" });
      assert.equal(done.ok, false, path.slice(0, 40));
      assert.match(done.text, message);
    }
  });
});

Deno.test("write to the outside is refused, however it is put, and the flag is named", async () => {
  await bench({ beside: { "outside/old": "old" } }, async (b) => {
    sh("ln -s ../outside link; ln -s ../outside/new dangling", b.workspace);
    const paths = [
      "../outside/new",
      "a/../../outside/new",
      `${b.root}/outside/new`,
      "link/new",
      "link/deep/new",
      "dangling",
      "~/new",
      "/dev/null",
    ];
    for (const path of paths) {
      const done = await b.call("write", { path, content: "x" });
      assert.equal(done.refused, "policy", path);
      assert.match(done.text, /outside what may be written.*--allow-write=\//, path);
    }
    const home = await b.call("write", { path: "~/new", content: "x" });
    assert.match(
      home.text,
      /the user can make it and then allow it with --allow-write=\/.*\/home\/new$/,
    );
    const invented = await b.call("write", { path: "/no-such-root/src/a.py", content: "x" });
    assert.equal(
      invented.text,
      "/no-such-root/src/a.py is outside what may be written, and there is no /no-such-root; " +
        `the workspace is ${b.workspace}`,
    );
    assert.deepEqual([invented.refused, invented.flags ?? []], ["policy", []]);
    const kernels = await b.call("write", { path: "/proc/self/comm", content: "x" });
    assert.match(kernels.text, /the kernel's or another program's, not a file of the project$/);
    assert.deepEqual([...Deno.readDirSync(`${b.root}/outside`)].map(({ name }) => name), ["old"]);
    assert.equal([...Deno.readDirSync(`${b.root}/home`)].length, 0);
  });
});

Deno.test("write goes where the user allowed it, and leaves a fact of it", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  await bench({ write: [root] }, async (b) => {
    const done = await b.call("write", { path: `${root}/new.txt`, content: "x" });
    assert.equal(done.text, `created ${root}/new.txt (1 byte)`);
    const [fact] = done.facts ?? [];
    assert.ok(fact?.kind === "file" && fact.path === `${root}/new.txt`);
  });
  Deno.removeSync(root, { recursive: true });
});

Deno.test("write of names that look like options, patterns or dots", async () => {
  await bench({}, async (b) => {
    for (const path of ["-rf", "*.txt", "..a", "...", "a b", "línea\nzwei", "$(x)", "\\"]) {
      const done = await b.call("write", { path, content: "x" });
      assert.equal(done.ok, true, `${path}: ${done.text}`);
      assert.equal(done.facts?.length, 1, path);
      assert.equal(b.text(path), "x");
    }
    assert.equal(b.machine.changes.net().length, 8);
  });
});
