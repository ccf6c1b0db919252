import assert from "node:assert/strict";
import { FLAG_DEFAULTS } from "../../app/flags.ts";
import { saved_run } from "../../app/saved_flags.ts";
import { FLAGS } from "./flags.ts";

Deno.test("what limits a run limits its session, too: no flag for permissions is forgotten when it is resumed", () => {
  const flags = FLAGS.filter(({ group }) => group === "permissions").flatMap(({ into, reads }) =>
    "flag" in into ? [{ flag: into.flag, value: reads?.kind === "list" ? ["/a"] : "given" }] : []
  );
  assert.ok(flags.length > 2);
  for (const { flag, value } of flags) {
    const run = { task: "", flags: { ...FLAG_DEFAULTS, [flag]: value }, overrides: [] };
    assert.deepEqual(saved_run(run).flags, { [flag]: value });
  }
});
