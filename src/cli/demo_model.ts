/** The scripted model of the demo: a small server of the Chat Completions API on loopback. */
import { fields } from "../config/json.ts";

/** What it says, reply by reply. A call is a name and its arguments. */
const SCRIPT: readonly { readonly text: string; readonly calls: readonly [string, unknown][] }[] = [
  {
    text: "I'll look at the test and the script it checks.",
    calls: [["read", { path: "test.sh" }], ["read", { path: "sum.sh" }]],
  },
  { text: "The test should fail now.", calls: [["bash", { command: "bash test.sh" }]] },
  {
    text: "The numbers are subtracted instead of added.",
    calls: [["edit", {
      path: "sum.sh",
      old: "total=$((total - number))",
      new: "total=$((total + number))",
    }]],
  },
  { text: "", calls: [["bash", { command: "bash test.sh" }]] },
  {
    text:
      "sum.sh subtracted its arguments instead of adding them. I changed the operator in sum.sh; " +
      "test.sh now passes (2 + 3 + 4 = 9).",
    calls: [],
  },
];

/** Characters a chunk carries, so that the text is seen to stream. */
const CHUNK_CHARS = 12;
const CHUNK_MS = 15;

export function shell_script_model(): { readonly url: string; close(): Promise<void> } {
  let next = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    if (!request.url.endsWith("/chat/completions")) return new Response(null, { status: 404 });
    const body: unknown = await request.json();
    const reply = SCRIPT[Math.min(next++, SCRIPT.length - 1)] ?? { text: "", calls: [] };
    const size = JSON.stringify(body).length;
    const usage = {
      prompt_tokens: Math.ceil(size / 4),
      completion_tokens: Math.ceil(JSON.stringify(reply).length / 4),
    };
    const message = { role: "assistant", content: reply.text, tool_calls: calls_of(reply.calls) };
    const finish_reason = reply.calls.length > 0 ? "tool_calls" : "stop";
    if (fields(body)["stream"] !== true) {
      return Response.json({ choices: [{ message, finish_reason }], usage });
    }
    return new Response(ReadableStream.from(stream(message, { finish_reason, usage })), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    close: () => server.shutdown(),
  };
}

function calls_of(calls: readonly [string, unknown][]) {
  return calls.map(([name, args], index) => ({
    index,
    id: `call_${crypto.randomUUID().slice(0, 8)}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
}

async function* stream(
  message: { readonly content: string; readonly tool_calls: unknown[] },
  end: { readonly finish_reason: string; readonly usage: unknown },
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const event = (value: unknown) => encoder.encode(`data: ${JSON.stringify(value)}\n\n`);
  const delta = (value: unknown, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta: value, finish_reason }] });
  for (let at = 0; at < message.content.length; at += CHUNK_CHARS) {
    yield delta({ content: message.content.slice(at, at + CHUNK_CHARS) });
    await new Promise((resolve) => setTimeout(resolve, CHUNK_MS));
  }
  if (message.tool_calls.length > 0) yield delta({ tool_calls: message.tool_calls });
  yield delta({}, end.finish_reason);
  yield event({ choices: [], usage: end.usage });
  yield encoder.encode("data: [DONE]\n\n");
}
