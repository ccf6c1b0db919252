import { type Terminal, TuiMainScreen, visibleWidth } from "@earendil-works/pi-tui";
import { type Resized, same_place, still_seen } from "./resized.ts";

const NO_IMAGES: ReadonlySet<number> = new Set();
/** Around a frame: the terminal shows it at once. */
const BEGIN = "\x1b[?2026h", END = "\x1b[?2026l";

export interface AskedTerminal extends Terminal {
  /** How often its window has changed its size so far. */
  readonly resized: number;
  /** `told` gets the row of the cursor, from 0; null from a terminal that does not say. */
  ask_row(told: (row: number | null) => void): void;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
  /** Changes up to then: one and back, unseen, moves what stands there, too. */
  readonly resized: number;
}

/** Where the screen is redrawn: over what it has drawn, from the terminal's first row on, or below all that stands there. */
type Place = "over" | "top" | "below";

/** The library's screen, for long conversations: equal lines are not laid out again, and what has scrolled up is never cleared or rewritten. */
export class MainScreen extends TuiMainScreen {
  #from: readonly string[] = [];
  #to: readonly string[] = [];
  /** Size at the last frame; null before the first one. */
  #size: Size | null = null;
  /** The row of the cursor in a window of this size; undefined as long as the terminal was asked and has not answered. */
  #cursor: Size & { readonly row?: number | null } | null = null;
  #column = 0;
  #wanted: Place | null = null;
  /** What the library gets when it asks next. */
  #lines: string[] | null = null;

  constructor(private readonly asked: AskedTerminal) {
    super(asked);
    // No image is ever drawn here: to look for some in every line took most of a frame.
    Object.assign(this, {
      collectKittyImageIds: () => NO_IMAGES,
      expandChangedRangeForKittyImages: (firstChanged: number, lastChanged: number) => ({
        firstChanged,
        lastChanged,
      }),
    });
  }

  repaint(place: Place): void {
    this.#wanted = place;
    this.requestRender();
  }

  /** Draws for the last time; what others write comes below that. */
  leave(): void {
    if (this.stopped) return;
    // It is not waited for an answer.
    const { columns, rows, resized } = this.asked;
    this.#cursor = { columns, rows, resized, row: null };
    this.renderNow();
    const { length } = this.#to;
    const row: number = this["hardwareCursorRow"];
    if (length > 0) {
      this.terminal.moveBy(length - 1 - row);
      this.terminal.write("\r\n");
    }
    // The library would go further down.
    this["previousLines"] = [];
  }

  override stop(...options: Parameters<TuiMainScreen["stop"]>): void {
    super.stop(...options);
    // The library drops a frame that was asked for, and then takes it for one that is still to come: none would ever come again.
    this["renderRequested"] = false;
  }

  override render(width: number): string[] {
    const lines = this.#lines ?? super.render(width);
    this.#lines = null;
    return lines;
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const { columns, rows, resized } = this.asked;
    const size = { columns, rows, resized };
    const before = this.#size;
    const over = before !== null && !same_size(before, size) && this.#wanted === null;
    const row = over ? this.#cursor_row(size) : null;
    // The answer draws it.
    if (row === undefined) return;
    this.#size = size;
    const lines = super.render(columns);
    const top: number = this["previousViewportTop"];
    const place = this.#wanted ??
      (over ? "over" : top > 0 && lines.length <= top ? "top" : null);
    this.#wanted = null;
    if (before === null) {
      // The library's own first frame.
    } else if (row !== null) {
      this.#go_on([...lines], { columns, rows, row, rows_before: before.rows });
    } else if (place !== null) {
      this.#paint([...lines], place);
    } else {
      for (let at = 0; at < top; at++) lines[at] = this.#from[at] ?? "";
    }
    this.#lines = lines;
    super.doRender();
  }

  /** Where the cursor is after a change of the window; null if that can't be known, undefined if it is not known yet. */
  #cursor_row(size: Size): number | null | undefined {
    if (this.#cursor === null || !same_size(this.#cursor, size)) {
      this.#cursor = size;
      this.asked.ask_row((row) => {
        if (this.#cursor === size) this.#cursor = { ...size, row };
        this.requestRender();
      });
    }
    const { row } = this.#cursor;
    if (row !== undefined) this.#cursor = null;
    return row;
  }

  /** Draws only what is visible. What has scrolled up comes neither twice nor never, unless two thirds of the window would be empty. */
  #go_on(lines: string[], { rows_before, ...now }: Resized & { rows_before: number }): void {
    const line: number = this["hardwareCursorRow"];
    const drawn = { lines: this.#to, cursor: { line, column: this.#column }, rows: rows_before };
    const seen = still_seen({ ...drawn, top: this["previousViewportTop"] }, now);
    // The input is drawn in any case.
    const last = Math.max(0, lines.length - (this.#to.length - line) - 1);
    const next = Math.min(last, same_place(lines, { at: seen.line, of: this.#to }));
    const from = 3 * (lines.length - next) < now.rows ? Math.max(0, lines.length - now.rows) : next;
    this.#put(lines, { from, start: `\x1b[${seen.row + 1};1H` });
  }

  /** As many of the lines as are visible. */
  #paint(lines: string[], place: Place): void {
    const { columns, rows } = this.terminal;
    // Terminals break the lines that became too long for them, and keep the cursor where it was in its line.
    const row: number = this["hardwareCursorRow"];
    const above = this.#to.slice(0, row).slice(-rows)
      .map((line) => Math.ceil(visibleWidth(line) / columns) || 1)
      .reduce((sum, taken) => sum + taken, 0);
    const up = Math.min(above, rows - 1);
    const start = { over: up === 0 ? "\r" : `\x1b[${up}A\r`, top: "\x1b[H", below: "\r" }[place];
    this.#put(lines, { from: Math.max(0, lines.length - rows), start });
  }

  #put(lines: string[], { from, start }: { from: number; start: string }): void {
    const { columns, rows } = this.terminal;
    this.extractCursorPosition(lines, rows);
    const previousLines = this.applyLineResets(lines);
    // Line by line: a screen that is cleared at once goes up into what can be scrolled back to.
    const shown = previousLines.slice(from).map((line) => `\x1b[2K${line}`).join("\r\n");
    this.terminal.write(`${BEGIN}${start}${shown}\x1b[J${END}`);
    const { length } = previousLines;
    this.restoreRenderState({
      previousLines,
      previousWidth: columns,
      previousHeight: rows,
      cursorRow: length - 1,
      hardwareCursorRow: length - 1,
      maxLinesRendered: length,
      previousViewportTop: Math.max(from, length - rows),
    });
  }

  protected override extractCursorPosition(
    ...of: Parameters<TuiMainScreen["extractCursorPosition"]>
  ): ReturnType<TuiMainScreen["extractCursorPosition"]> {
    const found = super.extractCursorPosition(...of);
    this.#column = found?.col ?? 0;
    return found;
  }

  protected override applyLineResets(lines: string[]): string[] {
    const from = [...lines];
    for (let at = 0; at < lines.length; at++) {
      const line = from[at] ?? "";
      const before = line === this.#from[at] ? this.#to[at] : undefined;
      // Blanks at its end would be copied along, and broken into a row of their own where the window becomes narrower.
      lines[at] = before ?? super.applyLineResets([line.replace(/ +$/, "")])[0] ?? "";
    }
    this.#from = from;
    this.#to = lines;
    return lines;
  }
}

function same_size(one: Size, other: Size): boolean {
  return one.columns === other.columns && one.rows === other.rows && one.resized === other.resized;
}
