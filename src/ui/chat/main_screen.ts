import { sliceByColumn, type Terminal, TuiMainScreen, visibleWidth } from "@earendil-works/pi-tui";
import { type Place, same_place, still_seen } from "./resized.ts";

const NO_IMAGES: ReadonlySet<number> = new Set();
/** Around a frame: the terminal shows it at once. */
const BEGIN = "\x1b[?2026h", END = "\x1b[?2026l";

/** A frame may be drawn for a window that has another size by now: its lines take a row each all the same, and the cursor gets back. */
const AS_IT_WAS = "\x1b7\x1b[?7l", BREAKS = "\x1b[?7h", BACK = "\x1b8";
/** After that a window that somebody pulls at has its size. */
const STILL_MS = 100;
/** A terminal has a new size by then, and says so: tmux keeps that back for up to 250 ms. */
const TOLD_MS = 500;
/** Nothing has scrolled for so long: it is asked what has become of the last frame. */
const QUIET_MS = 300;

export interface AskedTerminal extends Terminal {
  /** How often its window has changed its size so far. */
  readonly resized: number;
  /** Draws for a window of one size, and writes all of it at once. */
  frame(draw: () => void): void;
  /** Asks after a while, unless something else is asked by then; null from a terminal that does not say. */
  ask_place(wait_ms: number, told: (place: Place | null) => void): void;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
  /** Changes up to then: one and back, unseen, moves what stands there, too. */
  readonly resized: number;
}

/** The row of the cursor in a window of this size; undefined as long as the terminal has not answered, null if it can't be known. */
type Cursor = Size & { row?: number | null };

/** Where the screen is redrawn: over what it has drawn, from the terminal's first row on, or below all that stands there. */
type Start = "over" | "top" | "below";

/** The library's screen, for long conversations: equal lines are not laid out again, and what has scrolled up is neither cleared nor rewritten, as long as it is known how far that is. */
export class MainScreen extends TuiMainScreen {
  #from: readonly string[] = [];
  #to: readonly string[] = [];
  /** Size at the last frame; null before the first one. */
  #size: Size | null = null;
  /** How often something has scrolled, or may have, and what of that was drawn in a window of the size that it was meant for. */
  #scrolled = 0;
  #sure = 0;
  /** The row of the frame's first line by then, which may be above the window. */
  #first_row = 0;
  #leaves = false;
  #cursor: Cursor | null = null;
  #column = 0;
  #wanted: Start | null = null;
  /** What stands above the frame's own lines, broken as it was when they were drawn, and the first of those. */
  #above: readonly string[] = [];
  #first = 0;
  /** The beginning of that one, if it stands above the window. */
  #head = "";
  /** What the library gets when it asks next. */
  #lines: string[] | null = null;

  /** `whole`: all that was said is drawn here, and nothing of it by a process before this one. */
  constructor(private readonly asked: AskedTerminal, private readonly whole: boolean) {
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

  repaint(start: Start): void {
    this.#wanted = start;
    this.requestRender();
  }

  /** Draws for the last time; what others write comes below that. */
  leave(): void {
    if (this.stopped) return;
    // Nobody hears an answer.
    const { columns, rows, resized } = this.asked;
    this.#cursor = { columns, rows, resized, row: null };
    this.#leaves = true;
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
    if (!this.stopped) this.asked.frame(() => this.#draw());
  }

  #draw(): void {
    const { columns, rows, resized } = this.asked;
    const size = { columns, rows, resized };
    const before = this.#size;
    const changed = before !== null && !same_size(before, size) && this.#wanted === null;
    const row = changed ? this.#cursor_row(size) : null;
    // The answer draws it.
    if (row === undefined) return;
    this.#size = size;
    const lines = super.render(columns);
    const top: number = this["previousViewportTop"];
    const start = this.#wanted ??
      (changed ? "over" : top > 0 && lines.length <= top ? "top" : null);
    this.#wanted = null;
    const drawn = { length: this.#to.length, row: this["hardwareCursorRow"] as number, top };
    this.terminal.write(AS_IT_WAS);
    if (before === null) {
      // The library's own first frame.
    } else if (row !== null) {
      this.#go_on([...lines], before, { columns, rows, row });
    } else if (changed && this.whole) {
      // The library draws all of it, in a terminal that is emptied first: it would come twice, or in part.
      this.resetRenderState();
      [this.#above, this.#first, this.#head] = [[], 0, ""];
    } else if (start !== null) {
      this.#paint([...lines], start);
    } else {
      for (let at = 0; at < top; at++) lines[at] = this.#from[at] ?? "";
    }
    this.#lines = lines;
    super.doRender();
    this.terminal.write(BREAKS);
    const now = { length: this.#to.length, row: this["hardwareCursorRow"] as number };
    const scrolls = before === null || changed || start !== null || now.length !== drawn.length ||
      this["previousViewportTop"] !== top;
    if (scrolls) return this.#ask_what_became(before === null || changed ? 0 : null);
    this.terminal.write(BACK);
    this.terminal.moveBy(now.row - drawn.row);
    this.terminal.write(`\x1b[${this.#column + 1}G`);
  }

  /** Where the cursor is after a change of the window; null if that can't be known, undefined if it is not known yet. */
  #cursor_row(size: Size): number | null | undefined {
    if (this.#cursor === null || !same_size(this.#cursor, size)) {
      const cursor: Cursor = this.#cursor = { ...size };
      const ask = (wait_ms: number) =>
        this.asked.ask_place(wait_ms, (place) => {
          if (this.#cursor !== cursor) return;
          const differs = place !== null && !fits(place, size);
          if (differs && wait_ms === STILL_MS) return ask(TOLD_MS);
          const sure = !differs && this.#sure === this.#scrolled;
          cursor.row = sure ? place?.row ?? null : null;
          this.requestRender();
        });
      ask(STILL_MS);
    }
    const { row } = this.#cursor;
    if (row !== undefined) this.#cursor = null;
    return row;
  }

  /** Whether the window had the frame's size when the terminal drew it. */
  #ask_what_became(wait_ms: number | null): void {
    const size = this.#size;
    const scrolled = ++this.#scrolled;
    if (size === null || this.#leaves) return;
    this.asked.ask_place(wait_ms ?? QUIET_MS, (place) => {
      if (place === null || !fits(place, size)) return;
      this.#sure = scrolled;
      this.#first_row = place.row - this["hardwareCursorRow"];
    });
  }

  /** Draws only what is visible. What has scrolled up comes neither twice nor never, unless two thirds of the window would be empty. */
  #go_on(lines: string[], before: Size, now: Place): void {
    const [head = "", ...own] = this.#to.slice(this.#first);
    const shown = [...this.#above, this.#head + head, ...own];
    const more = shown.length - this.#to.length;
    const row: number = this["hardwareCursorRow"];
    const cursor = { line: row + more, column: this.#column };
    const window = { ...before, row: this.#first_row + row };
    const seen = still_seen({ lines: shown, cursor, window }, now);
    // The input is drawn in any case.
    const last = Math.max(0, lines.length - (this.#to.length - row) - 1);
    const place = same_place(lines, { ...seen, of: shown });
    const next = place.line > last ? { line: last, cut: 0 } : place;
    const start = `\x1b[${seen.row + 1};1H`;
    const above = shown.slice(0, seen.line);
    if (3 * (lines.length - next.line) < now.rows) {
      const from = Math.max(0, lines.length - now.rows);
      return this.#put(lines, { from, start, above });
    }
    const beginning = sliceByColumn(shown[seen.line] ?? "", 0, seen.cut);
    this.#put(lines, { from: next.line, start, above, head: beginning, cut: next.cut });
  }

  /** As many of the lines as are visible. */
  #paint(lines: string[], at: Start): void {
    const { columns, rows } = this.terminal;
    // Terminals break the lines that became too long for them, and keep the cursor where it was in its line.
    const row: number = this["hardwareCursorRow"];
    const above = this.#to.slice(0, row).slice(-rows)
      .map((line) => Math.ceil(visibleWidth(line) / columns) || 1)
      .reduce((sum, taken) => sum + taken, 0);
    const up = Math.min(above, rows - 1);
    const start = { over: up === 0 ? "\r" : `\x1b[${up}A\r`, top: "\x1b[H", below: "\r" }[at];
    const from = Math.max(0, lines.length - rows);
    this.#put(lines, { from, start, above: lines.slice(0, from) });
  }

  #put(lines: string[], { from, start, above, head = "", cut = 0 }: {
    from: number;
    start: string;
    above: readonly string[];
    head?: string;
    /** Columns of the first line that stand above. */
    cut?: number;
  }): void {
    const { columns, rows } = this.terminal;
    this.extractCursorPosition(lines, rows);
    // What was cut of a line before is whole again.
    this.#from = [];
    const previousLines = this.applyLineResets(lines);
    if (cut > 0) previousLines[from] = sliceByColumn(previousLines[from] ?? "", cut, Infinity);
    [this.#above, this.#first, this.#head] = [above, from, head];
    // Line by line: a screen that is cleared at once goes up into what can be scrolled back to.
    // A row that is cleared whole ends what goes on in it, and some terminals would not put it together with its beginning again.
    const clear = (nth: number) => nth === 0 && head !== "" ? " \x1b[K\r" : "\x1b[2K";
    const shown = previousLines.slice(from).map((line, nth) => clear(nth) + line).join("\r\n");
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

function fits(place: Place, { columns, rows }: Size): boolean {
  return place.columns === columns && place.rows === rows;
}
