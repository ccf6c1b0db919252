import assert from "node:assert/strict";
import { linux_libc } from "./libc.ts";
import { read_text } from "./proc_fs.ts";

Deno.test("a file is read whole, also where a character lies on the edge of a piece", () => {
  const libc = linux_libc();
  if (libc === null) return;
  const file = Deno.makeTempFileSync();
  try {
    for (const text of ["", "short\n", "x".repeat(32 * 1024), `x${"é".repeat(40_000)}`]) {
      Deno.writeTextFileSync(file, text);
      assert.equal(read_text(libc, file), text);
    }
    assert.equal(read_text(libc, `${file}/none`), null);
  } finally {
    Deno.removeSync(file);
  }
});
