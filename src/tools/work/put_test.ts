import assert from "node:assert/strict";
import { ChangedSince } from "../../changes/take_place.ts";
import { put_in_place, put_new } from "./put.ts";

/** Whether files can be made in the folder from now on, and not renamed; `-a`: they can be again. */
function may_append(folder: string, how: "+a" | "-a"): boolean {
  try {
    return new Deno.Command("chattr", { args: [how, folder], stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** Root may, on file systems that know it. */
function can_append(): boolean {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_test_" });
  const can = may_append(folder, "+a");
  if (can) may_append(folder, "-a");
  Deno.removeSync(folder);
  return can;
}

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
