import { DENO_TICK_MS } from "../../../changes/folders.ts";
import { lstat_or_null } from "../../../permission/paths.ts";
import type { Policy } from "../../../sandbox/policy.ts";

/** Programs that print what is in the files they are given. */
const SHOWS = /^(?:cat|nl|head|tail|sed|bat|less|more)$/;
/** Commands that are looked through where a file was not read otherwise; nobody overwrites what was shown longer ago. */
const MOST_COMMANDS = 100;

/** Files that commands have shown: who has seen `cat a.py` knows it as well as who has read it. */
export class ShownFiles {
  readonly #commands: { readonly command: string; readonly began: number }[] = [];

  /** `began`: in ms since 1970. */
  ran(command: string, began: number): void {
    if (this.#commands.push({ command, began }) > MOST_COMMANDS) this.#commands.shift();
  }

  /** Whether a command has shown a file that has not changed since. */
  async has(real: string, { workspace, env }: Policy): Promise<boolean> {
    const changed = lstat_or_null(real)?.ctime?.getTime() ?? Infinity;
    const since = this.#commands.filter(({ began }) => began > changed + DENO_TICK_MS);
    if (since.length === 0) return false;
    const { commands_of } = await import("../../../permission/shell_commands.ts");
    const place = { workspace, home: env["HOME"] ?? "/" };
    return since.some(({ command }) =>
      commands_of(command, place).some(([program, ...words]) =>
        SHOWS.test(program?.text ?? "") &&
        words.some((word) => word.paths().some((path) => stands_for(path, real)))
      )
    );
  }
}

/** Whether a path is this one; a `*` in it is the shell's. */
function stands_for(path: string, real: string): boolean {
  const [start = "", ...rest] = path.split("*");
  const end = rest.pop();
  if (end === undefined) return path === real;
  let at = start.length;
  for (const part of rest) {
    const found = real.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return real.startsWith(start) && real.endsWith(end) && at + end.length <= real.length &&
    path.split("/").length === real.split("/").length;
}
