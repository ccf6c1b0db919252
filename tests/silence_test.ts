/** Local servers that are silent while they work: nobody calls them dead. */
import assert from "node:assert/strict";
import { ANSWER, call, say } from "./support/model_server.ts";
import { ollama_body } from "./support/ollama.ts";
import { stage } from "./support/stage.ts";

/** As `agent.idle_timeout_s`; many times that passes in silence. */
const IDLE_S = "0.1";
/** How often the server is asked before it goes on. */
const QUESTIONS = 5;

/** Ollama, which begins to write, and then is silent until all of a call is there, or for good. */
function ollama({ ends, loaded }: { ends: boolean; loaded: boolean }) {
  let chats = 0;
  let questions = 0;
  const enough = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const models = [{ name: "scripted", context_length: 24_576 }];
  const reply = { ...call("write", { path: "long.txt", content: "line\n".repeat(400) }) };
  const encoder = new TextEncoder();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/api/ps":
        if (chats > 0 && ++questions >= QUESTIONS) enough.resolve();
        return Response.json({ models: chats === 0 || loaded ? models : [] });
      case "/v1/models":
        return Response.json({ data: [{ id: "scripted" }] });
      case "/api/show":
        return Response.json({
          model_info: { "general.architecture": "l", "l.context_length": 32_768 },
          capabilities: ["completion", "tools"],
        });
      case "/api/chat":
        break;
      default:
        return new Response("no", { status: 404 });
    }
    if (chats++ > 0 && ends) {
      return new Response(ollama_body(say(ANSWER), 1, true), {
        headers: { "content-type": "application/x-ndjson" },
      });
    }
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(
          encoder.encode('{"message":{"role":"assistant","content":"I write it."},"done":false}\n'),
        );
        await (ends ? enough : over).promise;
        try {
          controller.enqueue(encoder.encode(ollama_body(reply, 0, true)));
          controller.close();
        } catch {
          // Nobody has waited for it.
        }
      },
    });
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    chats: () => chats,
    close() {
      over.resolve();
      return server.shutdown();
    },
  };
}

Deno.test("Ollama may be silent for as long as it writes a call", async () => {
  const server = ollama({ ends: true, loaded: true });
  try {
    await stage({}, async (s) => {
      const env = { OLLAMA_HOST: server.origin, HAMR_AGENT_IDLE_TIMEOUT_S: IDLE_S };
      const run = await s.hamr(["run", "--output", "jsonl", "Write long.txt."], { env });
      assert.equal(run.code, 0, run.stderr);
      assert.equal(run.result.final_output, ANSWER);
      assert.equal(s.ws.read("long.txt").length, 2000);
      assert.ok(!run.events.some(({ type }) => type === "retry"), "it was never given up");
      assert.equal(server.chats(), 2);
    });
  } finally {
    await server.close();
  }
});

Deno.test("a server on this machine that gives no sign of itself is asked again, and then it is over", async () => {
  let requests = 0;
  const over = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (one) => {
    if (one.method !== "POST") return new Response("no", { status: 404 });
    requests++;
    await over.promise;
    return new Response("");
  });
  await stage({}, async (s) => {
    const env = { HAMR_AGENT_IDLE_TIMEOUT_S: IDLE_S };
    const url = `http://127.0.0.1:${server.addr.port}/v1`;
    const run = await s.hamr(["run", "--json", "--base-url", url, "What is it?"], { env });
    assert.deepEqual([run.code, run.result.stop_reason, requests], [1, "llm_error", 2]);
    const words = /sent no part of a reply in time \(agent\.idle_timeout_s is 0\.1 s\)/;
    assert.match(run.result.error?.message ?? "", words);
    assert.match(run.stderr, /asking again.*sent no part of a reply/);
  });
  over.resolve();
  await server.shutdown();
});

Deno.test("while a server loads the model that it was asked about, nobody asks for the reply again", async () => {
  let chats = 0;
  const asked = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (one) => {
    const { pathname } = new URL(one.url);
    switch (pathname) {
      case "/v1/models":
        return Response.json({ data: [{ id: "m", owned_by: "llama-swap" }] });
      case "/running":
        return Response.json({ running: [{ model: "m", state: "starting" }] });
      case "/upstream/m/props":
        // Many times the limit after the request for the reply has come.
        await asked.promise;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return Response.json({ default_generation_settings: { n_ctx: 32_768 } });
      case "/v1/chat/completions": {
        chats++;
        asked.resolve();
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const message = { role: "assistant", content: ANSWER };
        return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
      }
      default:
        return new Response("no", { status: 404 });
    }
  });
  await stage({}, async (s) => {
    const env = { HAMR_AGENT_IDLE_TIMEOUT_S: IDLE_S };
    const url = `http://127.0.0.1:${server.addr.port}/v1`;
    const args = ["run", "--json", "--base-url", url, "--model", "m", "What is it?"];
    const run = await s.hamr(args, { env });
    assert.deepEqual([run.code, chats], [0, 1], run.stderr);
  });
  await server.shutdown();
});

Deno.test("Ollama whose runner is gone is not waited for", async () => {
  const server = ollama({ ends: false, loaded: false });
  try {
    await stage({}, async (s) => {
      const env = { OLLAMA_HOST: server.origin, HAMR_AGENT_IDLE_TIMEOUT_S: IDLE_S };
      const run = await s.hamr(["run", "--json", "Write long.txt."], { env });
      assert.deepEqual([run.code, run.result.stop_reason], [1, "llm_error"]);
      assert.match(run.result.error?.message ?? "", /stopped sending/);
    });
  } finally {
    await server.close();
  }
});
