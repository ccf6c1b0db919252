/** The tools worker of the host program. */
import { type Applied, apply } from "../../../src/sandbox/enforce/apply.ts";
import { open_libc } from "../../../src/sandbox/kernel/libc.ts";
import type { Support } from "../../../src/sandbox/kernel/probe.ts";
import { tree_below } from "../../../src/sandbox/processes/process_tree.ts";
import { end_descendants } from "../../../src/sandbox/processes/processes.ts";
import type { Job, Step, StepResult } from "./job.ts";

/** No step takes as long, on a machine however busy, unless it hangs. */
const STEP_LIMIT_MS = 60_000;

interface WorkerScope {
  onmessage: ((event: MessageEvent<{ job: Job; support: Support }>) => void) | null;
  postMessage(message: unknown): void;
}
const scope = self as unknown as WorkerScope;

scope.onmessage = async ({ data: { job, support } }) => {
  const start = performance.now();
  let applied: Applied;
  try {
    applied = apply(job.policy, { pid: Deno.pid, support });
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    scope.postMessage({ refused, apply_ms: 0, layers: [], results: [] });
    return;
  }
  const apply_ms = performance.now() - start;
  const { listener, policy } = applied;
  if (listener !== null) scope.postMessage({ kind: "applied", listener, policy });
  const libc = open_libc();
  Deno.permissions.revokeSync({ name: "ffi" });
  const ids = {
    PID: Deno.pid,
    TID: libc.call("gettid", []),
    PGID: libc.call("getpgid", [0]),
  };
  const results: StepResult[] = [];
  for (const step of job.steps) {
    const text = JSON.stringify(step).replace(
      /\{(PID|TID|PGID)\}/g,
      (_, name: keyof typeof ids) => String(ids[name]),
    );
    results.push(await perform(JSON.parse(text) as Step, { job, applied }));
  }
  scope.postMessage({ apply_ms, layers: applied.layers, results });
};

async function perform(
  step: Step,
  context: { job: Job; applied: Applied },
): Promise<StepResult> {
  const { name } = step;
  switch (step.kind) {
    case "run":
      return { name, ...await run(step, context.job) };
    case "write":
      try {
        Deno.writeTextFileSync(step.path, "pwned");
        return { name, wrote: "ok" };
      } catch (error) {
        return { name, wrote: error instanceof Error ? error.name : "?" };
      }
    case "read":
      try {
        return { name, stdout: Deno.readTextFileSync(step.path) };
      } catch (error) {
        return { name, stdout: error instanceof Error ? error.name : "?" };
      }
    case "time": {
      const times: number[] = [];
      for (let i = 0; i < step.runs; i++) {
        const start = performance.now();
        await run(step, context.job);
        times.push(performance.now() - start);
      }
      return { name, ms: times.sort((a, b) => a - b)[Math.floor(step.runs / 2)] };
    }
    case "end": {
      const living = () => tree_below(open_libc(), Deno.pid).length;
      const before = step.count ? living() : 0;
      const start = performance.now();
      const left = end_descendants({ sweep_key: context.applied.sweep_key });
      const ms = performance.now() - start;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { name, before, left, ms, after: living() };
    }
    case "thread":
      void Deno.readFile(step.pipe);
      return { name };
  }
}

async function run(
  step: { argv: readonly string[]; cwd?: string },
  job: Job,
): Promise<Omit<StepResult, "name">> {
  const [program = "", ...args] = step.argv;
  const child = new Deno.Command(program, {
    args,
    cwd: step.cwd ?? job.policy.workspace,
    env: { ...job.policy.env },
    clearEnv: true,
    detached: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => Deno.kill(-child.pid, "SIGKILL"), STEP_LIMIT_MS);
  const output = await child.output();
  clearTimeout(timer);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    code: output.code,
    signal: output.signal,
    stdout: text(output.stdout),
    stderr: text(output.stderr),
  };
}
