import assert from "node:assert/strict";
import { type Bench, bench, type BenchOptions, sh } from "../../_testing.ts";

async function list(b: Bench, path: string): Promise<string> {
  return (await b.call("read", { path })).text;
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
        "[2 ignored entries not shown]",
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
