import assert from "node:assert/strict";
import { ChangedSince } from "../../changes/take_place.ts";
import { can_append, may_append } from "../_testing.ts";
import { put_in_place, put_new } from "./put.ts";

Deno.test({
  name: "a file is made, and changed, where nothing can be renamed; what is there stays",
  ignore: !can_append(),
  fn: in_append_only,
});

function in_append_only(): void {
  const root = Deno.makeTempDirSync({ prefix: "hamr_test_" });
  const bytes = (text: string) => new TextEncoder().encode(text);
  try {
    assert.ok(may_append(root, "+a"));
    put_new(`${root}/a`, bytes("one"));
    assert.equal(Deno.readTextFileSync(`${root}/a`), "one");
    assert.throws(() => put_new(`${root}/a`, bytes("two")), ChangedSince);
    put_in_place(`${root}/a`, bytes("three"), bytes("one"));
    assert.equal(Deno.readTextFileSync(`${root}/a`), "three");
  } finally {
    may_append(root, "-a");
    Deno.removeSync(root, { recursive: true });
  }
}
