/** A terminal in this process, as far as a chat's screen asks for one: as in tmux, lines break again where it takes another size. */
import type { AskedTerminal } from "./main_screen.ts";
import type { Place } from "./resized.ts";

interface Row {
  text: string;
  /** It goes on in the next row. */
  broken: boolean;
}

interface Window {
  readonly columns: number;
  readonly rows: number;
}

interface Cursor {
  row: number;
  column: number;
}

/** What tests of the screen never look at. */
export class MuteTerminal {
  readonly kittyProtocolActive: boolean = false;
  start(): void {}
  stop(): void {}
  drainInput(): Promise<void> {
    return Promise.resolve();
  }
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}
  setTitle(): void {}
  setProgress(): void {}
}

/** What a program writes, and a window of another size, come when the test says so. */
export class TestTerminal extends MuteTerminal implements AskedTerminal {
  resized = 0;
  /** What the kernel says of the window, which may be late. */
  #told: Window;
  /** The same as long as a frame is drawn. */
  #held: Window | null = null;
  readonly #answers: (Place | null)[] = [];
  readonly #asking: ((place: Place | null) => void)[] = [];
  #unread = "";
  #all: Row[] = [{ text: "", broken: false }];
  /** Rows that can only be scrolled back to. */
  #above = 0;
  #cursor: Cursor = { row: 0, column: 0 };
  #saved: Cursor = { row: 0, column: 0 };
  #breaks = true;
  #window: Window;

  constructor(size: Window) {
    super();
    this.#told = this.#window = size;
  }

  get columns(): number {
    return (this.#held ?? this.#told).columns;
  }

  get rows(): number {
    return (this.#held ?? this.#told).rows;
  }

  /** All that can be scrolled back to, and what is seen; lines that were broken are whole. */
  get text(): string {
    return this.#all.map(({ text, broken }) => text + (broken ? "" : "\n")).join("");
  }

  get unanswered(): number {
    return this.#answers.length;
  }

  frame(draw: () => void): void {
    this.#held = this.#told;
    draw();
    this.#held = null;
  }

  ask_place(_wait_ms: number, told: (place: Place | null) => void): void {
    this.#asking.push(told);
    this.write("\x1b[6n");
  }

  write(data: string): void {
    this.#unread += data;
  }

  /** The terminal takes what was written so far. */
  reads(): void {
    const codes = /\x1b\[\??([\d;]*)([A-Za-z])|\x1b\]8;;\x07|\x1b([78])|([\r\n])|([^\x1b\r\n])/gu;
    for (const [, numbers = "", letter, kept, control, sign] of this.#unread.matchAll(codes)) {
      if (sign !== undefined) this.#sign(sign);
      else if (control === "\r") this.#cursor.column = 0;
      else if (control === "\n") this.#down();
      else if (kept === "7") this.#saved = { ...this.#cursor };
      else if (kept === "8") this.#cursor = { ...this.#saved };
      else if (letter !== undefined) this.#sequence(letter, numbers);
    }
    this.#unread = "";
  }

  /** The program reads what the terminal has answered. */
  answers(): void {
    for (const place of this.#answers.splice(0)) this.#asking.shift()?.(place);
  }

  /** The terminal has another size. */
  becomes(columns: number, rows: number): void {
    const { rows: empty_too } = this.#window;
    while (this.#all.length < this.#above + empty_too) this.#all.push({ text: "", broken: false });
    const cursor = this.#reflow(columns);
    const above = Math.max(0, this.#all.length - this.#window.rows);
    this.#window = { columns, rows };
    // What is below the cursor goes first, and what can be scrolled back to comes down again.
    this.#all.length = Math.min(this.#all.length, Math.max(above + rows, cursor.row + 1));
    this.#above = Math.max(0, this.#all.length - rows);
    this.#cursor = { row: Math.max(0, cursor.row - this.#above), column: cursor.column };
  }

  /** The program hears of its size. */
  tells(): void {
    if (this.#told === this.#window) return;
    this.#told = this.#window;
    this.resized++;
  }

  #reflow(columns: number): Cursor {
    const at = this.#above + this.#cursor.row;
    const found = { row: 0, column: this.#cursor.column };
    const all: Row[] = [];
    for (let from = 0; from < this.#all.length;) {
      let to = from;
      while (this.#all[to]?.broken) to++;
      const rows = this.#all.slice(from, to + 1);
      const text = rows.map((row) => row.text).join("");
      const within = rows.slice(0, Math.max(0, at - from)).reduce(
        (sum, row) => sum + row.text.length,
        0,
      );
      const here = at >= from && at <= to ? within + this.#cursor.column : null;
      const first = all.length;
      for (let begin = 0; begin === 0 || begin < text.length; begin += columns) {
        const broken = begin + columns < text.length;
        all.push({ text: text.slice(begin, begin + columns), broken });
      }
      if (here !== null) {
        found.row = Math.min(first + Math.floor(here / columns), all.length - 1);
        found.column = here % columns;
      }
      from = to + 1;
    }
    this.#all = all;
    return found;
  }

  #row(): Row {
    const at = this.#above + this.#cursor.row;
    while (this.#all.length <= at) this.#all.push({ text: "", broken: false });
    return this.#all[at]!;
  }

  #sign(sign: string): void {
    const { columns } = this.#window;
    if (this.#cursor.column >= columns) {
      if (this.#breaks) {
        this.#row().broken = true;
        this.#down();
        this.#cursor.column = 0;
      } else this.#cursor.column = columns - 1;
    }
    const row = this.#row();
    const { column } = this.#cursor;
    row.text = row.text.padEnd(column).slice(0, column) + sign + row.text.slice(column + 1);
    this.#cursor.column++;
  }

  #down(): void {
    if (this.#cursor.row < this.#window.rows - 1) this.#cursor.row++;
    else {
      this.#row();
      this.#above++;
    }
    this.#row();
  }

  /** As tmux does it: what goes on in a row that is cleared whole ends above it. */
  #clears(from: number): void {
    const above = this.#all[this.#above + this.#cursor.row - 1];
    if (from === 0 && above !== undefined) above.broken = false;
    const { text, broken } = this.#row();
    Object.assign(this.#row(), { text: text.slice(0, from), broken: broken && from > 0 });
  }

  #sequence(letter: string, numbers: string): void {
    const [first = 0, second = 0] = numbers.split(";").map(Number);
    const cursor = this.#cursor;
    const { rows } = this.#window;
    if (letter === "A") cursor.row = Math.max(0, cursor.row - (first || 1));
    else if (letter === "B") cursor.row = Math.min(rows - 1, cursor.row + (first || 1));
    else if (letter === "G") cursor.column = (first || 1) - 1;
    else if (letter === "H") {
      this.#cursor = { row: Math.min(rows, first || 1) - 1, column: (second || 1) - 1 };
    } else if (letter === "J" && first === 0) {
      Object.assign(this.#row(), { text: this.#row().text.slice(0, cursor.column), broken: false });
      this.#all.length = this.#above + cursor.row + 1;
    } else if (letter === "J" && first === 2) this.#all.length = this.#above;
    else if (letter === "J") this.#all.splice(0, this.#above), this.#above = 0;
    else if (letter === "K") this.#clears(first === 2 ? 0 : cursor.column);
    else if (letter === "n") this.#answers.push({ ...this.#window, row: cursor.row });
    else if (numbers === "7") this.#breaks = letter === "h";
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(`\x1b[${Math.abs(lines)}${lines > 0 ? "B" : "A"}`);
  }
}
