import { type Done, tool } from "./tool.ts";
import type { Machine } from "./machine.ts";
import type { CommandResult } from "./shell.ts";

/** No command is waited for longer than a day. */
const MOST_SECONDS = 86_400;

interface Args {
  readonly command: string;
  /** Seconds. */
  readonly timeout?: number;
}

/** One shell command under the sandbox, in the workspace. */
export const bash = tool<Args>({
  name: "bash",
  description:
    "Run a shell command in the workspace. No terminal, no stdin. `timeout` in seconds. Temporary files go to $TMPDIR.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string" },
      timeout: { type: "number", minimum: 1, maximum: MOST_SECONDS },
    },
    required: ["command"],
  },
  read_only: false,
  summary: ({ command }) => command,
  run: run_command,
});

async function run_command(args: Args, machine: Machine): Promise<Done> {
  const timeout_s = args.timeout ?? machine.bash_timeout_s;
  // Only the worker needs them; the main thread, which loads this file too, starts the sooner.
  const { hints } = await import("../permission/hints.ts");
  const result = await machine.shell.run(args.command, { timeout_s, signal: machine.signal });
  // A command that took its SIGTERM for a reason to end well did not come to its end all the same.
  const exit_code = result.ended_by === "itself" ? result.exit_code : null;
  const ok = exit_code === 0;
  const notes = [
    ...(ok ? [] : [ending(result, timeout_s)]),
    ...(result.background ? ["background processes go on; they are ended with the run"] : []),
    ...hints({ command: args.command, ...result }, machine.policy),
  ];
  const note = notes.map((line) => `[${line}]`).join("\n");
  return {
    ok,
    text: [result.output.replace(/\n$/, ""), note].filter((part) => part !== "").join("\n") ||
      "[no output]",
    summary: ok ? "exit code 0" : ending(result, timeout_s),
    facts: [{
      kind: "command",
      command: args.command,
      exit_code,
      output: result.output_hash,
    }],
  };
}

/** How a command ended, in words. */
export function ending(result: CommandResult, timeout_s: number): string {
  switch (result.ended_by) {
    case "timeout":
      return `ended: it took longer than ${timeout_s} s`;
    case "cancel":
      return "ended: the run was stopped";
    case "itself":
      return result.exit_code === null
        ? `ended by signal ${result.signal}`
        : `exit code ${result.exit_code}`;
  }
}
