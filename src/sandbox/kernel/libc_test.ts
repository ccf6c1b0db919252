import assert from "node:assert/strict";
import { errno_of } from "./errno.ts";
import { linux_libc } from "./libc.ts";

const AT_FDCWD = -100;

Deno.test({
  name: "the error number of a failed call stays what it was, whatever the thread does next",
  ignore: linux_libc() === null,
  fn() {
    const libc = linux_libc()!;
    const symbols = { close: { parameters: ["i32"], result: "i32" } } as const;
    const { close } = Deno.dlopen(libc.library, symbols).symbols;
    assert.equal(libc.call("openat", [AT_FDCWD, "/nothing/here", 0]), -1);
    // As V8 does where it waits for a thread that compiles: this one fails with EBADF, past `call`.
    assert.equal(close(-1), -1);
    assert.equal(libc.errno(), errno_of("ENOENT"));
    assert.ok(libc.call("gettid", []) > 0);
    assert.equal(libc.errno(), errno_of("ENOENT"), "a call that went well has none");
    assert.equal(libc.call("close", [-1]), -1);
    assert.equal(libc.errno(), errno_of("EBADF"));
  },
});

Deno.test({
  name: "names of a call lie side by side, also the longest; one with a NUL reaches no kernel",
  ignore: linux_libc() === null,
  fn() {
    const libc = linux_libc()!;
    const folder = Deno.makeTempDirSync();
    const target = "é".repeat(1000);
    assert.equal(libc.call("symlinkat", [target, AT_FDCWD, `${folder}/link`]), 0);
    assert.equal(Deno.readLinkSync(`${folder}/link`), target);
    assert.throws(() => libc.call("symlinkat", ["a", AT_FDCWD, `${folder}/x\0y`]), /NUL/);
    const long = "x".repeat(9000);
    assert.equal(libc.call("symlinkat", [long, AT_FDCWD, long]), -1);
    assert.equal(libc.errno(), errno_of("ENAMETOOLONG"));
    assert.equal(libc.call("unlinkat", [AT_FDCWD, `${folder}/link`, 0]), 0);
    Deno.removeSync(folder);
  },
});
