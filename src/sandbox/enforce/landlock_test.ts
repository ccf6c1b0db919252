import assert from "node:assert/strict";
import { landlock_scope, right_bits } from "./landlock.ts";
import { test_policy } from "../_testing.ts";

const policy = test_policy({ write: ["/extra"] });

Deno.test("a right is asked for only where this Landlock has it", () => {
  // The all-ones masks of LANDLOCK_MASK_ACCESS_FS without EXECUTE, READ_FILE and READ_DIR.
  const all = ["WRITE_FILE", "REMOVE_DIR", "REMOVE_FILE", "MAKE_CHAR", "MAKE_DIR"] as const;
  const rest = ["MAKE_REG", "MAKE_SOCK", "MAKE_FIFO", "MAKE_BLOCK", "MAKE_SYM"] as const;
  const bits = (abi: number) =>
    right_bits([...all, ...rest, "REFER", "TRUNCATE", "IOCTL_DEV"], abi).toString(16);
  assert.deepEqual([1, 2, 3, 4, 5, 7].map(bits), ["1ff2", "3ff2", "7ff2", "7ff2", "fff2", "fff2"]);
});

Deno.test("nothing may make devices, and no terminal by its name but one's own and a new one is writable", () => {
  const { handled, grants } = landlock_scope(policy);
  assert.ok(handled.includes("MAKE_CHAR") && handled.includes("MAKE_BLOCK"));
  for (const { path, rights } of grants) {
    assert.ok(!rights.includes("MAKE_CHAR") && !rights.includes("MAKE_BLOCK"), path);
  }
  const paths = grants.filter(({ rights }) => rights.includes("WRITE_FILE")).map(({ path }) =>
    path
  );
  assert.deepEqual(paths.slice(0, 5), ["/w", "/t", "/s", "/c", "/extra"]);
  assert.deepEqual(paths.filter((path) => /tty|pts|ptmx/.test(path)), ["/dev/ptmx", "/dev/tty"]);
});

Deno.test("a repository around the workspace that is gone by now is no reason not to start", () => {
  const { grants } = landlock_scope({ ...policy, git: "/gone/.git" });
  const required = (at: string) => grants.some(({ path, required }) => path === at && required);
  assert.deepEqual(["/gone/.git", "/w", "/extra"].map(required), [false, true, true]);
});

Deno.test("running is limited only where the policy says so", () => {
  const limited = (change: Partial<typeof policy>) => {
    const { handled } = landlock_scope({ ...policy, ...change });
    return ["READ_FILE", "READ_DIR", "EXECUTE"].filter((right) =>
      handled.some((one) => one === right)
    );
  };
  const reading = ["READ_FILE", "READ_DIR"];
  assert.deepEqual(limited({}), reading);
  assert.deepEqual(limited({ run: ["/usr/bin/env"] }), [...reading, "EXECUTE"]);
  assert.deepEqual(limited({ write: "all", run: ["/usr/bin/env"] }), [...reading, "EXECUTE"]);
  assert.deepEqual(landlock_scope({ ...policy, write: "all" }).handled, ["REFER", ...reading]);
});

Deno.test("every folder may be listed where nothing is denied, and terminals be read in no case", () => {
  const lists_all = (change: Partial<typeof policy>) =>
    landlock_scope({ ...policy, ...change }).grants.some(({ path, rights }) =>
      path === "/" && rights.includes("READ_DIR")
    );
  assert.ok(lists_all({}));
  assert.ok(!lists_all({ deny_read: ["/home/none/.ssh"] }) && !lists_all({ read: ["/usr"] }));
  for (const change of [{}, { deny_read: ["/home/none/.ssh"] }, { read: ["/usr"] }]) {
    const read = landlock_scope({ ...policy, ...change }).grants
      .filter(({ rights }) => rights.includes("READ_FILE")).map(({ path }) => path);
    assert.ok(read.includes("/dev/null") && read.includes("/usr"));
    assert.deepEqual(
      read.filter((path) => /^\/dev(\/(pts|tty\d|vcs|input|dri).*)?$/.test(path)),
      [],
    );
  }
});
