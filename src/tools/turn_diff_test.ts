import assert from "node:assert/strict";
import { type Bench, bench, sh } from "./_testing.ts";
import { turn_diff } from "./turn_diff.ts";

/** Looks, and ends a step. */
async function step(b: Bench) {
  b.machine.tracker.scan();
  return await turn_diff(1, b.machine);
}

const told = (diff: Awaited<ReturnType<typeof step>>) =>
  diff?.files.map(({ path, status, added, removed }) => `${path} ${status} +${added} -${removed}`);

const lines = (n: number) => Array.from({ length: n }, (_, at) => `${at}\n`).join("");

Deno.test("each step is told against the one before it, not against the start", async () => {
  await bench({ files: { "a.txt": "1\n2\n3\n", "b.txt": "b\n" } }, async (b) => {
    assert.equal(await step(b), null);
    const cases: [string, string[] | undefined, RegExp][] = [
      ["echo 4 >> a.txt", ["a.txt modified +1 -0"], /^ 3\n\+4$/m],
      ["echo 5 >> a.txt; echo n > n", ["a.txt modified +1 -0", "n added +1 -0"], /^ 4\n\+5$/m],
      ["true", undefined, /^/],
      ["rm a.txt", ["a.txt deleted +0 -5"], /^-4\n-5$/m],
      ["seq 2 > a.txt", ["a.txt added +2 -0"], /^new file mode[^]*\+1\n\+2$/m],
      ["echo x > n; echo n > n; echo t > t; rm t", undefined, /^/],
      ["mv b.txt c.txt", ["b.txt deleted +0 -1", "c.txt added +1 -0"], /^/],
      ["chmod +x n", ["n modified +0 -0"], /^old mode 100644\nnew mode 100755$/m],
      ["ln -s n l", ["l added +1 -0"], /^new file mode 120000[^]*\n\+n\n/m],
      ["ln -sfn c.txt l", ["l modified +1 -1"], /^-n\n.*\n\+c\.txt$/m],
    ];
    for (const [command, files, diff] of cases) {
      sh(command, b.workspace);
      const made = await step(b);
      assert.deepEqual(told(made), files, command);
      assert.match(made?.diff ?? "", diff, command);
    }
  });
});

Deno.test("what edit and write do is told without a look", async () => {
  await bench({ files: { "a.txt": "one\n" } }, async (b) => {
    await b.call("edit", { path: "a.txt", old: "one", new: "two" });
    await b.call("edit", { path: "a.txt", old: "two", new: "three" });
    await b.call("write", { path: "b.txt", content: "b\n" });
    const made = await turn_diff(3, b.machine);
    assert.equal(made?.step, 3);
    assert.deepEqual(told(made), ["a.txt modified +1 -1", "b.txt added +1 -0"]);
    assert.match(made?.diff ?? "", /^-one\n\+three$/m);
    assert.equal(await turn_diff(4, b.machine), null);
  });
});

Deno.test("a long diff is cut at a line and says what is missing; the files are all named", async () => {
  await bench({}, async (b) => {
    b.put("a.txt", lines(9000));
    b.put("b.txt", lines(9000));
    const made = await step(b);
    assert.deepEqual(told(made), ["a.txt added +9000 -0", "b.txt added +9000 -0"]);
    const bytes = new TextEncoder().encode(made?.diff).length;
    assert.ok(bytes > 65_000 && bytes < 65_700, `${bytes} bytes`);
    const [, left] = /\n\[left out: (\d+) more lines, \d+ bytes\]\n$/.exec(made?.diff ?? "") ?? [];
    const shown = made?.diff.split("\n").length ?? 0;
    // Five lines before those of each file; the note and the end of the last line.
    assert.equal(shown - 2 + Number(left), 2 * 9005);
  });
});

Deno.test("keys are not shown, nor are binary and very large files", async () => {
  const files = { ".env": "KEY=old\n", "open.txt": "x\n" };
  await bench({ files }, async (b) => {
    sh(
      "echo KEY=new > .env; truncate -s 3M big; printf 'a\\0' > bin; echo y > open.txt",
      b.workspace,
    );
    const made = await step(b);
    assert.deepEqual(told(made), [
      ".env modified +1 -1",
      "big added +0 -0",
      "bin added +0 -0",
      "open.txt modified +1 -1",
    ]);
    assert.doesNotMatch(made?.diff ?? "", /KEY/);
    assert.match(made?.diff ?? "", /b\/\.env\n\[not shown\]\n/);
    assert.match(made?.diff ?? "", /^\+y$/m);
    sh("echo z > big", b.workspace);
    const [large, small] = [await step(b), (sh("echo w > big", b.workspace), await step(b))];
    assert.match(large?.diff ?? "", /\[not compared/, "what it was is not known");
    assert.match(small?.diff ?? "", /^-z\n\+w$/m, "from then on it is");
  });
});

Deno.test("a file that was in the workspace first and is large is never taken for another", async () => {
  await bench({ files: { big: "x".repeat(3 * 1024 * 1024) } }, async (b) => {
    sh("echo 1 > big", b.workspace);
    assert.match((await step(b))?.diff ?? "", /\[not compared/);
    sh("echo 2 > big", b.workspace);
    assert.match((await step(b))?.diff ?? "", /^-1\n\+2$/m);
  });
});
