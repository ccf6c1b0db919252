/** A real llama.cpp server: `deno task test:real`. */
import assert from "node:assert/strict";
import { free_port, llama_cpp, workspace } from "./support.ts";

/** Small models may not find an end. */
const BRIEF = ["--temperature", "0", "--max-output-tokens", "60"];
const WIRES = ["chat_completions", "codex_responses", "anthropic_messages"] as const;

Deno.test("a run on a real llama.cpp by each of its wires: its window, a native call, its cache", async () => {
  const server = await llama_cpp(free_port(), 8192);
  if (server === null) return;
  try {
    for (const wire of WIRES) {
      await workspace(async (ws, run) => {
        const flags = ["--base-url", server.url, "--api-mode", wire, ...BRIEF];
        const ran = await run([...flags, "Create a file hello.txt containing hi"]);
        assert.equal(ran.code, 0, ran.stderr);
        assert.match(ws.read("hello.txt"), /^hi/);
        const [start] = ran.events;
        assert.deepEqual([start?.["api_mode"], start?.["context_window"]], [wire, 8192]);
        const [first, second] = ran.events.filter(({ type }) => type === "usage");
        const share = Number(second?.["cached_tokens"]) / Number(first?.["input_tokens"]);
        assert.ok(share > 0.95, `${wire}: ${share} of the first prompt came out of the cache`);
        assert.deepEqual([ran.result.warnings, ran.result.usage.cache_lost_tokens], [[], 0]);
        assert.ok(!ran.events.some(({ type }) => type === "retry" || type === "fallback"));
      });
    }
  } finally {
    await server.stop();
  }
});

Deno.test("four runs at once on a real llama.cpp with four slots: each keeps its cache", async () => {
  const server = await llama_cpp(free_port(), 4 * 4096, { slots: 4 });
  if (server === null) return;
  try {
    const runs = ["a", "b", "c", "d"].map((word) =>
      workspace(async (ws, run) => {
        const flags = ["--base-url", server.url, ...BRIEF];
        const ran = await run([...flags, `Create a file ${word}.txt containing hi`]);
        assert.equal(ran.code, 0, ran.stderr);
        assert.match(ws.read(`${word}.txt`), /^hi/);
        const [first, second] = ran.events.filter(({ type }) => type === "usage");
        assert.ok(Number(second?.["cached_tokens"]) > 0.95 * Number(first?.["input_tokens"]));
        assert.deepEqual([ran.result.warnings, ran.result.usage.cache_lost_tokens], [[], 0]);
      })
    );
    await Promise.all(runs);
    assert.match(server.log(), /n_slots = 4/);
  } finally {
    await server.stop();
  }
});

Deno.test("12 steps on a real llama.cpp, the user says what comes next: 95 % out of the cache", async () => {
  const server = await llama_cpp(free_port(), 16_384);
  if (server === null) return;
  try {
    await workspace(async (ws, run) => {
      const task = (n: number) => `Create a file f${n}.txt containing a${n}`;
      let [n, steps] = [1, 0];
      const flags = ["--base-url", server.url, ...BRIEF, "--steer"];
      const ran = await run([...flags, task(1)], {}, ({ type }) => {
        if (type === "usage") steps++;
        return type === "tool_result" && steps < 12 ? task(++n) : undefined;
      });
      assert.equal(ran.code, 0, ran.stderr);
      assert.ok(ws.exists(`f${n}.txt`), "the last of them");
      const usage = ran.events.filter(({ type }) => type === "usage");
      assert.ok(usage.length >= 12, `${usage.length} steps`);
      const shares = usage.slice(1).map(({ cached_tokens }, i) =>
        Number(cached_tokens) / Number(usage[i + 1]?.["input_tokens"])
      );
      const least = Math.min(...shares);
      assert.ok(least >= 0.95, `${least}: ${shares.join(", ")}`);
      assert.deepEqual([ran.result.warnings, ran.result.usage.cache_lost_tokens], [[], 0]);
    });
  } finally {
    await server.stop();
  }
});

/** By then a server that has the time has said why. */
const MOST_TRIES = 3;

/** A run while whose command another program asks the server something: what its result says of the cache. */
async function disturbed(
  url: string,
): Promise<{ readonly lost: number; readonly why: readonly string[] }> {
  return await workspace(async (_, run) => {
    const flags = ["--base-url", url, ...BRIEF, "--steer"];
    let slept = 0;
    const ran = await run(
      [...flags, "Run the command date"],
      {},
      ({ type, name, arguments: args }) => {
        if (type === "tool_result" && name === "bash" && slept === 0) {
          slept++;
          return "Run the command sleep 4";
        }
        if (type !== "tool_call" || !JSON.stringify(args).includes("sleep")) return undefined;
        slept++;
        void fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          body: JSON.stringify({ max_tokens: 1, messages: [{ role: "user", content: "Hm." }] }),
        }).then((response) => response.text());
        return undefined;
      },
    );
    assert.equal(slept, 2, ran.stderr);
    return { lost: ran.result.usage.cache_lost_tokens, why: ran.result.warnings };
  });
}

Deno.test("another program takes the slot of a real llama.cpp: the result says what that costs, and why", async () => {
  // With its memory for prompts, which is on by default, it costs nothing.
  for (const memory of [0, 512]) {
    const server = await llama_cpp(free_port(), 8192, { memory });
    if (server === null) return;
    try {
      for (let tries = 1;; tries++) {
        const { lost, why } = await disturbed(server.url);
        assert.equal(lost > 600, memory === 0, `${lost}: ${why}`);
        assert.equal(why.length, memory === 0 ? 1 : 0);
        if (memory !== 0 || /: something else used its cache/.test(why[0] ?? "")) break;
        // Where a busy machine leaves the question after the reason unanswered, none is made up.
        assert.match(why[0] ?? "", /already read$/);
        assert.ok(tries < MOST_TRIES, why[0]);
      }
    } finally {
      await server.stop();
    }
  }
});

Deno.test("a real llama.cpp holds the third try of a model to the schema of the call", async () => {
  const server = await llama_cpp(free_port(), 8192);
  if (server === null) return;
  // The model's first two calls are replaced by some that fit no tool.
  let calls = 0;
  const formats: unknown[] = [];
  const between = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = request.method === "POST" ? await request.text() : null;
    if (pathname === "/v1/chat/completions") {
      formats.push(JSON.parse(body ?? "").response_format);
      if (++calls <= 2) {
        const made = { name: "write", arguments: '{"file": 1}' };
        const tool_calls = [{ index: 0, id: `call${calls}`, type: "function", function: made }];
        const message = { role: "assistant", content: "", tool_calls };
        return Response.json({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
      }
    }
    return await fetch(server.url + pathname + search, { method: request.method, body });
  });
  try {
    await workspace(async (ws, run) => {
      const url = `http://127.0.0.1:${between.addr.port}`;
      const ran = await run([
        "--base-url",
        url,
        "--temperature",
        "0",
        "--max-steps",
        "4",
        "Write hi to hello.txt",
      ]);
      const made = ran.events.filter(({ type }) => type === "tool_call");
      assert.deepEqual(formats.slice(0, 4).map((format) => format !== undefined), [
        false,
        false,
        true,
        false,
      ]);
      const [, , third] = made;
      assert.equal(third?.["name"], "write", ran.stderr);
      const { path, content } = third?.["arguments"] as { path: unknown; content: unknown };
      assert.deepEqual([typeof path, typeof content], ["string", "string"]);
      assert.ok(ws.exists(String(path)), "it was run");
      assert.match(
        ran.result.warnings.join("\n"),
        /llama\.cpp holds the next one to the schema of write/,
      );
    });
  } finally {
    await between.shutdown();
    server.stop();
  }
});
