/** Which commands of a line failed though it went on behind them: its exit code is that of the last one. */
import { shell_quoted } from "../../config/text.ts";
import { read_regular } from "../../sandbox/kernel/read_inside.ts";

/** More were written by a loop: then nobody can say which of its rounds failed. */
const MOST_BYTES = 16 * 1024;
/** What a line needs to go on behind a command that failed, without asking how that ended. */
const GOES_ON = /[;\n]/;
/** Sets traps, or lists them: one of DEBUG would hear of ours. */
const TRAPS = /\btrap\b/;
/**
 * How the last command of a pipe ended, and how deep in scripts and functions that is. With 0 bash can't say which has failed: an
 * earlier one of the pipe (under pipefail), or a block whose file could not be opened, where it names the command before; and
 * what is not in the line itself is no part of it.
 */
const WHICH = "${PIPESTATUS[${#PIPESTATUS[@]}-1]}/${#BASH_SOURCE[@]}";

/** Watches one line of bash. */
export class FailedParts {
  readonly file: string;

  private constructor(folder: string) {
    this.file = `${folder}/.failed-${crypto.randomUUID()}`;
  }

  /**
   * `folder`: where the line may write, and looks for nothing. Null where its exit code says all: a trap costs a process more, as
   * bash then stays.
   */
  static of(command: string, folder: string): FailedParts | null {
    return GOES_ON.test(command.trim()) && !TRAPS.test(command) ? new FailedParts(folder) : null;
  }

  /**
   * Stands before the line. Bash itself knows what is asked about, by `if`, `&&` or `!`, and keeps exit codes as they were.
   */
  get prefix(): string {
    const note = `printf '%s\\0' "\${BASH_COMMAND%%$'\\n'*}" >> ${shell_quoted(this.file)}`;
    const known = `case ${WHICH} in 0/*|*/[1-9]*) ;; *) ${note};; esac`;
    return `trap ${shell_quoted(`{ ${known}; } 2>/dev/null`)} ERR; `;
  }

  /** The first lines of the commands that failed, in order. */
  read(): readonly string[] {
    try {
      const text = new TextDecoder().decode(read_regular(this.file, MOST_BYTES));
      return text.split("\0").slice(0, -1);
    } catch {
      return []; // Nothing failed, there is too much of it, or the line has taken it away.
    }
  }
}
