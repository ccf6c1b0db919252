import assert from "node:assert/strict";
import { ChangedSince } from "../../../changes/replace_file.ts";
import { linux_libc } from "../../../sandbox/kernel/libc.ts";
import { can_append, may_append } from "../../_testing.ts";
import { put_in_place, put_new } from "./write_whole.ts";

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

Deno.test("where a file can't be made, neither are the folders above it; others stay", () => {
  const root = Deno.makeTempDirSync({ prefix: "hamr_test_" });
  try {
    Deno.mkdirSync(`${root}/old`);
    const long = "n".repeat(300);
    for (const folder of ["new/er", "old/new", "old"]) {
      assert.throws(() => put_new(`${root}/${folder}/${long}`, new Uint8Array(1)));
    }
    assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name), ["old"]);
    assert.deepEqual([...Deno.readDirSync(`${root}/old`)], []);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test({
  name:
    "a file with attributes of somebody's is written in its place, or replaced where that can't be",
  ignore: linux_libc() === null,
  fn() {
    const libc = linux_libc()!, root = Deno.makeTempDirSync({ prefix: "hamr_test_" });
    const [file, value] = [`${root}/a`, new Uint8Array([1])];
    const bytes = (text: string) => new TextEncoder().encode(text);
    const inode = () => Deno.statSync(file).ino;
    const edit = (from: string, to: string) => put_in_place(file, bytes(to), bytes(from));
    try {
      Deno.writeTextFileSync(file, "one");
      const first = inode();
      edit("one", "two");
      assert.notEqual(inode(), first, "without any");
      if (libc.call("setxattr", [file, "user.mine", value, 1, 0]) !== 0) return;
      const second = inode();
      edit("two", "three");
      assert.equal(inode(), second);
      assert.throws(() => edit("two", "four"), ChangedSince);
      Deno.linkSync(file, `${root}/b`);
      edit("three", "four");
      assert.notEqual(inode(), second, "with another name");
      assert.equal(Deno.readTextFileSync(`${root}/b`), "three");
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  },
});
