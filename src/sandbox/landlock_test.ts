import assert from "node:assert/strict";
import { type Grant, grants, right_bits } from "./landlock.ts";
import { test_policy } from "./_testing.ts";

const policy = test_policy({ write: ["/extra"] });

Deno.test("a right is asked for only where this Landlock has it", () => {
  // The all-ones masks of LANDLOCK_MASK_ACCESS_FS without EXECUTE, READ_FILE and READ_DIR.
  const all = ["WRITE_FILE", "REMOVE_DIR", "REMOVE_FILE", "MAKE_CHAR", "MAKE_DIR"] as const;
  const rest = ["MAKE_REG", "MAKE_SOCK", "MAKE_FIFO", "MAKE_BLOCK", "MAKE_SYM"] as const;
  const bits = (abi: number) =>
    right_bits([...all, ...rest, "REFER", "TRUNCATE", "IOCTL_DEV"], abi).toString(16);
  assert.deepEqual([1, 2, 3, 4, 5, 7].map(bits), ["1ff2", "3ff2", "7ff2", "7ff2", "fff2", "fff2"]);
});

Deno.test("nothing may make devices, and the person's terminal is not writable", () => {
  const all: readonly Grant[] = grants(policy);
  for (const { path, rights } of all) {
    assert.ok(!rights.includes("MAKE_CHAR") && !rights.includes("MAKE_BLOCK"), path);
  }
  const paths = all.map(({ path }) => path);
  assert.deepEqual(paths.slice(0, 4), ["/w", "/t", "/s", "/extra"]);
  assert.ok(!paths.some((path) => /tty|pts|ptmx/.test(path)));
});
