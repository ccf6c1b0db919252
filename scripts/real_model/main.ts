/**
 * Three tasks by a real model on a running llama.cpp server, through each protocol that it serves: each has to end in 0 with
 * its effect on disk, and the server has to have most of the second prompt of each in its cache.
 *
 *     llama-server -m MODEL.gguf --jinja -c 8192 --port 8099
 *     deno run -A scripts/real_model/main.ts http://127.0.0.1:8099 [chat_completions,...]
 *
 * With `HAMR_BIN` the binary is what is tried. Ends in 1 where something does not hold.
 */
import { fileURLToPath } from "node:url";

/** What is asked, in words that the smallest models understand, and what must be there then. */
interface Task {
  readonly words: string;
  readonly flags: readonly string[];
  readonly file: string;
  readonly content: RegExp;
}

const TASKS: readonly Task[] = [
  {
    words: "Create a file hello.txt containing hi",
    flags: ["--mode", "patch"],
    file: "hello.txt",
    content: /^hi\s*$/,
  },
  {
    words: "Write the word done to out.txt",
    flags: ["--verify", "grep -qx done out.txt"],
    file: "out.txt",
    content: /^done\s*$/,
  },
  {
    words: "Run the shell command: touch now.txt",
    flags: ["--mode", "patch"],
    file: "now.txt",
    content: /^$/,
  },
];

/** The least part of the second prompt of a task that has to come out of the server's cache. */
const CACHED = 0.5;

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** An event of `jsonl`, as far as it is looked at. */
interface Told {
  readonly type: string;
  readonly step: number;
  readonly api_mode?: string;
  readonly input_tokens?: number;
  readonly cached_tokens?: number;
  readonly stop_reason?: string;
  readonly error?: { readonly message: string } | null;
}

/** What is wrong with one task through one protocol; empty if it holds. Says on stdout what was seen. */
async function faults_of(task: Task, at: { url: string; api_mode: string }): Promise<string[]> {
  const workspace = Deno.makeTempDirSync({ prefix: "hamr_real_" });
  try {
    const bin = Deno.env.get("HAMR_BIN");
    const [program = "", ...first] = bin ? [bin] : [Deno.execPath(), "run", "-A", MAIN];
    const { code, stdout } = await new Deno.Command(program, {
      args: [
        ...first,
        ...["run", "--output", "jsonl", "--quiet", "-C", workspace, "--base-url", at.url],
        ...["--api-mode", at.api_mode, "--temperature", "0", ...task.flags, task.words],
      ],
      stderr: "inherit",
    }).output();
    const events = new TextDecoder().decode(stdout).trimEnd().split("\n")
      .map((line) => JSON.parse(line) as Told);
    return judge(task, { workspace, code, events, api_mode: at.api_mode });
  } finally {
    Deno.removeSync(workspace, { recursive: true });
  }
}

function judge(
  task: Task,
  run: {
    readonly workspace: string;
    readonly code: number;
    readonly events: readonly Told[];
    readonly api_mode: string;
  },
): string[] {
  const result = run.events.at(-1);
  const out: string[] = [];
  if (run.code !== 0) {
    out.push(`exit ${run.code}: ${result?.stop_reason}: ${result?.error?.message}`);
  }
  const used = run.events.find(({ type }) => type === "session_start")?.api_mode;
  if (used !== run.api_mode) out.push(`went through ${used}`);
  const text = text_of(`${run.workspace}/${task.file}`);
  if (!task.content.test(text)) out.push(`${task.file} has ${JSON.stringify(text)}`);
  const usage = run.events.filter(({ type }) => type === "usage");
  const shares = usage.map(({ input_tokens = 0, cached_tokens = 0 }) =>
    `${cached_tokens}/${input_tokens}`
  );
  say(`${run.api_mode}: ${task.words}: exit ${run.code}, cached ${shares.join(", ")}`);
  const { input_tokens = 0, cached_tokens = 0 } = usage[1] ?? {};
  if (cached_tokens < CACHED * input_tokens || cached_tokens === 0) {
    out.push(`only ${cached_tokens} of the ${input_tokens} tokens of step 2 were cached`);
  }
  return out;
}

function say(words: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${words}\n`));
}

function text_of(file: string): string {
  try {
    return Deno.readTextFileSync(file);
  } catch {
    return "nothing";
  }
}

async function main([url, api_modes = "chat_completions"]: readonly string[]): Promise<number> {
  if (url === undefined) {
    say("usage: real_model/main.ts URL [API_MODE,...]");
    return 2;
  }
  let faults = 0;
  for (const api_mode of api_modes.split(",")) {
    for (const task of TASKS) {
      for (const fault of await faults_of(task, { url, api_mode })) {
        faults++;
        say(`✗ ${api_mode}: ${task.words}: ${fault}`);
      }
    }
  }
  return faults === 0 ? 0 : 1;
}

Deno.exitCode = await main(Deno.args);
