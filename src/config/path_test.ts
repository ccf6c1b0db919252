import assert from "node:assert/strict";
import posix from "node:path/posix";
import fc from "fast-check";
import { POSIX } from "./path.ts";

Deno.test("paths are what node:path makes of them, but for a slash at the end", () => {
  const name = fc.constantFrom("a", "b.c", ".", "..", "", "é", ".d");
  const some = fc.array(name, { maxLength: 6 }).map((names) => names.join("/"));
  const bare = (path: string) => path.replace(/(?<=.)\/+$/, "");
  fc.assert(
    fc.property(fc.array(some, { maxLength: 3 }), some, some, (paths, one, two) => {
      assert.equal(POSIX.join(...paths), bare(posix.join(...paths)));
      assert.equal(POSIX.resolve(...paths), posix.resolve(...paths));
      assert.equal(POSIX.relative(one, two), posix.relative(one, two));
      assert.equal(POSIX.dirname(one), bare(posix.dirname(one)));
      assert.equal(POSIX.basename(one), posix.basename(one));
    }),
    { numRuns: 2000 },
  );
});
