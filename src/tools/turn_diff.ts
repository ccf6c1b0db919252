import type { Machine } from "./machine.ts";
import type { FileChange } from "./tracker.ts";
import { unified_diff, without_content } from "./unified_diff.ts";

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

/** What has changed since this was last asked; null where nothing has. */
export async function turn_diff(
  step: number,
  { tracker, files: access, recording }: Machine,
): Promise<TurnDiff | null> {
  const files: FileChange[] = [];
  const shown = new Capped(DIFF_BYTES);
  let ms = COMPARE_MS;
  for (const change of tracker.take_changes()) {
    const { path, full, status, before, after } = change;
    const sides = { before, after };
    await recording?.saw(change, tracker);
    const start = performance.now();
    const { text, added, removed } = await unified_diff(path, { ...sides, ms: Math.max(1, ms) });
    ms -= performance.now() - start;
    files.push({ path, status, added, removed });
    // What the model may not read does not go into logs either.
    shown.add(access.shows(full) ? text : without_content(path, sides, "[not shown]"));
  }
  return files.length === 0 ? null : { step, files, diff: shown.text() };
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
