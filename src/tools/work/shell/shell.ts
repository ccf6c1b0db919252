import { feed_stdin } from "../../../sandbox/processes/feed.ts";
import { after_waiting } from "../../../config/timer.ts";
import { attempt } from "../../../config/attempt.ts";
import { message_of, shell_quoted } from "../../../config/text.ts";
import { stat_or_null } from "../../../permission/paths.ts";
import type { Policy } from "../../../sandbox/policy.ts";
import { type Libc, linux_libc } from "../../../sandbox/kernel/libc.ts";
import { ended_first } from "../../../sandbox/processes/out_of_memory.ts";
import { limit_commands } from "../../../sandbox/processes/rlimits.ts";
import { deadline_command, type RunMark } from "../../../sandbox/processes/run_mark.ts";
import { wrapper } from "../../../sandbox/enforce/seatbelt.ts";
import type { OutputLimits } from "../../limits.ts";
import { FailedParts, type Passed } from "./failed_parts.ts";
import { LiveTail } from "./live_tail.ts";
import { Output } from "./output.ts";
import { Pump } from "./pump.ts";
import { Reaper } from "./reaper.ts";

export interface CommandResult {
  /** Null if a signal ended it. */
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** What of `hamr`'s own ended it: the time limit, an interrupt, or nothing. */
  readonly ended_by: "itself" | "timeout" | "cancel";
  /** Whether processes that it started are still running. */
  readonly background: boolean;
  /** stdout and stderr in the order in which they came, bounded, as a terminal would show them. */
  readonly output: string;
  /** The shell itself could not be started; why is in `output`. */
  readonly not_started?: true;
  /** What steers a terminal, such as colors, was left out of it. */
  readonly had_codes?: true;
  /** How the commands in it ended, where one of them failed. */
  readonly passed?: readonly Passed[];
  /** The beginning of stderr, where that was to stay apart; else empty, for it is in `output`. */
  readonly errors: string;
}

export interface ShellOptions {
  /** Seconds; 0 is no limit. */
  readonly timeout_s: number;
  readonly signal: AbortSignal;
  /** Variables on top of the policy's. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it can read from stdin; absent: nothing. */
  readonly stdin?: string | undefined;
  /** Keeps stderr out of `output`. */
  readonly apart?: true;
  readonly parts?: true;
  /** Of the output, in place of the shell's own. */
  readonly limits?: OutputLimits;
  /** Hears the end of what it has printed so far, now and then. */
  readonly printed?: ((text: string) => void) | undefined;
}

/** Time between SIGTERM and SIGKILL for a process group that is to end (issue: verification). */
const KILL_AFTER_MS = 2000;
/** After SIGKILL a process goes at once, unless a disk or a debugger outside the group holds it. Then it is not waited for. */
const GIVE_UP_AFTER_MS = 1000;
/** Of the time limit of a program that only lives as long as hamr: a limit of 0 would be none. */
const SOON_S = 0.001;
/** After the shell itself has ended, what is still in the pipe is waited for this long; a background child holds it open. */
const DRAIN_MS = 100;

/** Stands before every command, on its first line, so that bash counts lines as the model wrote them. stderr joins stdout here, in order. */
const JOIN = "exec 2>&1; ";
/** One argument of a program may have this many bytes on Linux, its NUL included (MAX_ARG_STRLEN). */
const ARGUMENT_BYTES = 131_072;
/** Looks for processes by what they were called with: a shell that has the command as an argument would be one of them, and `pkill -f` would end it. */
const LOOKS_FOR_PROCESSES = /\b(?:pkill|pgrep|ps)\b/;
/** Makes the shell the leader of a session. Deno's `detached` forks all of hamr for that: 15 ms a command at 100 MB instead of 2.5 (measured). */
const SETSID = ["/usr/bin/setsid", "/bin/setsid"];
const BASH = "/bin/bash";
/** What every shell understands of the limits; where one does not, its words about that are not part of the output. */
const PLAIN_LIMITS = "{ ulimit -c 0; } 2>/dev/null; ";
/** Of what bash says before it comes to `JOIN`. More would be the text of one endless line. */
const COMPLAINT_CHARS = 4000;

/** Runs shell commands under the policy, each in a process group of its own. Lives on the restricted thread. */
export class Shell {
  readonly #setsid: string | null;
  readonly #shell: string;
  readonly #is_bash: boolean;
  /** Stands before `JOIN`: what a command may use of the machine. */
  readonly #limit: string;
  /** Null if nothing tells what is the run's; the same goes for the reaper. */
  readonly #libc: Libc | null;
  readonly #sessions = new Set<number>();
  readonly #reaper: Reaper | null;
  #count = 0;
  /** Processes of `serve`. */
  readonly #served = new Set<number>();

  /** `mark`: what everything carries that is started; without one its time limit ends with `hamr`. */
  constructor(
    private readonly policy: Policy,
    private readonly limits: OutputLimits,
    mark: RunMark | null,
  ) {
    this.#setsid = SETSID.find((file) => stat_or_null(file)?.isFile) ?? null;
    this.#shell = policy.shell ?? BASH;
    const bash = this.#is_bash = this.#shell.endsWith("bash");
    this.#limit = policy.sandbox === "off" ? "" : bash ? limit_commands() : PLAIN_LIMITS;
    this.#libc = mark === null || !bash ? null : linux_libc();
    this.#reaper = mark === null || !bash ? null : new Reaper(mark, this.#setsid);
  }

  /** Ids of the process sessions that commands were started in. */
  get sessions(): ReadonlySet<number> {
    return this.#sessions;
  }

  /** What keeps the time limits of commands; null if it does not run. */
  get reaper(): number | null {
    return this.#reaper?.pid ?? null;
  }

  /** What this has started beside the commands, and waits for. */
  get own_processes(): ReadonlySet<number> {
    const { reaper } = this;
    return new Set([...(reaper === null ? [] : [reaper]), ...this.#served]);
  }

  /** Starts a program with pipes beside the commands; it ends if hamr is killed. Throws if no process can be started; 126 or 127 if not found. */
  serve(
    argv: readonly string[],
    { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
  ): Deno.ChildProcess {
    this.#reaper?.start(this.#shell);
    const deadline = this.#libc === null ? "" : deadline_command(this.#libc, SOON_S);
    const folder = cwd.startsWith("/") ? cwd : `${this.policy.workspace}/${cwd}`;
    const go = cwd === "" ? "" : `cd -- ${shell_quoted(folder)} && `;
    const script = `${this.#limit}${deadline}${go}exec "$0" "$@"`;
    const child = this.#spawn(["-c", script, ...argv], { env, stdin: "piped" });
    const { pid } = child;
    this.#served.add(pid);
    this.#sessions.add(pid);
    void child.status.then(() => this.#served.delete(pid));
    return child;
  }

  /** Starts a command that runs beside the calls, and ends at once if hamr is killed. Throws if no process can be started. */
  begin(command: string): CommandBegun {
    this.#reaper?.start(this.#shell);
    const deadline = this.#libc === null ? "" : deadline_command(this.#libc, SOON_S);
    const prefix = this.#limit + deadline + JOIN;
    const { child, script } = this.#start(command, { prefix });
    this.#sessions.add(child.pid);
    if (script !== null) void child.status.then(() => remove(script));
    return {
      child,
      output: () => this.#output(this.limits, true),
      complaint: (bytes) =>
        new TextEncoder().encode(cleaned(new TextDecoder().decode(bytes), prefix)),
    };
  }

  /** Runs one command in the workspace, without waiting for its background children. Never throws: a shell that can't start is exit code 127. */
  async run(command: string, options: ShellOptions): Promise<CommandResult> {
    const { limits = this.limits, apart = false } = options;
    const output = this.#output(limits, !apart);
    if (options.signal.aborted) return finished(output, { code: 0, signal: "SIGTERM" }, "cancel");
    this.#reaper?.start(this.#shell);
    const limit = this.#limit +
      (this.#libc === null ? "" : deadline_command(this.#libc, options.timeout_s));
    const parts = options.parts === undefined || !this.#is_bash
      ? null
      : FailedParts.of(command, this.policy.spill);
    const prefix = limit + (apart ? "" : JOIN) + (parts?.prefix ?? "");
    let started: Started;
    try {
      started = this.#start(command, { ...options, prefix });
    } catch (error) {
      output.push(
        new TextEncoder().encode(`${this.#shell} could not be started: ${message_of(error)}\n`),
      );
      return { ...finished(output, { code: 127, signal: null }, "itself"), not_started: true };
    }
    const { child, script } = started;
    this.#sessions.add(child.pid);
    const ending = new ProcessGroupEnd(child.pid, options);
    const tail = options.printed === undefined ? null : new LiveTail(options.printed);
    const pump = new Pump(child.stdout, (bytes) => {
      output.push(bytes);
      tail?.push(bytes);
    });
    let complaint = "";
    const decoder = new TextDecoder();
    const complaints = new Pump(child.stderr, (bytes) => {
      if (complaint.length < COMPLAINT_CHARS) complaint += decoder.decode(bytes, { stream: true });
    });
    const status = await Promise.race([child.status, ending.given_up]);
    ending.over();
    // What the shell had started gets the rest of its time, too; while it holds the pipe open it is still there.
    const closed = await pump.settle(Math.max(DRAIN_MS, ending.time_left()));
    await complaints.settle(DRAIN_MS);
    // The time limit is for everything the command started, not only for its shell.
    ending.all_over();
    tail?.over();
    if (script !== null) remove(script);
    const passed = parts?.read() ?? [];
    if (parts !== null) remove(parts.file);
    const errors = cleaned(complaint, prefix);
    if (!apart) output.push(new TextEncoder().encode(errors));
    return {
      ...finished(output, status, ending.by),
      ...(passed.length === 0 ? {} : { passed }),
      errors: apart ? errors : "",
      background: !closed && ending.by === "itself",
    };
  }

  #output(limits: OutputLimits, printed: boolean): Output {
    return new Output(limits, `${this.policy.spill}/output-${++this.#count}`, { printed });
  }

  #start(
    command: string,
    { env, stdin, prefix }: Pick<ShellOptions, "env" | "stdin"> & { prefix: string },
  ): Started {
    if (command.includes("\0")) throw new Error("the command has a NUL byte");
    const line = prefix + command;
    // What is too long for an argument, or must not be one, is read from a file instead, in the same shell.
    const fits = new TextEncoder().encode(line).length < ARGUMENT_BYTES;
    const script = fits && !LOOKS_FOR_PROCESSES.test(command)
      ? null
      : `${this.policy.tmp}/command-${crypto.randomUUID()}`;
    if (script !== null) Deno.writeTextFileSync(script, line, { mode: 0o600, createNew: true });
    const args = ["-c", script === null ? line : `. ${shell_quoted(script)}`];
    const child = this.#spawn(args, { env, stdin: stdin === undefined ? "null" : "piped" });
    if (stdin !== undefined) void feed_stdin(child.stdin, stdin);
    return { child, script };
  }

  #spawn(
    args: readonly string[],
    { env, stdin }: Pick<ShellOptions, "env"> & { stdin: "null" | "piped" },
  ): Deno.ChildProcess {
    const leader = this.#setsid === null ? [] : [this.#setsid];
    const [program = BASH, ...rest] = [...wrapper(this.policy), ...leader, this.#shell, ...args];
    const command = new Deno.Command(program, {
      args: rest,
      cwd: this.policy.start_in ?? this.policy.workspace,
      env: { ...this.policy.env, ...env },
      clearEnv: true,
      stdin,
      stdout: "piped",
      stderr: "piped",
      detached: this.#setsid === null,
    });
    return ended_first(() => command.spawn());
  }
}

/** A command that goes on beside the calls. */
export interface CommandBegun {
  readonly child: Deno.ChildProcess;
  /** An empty one, for what it prints next. */
  output(): Output;
  /** What the shell says before it joins its errors to its output, without our part of it. */
  complaint(bytes: Uint8Array): Uint8Array;
}

interface Started {
  readonly child: Deno.ChildProcess;
  /** The file that the command was put into, if it was. */
  readonly script: string | null;
}

/** Sees to it that a process group ends when its time is up or nobody wants it anymore. */
export class ProcessGroupEnd {
  by: CommandResult["ended_by"] = "itself";
  /** Comes where the shell does not end though it was killed. */
  readonly given_up: Promise<{ readonly code: number; readonly signal: Deno.Signal }>;
  #give_up: (status: { readonly code: number; readonly signal: Deno.Signal }) => void = () => {};
  #asked_at: number | null = null;
  #stop = () => {};
  readonly #cancel = () => this.#end("cancel");

  constructor(
    private readonly pid: number,
    private readonly options: { readonly timeout_s: number; readonly signal: AbortSignal },
  ) {
    this.given_up = new Promise((resolve) => this.#give_up = resolve);
    options.signal.addEventListener("abort", this.#cancel, { once: true });
    if (options.timeout_s > 0) {
      this.#stop = after_waiting(options.timeout_s * 1000, () => this.#end("timeout"));
    }
  }

  over(): void {
    this.#stop();
    this.options.signal.removeEventListener("abort", this.#cancel);
  }

  /** What it had started has had its time: where it was to end, so is that. */
  all_over(): void {
    if (this.by !== "itself") kill_group(this.pid, "SIGKILL");
  }

  /** Milliseconds until SIGKILL is due; 0 if the group was not asked to end. */
  time_left(): number {
    return this.#asked_at === null ? 0 : this.#asked_at + KILL_AFTER_MS - performance.now();
  }

  #end(by: "timeout" | "cancel"): void {
    if (this.by !== "itself") return;
    this.by = by;
    this.#asked_at = performance.now();
    this.#stop();
    kill_group(this.pid, "SIGTERM");
    this.#stop = after_waiting(KILL_AFTER_MS, () => {
      kill_group(this.pid, "SIGKILL");
      const status = { code: 137, signal: "SIGKILL" } as const;
      this.#stop = after_waiting(GIVE_UP_AFTER_MS, () => this.#give_up(status));
    });
  }
}

function finished(
  output: Output,
  status: { readonly code: number; readonly signal: string | null },
  ended_by: CommandResult["ended_by"],
): CommandResult {
  return {
    exit_code: status.signal === null ? status.code : null,
    signal: status.signal,
    ended_by,
    background: false,
    output: output.finish(),
    ...(output.had_codes ? { had_codes: true } : {}),
    errors: "",
  };
}

/** What stands before a command on its first line: limits, `JOIN`, and the trap of `FailedParts`. */
const BEFORE = /^\S+ -c (?:\{ )?ulimit [^\n]*?exec 2>&1; (?:trap [^\n]*? DEBUG EXIT; )?/;

/** A shell of a command, as it was started, in the words of the command. */
export function shell_as_written(started: string): string {
  return started.replace(BEFORE, "");
}

/** What bash said before stderr was joined: a syntax error that shows our prefix, or a missing locale, which is not the command's. */
function cleaned(complaint: string, prefix: string): string {
  return complaint.replace(/^.*warning: setlocale:.*\n?/gm, "").replace(`\`${prefix}`, "`");
}

function remove(file: string): void {
  // The command may have removed it itself, or not have made it.
  attempt(() => Deno.removeSync(file));
}

/** Signals a group; or its leader alone, in the moment before it has made the group. */
export function kill_group(pid: number, signal: Deno.Signal): void {
  for (const id of [-pid, pid]) {
    try {
      return Deno.kill(id, signal);
    } catch {
      // There is no such group yet, or nobody of it is left.
    }
  }
}
