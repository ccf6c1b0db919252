import assert from "node:assert/strict";
import { thorough } from "../../tests/support/thorough.ts";
import { bench, sh } from "../tools/_testing.ts";
import { changes_of, ran, Store } from "./_testing.ts";
import { changed_files } from "./turn_diff.ts";

Deno.test({
  name: "one command makes more files than a call has room for arguments",
  ignore: !thorough,
  fn: () =>
    bench({ files: {} }, async (b) => {
      using changes = changes_of(b, new Store());
      const facts = await ran(b, changes, "mkdir d; cd d; seq 130000 | xargs touch");
      assert.equal(facts.length, 130_000);
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
