/** Which commands of a line failed though it went on behind them: its exit code is that of the last one. */
import { shell_quoted } from "../../config/text.ts";
import { read_regular } from "../../sandbox/kernel/read_inside.ts";

/** More were written by a loop: then nobody can say which of its rounds failed. */
const MOST_BYTES = 16 * 1024;
/** What a line needs to go on behind a command that failed, without asking how that ended. */
const GOES_ON = /[;\n]/;

/** Watches one line of bash. */
export class FailedParts {
  readonly #file: string;

  private constructor(folder: string) {
    this.#file = `${folder}/.failed-${crypto.randomUUID()}`;
  }

  /** `folder`: where the line may write. Null where its exit code says all: a trap costs a process more, as bash then stays. */
  static of(command: string, folder: string): FailedParts | null {
    return GOES_ON.test(command.trim()) ? new FailedParts(folder) : null;
  }

  /**
   * Stands before the line. Bash itself knows what is asked about, by `if`, `&&` or `!`, and keeps exit codes as they were; a trap
   * of the line's own takes its place.
   */
  get prefix(): string {
    const note = `printf '%s\\0' "\${BASH_COMMAND%%$'\\n'*}" >> ${shell_quoted(this.#file)}`;
    return `trap ${shell_quoted(`{ ${note}; } 2>/dev/null`)} ERR; `;
  }

  /** The first lines of the commands that failed, in order. Takes the file away. */
  read(): readonly string[] {
    try {
      const text = new TextDecoder().decode(read_regular(this.#file, MOST_BYTES));
      Deno.removeSync(this.#file);
      return text.split("\0").slice(0, -1);
    } catch {
      return []; // Nothing failed, or the line has taken it away.
    }
  }
}
