/** A real Ollama: `deno task test:real`. */
import assert from "node:assert/strict";
import { CALLS, ollama, until, workspace } from "./support.ts";

/** Shows the model the task and nothing else: it reads a few tokens a second here. */
const TEMPLATE = `{{ if .Tools }}{{ end }}{{ range .Messages }}{{ if .ToolCalls }}{{ end }}` +
  `<|im_start|>{{ .Role }}\n{{ if eq .Role "user" }}{{ .Content }}{{ end }}<|im_end|>\n` +
  `{{ end }}<|im_start|>assistant\n`;

Deno.test("a run on a real Ollama: the window that was asked for, and nobody calls it dead", async () => {
  const server = await ollama("chatty", { template: TEMPLATE });
  if (server === null) return;
  try {
    await workspace(async (_, run) => {
      const flags = ["--max-output-tokens", "10"];
      // It says nothing for longer than this before its first word, but by then its list has what it is loading.
      const env = { OLLAMA_HOST: server.url, HAMR_AGENT_IDLE_TIMEOUT_S: "10" };
      const ran = await run(
        [...flags, "--mode", "ask", "Sum up: " + "some words ".repeat(100)],
        env,
      );
      const [start] = ran.events;
      assert.equal(start?.["api_mode"], "ollama_chat", ran.stderr);
      assert.equal(start?.["context_window"], 8192, "all that the model can hold");
      const again = ran.events.filter(({ type, reason }) =>
        type === "retry" && /sent no part|stopped sending/.test(String(reason))
      );
      assert.deepEqual(again, []);
      assert.ok(ran.result.usage.input_tokens > 0, ran.stderr);
      assert.match(server.log(), /n_ctx\s+= 8192/);
    });
    await workspace(async (_, run) => {
      const began = () => Promise.resolve(server.log().includes("llama runner started"));
      const env = { OLLAMA_HOST: server.url };
      let at = 0;
      const ran = await run(
        ["--mode", "ask", "Sum up: " + "some words ".repeat(300)],
        env,
        ({ type }, child) => {
          if (type !== "step_start") return;
          void until("it reads", began).then(() =>
            setTimeout(() => {
              at = performance.now();
              child.kill("SIGINT");
            }, 1000)
          );
        },
      );
      assert.deepEqual([ran.code, ran.result.stop_reason], [130, "user_interrupt"], ran.stderr);
      // It reads on for minutes; nobody waits for that.
      assert.ok(performance.now() - at < 30_000);
    });
  } finally {
    await server.stop();
  }
});

Deno.test("a real Ollama cuts a prompt without a word through /v1: that is noticed", async () => {
  const env = { OLLAMA_CONTEXT_LENGTH: "512" };
  const server = await ollama("chatty", { template: TEMPLATE, env });
  if (server === null) return;
  try {
    await workspace(async (_, run) => {
      const base = ["--base-url", `${server.url}/v1`, "--api-mode", "chat_completions"];
      const flags = [...base, "--model", "chatty", "--max-output-tokens", "10", "--mode", "ask"];
      const ran = await run([...flags, "some words ".repeat(1000)]);
      assert.equal(ran.code, 3, ran.stderr);
      // Where Ollama lists the model before its reply has come, that says it first.
      const words = ran.result.error?.kind === "truncated"
        ? / tokens were sent, 512 were read; its window is 512; let hamr ask Ollama/
        : /the window of chatty is 512 tokens \(GET \/api\/ps\), but .*; let hamr ask Ollama/;
      assert.match(ran.result.error?.message ?? "", words);
      if (ran.result.error?.kind === "truncated") {
        assert.match(server.log(), /truncating input prompt" limit=512 prompt=2\d{3} /);
      }
    });
  } finally {
    await server.stop();
  }
});

Deno.test("the runner of a real Ollama is killed: it is asked again, and starts another", async () => {
  const server = await ollama("caller", { template: CALLS });
  if (server === null) return;
  try {
    await workspace(async (ws, run) => {
      let killed = false;
      const env = { OLLAMA_HOST: server.url };
      const ran = await run(["Create a file hello.txt containing hi"], env, ({ type }) => {
        if (type !== "step_start" || killed) return;
        killed = true;
        void until("its runner", () => Promise.resolve(/loaded runners/.test(server.log())))
          .then(() => server.kill_runner());
      });
      assert.equal(ran.code, 0, ran.stderr);
      assert.match(ws.read("hello.txt"), /^hi/);
      const retries = ran.events.filter(({ type }) => type === "retry");
      // In its words, which differ by how far it was: no connection, a connection that broke, a runner that stopped.
      const reasons = /answered 500: |model runner has unexpectedly stopped/;
      assert.match(String(retries[0]?.["reason"]), reasons);
    });
  } finally {
    await server.stop();
  }
});
