import assert from "node:assert/strict";
import { thorough } from "../../tests/support/thorough.ts";
import { bench } from "../tools/_testing.ts";
import { changes_of, ran, Store } from "./_testing.ts";

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
