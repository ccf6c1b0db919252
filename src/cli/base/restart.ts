/** Restarts the program in place: the process stays, and with it the terminal and the shell's job. */
import { type Environ, real_or_null } from "../../config/paths.ts";
import { environment_beyond } from "../../permission/own_program.ts";
import { LEFT_OUT } from "./io.ts";
import { DEFAULT_ACTION, SIGNAL_SET_BYTES } from "./sleep.ts";
import { c_string, type Libc, linux_libc } from "../../sandbox/kernel/libc.ts";

const POINTER = 8;

/** This program once more, as a process of its own. `places`, where commands write: it loads nothing from there. */
export function once_more(
  args: readonly string[],
  { places, ...how }: Deno.CommandOptions & { readonly places: readonly string[] },
): Deno.Command {
  const [program = "", ...first] = own_command();
  const env = own_environment(places, Deno.env.toObject());
  return new Deno.Command(program, { ...how, args: [...first, ...args], clearEnv: true, env });
}

/** The folder that this program began in: from one that is gone nothing can be started, and what is open reaches none in its place. */
export class Footing {
  readonly #folder = real_or_null(".") ?? "";

  get lost(): boolean {
    return real_or_null(".") !== this.#folder;
  }

  /** Throws where there is none in its place, or a link to another. */
  regain(): void {
    if (this.lost) Deno.chdir(this.#folder);
    if (this.lost) throw new Error(`${this.#folder} is a link to another folder now`);
  }
}

/** Without what it would load from these places; it gives that back to its commands. */
export function own_environment(
  places: readonly string[],
  environ: Environ,
): Record<string, string> {
  const env = environment_beyond(places, environ);
  const rest = Object.entries(environ).filter(([name, value]) => env[name] !== value);
  return rest.length === 0 ? env : { ...env, [LEFT_OUT]: JSON.stringify(Object.fromEntries(rest)) };
}

function own_command(): readonly string[] {
  const program = Deno.execPath();
  return Deno.build.standalone
    ? [program]
    : [program, "run", "-A", "--quiet", "--no-prompt", Deno.mainModule];
}

/** Restarts this program with other arguments and one more variable, unless it is `over`. A signal is handled before. Resolves only if it failed. */
export type Restart = (args: readonly string[], next: {
  /** Asked for at the last moment. */
  readonly variable: () => readonly [string, string] | undefined;
  readonly over: () => boolean;
}) => Promise<void>;

/** Of the signals that end programs, those that a conversation listens to: SIGHUP, SIGINT, SIGTERM. */
const ENDING = [1, 2, 15];
/** `SIGURG`: nobody sends it here, and unheard it does nothing. */
const MARK = { name: "SIGURG", number: 23 } as const;

/** To be made while this thread may still open a library; null where there is none. */
export function restarter(environ: Environ, places: readonly string[]): Restart | null {
  const libc = linux_libc();
  if (libc === null) return null;
  const first = own_command();
  const [program = ""] = first;
  const env = Object.entries(own_environment(places, environ)).map((one) => one.join("="));
  /** With room for one more, and the null behind it. */
  const list = (texts: readonly string[]) => {
    const strings: Uint8Array[] = [];
    const table = new Uint8Array(new ArrayBuffer((texts.length + 2) * POINTER));
    const view = new DataView(table.buffer);
    const add = (text: string) => {
      const string = c_string(text);
      view.setBigUint64(strings.length * POINTER, libc.address(string), true);
      strings.push(string);
    };
    texts.forEach(add);
    return { table, strings, add };
  };
  return async (args, { variable, over }) => {
    for (const signal of ENDING) {
      libc.call("rt_sigaction", [signal, DEFAULT_ACTION, 0, SIGNAL_SET_BYTES]);
    }
    await told_so_far(libc);
    if (over()) return;
    const argv = list([...first, ...args]);
    const envp = list(env);
    // Nothing but the call itself comes between: what is typed there goes to a thread that ends with it.
    const more = variable();
    if (more !== undefined) envp.add(more.join("="));
    libc.call("execve", [program, argv.table, envp.table]);
    // Referenced up to here: the kernel reads them.
    argv.strings.length = envp.strings.length = 0;
  };
}

/** Waits until the listeners know each signal so far: another thread takes the waiting ones by number, the rest in its next round. */
async function told_so_far(libc: Libc): Promise<void> {
  let told = () => {};
  const listener = () => told();
  Deno.addSignalListener(MARK.name, listener);
  for (let round = 0; round < 2; round++) {
    await new Promise<void>((resolve) => {
      told = resolve;
      libc.call("kill", [Deno.pid, MARK.number]);
    });
  }
  Deno.removeSignalListener(MARK.name, listener);
  await new Promise((resolve) => setTimeout(resolve, 0));
}
