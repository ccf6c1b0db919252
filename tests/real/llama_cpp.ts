/** A real llama.cpp server: `deno task test:real`. */
import assert from "node:assert/strict";
import { free_port, llama_cpp, until, workspace } from "./support.ts";

Deno.test("a run on a real llama.cpp: its window, a native call, its cache", async () => {
  const server = await llama_cpp(free_port(), 8192);
  if (server === null) return;
  try {
    await workspace(async (ws, run) => {
      const flags = ["--base-url", server.url, "--temperature", "0"];
      const ran = await run([...flags, "Create a file hello.txt containing hi"]);
      assert.equal(ran.code, 0, ran.stderr);
      assert.match(ws.read("hello.txt"), /^hi/);
      const [start] = ran.events;
      assert.deepEqual([start?.["provider"], start?.["context_window"]], ["llama.cpp", 8192]);
      const [first, second] = ran.events.filter(({ type }) => type === "usage");
      const share = Number(second?.["cached_tokens"]) / Number(first?.["input_tokens"]);
      assert.ok(share > 0.95, `${share} of the first prompt came out of the cache`);
      assert.deepEqual(ran.result.warnings, []);
    });
  } finally {
    server.stop();
  }
});

Deno.test("a real llama.cpp that is killed and comes back with a smaller window", async () => {
  const port = free_port();
  let server = await llama_cpp(port, 8192);
  if (server === null) return;
  try {
    await workspace(async (ws, run) => {
      const flags = ["--base-url", server!.url, "--temperature", "0"];
      const running = run([...flags, "Create a file hello.txt containing hi"]);
      await until("the first request", async () => {
        const slots = await (await fetch(`${server!.url}/slots`)).json();
        return slots[0].is_processing === true;
      });
      server!.stop();
      server = await llama_cpp(port, 4096);
      const ran = await running;
      assert.equal(ran.code, 0, ran.stderr);
      assert.match(ws.read("hello.txt"), /^hi/);
      assert.deepEqual(ran.result.warnings, [
        "the server is back with smollm2, window 4096 tokens",
      ]);
    });
  } finally {
    server?.stop();
  }
});
