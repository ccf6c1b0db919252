/** Breaks lines between words, for a terminal of a given width. */

/** Letters and signs that take two columns, and between which a line may break anywhere. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

const LIST_MARK = /^(?:[-*+•]|\d{1,3}[.)])$/;

/** Colors, which take no room. */
const COLOR = /\x1b\[[\d;]*m/g;

/** How many blanks a line begins with, before or behind its color. */
export function indent_of(line: string): number {
  return /^\s*/.exec(line.replace(COLOR, ""))?.[0].length ?? 0;
}

/** Columns that a text takes, roughly: combining marks are few. */
export function columns(text: string): number {
  let count = 0;
  for (const char of text.replace(COLOR, "")) count += WIDE.test(char) ? 2 : 1;
  return count;
}

export class Wrapper {
  #column: number;
  /** The word that the last piece ended in: it may go on. */
  #rest = "";
  #space = "";
  /** Ends of lines before that: those that nothing follows are not written. */
  #breaks = 0;
  /** What a line goes on below, behind the indent: its own blanks, and the mark of a list. */
  #below = "";

  /** `indent` is before each line but the first, which begins at `start`. */
  constructor(
    private readonly options: {
      readonly width: number;
      readonly indent: string;
      readonly start: number;
    },
  ) {
    this.#column = options.start;
  }

  /** Takes the next piece, and returns what can be written so far. */
  push(piece: string): string {
    let out = "";
    for (const char of piece) {
      if (char === "\n") {
        out += this.end();
        this.#breaks++;
        this.#space = "";
      } else if (/\s/.test(char)) {
        out += this.end();
        this.#space += char;
      } else if (WIDE.test(char)) out += this.end() + this.#word(char);
      else this.#rest += char;
    }
    return out;
  }

  end(): string {
    const word = this.#rest;
    this.#rest = "";
    return word === "" ? "" : this.#word(word);
  }

  #word(word: string): string {
    const { width, indent } = this.options;
    const space = this.#space;
    this.#space = "";
    const breaks = "\n".repeat(this.#breaks);
    this.#breaks = 0;
    if (breaks !== "") {
      const item = LIST_MARK.test(word) ? space.length + word.length + 1 : space.length;
      this.#below = " ".repeat(indent.length + item < width / 2 ? item : 0);
      this.#column = indent.length + space.length + columns(word);
      return `${breaks}${indent}${space}${word}`;
    }
    const fits = this.#column + space.length + columns(word) <= width;
    const below = indent + this.#below;
    if (fits || this.#column <= below.length) {
      this.#column += space.length + columns(word);
      return space + word;
    }
    this.#column = below.length + columns(word);
    return `\n${below}${word}`;
  }
}

/** A whole text, wrapped; lines after the first are indented. */
export function wrap(
  text: string,
  { width, indent = "" }: { width: number; indent?: string },
): string {
  const wrapper = new Wrapper({ width, indent, start: 0 });
  return wrapper.push(text) + wrapper.end();
}

/** Puts a mark before each line. */
export function indented(write: (text: string) => void): (text: string) => void {
  const mark = "      │ ";
  let at_start = true;
  return (text) => {
    write((at_start ? mark : "") + text.replace(/\n(?!$)/g, `\n${mark}`));
    at_start = text.endsWith("\n");
  };
}
