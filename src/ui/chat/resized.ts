/** What remains of a frame after the terminal was resized, and where the next one begins. */
import { sliceByColumn, stripTerminalSequences, visibleWidth } from "@earendil-works/pi-tui";

/** What stays the same however a text is broken into lines: not blanks, rules and the borders of tables. */
const LETTERS = /[^\s\u2500-\u257f]/gu;
const signs = new Intl.Segmenter();

/** Where the cursor is in a terminal, from 0, and the window's size, as the terminal has it. */
export interface Place {
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
}

export interface Drawn {
  readonly lines: readonly string[];
  /** The line that the cursor is in, and its column there. */
  readonly cursor: { readonly line: number; readonly column: number };
  readonly window: Place;
}

/** The first line of a frame that still stands on the screen, and its row there; what is above it can only be scrolled back to. */
interface FirstSeen {
  readonly line: number;
  readonly row: number;
  /** Columns of it that are above, too. */
  readonly cut: number;
}

export function still_seen(
  { lines, cursor, window }: Drawn,
  { columns, rows, row }: Place,
): FirstSeen {
  const within = Math.floor(cursor.column / columns);
  // Most terminals break lines that are too long for them, others cut them off: there the cursor stays in its row.
  const breaks = columns >= window.columns || rows !== window.rows || row !== window.row;
  const rows_of = (line: string) => breaks ? rows_in(line, columns) : [0];
  let [line, left, begins] = [cursor.line, row - (breaks ? within : 0), [0]];
  while (line > 0 && left > 0) {
    begins = rows_of(lines[--line] ?? "");
    left -= begins.length;
  }
  return { line, row: Math.max(0, left), cut: begins[-left] ?? 0 };
}

/** The columns of a line that its rows begin at where it is broken: a sign of two columns is never halved. */
function rows_in(line: string, columns: number): number[] {
  const begins = [0];
  if (visibleWidth(line) <= columns) return begins;
  let at = 0;
  for (const sign of signs_of(line)) {
    const end = at + visibleWidth(sign);
    if (end - (begins.at(-1) ?? 0) > columns) begins.push(at);
    at = end;
  }
  return begins;
}

/** The place in another frame of the same text that a line of a frame, without its first columns, begins at. */
export function same_place(
  lines: readonly string[],
  { line: at, cut, of }: Pick<FirstSeen, "line" | "cut"> & { of: readonly string[] },
): Pick<FirstSeen, "line" | "cut"> {
  const begun = sliceByColumn(of[at] ?? "", 0, cut);
  let said = [...of.slice(0, at), begun].reduce((sum, line) => sum + letters(line), 0);
  const empty = letters(of[at] ?? "") === 0;
  for (const [nth, line] of lines.entries()) {
    const here = letters(line);
    if (here > said || (said === 0 && empty)) return { line: nth, cut: columns_of(line, said) };
    said -= here;
  }
  return { line: lines.length, cut: 0 };
}

/** The column of a line in which its first letters end, so many of them. */
function columns_of(line: string, said: number): number {
  let columns = 0;
  for (const sign of said === 0 ? [] : signs_of(line)) {
    columns += visibleWidth(sign);
    said -= letters(sign);
    if (said <= 0) break;
  }
  return columns;
}

function letters(line: string): number {
  return stripTerminalSequences(line).match(LETTERS)?.length ?? 0;
}

/** As they stand on the screen: a family is one. */
function signs_of(line: string): readonly string[] {
  return Array.from(signs.segment(stripTerminalSequences(line)), ({ segment }) => segment);
}
