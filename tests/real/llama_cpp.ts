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

/** Stands before a server; what is answered to the nth chat is not what the server says. */
function before(
  server: string,
  on_chat: (n: number, body: Record<string, unknown>) => Promise<unknown>,
) {
  let chats = 0;
  const { addr, shutdown } = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const body = request.method === "POST" ? await request.text() : null;
      if (pathname === "/v1/chat/completions") {
        const reply = await on_chat(++chats, JSON.parse(body ?? ""));
        if (reply !== undefined) return Response.json(reply);
      }
      return await fetch(server + pathname + search, { method: request.method, body });
    },
  );
  return { url: `http://127.0.0.1:${addr.port}`, shutdown };
}

/** As a server that doesn't stream says it. */
function calling(nth: number, called: { readonly name: string; readonly arguments: string }) {
  const tool_calls = [{ index: 0, id: `call${nth}`, type: "function", function: called }];
  const message = { role: "assistant", content: "", tool_calls };
  return { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
}

Deno.test("another program takes the slot of a real llama.cpp: the result says what that costs, and why", async () => {
  // With its memory for prompts, which is on by default, it costs nothing.
  for (const memory of [0, 512]) {
    const server = await llama_cpp(free_port(), 8192, { memory });
    if (server === null) return;
    const chat = async (body: unknown) => {
      const asking = { method: "POST", body: JSON.stringify(body) };
      return await (await fetch(`${server.url}/v1/chat/completions`, asking)).json();
    };
    // The server reads all of it. What the model would say is not waited for.
    const between = before(server.url, async (n, body) => {
      if (n === 3) await chat({ max_tokens: 1, messages: [{ role: "user", content: "Hm." }] });
      if (n > 2) return undefined;
      const { usage } = await chat({ ...body, stream: false, max_tokens: 1 });
      return { ...calling(n, { name: "bash", arguments: `{"command":"echo ${n}"}` }), usage };
    });
    try {
      await workspace(async (_, run) => {
        const flags = ["--base-url", between.url, "--max-steps", "3", ...BRIEF];
        const { result, stderr } = await run([...flags, "Go on"]);
        const { cache_lost_tokens: lost } = result.usage;
        assert.equal(lost > 600, memory === 0, `${lost}: ${stderr}`);
        const told = result.warnings.filter((line) => line.includes("had already read"));
        assert.equal(told.length, memory === 0 ? 1 : 0, stderr);
        told.forEach((line) => assert.match(line, /: something else used its cache/));
      });
    } finally {
      await between.shutdown();
      await server.stop();
    }
  }
});

Deno.test("a real llama.cpp holds the third try of a model to the schema of the call", async () => {
  const server = await llama_cpp(free_port(), 8192);
  if (server === null) return;
  const formats: unknown[] = [];
  // The model's first two calls are replaced by some that fit no tool.
  const between = before(server.url, (n, { response_format }) => {
    formats.push(response_format);
    const made = { name: "write", arguments: '{"file": 1}' };
    return Promise.resolve(n <= 2 ? calling(n, made) : undefined);
  });
  try {
    await workspace(async (ws, run) => {
      const ran = await run([
        "--base-url",
        between.url,
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
