import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { open_stage, stage, type StageOptions, steps, tools } from "./support/stage.ts";

/** Most bytes of a result where no limit is given, and where one is: those of the contract and some words beside. */
const MOST = 16 * 1024;
const MOST_WITH_LIMIT = 51_200 + 1_000;

const read = (args: Record<string, unknown>): [string, Record<string, unknown>] => ["read", args];

/** Results of reading a workspace. */
async function reads(
  files: NonNullable<StageOptions["files"]>,
  ...calls: Record<string, unknown>[]
): Promise<readonly string[]> {
  return await open_stage({ files, script: steps(...calls.map(read)) }, async (s) => {
    const { run, texts } = await tools(s);
    assert.equal(run.code, 0, run.stderr);
    return texts;
  });
}

/** The numbers of the lines shown, and the lines. */
function numbered(text: string): [number, string][] {
  return [...text.matchAll(/^ *(\d+): ?(.*)$/gm)].map((m) => [Number(m[1]), m[2] ?? ""]);
}

const count = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join("");

Deno.test("read gives the lines with their numbers", async () => {
  const [text] = await reads({ "a.txt": "alpha\nbeta\n\ngamma" }, { path: "a.txt" });
  assert.deepEqual(numbered(text!), [[1, "alpha"], [2, "beta"], [3, ""], [4, "gamma"]]);
});

Deno.test("read gives a range, and says how to go on", async () => {
  const [text, last, beyond] = await reads(
    { "a.txt": count(100) },
    { path: "a.txt", offset: 10, limit: 5 },
    { path: "a.txt", offset: 98, limit: 50 },
    { path: "a.txt", offset: 500 },
  );
  assert.deepEqual(numbered(text!).map(([n]) => n), [10, 11, 12, 13, 14]);
  assert.match(text!, /\b15\b/, "the offset to go on with");
  assert.match(text!, /100/, "how many lines there are");
  assert.deepEqual(numbered(last!).map(([n]) => n), [98, 99, 100]);
  assert.doesNotMatch(last!, /offset\D{0,3}101/);
  assert.deepEqual(numbered(beyond!), []);
  assert.match(beyond!, /100/, "how many lines there are");
});

Deno.test("read stops at 2,000 lines, and the offset it names goes on without a gap", async () => {
  const [first, second] = await reads(
    { "long.txt": count(2500) },
    { path: "long.txt", limit: 2500 },
    { path: "long.txt", offset: 2001, limit: 2500 },
  );
  assert.deepEqual(numbered(first!).map(([n]) => n), Array.from({ length: 2000 }, (_, i) => i + 1));
  assert.match(first!, /\b2001\b/);
  assert.equal(numbered(second!)[0]?.[0], 2001);
  assert.equal(numbered(second!).at(-1)?.[0], 2500);
});

Deno.test("read stops at 16 kB in whole lines, with a limit at 50 kB", async () => {
  const wide = Array.from({ length: 1000 }, (_, i) => `${i + 1} ${"é".repeat(100)} end\n`).join("");
  const [usual, long, some] = await reads(
    { "wide.txt": wide },
    { path: "wide.txt" },
    { path: "wide.txt", limit: 1000 },
    { path: "wide.txt", limit: 120 },
  );
  const cases: [string, number, number][] = [
    [usual!, 14_000, MOST],
    [long!, 48_000, MOST_WITH_LIMIT],
    [some!, 25_000, 26_500],
  ];
  for (const [text, least, most] of cases) {
    const bytes = new TextEncoder().encode(text).length;
    assert.ok(bytes >= least && bytes <= most, `${bytes}`);
    const lines = numbered(text);
    for (const [n, line] of lines) assert.equal(line, `${n} ${"é".repeat(100)} end`);
    assert.match(text, new RegExp(`\\b${lines.length + 1}\\b`), "the offset to go on with");
  }
  assert.equal(numbered(some!).length, 120, "as many as were asked for");
});

Deno.test("results of read and bash are as long as the window and the settings allow", async () => {
  const files = { "long.txt": `${"x".repeat(49)}\n`.repeat(20_000) };
  const script = steps(read({ path: "long.txt" }), ["bash", { command: "cat long.txt" }]);
  const cases: [Record<string, string>, [number, number]][] = [
    [{}, [16_000, 10_000]],
    // A tenth of the window, four bytes a token.
    [{ HAMR_PROVIDER_CONTEXT_WINDOW: "16384" }, [6552, 6552]],
    [{ HAMR_CONTEXT_TOOL_RESULT_BYTES: "5000" }, [5000, 5000]],
    [{ HAMR_CONTEXT_TOOL_RESULT_BYTES: "60000" }, [60_000, 60_000]],
    [{ HAMR_CONTEXT_TOOL_RESULT_LINES: "100" }, [5300, 5000]],
  ];
  await each(cases, async ([env, expected]) => {
    await open_stage({ files, script, env }, async (s) => {
      const { run, texts } = await tools(s);
      assert.equal(run.code, 0, run.stderr);
      texts.forEach((text, i) => {
        const most = expected[i] ?? NaN;
        assert.ok(text.length <= most + 240, `${JSON.stringify(env)}: ${text.length} of ${most}`);
        assert.ok(text.length >= 0.9 * most, `${JSON.stringify(env)}: ${text.length} of ${most}`);
      });
    });
  });
});

Deno.test("read shows a part of a line that is too long for everything", async () => {
  const [text] = await reads({ "one.json": `["${"x".repeat(1_000_000)}"]` }, { path: "one.json" });
  assert.ok(text!.length <= MOST, `${text!.length}`);
  assert.match(text!, /xxxx/);
});

Deno.test("read names a binary file and does not dump it", async () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0xff, 0xd8]);
  const [text] = await reads({ "a.png": png }, { path: "a.png" });
  assert.match(text!, /a\.png/);
  assert.match(text!, /binary|PNG/i);
  assert.ok(!/[\0\ufffd]/.test(text!));
});

Deno.test("read lists a folder without what .gitignore hides", async () => {
  const files = {
    ".gitignore": "*.log\n/out/\nnode_modules\n",
    "src/a.ts": "",
    "src/.gitignore": "hidden.ts\n",
    "src/hidden.ts": "",
    "src/deep/b.ts": "",
    "notes.log": "",
    "out/x.js": "",
    "README.md": "",
    ".git/config": "",
    "node_modules/m/index.js": "",
  };
  const [root, src, own] = await reads(
    files,
    { path: "." },
    { path: "src" },
    { path: "out" },
  );
  assert.match(root!, /README\.md/);
  assert.match(root!, /src\//);
  for (const hidden of ["notes.log", "out", "x.js", "index.js"]) {
    assert.ok(!root!.includes(hidden), `${hidden} is listed:\n${root}`);
  }
  assert.match(src!, /a\.ts/);
  assert.match(src!, /deep\//);
  assert.ok(!src!.includes("hidden.ts"), src);
  assert.ok(own !== undefined);
});

Deno.test("read without a .gitignore passes over the folders that nobody keeps", async () => {
  const files = { "a.ts": "needle", "node_modules/m/i.js": "needle", ".git/x": "needle" };
  const [list, found] = await reads(files, { path: "." }, { path: ".", search: "needle" });
  assert.match(list!, /a\.ts/);
  assert.match(found!, /a\.ts/);
  assert.doesNotMatch(found!, /i\.js|\.git/);
});

Deno.test("read bounds the listing of a folder of many files", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`many/file_with_a_rather_long_name_${i}.txt`, ""]),
  );
  const [text] = await reads(files, { path: "many" });
  assert.ok(text!.length <= MOST, `${text!.length}`);
  assert.match(text!, /file_with_a_rather_long_name_/);
  assert.match(text!, /3,?000|more/, "it says that there is more");
});

Deno.test("read searches text below a path, where .gitignore lets it", async () => {
  const files = {
    ".gitignore": "*.log\nnode_modules/\n",
    "src/a.ts": "one\nlet needle = 1;\nthree\n",
    "src/deep/b.ts": "x\ny\nz needle\n",
    "other.ts": "needle\n",
    "src/x.log": "needle\n",
    "src/bin.dat": new Uint8Array([0, 1, 2, ...new TextEncoder().encode("needle")]),
    "node_modules/m/i.js": "needle\n",
  };
  const [below, all, none, one] = await reads(
    files,
    { path: "src", search: "needle" },
    { path: ".", search: "needle" },
    { path: ".", search: "no such text" },
    { path: "src/a.ts", search: "needle" },
  );
  assert.match(below!, /a\.ts[^]*\b2: ?let needle = 1;/);
  assert.match(below!, /b\.ts[^]*\b3: ?z needle/);
  assert.doesNotMatch(below!, /other\.ts|x\.log|i\.js/);
  assert.match(all!, /other\.ts/);
  assert.doesNotMatch(all!, /x\.log|i\.js/);
  assert.doesNotMatch(none!, /\.ts/);
  assert.match(one!, /\b2: ?let needle/);
});

Deno.test("read bounds a search that finds everything", async () => {
  const files = { "a.txt": "needle and some more text in the line\n".repeat(20_000) };
  const [text] = await reads(files, { path: ".", search: "needle" });
  assert.ok(text!.length <= MOST, `${text!.length}`);
  assert.match(text!, /needle and some/);
});

Deno.test("read of what is not there fails and says so", async () => {
  await open_stage({ script: steps(read({ path: "missing.txt" })) }, async (s) => {
    const { texts, events } = await tools(s);
    assert.match(texts[0]!, /missing\.txt/);
    assert.equal(events[0]?.["ok"], false);
  });
});

Deno.test("read of a pipe or a device does not hang", async () => {
  const script = steps(
    ["bash", { command: "mkfifo pipe" }],
    read({ path: "pipe" }),
    read({ path: "/dev/zero" }),
    read({ path: "/dev/tty" }),
  );
  await open_stage({ script }, async (s) => {
    const { run, events } = await tools(s);
    assert.equal(run.code, 0);
    assert.ok(run.ms < 100_000, `${run.ms} ms`);
    assert.equal(events[1]?.["ok"], false);
    assert.equal(events[2]?.["ok"], false);
  });
});

Deno.test("read of a file of 1 GB shows its beginning without loading it", async () => {
  const script = steps(
    ["bash", {
      command: "truncate -s 1G zeros.bin; (seq 1 3000; ) > big.txt; truncate -s 1G big.txt",
    }],
    read({ path: "zeros.bin" }),
    read({ path: "big.txt", offset: 5, limit: 2 }),
  );
  await stage({ script }, async (s) => {
    const { run, texts } = await tools(s);
    assert.equal(run.code, 0, run.stderr);
    assert.match(texts[1]!, /binary/i);
    assert.ok(texts[2]!.length < 2_000, "neither result dumps the file");
    assert.ok(run.peak_kb < 400_000, `${run.peak_kb} kB`);
    assert.ok(run.ms < 100_000, `${run.ms} ms`);
  });
});

Deno.test("calls that only read are answered in their order", async () => {
  const files = { "a.txt": "aaa", "b.txt": "bbb", "c.txt": "ccc", "d.txt": "ddd", "e.txt": "eee" };
  const calls = ["d", "a", "missing", "e", "b", "c"].map((x) => ({
    name: "read",
    args: { path: `${x}.txt` },
  }));
  await open_stage(
    { files, script: [{ calls }, { text: "All of them were read by me." }] },
    async (s) => {
      const { texts } = await tools(s);
      assert.deepEqual(texts.map((text) => /ddd|aaa|missing|eee|bbb|ccc/.exec(text)?.[0]), [
        "ddd",
        "aaa",
        "missing",
        "eee",
        "bbb",
        "ccc",
      ]);
    },
  );
});

Deno.test("what a small model fills in where it wants nothing is nothing", async () => {
  const texts = await reads(
    { "a.txt": "one\ntwo\n" },
    { path: "a.txt", offset: 0, limit: 0, search: "" },
    { path: "a.txt", offset: "null", limit: "", search: null },
    { path: "" },
    { path: "", search: "two" },
  );
  assert.deepEqual(texts, ["1:one\n2:two", "1:one\n2:two", "a.txt", "a.txt:2:two"]);
});
