import assert from "node:assert/strict";
import { linux_libc } from "../kernel/libc.ts";

const WORKER = `
import { open_libc } from "${new URL("../kernel/libc.ts", import.meta.url)}";
import { open_waiting } from "${new URL("waiting.ts", import.meta.url)}";
const libc = open_libc();
self.onmessage = ({ data: files }) => {
  for (const fd of files) void open_waiting(libc).poll([{ fd, for: "in" }], null);
  self.postMessage("waits");
};`;

/** Forty waits are begun by a thread that ends before they do. Then what it had in memory is taken by others. */
const PROGRAM = `
const worker_code = ${JSON.stringify(WORKER)};
const { pipe, write } = Deno.dlopen(${JSON.stringify(linux_libc()?.library)}, {
  pipe: { parameters: ["buffer"], result: "i32" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
}).symbols;
const pipes = Array.from({ length: 40 }, () => {
  const ends = new Int32Array(2);
  pipe(ends);
  return ends;
});
const code = "data:text/javascript," + encodeURIComponent(worker_code);
const worker = new Worker(code, { type: "module" });
await new Promise((begun) => {
  worker.onmessage = begun;
  worker.postMessage(pipes.map(([end]) => end));
});
const pause = () => new Promise((over) => setTimeout(over, 100));
await pause();
worker.terminate();
await pause();
const taken = Array.from({ length: 100_000 }, () => new Uint8Array(24).fill(0xaa));
for (const [, end] of pipes) write(end, new Uint8Array(1), 1n);
await pause();
const changed = taken.filter((bytes) => bytes.some((byte) => byte !== 0xaa));
console.log(changed.length);`;

Deno.test({
  name: "a wait that outlives its thread writes into nobody's memory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--quiet", PROGRAM],
      // What a thread has freed, the next one that asks is given (glibc).
      env: { MALLOC_ARENA_MAX: "1", GLIBC_TUNABLES: "glibc.malloc.tcache_count=0" },
    }).output();
    const [said, told] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.deepEqual([code, said], [0, "0\n"], told);
  },
});
