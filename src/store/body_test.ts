import assert from "node:assert/strict";
import { deflated, inflated } from "./body.ts";

Deno.test("what is inflated ends where it is longer than it may be, and is whole where it is not", async () => {
  for (const length of [0, 1, 100_000, 40_000_000]) {
    const bytes = new Uint8Array(length).fill(7);
    const small = await deflated(bytes);
    assert.deepEqual(await inflated(small, length), bytes);
    assert.deepEqual(await inflated(small), bytes);
    if (length > 0) await assert.rejects(inflated(small, length - 1), /it is too long/);
  }
});

Deno.test("of what would fill the memory only a piece is made", async () => {
  const small = await deflated(new Uint8Array(256 * 1024 * 1024));
  const before = Deno.memoryUsage().rss;
  await assert.rejects(inflated(small, 1000), /it is too long/);
  const grown = Deno.memoryUsage().rss - before;
  assert.ok(grown < 128 * 1024 * 1024, `${grown} bytes`);
});

Deno.test("bytes that nobody has deflated are refused", async () => {
  for (const most of [Infinity, 60_000]) {
    await assert.rejects(inflated(Uint8Array.of(255, 255, 255), most));
  }
});
