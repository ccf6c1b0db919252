import assert from "node:assert/strict";
import { open_database } from "./database.ts";
import { find_store } from "./memory_index.ts";
import { is_running, SessionLock } from "./session_lock.ts";

/**
 * What the kernel has on file as locked by this process, of the files in a folder. Of each open file, not from `/proc/locks`: that is
 * read in pieces, and what other processes lock meanwhile makes a line appear twice.
 */
function locks(folder: string): readonly string[] {
  return [...Deno.readDirSync("/proc/self/fd")].flatMap(({ name }) => {
    try {
      if (!Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith(`${folder}/`)) return [];
      return Deno.readTextFileSync(`/proc/self/fdinfo/${name}`).split("\n")
        .filter((line) => line.startsWith("lock:"))
        .map((line) => line.trim().split(/\s+/).slice(2).join(" "));
    } catch {
      return []; // Closed since the folder was read: what read it.
    }
  }).sort();
}

Deno.test({
  name: "a second run of a process leaves the locks of the first one's database alone",
  ignore: Deno.build.os !== "linux",
  fn() {
    const data_dir = Deno.makeTempDirSync();
    try {
      const db = open_database(data_dir);
      const before = locks(data_dir);
      assert.notEqual(before.length, 0);
      // What every later run, and every other opening, does first.
      find_store(data_dir, { memory: true, save: true });
      open_database(data_dir).close();
      assert.deepEqual(locks(data_dir), before);
      db.close();
    } finally {
      Deno.removeSync(data_dir, { recursive: true });
    }
  },
});

Deno.test("a disk without room for a lock, or a database, is called full", {
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
}, () => {
  const data_dir = Deno.makeTempDirSync({ prefix: "hamr_full_" });
  const mount = (...args: string[]) =>
    new Deno.Command(args[0]!, { args: args.slice(1) }).outputSync();
  if (!mount("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", data_dir).success) {
    Deno.stderr.writeSync(
      new TextEncoder().encode("SKIP a full disk: no right to mount a file system\n"),
    );
    return Deno.removeSync(data_dir);
  }
  try {
    try {
      Deno.writeFileSync(`${data_dir}/fill`, new Uint8Array(65_536));
    } catch {
      // It is full.
    }
    assert.throws(() => SessionLock.take(data_dir, "one"), /disk is full/);
    assert.equal(is_running(data_dir, "one"), false);
    assert.throws(() => open_database(data_dir), /hamr\.db can't be .*\bfull\b/);
  } finally {
    mount("umount", data_dir);
    Deno.removeSync(data_dir);
  }
});

Deno.test("where a lock can't be made its file is named", () => {
  const data_dir = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${data_dir}/locks/one`, { recursive: true });
    const named = { message: /^\/.*\/locks\/one can't be written: / };
    assert.throws(() => SessionLock.take(data_dir, "one"), named);
  } finally {
    Deno.removeSync(data_dir, { recursive: true });
  }
});
