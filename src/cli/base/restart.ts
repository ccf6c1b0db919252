/** Another start of this program in its own place: the process stays, and with it the terminal and the job of the shell. */
import type { Environ } from "../../config/paths.ts";
import { c_string, linux_libc } from "../../sandbox/kernel/libc.ts";

const POINTER = 8;

/** What this program is started with, before its arguments. */
export function own_command(): readonly string[] {
  const program = Deno.execPath();
  return Deno.build.standalone
    ? [program]
    : [program, "run", "-A", "--quiet", "--no-prompt", Deno.mainModule];
}

/** Starts this program anew, with other arguments and one more variable; returns only where that failed. */
export type Restart = (args: readonly string[], variable?: readonly [string, string]) => void;

/** To be made while this thread may still open a library; null where there is none. */
export function restarter(environ: Environ): Restart | null {
  const libc = linux_libc();
  if (libc === null) return null;
  const first = own_command();
  const [program = ""] = first;
  const env = Object.entries(environ).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`]
  );
  const list = (texts: readonly string[]) => {
    const strings = texts.map(c_string);
    const table = new Uint8Array(new ArrayBuffer((strings.length + 1) * POINTER));
    const view = new DataView(table.buffer);
    strings.forEach((string, at) => view.setBigUint64(at * POINTER, libc.address(string), true));
    return { table, strings };
  };
  return (args, variable) => {
    const argv = list([...first, ...args]);
    const envp = list([...env, ...(variable === undefined ? [] : [variable.join("=")])]);
    libc.call("execve", [program, argv.table, envp.table]);
    // Referenced up to here: the kernel reads them.
    argv.strings.length = envp.strings.length = 0;
  };
}

/** Stops this process, as Ctrl-Z does where a terminal is not in raw mode. To be made like the one above. */
export function sleeper(): (() => void) | null {
  const libc = linux_libc();
  return libc === null ? null : () => void libc.call("kill", [Deno.pid, SIGTSTP]);
}

const SIGTSTP = 20;
