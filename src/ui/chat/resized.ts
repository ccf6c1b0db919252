/** What remains of a frame after the terminal was resized, and where the next one begins. */
import { stripTerminalSequences, visibleWidth } from "@earendil-works/pi-tui";

export interface Drawn {
  readonly lines: readonly string[];
  /** The first line that could be seen. */
  readonly top: number;
  /** The line that the cursor is in, and its column there. */
  readonly cursor: { readonly line: number; readonly column: number };
  readonly rows: number;
}

export interface Resized {
  readonly columns: number;
  readonly rows: number;
  /** The row that the cursor is in, from 0. */
  readonly row: number;
}

/** The first line of a frame that still stands on the screen, and its row there: what is above it can only be scrolled back to. */
export function still_seen(
  { lines, top, cursor, rows: rows_before }: Drawn,
  { columns, rows, row }: Resized,
): { readonly line: number; readonly row: number } {
  const heights = lines.map((line) => Math.ceil(visibleWidth(line) / columns) || 1);
  const within = Math.floor(cursor.column / columns);
  const height = (from: number, to: number) =>
    heights.slice(from, to).reduce((sum, one) => sum + one, 0);
  const above = height(0, cursor.line) + within;
  const below = height(cursor.line, lines.length) - within - 1;
  // Most terminals break lines that are too long for them, others cut them off: there the cursor stays in its row, which the rule
  // below the input would move up. With room left below, nothing is moved up.
  const breaks = lines.length >= rows_before
    ? rows !== rows_before || row !== cursor.line - top
    : above <= row || row === rows - 1 - below;
  if (!breaks) heights.fill(1);
  let [line, left] = [cursor.line, row - (breaks ? within : 0)];
  while (line > 0 && left > 0) left -= heights[--line] ?? 1;
  // Perhaps only the end of the first line is seen.
  return { line, row: Math.max(0, left) };
}

/** The line of another frame of the same text in which the line `at` of a frame begins. */
export function same_place(
  lines: readonly string[],
  { at, of }: { at: number; of: readonly string[] },
): number {
  let said = of.slice(0, at).reduce((sum, line) => sum + letters(line), 0);
  for (const [nth, line] of lines.entries()) {
    const here = letters(line);
    if (here > said || (said === 0 && letters(of[at] ?? "") === 0)) return nth;
    said -= here;
  }
  return lines.length;
}

/** What stays the same however a text is broken into lines: not blanks, rules and the borders of tables. */
function letters(line: string): number {
  return stripTerminalSequences(line).match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
