/** A real Ollama: `deno task test:real`. */
import assert from "node:assert/strict";
import { ollama, workspace } from "./support.ts";

/** Shows the model the task and nothing else: it reads a few tokens a second here. */
const TEMPLATE = `{{ if .Tools }}{{ end }}{{ range .Messages }}{{ if .ToolCalls }}{{ end }}` +
  `<|im_start|>{{ .Role }}\n{{ if eq .Role "user" }}{{ .Content }}{{ end }}<|im_end|>\n` +
  `{{ end }}<|im_start|>assistant\n`;

Deno.test("a run on a real Ollama: the window that was asked for, and nobody calls it dead", async () => {
  const server = await ollama("chatty", TEMPLATE);
  if (server === null) return;
  try {
    await workspace(async (_, run) => {
      const flags = ["--max-output-tokens", "40"];
      // It says nothing for longer than this, again and again, before its first word.
      const env = { OLLAMA_HOST: server.url, HAMR_AGENT_IDLE_TIMEOUT_S: "0.2" };
      const ran = await run([...flags, "--mode", "ask", "Say in one sentence what a sum is."], env);
      const [start] = ran.events;
      assert.equal(start?.["api_mode"], "ollama_chat", ran.stderr);
      assert.equal(start?.["context_window"], 8192, "all that the model can hold");
      const again = ran.events.filter(({ type, reason }) =>
        type === "retry" && /sent nothing|stopped sending/.test(String(reason))
      );
      assert.deepEqual(again, []);
      assert.ok(ran.result.usage.input_tokens > 0, ran.stderr);
      assert.match(server.log(), /n_ctx\s+= 8192/);
    });
  } finally {
    server.stop();
  }
});
