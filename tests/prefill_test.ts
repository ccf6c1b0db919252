/** How far a llama.cpp server has read the prompt: asked of such servers only, shown on a terminal only. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { each, until } from "./support/hamr.ts";
import { ANSWER, bash, say, stream_body } from "./support/model_server.ts";
import { installed } from "./support/installed.ts";
import { open_stage, stage, type StageOptions } from "./support/stage.ts";

const ON_TERMINAL = fileURLToPath(new URL("./support/on_terminal.py", import.meta.url));
/** What a real server said while it read a prompt of 5,365 tokens for 42 s, up to 2,072 of them. */
const READING = /^(data: .*\n\n){2}/.exec(
  Deno.readTextFileSync(new URL("./wire/llama.cpp/return-progress.sse", import.meta.url)),
)![0];

Deno.test("only llama.cpp is asked how far it is, and only of a stream", async () => {
  const script = [bash("true"), say(ANSWER)];
  const model = ["--model", "scripted"];
  const cases: readonly (readonly [StageOptions, string[], boolean[]])[] = [
    [{ llama_ctx: 16384, env: { HAMR_MODEL: "" } }, [], [true, true]],
    // What it is, is asked while the first request is on its way.
    [{ llama_ctx: 16384 }, model, [false, true]],
    [{ llama_ctx: 16384 }, ["--no-stream"], [false, false]],
    [{ ollama_ctx: 16384, env: { HAMR_MODEL: "" } }, [], [false, false]],
    [{}, [], [false, false]],
  ];
  await each(cases, ([options, flags, asked]) =>
    open_stage({ ...options, script }, async (s) => {
      assert.equal((await s.run("Look.", ...flags)).code, 0);
      const found = s.server.requests.map(({ raw }) => raw.includes('"return_progress":true'));
      assert.deepEqual(found, asked);
    }));
});

Deno.test("a server that can be asked whether it works may take its time before the first byte", async () => {
  const env = { HAMR_AGENT_IDLE_TIMEOUT_S: "0.1", HAMR_MODEL: "" };
  await open_stage(
    { env, llama_ctx: 16384, script: [{ ...say(ANSWER), delay_ms: 800 }] },
    async (s) => {
      const { result } = await s.run("What is it?");
      assert.deepEqual([result.exit_code, s.server.requests.length], [0, 1]);
    },
  );
});

/** A llama.cpp server that has read a part of the prompt, and answers when `go_on` has come. */
function slow_server(go_on: Promise<void>) {
  const encoder = new TextEncoder();
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/props") {
      return Response.json({ default_generation_settings: { n_ctx: 16384 }, model_alias: "m" });
    }
    if (!pathname.endsWith("/completions")) return new Response("no", { status: 404 });
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(READING));
        await go_on;
        controller.enqueue(encoder.encode(stream_body(say(ANSWER), 0, true)));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
}

Deno.test("a terminal shows how far the prompt is read; nothing else does", {
  ignore: !installed("python3"),
}, async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = slow_server(promise);
  try {
    await stage({}, async (s) => {
      const env = {
        HAMR_BASE_URL: `http://127.0.0.1:${server.addr.port}/v1`,
        // The limit between two reads is none before the reply has begun.
        HAMR_AGENT_IDLE_TIMEOUT_S: "0.2",
      };
      const log = s.home.at("log");
      const args = ["run", "--output", "jsonl", "--log-file", log, "Say."];
      const wrapper = ["python3", ON_TERMINAL, "[]"];
      const run = s.start(args, { env, wrapper });
      await until("it waits", () => /5\.4k tokens 1s/.test(run.stderr()));
      assert.match(run.stderr(), /reading the prompt ███████░{13} 38% of 5\.4k tokens 0s/);
      resolve();
      const outcome = await run.done;
      assert.equal(outcome.result.final_output, ANSWER, outcome.stderr);
      assert.equal(outcome.events.filter(({ type }) => type === "retry").length, 0);
      const piped = await s.hamr(args, { env });
      assert.equal(piped.result.final_output, ANSWER);
      for (const text of [outcome.stdout, piped.stdout, piped.stderr, Deno.readTextFileSync(log)]) {
        assert.doesNotMatch(text, /prefill|reading the prompt/);
      }
    });
  } finally {
    resolve();
    await server.shutdown();
  }
});
