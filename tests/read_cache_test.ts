import assert from "node:assert/strict";
import { bash, call, type Reply, say } from "./support/model_server.ts";
import { skip } from "./support/skip.ts";
import { stage } from "./support/stage.ts";

/** 4 MB, of which a read shows the first lines and counts the others. */
const LONG = "a line of some length\n".repeat(200_000);

/** Bytes a process has read from files so far; null if the system does not say. */
function bytes_read(pid: number): number | null {
  try {
    const counts = Deno.readTextFileSync(`/proc/${pid}/io`);
    return Number(/^rchar: (\d+)/m.exec(counts)?.[1]);
  } catch {
    return null;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test({
  name: "a file that is read again is not read again, until it has changed",
  ignore: bytes_read(Deno.pid) === null,
  fn: async () => {
    const calls: Reply[] = [
      call("read", { path: "small.txt" }),
      call("read", { path: "long.txt", limit: 2 }),
      call("read", { path: "long.txt", limit: 2 }),
      call("read", { path: "long.txt", limit: 2 }),
      bash("sed -i '1s/.*/another line/' long.txt"),
      call("read", { path: "long.txt", limit: 2 }),
    ];
    let pid = 0;
    const counts: number[] = [];
    const script = async (_: unknown, n: number): Promise<Reply> => {
      // Until the files are older than the clock of the file system is coarse, and hamr has seen the workspace.
      if (n === 0) await pause(2100);
      counts.push(bytes_read(pid) ?? 0);
      return calls[n] ?? say("It says so.");
    };
    await stage({ script, files: { "long.txt": LONG, "small.txt": "x\n" } }, async (s) => {
      const running = s.start(["run", "--mode", "auto", "What does it say?"]);
      pid = running.pid;
      assert.equal((await running.done).code, 0);
      const [, first, again, once_more, , changed] = s.server.results();
      assert.deepEqual([again, once_more], [first, first]);
      assert.match(changed ?? "", /^1:another line\n/);
      if (counts[2] === 0) {
        skip("what a file costs that is read again: only root may know what hamr has read");
        return;
      }
      const read = (n: number) => counts[n + 1]! - counts[n]!;
      assert.ok(read(1) > LONG.length, `${read(1)} bytes the first time`);
      // A busy machine looks at the workspace, or loads what waits, while one of them is answered, but not twice.
      const least = Math.min(read(2), read(3));
      assert.ok(least < LONG.length / 4, `${least} bytes the second or third time`);
    });
  },
});
