/** Real servers with a real small model. Where they are not built, the tests say so loudly and pass. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { check_events, check_result, type Event, type Result } from "../support/output.ts";
import { type Folder, folder } from "../support/stage.ts";

/** Both are built by these, into a cache. */
const TOOLS = fileURLToPath(new URL("../../../shared/tools/", import.meta.url));
const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const PROGRAM = Deno.env.get("HAMR_BIN")
  ? [Deno.env.get("HAMR_BIN")!]
  : [Deno.execPath(), "run", "-A", MAIN];
/** A model of 135M parameters reads some tokens a second on a machine without AVX. */
const MOST_MS = 900_000;

/** What one of the scripts prints; null where it can't give a server, and says why. */
async function script(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: [TOOLS + name, ...args],
    env,
    stdin: "null",
  }).output();
  if (code === 0) return new TextDecoder().decode(stdout);
  skip(`${name}: ${new TextDecoder().decode(stderr).trim().split("\n").at(-1)}`);
  return null;
}

function skip(why: string): void {
  const line = "#".repeat(78);
  Deno.stderr.writeSync(new TextEncoder().encode(`\n${line}\n# SKIP: ${why}\n${line}\n`));
}

function is_built(): boolean {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  try {
    return Deno.statSync(`${cache}/hamr-real-ollama/ollama`).isFile;
  } catch {
    return false;
  }
}

/** A port on which nothing listens. */
export function free_port(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

/** A server that runs. */
export interface Real {
  readonly url: string;
  stop(): void;
}

/** llama.cpp's server; null where it is not built. */
export async function llama_cpp(port: number, context: number): Promise<Real | null> {
  const said = await script("real_model.sh", ["start", String(port)], {
    REAL_MODEL_CTX: String(context),
  });
  const pid = Number(/pid (\d+)/.exec(said ?? "")?.[1]);
  if (said === null) return null;
  return { url: `http://127.0.0.1:${port}`, stop: () => Deno.kill(pid, "SIGKILL") };
}

/** Ollama with a model of this name and template; null where it is not built. Its models lie in a folder of their own. */
export async function ollama(
  name: string,
  template: string,
): Promise<(Real & { readonly log: () => string }) | null> {
  // The script would build it now, which takes ten minutes.
  if (!is_built()) skip("Ollama is not built: run ../shared/tools/real_ollama.sh");
  const said = is_built() ? await script("real_ollama.sh", []) : null;
  if (said === null) return null;
  const of = (variable: string) => new RegExp(`${variable}=(\\S+)`).exec(said)?.[1] ?? "";
  const root = Deno.makeTempDirSync({ prefix: "hamr_ollama_" });
  const host = `127.0.0.1:${free_port()}`;
  const env = { OLLAMA_HOST: host, OLLAMA_MODELS: `${root}/models`, HOME: root };
  const server = new Deno.Command("bash", {
    args: ["-c", `exec "$0" serve 2> "$1"`, of("OLLAMA_BIN"), `${root}/log`],
    env,
    stdin: "null",
    stdout: "null",
    detached: true,
  }).spawn();
  Deno.writeTextFileSync(
    `${root}/Modelfile`,
    `FROM ${of("OLLAMA_GGUF")}\nTEMPLATE """${template}"""\nPARAMETER temperature 0\n`,
  );
  for (let tries = 0;; tries++) {
    const { code, stderr } = await new Deno.Command(of("OLLAMA_BIN"), {
      args: ["create", name, "-f", `${root}/Modelfile`],
      env,
    }).output();
    if (code === 0) break;
    if (tries === 50) throw new Error(new TextDecoder().decode(stderr));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    url: `http://${host}`,
    log: () => Deno.readTextFileSync(`${root}/log`),
    stop() {
      // Its runner is a process of its own, and outlives it.
      Deno.kill(-server.pid, "SIGKILL");
      Deno.removeSync(root, { recursive: true });
    },
  };
}

/** What a run left behind. */
export interface Ran {
  readonly code: number;
  readonly result: Result;
  readonly events: readonly Event[];
  readonly stderr: string;
}

/** A workspace, and a way to run the program in it. */
export async function workspace<T>(
  body: (
    ws: Folder,
    run: (args: readonly string[], env?: Record<string, string>) => Promise<Ran>,
  ) => Promise<T>,
): Promise<T> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_real_" }));
  Deno.mkdirSync(`${root}/ws`);
  const run = async (args: readonly string[], env: Record<string, string> = {}) => {
    const [command = "", ...rest] = [...PROGRAM, "run", "--output", "jsonl", ...args];
    const child = new Deno.Command(command, {
      args: rest,
      cwd: `${root}/ws`,
      env: { HAMR_HOME: `${root}/home`, NO_COLOR: "1", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const late = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
    const { code, stdout, stderr } = await child.output();
    clearTimeout(late);
    const told = new TextDecoder().decode(stderr);
    const events = new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
      JSON.parse(line) as Event
    );
    check_events(events);
    const result = events.at(-1) as unknown as Result;
    check_result(result, code);
    return { code, result, events, stderr: told };
  };
  try {
    return await body(folder(`${root}/ws`), run);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

/** Waits for something that takes its time. */
export async function until(what: string, test: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + MOST_MS; !await test();) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
