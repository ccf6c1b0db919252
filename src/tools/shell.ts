import type { Policy } from "../sandbox/policy.ts";
import type { OutputLimits } from "./limits.ts";
import { Output } from "./output.ts";

/** How a command ended. */
export interface CommandResult {
  /** Null where a signal ended it. */
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** What of `hamr`'s own ended it: the time limit, an interrupt, or nothing. */
  readonly ended_by: "itself" | "timeout" | "cancel";
  /** Whether processes that it started are still running. */
  readonly background: boolean;
  /** stdout and stderr as they came, bounded. */
  readonly output: string;
  readonly output_hash: string;
}

/** Time between SIGTERM and SIGKILL for a process group that is to end (issue: verification). */
const KILL_AFTER_MS = 2000;
/** After the shell itself has ended, what is still in the pipe is waited for this long; a background child holds it open. */
const DRAIN_MS = 100;

/** Runs shell commands under the policy, each in a process group of its own. Lives on the restricted thread. */
export class Shell {
  #count = 0;

  constructor(private readonly policy: Policy, private readonly limits: OutputLimits) {}

  /**
   * Runs one command in the workspace. `timeout_s` 0 is no limit. Background children do not hold it up; they
   * go on until the run ends. Never throws: a shell that cannot be started is exit code 127.
   */
  async run(
    command: string,
    options: { readonly timeout_s: number; readonly signal: AbortSignal },
  ): Promise<CommandResult> {
    const output = new Output(this.limits, `${this.policy.spill}/output-${++this.#count}.txt`);
    let child: Deno.ChildProcess;
    try {
      child = new Deno.Command("/bin/bash", {
        // stderr joins stdout in the shell itself, so that the order of lines is the order of writing.
        args: ["-c", `exec 2>&1\n${command}`],
        cwd: this.policy.workspace,
        env: { ...this.policy.env },
        clearEnv: true,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
        detached: true,
      }).spawn();
    } catch (error) {
      output.push(new TextEncoder().encode(`bash could not be started: ${String(error)}\n`));
      return finished(output, { code: 127, signal: null }, "itself");
    }
    let ended_by: CommandResult["ended_by"] = "itself";
    const end = (by: "timeout" | "cancel") => {
      if (ended_by !== "itself") return;
      ended_by = by;
      kill_group(child.pid, "SIGTERM");
      kill_timer = setTimeout(() => kill_group(child.pid, "SIGKILL"), KILL_AFTER_MS);
    };
    let kill_timer: ReturnType<typeof setTimeout> | undefined;
    const cancel = () => end("cancel");
    options.signal.addEventListener("abort", cancel, { once: true });
    if (options.signal.aborted) cancel();
    const timer = options.timeout_s > 0
      ? setTimeout(() => end("timeout"), options.timeout_s * 1000)
      : undefined;
    const pump = new Pump(child.stdout, output);
    const status = await child.status;
    clearTimeout(timer);
    options.signal.removeEventListener("abort", cancel);
    const closed = await pump.settle(DRAIN_MS);
    clearTimeout(kill_timer);
    // The time limit is for everything the command started, not only for its shell.
    if (ended_by !== "itself") kill_group(child.pid, "SIGKILL");
    return { ...finished(output, status, ended_by), background: !closed && ended_by === "itself" };
  }
}

/** Reads a pipe to its end. After `settle` it goes on reading, so that a background child can go on writing. */
class Pump {
  #output: Output | null;
  readonly #done: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, output: Output) {
    this.#output = output;
    this.#done = this.#read(stream);
  }

  /** Waits for the end of the pipe, at most `ms`; true if it came. */
  async settle(ms: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), ms));
    const closed = await Promise.race([this.#done.then(() => true), late]);
    clearTimeout(timer);
    this.#output = null;
    return closed;
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of stream) this.#output?.push(chunk);
    } catch {
      // A pipe that breaks has said all it could.
    }
  }
}

function finished(
  output: Output,
  status: { readonly code: number; readonly signal: string | null },
  ended_by: CommandResult["ended_by"],
): CommandResult {
  const { text, hash } = output.finish();
  return {
    exit_code: status.signal === null ? status.code : null,
    signal: status.signal,
    ended_by,
    background: false,
    output: text,
    output_hash: hash,
  };
}

function kill_group(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(-pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}
