import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { pack, unpack, unpacker } from "./pack.ts";

const MODULE = new WebAssembly.Module(unpacker());

Deno.test("pack: what was packed is unpacked", () => {
  const again = (bytes: Uint8Array) => {
    const found = unpack(pack(bytes), MODULE);
    assert.ok(Buffer.from(found).equals(bytes), bytes.toHex());
  };
  // Runs of every length, from every distance, and what has none.
  const piece = fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 0, max: 300 }));
  const bytes = fc.array(piece, { maxLength: 30 }).map((pieces) =>
    Uint8Array.from(pieces.flatMap(([some, times]) =>
      Array(times % 7).fill([...some]).flat()
        .concat(Array(times).fill(some[0] ?? 0))
    ))
  );
  fc.assert(fc.property(bytes, again));
  const far = new Uint8Array(200_000);
  crypto.getRandomValues(far.subarray(0, 60_000));
  far.copyWithin(65_535, 0, 60_000);
  far.copyWithin(140_000, 0, 60_000);
  again(far);
  again(far.subarray(0, 60_000));
});

Deno.test("pack: of many zeros little is left", () => {
  assert.ok(pack(new Uint8Array(100_000)).length < 1000);
});

Deno.test("pack: what was not packed comes to an end, too", () => {
  assert.throws(() => unpack(new Uint8Array(), MODULE), RangeError);
  fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (block) => {
    try {
      unpack(Uint8Array.from([100, 0, 0, 0, ...block]), MODULE);
    } catch (error) {
      assert.ok(error instanceof WebAssembly.RuntimeError || error instanceof RangeError);
    }
  }));
});
