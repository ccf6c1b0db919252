/** `hamr demo`: the whole program on a small broken project. Only the model is scripted, and the demo says so. */
import { temporary_folder } from "../app/command_folders.ts";
import { load } from "../config/load.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { ask_endpoint } from "../app/endpoint.ts";
import { run_job } from "./job.ts";
import { fields } from "../config/json.ts";

const FILES: Readonly<Record<string, string>> = {
  "sum.sh": `#!/bin/bash
# Prints the sum of its arguments.
total=0
for number in "$@"; do
  total=$((total - number))
done
echo "$total"
`,
  "test.sh": `#!/bin/bash
# Fails where sum.sh is wrong.
got=$(bash sum.sh 2 3 4)
if [ "$got" = 9 ]; then
  echo "ok: 2 + 3 + 4 = $got"
else
  echo "FAIL: 2 + 3 + 4 gave $got, expected 9"
  exit 1
fi
`,
};

const TASK = "The test fails. Find out why and fix it.";
const VERIFY = "bash test.sh";

/** Makes the project, plays the model, runs the task; returns its exit code. */
export async function demo(parsed: Parsed, io: Io): Promise<number> {
  const folder = temporary_folder("hamr-demo-");
  const project = `${folder}/project`;
  Deno.mkdirSync(project);
  for (const [name, text] of Object.entries(FILES)) {
    Deno.writeTextFileSync(`${project}/${name}`, text);
  }
  const model = shell_script_model();
  if (!parsed.flags.quiet) {
    io.err(`A small project with a failing test is in ${project}
The model is scripted and served by hamr itself on ${model.url}; loop, tools, sandbox and
verification are real.

$ hamr run -C ${project} --verify "${VERIFY}" "${TASK}"
`);
  }
  // Nobody's settings but the demo's own: it must work the same for everyone.
  const environ = { ...io.environ(), HAMR_HOME: `${folder}/home` };
  const own = Object.fromEntries(
    Object.entries(environ).filter(([name]) => name === "HAMR_HOME" || !name.startsWith("HAMR_")),
  );
  const where = "demo";
  const place = await load({
    workspace: project,
    environ: own,
    overrides: [
      { key: "provider.base_url", value: `${model.url}/v1`, where },
      { key: "provider.model", value: "scripted", where },
      { key: "provider.context_window", value: 8192, where },
      { key: "agent.mode", value: "verify", where },
      { key: "verify.command", value: VERIFY, where },
      ...parsed.overrides,
    ],
  });
  const own_io: Io = { ...io, environ: () => own, env: (name) => own[name] || undefined };
  const own_place = { ...place, workspace: project, environ: own };
  const endpoint = ask_endpoint(own_place);
  const { flags, overrides } = parsed;
  const job = { task: TASK, place: own_place, flags, overrides, io: own_io, endpoint };
  const code = await run_job(job);
  await model.close();
  if (!parsed.flags.quiet) {
    io.err(`
That was the real program with a scripted model. With a real model, in your own project:
  Ollama:     ollama pull qwen2.5-coder:7b  then  hamr run "your task"
  llama.cpp:  llama-server -m MODEL.gguf --jinja -c 16384  then the same
  hosted:     HAMR_API_KEY=… hamr run --base-url URL --model NAME "your task"
The ${code === 0 ? "fixed project" : "project"} is in ${project}
`);
  }
  return code;
}

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

function shell_script_model(): { readonly url: string; close(): Promise<void> } {
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
