import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { git_id, sha256 } from "./content_hash.ts";

Deno.test("hashes are the same with and without Node's module", () => {
  // The last ones are beyond what is hashed without it.
  for (const size of [0, 1, 55, 56, 63, 64, 119, 1000, 20_000, 60_000, 3, 100_000]) {
    const bytes = Uint8Array.from({ length: size }, (_, i) => i * 31 + size);
    assert.equal(sha256(bytes), createHash("sha256").update(bytes).digest("hex"), `${size}`);
    const object = createHash("sha1").update(`blob ${size}\0`).update(bytes).digest("hex");
    assert.equal(git_id(bytes, "sha1"), object, `${size}`);
  }
});
