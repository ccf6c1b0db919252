/** Real servers with a real small model. Where they are not built, the tests say so loudly and pass. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { check_events, check_result, type Event, type Result } from "../support/output.ts";
import { remove, remove_now } from "../support/remove.ts";
import { type Folder, folder } from "../support/stage.ts";
import { skip } from "../support/skip.ts";

/** Both servers are built by scripts of this folder, into a cache. */
const TOOLS = fileURLToPath(new URL("../../../shared/tools/", import.meta.url));
const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const PROGRAM = Deno.env.get("HAMR_BIN")
  ? [Deno.env.get("HAMR_BIN")!]
  : [Deno.execPath(), "run", "-A", MAIN];
/** A model of 135M parameters reads some tokens a second on a machine without AVX. */
const MOST_MS = 900_000;

/** Gone once the tests are over: a server that is started again needs what the one before has left. */
const left: string[] = [];
globalThis.addEventListener("unload", () => {
  left.forEach(remove_now);
});

function is_file(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function is_free(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}

/** Shows Ollama's model three worked calls, without which it makes none, and not the system message: it reads 40 tokens a second. */
export const CALLS = `{{ if .Tools }}<|im_start|>system
Reply to each request with one tool call. After the tool result say Done.<|im_end|>
${
  [
    [
      "Create a file notes.txt containing abc",
      "write",
      { path: "notes.txt", content: "abc" },
      "ok",
    ],
    ["Run the command date", "bash", { command: "date" }, "Mon Jan 1"],
    ["Write the word yes to a.txt", "write", { path: "a.txt", content: "yes" }, "ok"],
  ].map(([asked, name, args, result]) =>
    [
      ["user", asked],
      ["assistant", `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`],
      ...[["tool", result], ["user", "Is it done?"], ["assistant", "Done."]],
    ].map(([role, text]) => `<|im_start|>${role}\n${text}<|im_end|>\n`).join("")
  ).join("")
}{{ end }}{{ range .Messages }}{{ if eq .Role "assistant" }}<|im_start|>assistant
{{ .Content }}{{ range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>{{ end }}<|im_end|>
{{ else if ne .Role "system" }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ if eq .Role "tool" }}<|im_start|>user
Is it done?<|im_end|>
{{ end }}{{ end }}{{ end }}<|im_start|>assistant
`;

/** A port on which nothing listens, none of those that systems give out: a run of another test may still ask one of these, and load a model. */
export function free_port(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (is_free(port)) return port;
  }
}

/** A server that runs. */
export interface Real {
  readonly url: string;
  /** To it and to what it has started. */
  signal(signal: Deno.Signal): void;
  /** Kills it. */
  stop(): Promise<void>;
  log(): string;
}

/** A server's process: stopped and killed as a person would, and its children with it. */
function process(command: readonly string[], options: {
  readonly env: Record<string, string>;
  readonly log: string;
}) {
  const server = new Deno.Command("bash", {
    args: ["-c", `log=$1; shift; exec "$@" > "$log" 2>&1`, "-", options.log, ...command],
    env: options.env,
    stdin: "null",
    detached: true,
  }).spawn();
  let over = false;
  void server.status.then(() => over = true);
  return {
    /** Waits until it answers. */
    async answers(name: string, url: string): Promise<void> {
      await until(name, async () => {
        if (over) throw new Error(`${name} has ended:\n${Deno.readTextFileSync(options.log)}`);
        return await fetch(url).then(is_ok, () => false);
      });
    },
    /** Kills what it has started. */
    kill_runner() {
      for (const { name } of Deno.readDirSync(`/proc/${server.pid}/task`)) {
        const list = Deno.readTextFileSync(`/proc/${server.pid}/task/${name}/children`);
        list.split(" ").filter(Number).forEach((pid) => Deno.kill(Number(pid), "SIGKILL"));
      }
    },
    signal: (signal: Deno.Signal) => Deno.kill(-server.pid, signal),
    log: () => Deno.readTextFileSync(options.log),
    async stop() {
      Deno.kill(-server.pid, "SIGKILL");
      await server.status;
    },
  };
}

/** llama.cpp's server; null if it is not built. */
export async function llama_cpp(
  port: number,
  context: number,
  { alias = "smollm2", slots = 1, memory = 512 } = {},
): Promise<Real | null> {
  const cache = Deno.env.get("REAL_MODEL_DIR") ?? `${Deno.env.get("HOME")}/.cache/real-model`;
  if (!is_file(`${cache}/llama-server`) || !is_file(`${cache}/model.gguf`)) {
    return skip("llama.cpp is not built: run ../shared/tools/real_model.sh build");
  }
  if (!is_free(port)) return skip(`port ${port} is taken`);
  const log = Deno.makeTempFileSync({ prefix: "hamr_llama_" });
  left.push(log);
  const server = process([
    ...[`${cache}/llama-server`, "-m", `${cache}/model.gguf`, "--offline", "--alias", alias],
    ...["--host", "127.0.0.1", "--port", String(port), "--chat-template-file"],
    ...[`${TOOLS}real_model.jinja`, "-np", String(slots), "-c", String(context)],
    // Megabytes for prompts that are in no slot.
    ...["--cache-ram", String(memory)],
    // Several wait for each other by turning in circles, which on a busy machine takes more than they bring.
    ...["--threads", "1"],
  ], { env: {}, log });
  const url = `http://127.0.0.1:${port}`;
  await server.answers("llama.cpp", `${url}/health`);
  return { url, ...server };
}

async function is_ok(response: Response): Promise<boolean> {
  await response.body?.cancel();
  return response.ok;
}

/** How Ollama is started. */
interface Served {
  readonly template: string;
  readonly port?: number;
  readonly env?: Record<string, string>;
  /** The folder that an earlier one has left, with its models. */
  readonly root?: string;
}

/** Ollama with a model of this name and template; null if it is not built. Its models are in a folder of their own. */
export async function ollama(
  name: string,
  { template, port = free_port(), env: more = {}, root: given }: Served,
): Promise<(Real & { readonly root: string; kill_runner(): void }) | null> {
  const home = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  const cache = `${home}/hamr-real-ollama`;
  if (!is_file(`${cache}/ollama`)) {
    return skip("Ollama is not built: run ../shared/tools/real_ollama.sh");
  }
  if (!is_free(port)) return skip(`port ${port} is taken`);
  const root = given ?? Deno.makeTempDirSync({ prefix: "hamr_ollama_" });
  if (given === undefined) left.push(root);
  const url = `http://127.0.0.1:${port}`;
  const env = { OLLAMA_HOST: url, OLLAMA_MODELS: `${root}/models`, HOME: root, ...more };
  const server = process([`${cache}/ollama`, "serve"], { env, log: `${root}/log` });
  await server.answers("Ollama", `${url}/api/version`);
  const file = `FROM ${cache}/model.gguf\nTEMPLATE """${template}"""\nPARAMETER temperature 0\n` +
    "PARAMETER num_thread 1\n";
  Deno.writeTextFileSync(`${root}/Modelfile`, file);
  const args = ["create", name, "-f", `${root}/Modelfile`];
  const { code, stderr } = await new Deno.Command(`${cache}/ollama`, { args, env }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return { url, root, ...server };
}

/** Lines of a stream of text. */
class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(text, controller) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        lines.forEach((line) => controller.enqueue(line));
      },
    });
  }
}

/** What a run left behind. */
export interface Ran {
  readonly code: number;
  readonly result: Result;
  readonly events: readonly Event[];
  readonly stderr: string;
}

/** Runs the program in a workspace; told of each of its events, what comes back is said to the run (`--steer`) or done to it. */
export type Run = (
  args: readonly string[],
  env?: Record<string, string>,
  on_event?: (event: Event, child: Deno.ChildProcess) => string | undefined | void,
) => Promise<Ran>;

/** A workspace, and a way to run the program in it. */
export async function workspace<T>(body: (ws: Folder, run: Run) => Promise<T>): Promise<T> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_real_" }));
  Deno.mkdirSync(`${root}/ws`);
  const run: Run = async (args, env = {}, on_event = () => {}) => {
    const [command = "", ...rest] = [...PROGRAM, "run", "--output", "jsonl", ...args];
    const child = new Deno.Command(command, {
      args: rest,
      cwd: `${root}/ws`,
      env: { HAMR_HOME: `${root}/home`, NO_COLOR: "1", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stdin = child.stdin.getWriter();
    const encoder = new TextEncoder();
    const late = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
    const told = new Response(child.stderr).text();
    const events: Event[] = [];
    const lines = child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream());
    for await (const line of lines) {
      const event = JSON.parse(line) as Event;
      events.push(event);
      const said = on_event(event, child);
      if (typeof said === "string") await stdin.write(encoder.encode(`${said}\n`));
    }
    const { code } = await child.status;
    clearTimeout(late);
    await stdin.close().catch(() => {});
    check_events(events);
    const result = events.at(-1) as unknown as Result;
    check_result(result, code);
    return { code, result, events, stderr: await told };
  };
  try {
    return await body(folder(`${root}/ws`), run);
  } finally {
    await remove(root);
  }
}

/** Waits for something that takes its time. */
export async function until(what: string, test: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + MOST_MS; !await test();) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
