import assert from "node:assert/strict";
import { Latest } from "./latest.ts";
import { Pack } from "./pack.ts";

/** `n` kB of a letter. */
const kb = (n: number, letter: string) => new Uint8Array(n * 1024).fill(letter.charCodeAt(0));

function with_latest(most_bytes: number, work: (latest: Latest, pack: Pack) => void): void {
  const folder = Deno.makeTempDirSync();
  const pack = Pack.open(folder);
  const latest = new Latest(pack, most_bytes);
  try {
    work(latest, pack);
  } finally {
    latest.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("the last content of each file is there, and no older one", () => {
  with_latest(1024 * 1024, (latest) => {
    assert.deepEqual([latest.has("a"), latest.get("a")], [false, null]);
    latest.put("a", kb(1, "1"));
    latest.put("a", kb(2, "2"));
    assert.deepEqual(latest.get("a"), kb(2, "2"));
    latest.put("a", null);
    assert.deepEqual([latest.has("a"), latest.get("a")], [true, null], "changed, but not kept");
    latest.drop("a");
    assert.equal(latest.has("a"), false);
  });
});

Deno.test("thousands of changes take no more room than a few; what changed last is kept", () => {
  const most = 8 * 1024 * 1024;
  with_latest(most, (latest, pack) => {
    for (let n = 0; n < 5000; n++) {
      const letter = String.fromCharCode(97 + n % 26);
      latest.put(`f${n % 40}`, kb(20 + n % 7, letter));
      assert.ok(pack.length <= most, `${pack.length} bytes after ${n}`);
      if (n % 97 === 0) assert.deepEqual(latest.get(`f${n % 40}`), kb(20 + n % 7, letter));
    }
    for (let n = 4960; n < 5000; n++) {
      const letter = String.fromCharCode(97 + n % 26);
      assert.deepEqual(latest.get(`f${n % 40}`), kb(20 + n % 7, letter), `f${n % 40}`);
    }
  });
});

Deno.test("where all is new, the oldest goes first", () => {
  with_latest(4 * 1024 * 1024, (latest) => {
    for (let n = 0; n < 30; n++) latest.put(`f${n}`, kb(300, "x"));
    assert.deepEqual([latest.has("f0"), latest.get("f0")], [true, null]);
    for (const n of [27, 28, 29]) assert.deepEqual(latest.get(`f${n}`), kb(300, "x"));
  });
});
