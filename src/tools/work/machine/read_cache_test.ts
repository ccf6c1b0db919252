import assert from "node:assert/strict";
import { type Bench, bench, is_root, sh } from "../../_testing.ts";
import { ReadCache } from "./read_cache.ts";
import { DENO_TICK_MS as TICK_MS } from "../../../changes/folders.ts";

/** 2 MB, of which a read shows the first lines and counts the others. */
const LONG = "a line of some length\n".repeat(100_000) + "the end\n";

/** Bytes this thread has read from files so far, whatever others load meanwhile; null if the system does not count them. */
function bytes_read(): number | null {
  try {
    const counts = Deno.readTextFileSync("/proc/thread-self/io");
    return Number(/^rchar: (\d+)/m.exec(counts)?.[1]);
  } catch {
    return null;
  }
}

async function read(b: Bench, path: string, more: Record<string, unknown> = {}): Promise<string> {
  return (await b.call("read", { path, ...more })).text;
}

const now = Date.now;

/** A clock that can be set forward, to where a further change of what is there now can be seen. */
function clock() {
  let ahead = 0;
  Date.now = () => now() + ahead;
  return {
    grown_old: () => void (ahead += TICK_MS + 50),
    [Symbol.dispose]: () => void (Date.now = now),
  };
}

/** Whether a call read a long file. */
async function has_read(work: () => Promise<string>): Promise<boolean> {
  const before = bytes_read() ?? 0;
  await work();
  return (bytes_read() ?? 0) - before > LONG.length / 2;
}

Deno.test({
  name: "a repeat is answered without reading; a change drops the answers of that file alone",
  ignore: bytes_read() === null,
  fn: () =>
    bench({ files: { "a.txt": LONG, "b.txt": LONG } }, async (b) => {
      using time = clock();
      // Again, after so long that what is read is kept.
      const settle = async () => {
        time.grown_old();
        for (const path of ["a.txt", "b.txt"]) await read(b, path);
      };
      const cases: [string, () => unknown, boolean, boolean][] = [
        ["for the first time", time.grown_old, true, true],
        ["again", () => {}, false, false],
        ["after other lines", () => read(b, "a.txt", { offset: 9 }), false, false],
        ["changed by bash", () => sh("echo x >> a.txt", b.workspace), true, false],
        ["again, a while later", settle, false, false],
        [
          "changed by edit",
          () => b.call("edit", { path: "b.txt", old: "the end", new: "The End" }),
          false,
          true,
        ],
      ];
      for (const [what, work, a, other] of cases) {
        await work();
        const got = [
          await has_read(() => read(b, "a.txt")),
          await has_read(() => read(b, "b.txt")),
        ];
        assert.deepEqual(got, [a, other], what);
      }
    }),
});

Deno.test("what is answered is what a fresh read gives, whatever became of the file", async () => {
  const files = {
    "same_size": "one\n",
    "renamed_over": "one\n",
    "link_target": "one\n",
    "to_keys": "one\n",
    "gone": "one\n",
    "folder": "one\n",
    "closed": "one\n",
    ".env": "KEY=1\n",
  };
  await bench({ files }, async (b) => {
    sh("ln -s link_target link; touch -d 2001-01-01 *", b.workspace);
    // Deno tells when a file was changed in whole seconds: here it must be another.
    await new Promise((resolve) => setTimeout(resolve, TICK_MS + 50));
    const names = [...Object.keys(files).filter((name) => name !== ".env"), "link"];
    for (const name of names) for (const _ of [1, 2]) assert.equal(await read(b, name), "1:one");
    sh(
      "printf 'two\\n' > same_size; touch -d 2001-01-01 same_size; " +
        "printf 'two\\n' > x; touch -d 2001-01-01 x; mv x renamed_over; " +
        "printf 'two\\n' > y; ln -sfn y link; rm to_keys; ln -s .env to_keys; rm gone; " +
        "rm folder; mkdir folder; chmod 0 closed",
      b.workspace,
    );
    const now: [string, RegExp][] = [
      ["same_size", /^1:two$/],
      ["renamed_over", /^1:two$/],
      ["link", /^1:two$/],
      ["to_keys", /^to_keys is not shown/],
      ["gone", /not exist|no such|not found/i],
      ["folder", /empty/],
      ...(is_root() ? [] : [["closed", /permission|denied/i] as [string, RegExp]]),
    ];
    for (const [name, text] of now) assert.match(await read(b, name), text, name);
  });
});

Deno.test("changes of the same size in the same tick of the clock are seen", async () => {
  await bench({ files: { a: "0\n" } }, async (b) => {
    for (let n = 1; n < 200; n++) {
      b.put("a", `${n % 10}\n`);
      Deno.utimeSync(b.at("a"), 1, 1);
      assert.equal(await read(b, "a"), `1:${n % 10}`, `change ${n}`);
    }
  });
});

Deno.test("an answered repeat counts as having read the file", async () => {
  await bench({ files: { a: "one\n" } }, async (b) => {
    using time = clock();
    time.grown_old();
    await read(b, "a");
    await b.call("write", { path: "a", content: "two\n" });
    b.put("a", "three\n");
    time.grown_old();
    for (const _ of [1, 2]) assert.equal(await read(b, "a"), "1:three");
    assert.ok((await b.call("write", { path: "a", content: "four\n" })).ok);
  });
});

Deno.test("what was not asked for longest goes first, and what is too long is not kept", () => {
  const cache = new ReadCache(100);
  const file = { version: "1", young: false };
  const want = (full: string) => ({ full, offset: 1, lines: 9, bytes: 99 });
  const done = (chars: number) => ({ ok: true, text: "x".repeat(chars), summary: "" });
  const known = () => ["a", "b", "c", "d"].filter((name) => cache.find(want(name), file) !== null);
  for (const name of ["a", "b", "c"]) cache.keep(want(name), file, done(30));
  cache.find(want("a"), file);
  cache.keep(want("d"), file, done(30));
  assert.deepEqual(known(), ["a", "c", "d"]);
  cache.keep(want("b"), file, done(101));
  assert.deepEqual(known(), ["a", "c", "d"]);
  for (let n = 0; n < 9; n++) cache.keep(want("a"), file, done(30));
  assert.deepEqual(known(), ["a", "c", "d"], "kept once more, it takes no more room");
});
