import assert from "node:assert/strict";
import { linux_libc } from "../kernel/libc.ts";
import { end_written } from "../_testing.ts";
import { is_at_rest } from "./at_rest.ts";
import { read_process } from "./process_tree.ts";

/** Says the ids of a process whose first thread is gone, of one that waits for a child which has not started its program, and of that child. */
const PROGRAM = `
import ctypes, os, platform, threading, time
libc = ctypes.CDLL(None, use_errno=True)
clone, leave = (56, 60) if platform.machine() == "x86_64" else (220, 93)
read, write = os.pipe()
headless = os.fork()
if headless == 0:
  os.close(1), os.close(2)
  threading.Thread(target=time.sleep, args=(600,)).start()
  libc.syscall(leave, 0)
waits = os.fork()
if waits == 0:
  os.close(1), os.close(2)
  if libc.syscall(clone, 0x4000 | 17, 0, 0, 0, 0) == 0: # CLONE_VFORK, SIGCHLD
    os.write(write, str(os.getpid()).encode())
    time.sleep(600)
  os._exit(0)
print(headless, waits, os.read(read, 20).decode(), flush=True)
`;

async function until(is_so: () => boolean): Promise<void> {
  while (!is_so()) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test({
  name:
    "a process is at rest once all its threads are stopped, or wait for who is; it has ended with its last thread",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const libc = linux_libc()!;
    const { stdout } = new Deno.Command("python3", { args: ["-c", PROGRAM] }).outputSync();
    const ids = new TextDecoder().decode(stdout).trim().split(" ");
    const [headless = 0, waits = 0, child = 0] = ids.map(Number);
    try {
      const state = (pid: number) => Deno.readTextFileSync(`/proc/${pid}/stat`).split(" ")[2];
      await until(() => state(headless) === "Z" && state(waits) === "D");
      assert.equal(read_process(libc, headless)?.ended, false);
      assert.deepEqual([headless, child].map((pid) => is_at_rest(libc, pid)), [false, false]);
      for (const pid of [headless, child, waits]) Deno.kill(pid, "SIGSTOP");
      // Each gets there by itself, and stays so.
      await until(() => [headless, child, waits].every((pid) => is_at_rest(libc, pid)));
    } finally {
      for (const id of ids) end_written(id);
    }
    await until(() => read_process(libc, headless)?.ended !== false);
  },
});
