import { type Terminal, TuiMainScreen, visibleWidth } from "@earendil-works/pi-tui";

const NO_IMAGES: ReadonlySet<number> = new Set();
/** Around a frame: the terminal shows it at once. */
const BEGIN = "\x1b[?2026h", END = "\x1b[?2026l";

/** Where the screen is redrawn: over what it has drawn, from the terminal's first row on, or below all that stands there. */
type Place = "over" | "top" | "below";

/**
 * The library's screen, for long conversations: of a line that is the same as in the last frame nothing is worked out again, and
 * that it is the same is seen at once. What has scrolled up is never touched: where the library clears the terminal with all that
 * stood there before the program was started, and writes the whole conversation again, only the visible part is drawn.
 */
export class MainScreen extends TuiMainScreen {
  #from: readonly string[] = [];
  #to: readonly string[] = [];
  /** Of the last frame; null before the first one. */
  #size: { readonly columns: number; readonly rows: number } | null = null;
  #wanted: Place | null = null;
  /** What the library gets when it asks next. */
  #lines: string[] | null = null;

  constructor(terminal: Terminal) {
    super(terminal);
    // No image is ever drawn here: to look for some in every line took most of a frame.
    Object.assign(this, {
      collectKittyImageIds: () => NO_IMAGES,
      expandChangedRangeForKittyImages: (firstChanged: number, lastChanged: number) => ({
        firstChanged,
        lastChanged,
      }),
    });
  }

  /** Redraws what is visible. */
  repaint(place: Place): void {
    this.#wanted = place;
    this.requestRender();
  }

  /** Draws for the last time; what others write comes below that. */
  leave(): void {
    if (this.stopped) return;
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
    const { columns, rows } = this.terminal;
    const before = this.#size;
    this.#size = { columns, rows };
    const lines = super.render(columns);
    const resized = before !== null && (before.columns !== columns || before.rows !== rows);
    const top: number = this["previousViewportTop"];
    const place = this.#wanted ??
      (resized ? "over" : top > 0 && lines.length <= top ? "top" : null);
    this.#wanted = null;
    if (before === null) {
      // The library's own first frame.
    } else if (place !== null) {
      this.#paint([...lines], place);
    } else {
      for (let at = 0; at < top; at++) lines[at] = this.#from[at] ?? "";
    }
    this.#lines = lines;
    super.doRender();
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
    this.extractCursorPosition(lines, rows);
    const previousLines = this.applyLineResets(lines);
    // Line by line: a screen that is cleared at once goes up into what can be scrolled back to.
    const shown = previousLines.slice(-rows).map((line) => `\x1b[2K${line}`).join("\r\n");
    this.terminal.write(`${BEGIN}${start}${shown}\x1b[J${END}`);
    const { length } = previousLines;
    this.restoreRenderState({
      previousLines,
      previousWidth: columns,
      previousHeight: rows,
      cursorRow: length - 1,
      hardwareCursorRow: length - 1,
      maxLinesRendered: length,
      previousViewportTop: Math.max(0, length - rows),
    });
  }

  protected override applyLineResets(lines: string[]): string[] {
    const from = [...lines];
    for (let at = 0; at < lines.length; at++) {
      const line = from[at] ?? "";
      const before = line === this.#from[at] ? this.#to[at] : undefined;
      lines[at] = before ?? super.applyLineResets([line])[0] ?? "";
    }
    this.#from = from;
    this.#to = lines;
    return lines;
  }
}
