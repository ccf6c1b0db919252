import assert from "node:assert/strict";
import { type Bench, bench, type BenchOptions, sh } from "./_testing.ts";

async function list(b: Bench, path: string): Promise<string> {
  return (await b.call("read", { path })).text;
}

async function search(b: Bench, args: Record<string, unknown>): Promise<string> {
  return (await b.call("read", { path: ".", ...args })).text;
}

Deno.test("a folder is listed in order, links marked, ignored entries counted", async () => {
  const files = {
    ".gitignore": "*.log\n/out/\n!keep.log\n",
    "src/.gitignore": "hidden.ts\n!own.log\n",
    "src/a.ts": "",
    "src/hidden.ts": "",
    "src/own.log": "",
    "src/other.log": "",
    "keep.log": "",
    "some.log": "",
    "out/x": "",
    "b.md": "",
    ".git/config": "",
  };
  await bench({ files }, async (b) => {
    sh("ln -s b.md link; ln -s src folder_link; mkdir empty; touch 'two\nlines'", b.workspace);
    assert.equal(
      await list(b, "."),
      [
        '"two\\nlines"',
        ".gitignore",
        "b.md",
        "empty/",
        "folder_link@",
        "keep.log",
        "link@",
        "src/",
        "[3 ignored entries not shown]",
      ].join("\n"),
    );
    assert.equal(
      await list(b, "src"),
      ".gitignore\na.ts\nown.log\n[2 ignored entries not shown]",
    );
    assert.equal(await list(b, "empty"), "the folder is empty");
    assert.equal(await list(b, "out"), "x", "what was asked for by name is shown");
  });
});

Deno.test("a folder without .gitignore is listed without the usual", async () => {
  const files = { "node_modules/x/i.js": "", "dist/a": "", "build": "#!/bin/sh", "a.pyc": "" };
  await bench({ files }, async (b) => {
    assert.equal(await list(b, "."), "build\n[3 ignored entries not shown]");
    assert.equal(await list(b, "node_modules"), "x/");
  });
});

Deno.test("a workspace below a repository's top follows the rules above it", async () => {
  const options: BenchOptions = {
    workspace: "repo/packages/one",
    files: { "a.log": "", "b.txt": "", "gen/x": "", "keep/y": "" },
    beside: {
      "repo/.git/HEAD": "",
      "repo/.git/info/exclude": "secret\n",
      "repo/.gitignore": "*.log\n/packages/one/gen/\n",
      "repo/packages/.gitignore": "keep/\n",
      "repo/packages/one/secret": "",
    },
  };
  await bench(options, async (b) => {
    assert.equal(await list(b, "."), "b.txt\n[4 ignored entries not shown]");
  });
});

Deno.test("a long listing is cut and says by how much", async () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`file_${i + 10}`, ""]));
  await bench({ files, limits: { lines: 20, bytes: 51_200 } }, async (b) => {
    const lines = (await list(b, ".")).split("\n");
    assert.deepEqual([lines.length, lines.at(-1)], [21, "[30 more entries]"]);
  });
});

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
    assert.match(
      await search(b, { search: "f\\(.*\\)" }),
      /no line contains it; .*literally.*grep/,
    );
    assert.equal(await search(b, { search: "none" }), "no line contains it");
    assert.match(await search(b, { search: "a\nb" }), /within one line/);
    assert.match(await search(b, { search: "" }), /search is empty/);
    assert.match(await search(b, { path: "gone", search: "x" }), /does not exist/);
  });
});

Deno.test("search keeps to its limits and says when there is more", async () => {
  await bench({ files: { "a.txt": "hit\n".repeat(9), "b.txt": "hit\n".repeat(9) } }, async (b) => {
    const lines = (await search(b, { search: "hit", limit: 10 })).split("\n");
    assert.equal(lines.length, 11);
    assert.match(lines[10] ?? "", /^\[more matches left out/);
    assert.equal((await search(b, { search: "hit", limit: 18 })).split("\n").length, 18);
  });
  const options = { files: { "a.txt": "hit\n".repeat(99) }, limits: { lines: 2000, bytes: 100 } };
  await bench(options, async (b) => {
    const text = await search(b, { search: "hit" });
    assert.ok(text.length < 200);
    assert.match(text, /more matches left out/);
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

Deno.test("search of 2,500 files takes a moment", async () => {
  await bench({}, async (b) => {
    sh(
      "for d in $(seq 50); do mkdir d$d; for f in $(seq 50); do echo line > d$d/$f; done; done",
      b.workspace,
    );
    sh("echo needle > d40/50", b.workspace);
    const start = performance.now();
    assert.equal(await search(b, { search: "needle" }), "d40/50:1:needle");
    assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`);
  });
});
