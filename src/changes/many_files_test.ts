import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { thorough } from "../../tests/support/thorough.ts";
import { bench, sh } from "../tools/_testing.ts";
import { changes_of, ran, Store } from "./_testing.ts";
import { changed_files } from "./turn_diff.ts";

/** Memory with room for half a million files: there one is made for a fifth of the time. */
function in_memory(): string | undefined {
  try {
    const { ffree, bavail, bsize } = statfsSync("/dev/shm");
    return ffree > 600_000 && bavail * bsize > 4e9 ? "/dev/shm" : undefined;
  } catch {
    return undefined;
  }
}

Deno.test({
  name: "one command makes more files than a call has room for arguments",
  ignore: !thorough,
  fn: () =>
    bench({ in: in_memory() }, async (b) => {
      using changes = changes_of(b, new Store());
      const facts = await ran(b, changes, "mkdir d; cd d; seq 130000 | xargs touch");
      assert.equal(facts.length, 130_000);
    }),
});

Deno.test({
  name: "that there are more files than are watched stands in the row of each command",
  ignore: !thorough,
  fn: () =>
    bench({ in: in_memory() }, async (b) => {
      sh("mkdir d; cd d; seq 500001 | xargs touch", b.workspace);
      const store = new Store();
      using changes = changes_of(b, store);
      for (let nth = 0; nth < 2; nth++) await ran(b, changes, "touch new");
      await changes.finish();
      const overflow = store.rows.map((row) => row.kind === "done" ? row.overflow : row.kind);
      assert.deepEqual(overflow, ["begin", true, "begin", true]);
    }),
});

Deno.test({
  name: "a file whose path is longer than a call takes is listed like others, until it is gone",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    bench({ files: {} }, async (b) => {
      using changes = changes_of(b);
      const down = `name=$(printf %0200d 1)
        for one in $(seq 25); do mkdir $name; cd $name 2>&-; done`;
      await ran(b, changes, `${down}; echo x > deep`);
      const [file] = await changed_files(changes);
      assert.ok(file!.path.length > 4096 && file!.path.endsWith("/deep"), file?.path);
      sh("rm -r 0*", b.workspace);
      assert.deepEqual(await changed_files(changes), []);
    }),
});
