import assert from "node:assert/strict";
import { open_database } from "./database.ts";
import { find_store } from "./place.ts";

/** What the kernel has on file as locked by this process: device, inode and bytes of each. */
function locks(): readonly string[] {
  return Deno.readTextFileSync("/proc/locks").split("\n")
    .map((line) => line.trim().split(/\s+/)).filter((words) => words[4] === String(Deno.pid))
    .map((words) => words.slice(5).join(" ")).sort();
}

Deno.test({
  name: "a second run of a process leaves the locks of the first one's database alone",
  ignore: Deno.build.os !== "linux",
  fn() {
    const data_dir = Deno.makeTempDirSync();
    try {
      const db = open_database(data_dir);
      const before = locks();
      assert.notEqual(before.length, 0);
      // What every later run, and every other opening, does first.
      find_store(data_dir, { memory: true, save: true });
      open_database(data_dir).close();
      assert.deepEqual(locks(), before);
      db.close();
    } finally {
      Deno.removeSync(data_dir, { recursive: true });
    }
  },
});
