/** Has bash record how each command of a line ended: the line's exit code is only that of the last one. */
import { shell_quoted } from "../../../config/text.ts";
import { read_regular } from "../../../sandbox/kernel/read_inside.ts";

/** What bash noted as it came to a command of the line, or to its end. */
export interface Passed {
  /** Exit codes of what it came from: one each for the commands of a pipe. */
  readonly came_from: readonly number[];
  /** The beginning of the command, as bash writes it. */
  readonly to: string;
}

/** A line of more commands than anybody reads. */
const MOST_BYTES = 64 * 1024;
/** Lets a line hide how a command ended, or in `&&` which of them it was; `2>&1` joins nothing. */
const JOINS = /[;\n|]|(?<![<>])&(?!>)/;
/** Fails as rarely as it says so itself. */
const GOES_THERE = /^cd [^;&|\n]*&&/;
/** Sets traps, or lists them: one of DEBUG would hear of ours. Or limits files, ours as well. */
const OWN_WAYS = /\b(?:trap|ulimit)\b/;
/** Of a loop nobody knows which of its rounds failed, and each of them would be noted. */
const OPENS_LOOP = /\b(?:for|while|until|select)\b/;
/** Of a command, and of the last word of the one before. */
const NOTED_CHARS = 80;

export class FailedParts {
  readonly file: string;

  private constructor(folder: string) {
    this.file = `${folder}/.failed-${crypto.randomUUID()}`;
  }

  /** `folder`: where the line may write. Null if the exit code says all, or nothing could: a trap costs a process, as bash then stays. */
  static of(command: string, folder: string): FailedParts | null {
    const line = command.trim().replace(GOES_THERE, "");
    return JOINS.test(line) && !OWN_WAYS.test(line) && !has_loop(line)
      ? new FailedParts(folder)
      : null;
  }

  /** Stands before the line: before each command bash notes how the one before ended, keeping exit codes and `$_`. */
  get prefix(): string {
    const note =
      `builtin printf '%.${NOTED_CHARS}s\\0' "$BASH_COMMAND" "\${PIPESTATUS[@]}" "" "$_"`;
    return `trap ${
      shell_quoted(`{ ${note} >> ${shell_quoted(this.file)}; } 2>/dev/null`)
    } DEBUG EXIT; `;
  }

  read(): readonly Passed[] {
    let text: string;
    try {
      text = new TextDecoder().decode(read_regular(this.file, MOST_BYTES));
    } catch {
      return []; // There is too much of it, or the line has taken it away.
    }
    const passed = [...notes(text.split("\0"))];
    return passed.some(({ came_from }) => came_from.some((code) => code !== 0)) ? passed : [];
  }
}

/** Apart: one pattern for both ends of a loop would look for the second from each word that could be the first. */
function has_loop(line: string): boolean {
  const at = line.search(OPENS_LOOP);
  return at >= 0 && /\bdo\b/.test(line.slice(at));
}

function* notes(fields: readonly string[]): Generator<Passed> {
  for (let at = 0; at + 1 < fields.length; at++) {
    const end = fields.indexOf("", at + 1);
    if (end < 0) return;
    const [to = "", ...codes] = fields.slice(at, end);
    // The last word of the command before follows.
    at = end + 1;
    yield { to, came_from: codes.map(Number) };
  }
}
