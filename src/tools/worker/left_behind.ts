/** What a run leaves behind, during and after it: processes of its commands, and its own folders. */
import { attempt } from "../../config/attempt.ts";
import { cut } from "../../config/text.ts";
import type { Policy } from "../../sandbox/policy.ts";
import {
  clear_ended_in,
  clear_ended_orphans,
  left_running,
  runs_below,
} from "../../sandbox/processes/processes.ts";
import { background_of } from "../work/background_run.ts";
import { type Shell, shell_as_written } from "../work/shell/shell.ts";

const MOST_NAMED = 3;
const MOST_CHARS = 80;

/** What goes on beside the calls: commands that were begun so, and what others have left running, by how it was started. A program around the run may have others: then only sessions of its commands count. */
export function left_by_commands(
  shell: Shell,
  { embedded }: { embedded: boolean },
): readonly string[] {
  const { pids, names } = background_of(shell);
  try {
    const except = new Set([...shell.own_processes, ...pids]);
    const left = left_running(except, embedded ? shell.sessions : null);
    return [...names, ...left.map(shell_as_written)];
  } catch {
    return names; // No C library here.
  }
}

/** Names what commands left running and the run ends: an answer may refer to it. Not processes with a session of their own, as build daemons. */
export function ended_with(shell: Shell): readonly string[] {
  const commands = left_by_commands(shell, { embedded: true });
  if (commands.length === 0) return [];
  const [shown, more] = [commands.slice(0, MOST_NAMED), commands.length - MOST_NAMED];
  const names = shown.map((command) => cut(command, MOST_CHARS)).join("; ");
  return [`ended with the run: ${names}${more > 0 ? `; and ${more} more` : ""}`];
}

/** The same, where a mistake must be on the safe side: what left its session, or can't be told, counts as alive. */
export function may_be_alive(
  { own_processes }: Shell,
  { embedded, often = false }: { embedded: boolean; often?: boolean },
): boolean {
  // There may be no C library.
  return attempt(() => embedded || runs_below((pid) => !own_processes.has(pid), { often }), true);
}

/** Nobody else waits for what detached itself and was handed to `hamr`. While a command is `running`, what opened a session of its own stays. */
export function clear_orphans(
  { own_processes, sessions }: Shell,
  { running }: { running: boolean },
): void {
  // No C library here: then nothing is handed to `hamr` either.
  attempt(() => {
    if (running) clear_ended_in(sessions);
    else clear_ended_orphans(own_processes);
  });
}

/** Takes the run's temporary folder away, and that of its outputs where nothing is in it. The caches are the workspace's. */
export function remove_folders({ tmp, spill }: Policy): void {
  // Something may be in it, or a temporary folder resists: the system clears it.
  attempt(() => Deno.removeSync(tmp, { recursive: true }));
  attempt(() => Deno.removeSync(spill));
}
