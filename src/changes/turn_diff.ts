/** What calls changed, as machines and people are told of it. */
import type { Changes } from "./changes.ts";
import { type Sides, unified_diff, without_content } from "./unified_diff.ts";

/** How a file differs from before the first change by a call. */
export interface FileChange {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Lines; 0 where a side is binary or was too large to keep. */
  readonly added: number;
  readonly removed: number;
}

/** What one step changed in the workspace. */
export interface TurnDiff {
  /** The step that changed it. */
  readonly step: number;
  /** Against the state before the step. */
  readonly files: readonly FileChange[];
  /** Unified; cut at a line where it is long, with a last line that says what was left out. */
  readonly diff: string;
}

/** A longer diff is not read in a log, and events are kept. */
const DIFF_BYTES = 64 * 1024;
/** How long lines of one step are compared in all; what is left then is shown as rewritten. */
const COMPARE_MS = 100;
/** The same at the end of a run. */
const ALL_MS = 5000;

/** What calls have changed since this was last asked; null where nothing is different. `shows`: what may be shown. */
export async function turn_diff(
  step: number,
  changes: Changes,
  shows: (path: string) => boolean,
): Promise<TurnDiff | null> {
  const files: FileChange[] = [];
  const shown = new Capped(DIFF_BYTES);
  const clock = new Clock(COMPARE_MS);
  for (const { path, ...sides } of changes.take()) {
    const { text, added, removed } = await clock.diff(path, sides);
    files.push({ path, status: status_of(sides), added, removed });
    // What the model may not read does not go into logs either.
    shown.add(shows(path) ? text : without_content(path, sides, "[not shown]"));
  }
  return files.length === 0 ? null : { step, files, diff: shown.text() };
}

/** The files that calls of the run have changed, and that are not as before. */
export async function changed_files(changes: Changes): Promise<readonly FileChange[]> {
  const clock = new Clock(ALL_MS);
  const files: FileChange[] = [];
  for (const path of changes.net()) {
    const sides = changes.sides(path);
    const { added, removed } = await clock.diff(path, sides);
    files.push({ path, status: status_of(sides), added, removed });
  }
  return files;
}

/** What became of a file. */
export function status_of({ before, after }: Sides): FileChange["status"] {
  return before === null ? "added" : after === null ? "deleted" : "modified";
}

/** Compares lines for so long in all. */
class Clock {
  constructor(private ms: number) {}

  async diff(path: string, sides: Sides) {
    const start = performance.now();
    const diff = await unified_diff(path, { ...sides, ms: Math.max(1, this.ms) });
    this.ms -= performance.now() - start;
    return diff;
  }
}

/** Text of whole lines up to so many bytes, and how much there would be more. */
class Capped {
  readonly #pieces: string[] = [];
  #lines_left_out = 0;
  #bytes_left_out = 0;

  constructor(private room: number) {}

  add(text: string): void {
    const bytes = new TextEncoder().encode(text);
    const fits = bytes.length <= this.room;
    const end = fits ? bytes.length : bytes.subarray(0, this.room).lastIndexOf(NEWLINE) + 1;
    if (end > 0) this.#pieces.push(new TextDecoder().decode(bytes.subarray(0, end)));
    this.room = fits ? this.room - end : 0;
    this.#bytes_left_out += bytes.length - end;
    for (let at = end; at < bytes.length; at++) if (bytes[at] === NEWLINE) this.#lines_left_out++;
  }

  text(): string {
    const rest = `[left out: ${this.#lines_left_out} more lines, ${this.#bytes_left_out} bytes]\n`;
    return this.#pieces.join("") + (this.#bytes_left_out > 0 ? rest : "");
  }
}

const NEWLINE = 10;
