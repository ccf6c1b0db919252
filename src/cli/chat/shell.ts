/** `!COMMAND` in a chat: the person's own command, under the permissions of the conversation. */
import { attempt } from "../../config/attempt.ts";
import type { Agent } from "../../app/agent.ts";
import type { CommandOutcome } from "../../app/agent_api.ts";
import { places_written, type RunSettings } from "../../app/settings.ts";
import { flags_again } from "../args/args.ts";
import { LiveTail } from "../../tools/work/shell/live_tail.ts";
import { TerminalText } from "../../tools/work/shell/terminal_text.ts";
import { once_more } from "../base/restart.ts";

interface PersonShell {
  readonly agent: Agent;
  readonly argv: readonly string[];
  readonly settings: RunSettings;
  readonly read_only: boolean;
  readonly signal: AbortSignal;
  readonly printed: (text: string) => void;
}

/** How much of what it printed the model gets: as much as of a command of its own. */
const TOLD_CHARS = 10_000;

export async function run_shell(command: string, shell: PersonShell): Promise<CommandOutcome> {
  const { agent, signal, printed } = shell;
  const outcome = await agent.command(command, { timeout_s: 0, signal, printed }) ??
    await before_tools(command, shell);
  return signal.aborted ? { ...outcome, ending: "ended by the user" } : outcome;
}

export function shell_report(command: string, { ending, output }: CommandOutcome): string {
  const more = output.length - TOLD_CHARS;
  const end = more > 0 ? `… ${more} characters before this\n${output.slice(more)}` : output;
  return `I ran \`${command}\` (${ending}):\n\`\`\`\n${end.trimEnd()}\n\`\`\``;
}

/** No tools are there yet: as a process of its own, which this one may still start. */
async function before_tools(
  command: string,
  { argv, settings, read_only, signal, printed }: PersonShell,
): Promise<CommandOutcome> {
  // The others are to be read from where this program was started.
  const flags = flags_again(argv, ({ commands }) => commands.includes("sandbox"));
  const args = [...flags, "--directory", settings.workspace, ...(read_only ? ["--read-only"] : [])];
  const child = once_more(["sandbox", ...args, "--", "bash", "-c", `exec 2>&1\n${command}`], {
    places: places_written(settings),
    // In a session of its own, as the commands of the tools: it could read this terminal, and stop who writes to it.
    detached: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // It may have just ended.
  const stop = () => void attempt(() => child.kill("SIGTERM"));
  signal.addEventListener("abort", stop, { once: true });
  const tail = new LiveTail(printed);
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const decoder = new TextDecoder();
    // As a command of the model's is read.
    const terminal = new TerminalText((bytes) => output += decoder.decode(bytes, { stream: true }));
    for await (const bytes of stream) {
      terminal.push(bytes);
      tail.push(bytes);
    }
    terminal.end();
  };
  try {
    await Promise.all([read(child.stdout), read(child.stderr)]);
    const { code } = await child.status;
    return { exit_code: signal.aborted ? null : code, ending: `exit code ${code}`, output };
  } finally {
    tail.over();
    signal.removeEventListener("abort", stop);
  }
}
