/** What a terminal would show of a program's output: no escape sequences, and only the last state of a progress bar. Models pay for noise. */
/** Said to the model where there were some: it may be looking at a program's colors. */
export const COLORS_LEFT_OUT = "colors left out: cat -v shows them";
/** What a model reads where a command printed nothing. */
export const NO_OUTPUT = "[no output]";

const ESCAPE = 0x1b, NEWLINE = 10, RETURN = 13;
/** Whole (ECMA-48, 5.3 to 5.6): `ESC ]`, `ESC P`, `ESC X`, `ESC ^` and `ESC _` begin a text that ends in BEL or `ESC \\`. A title, a link: longer ones are no such thing. */
const SEQUENCE =
  /\x1b(?:\[[ -?]{0,2046}[@-~]|[\]PX^_][ -\xff]{0,2046}(?:\x07|\x1b\\)|[ -/]{1,2046}[0-~]|[0-OQ-WYZ\\`-~])/g;
/** One that may go on. */
const BEGUN = /\x1b(?:\[[ -?]{0,2046}|[\]PX^_][ -\xff]{0,2046}\x1b?|[ -/]{0,2046})$/;
/** A progress bar fits on a screen line, with its colors. */
const MOST_LINE = 4096;
/** As many arguments as a call surely takes. */
const BLOCK = 8192;

/** Signs of progress in a line: a share, a count, a time, a bar. */
const PROGRESS =
  /%|\d\s*\/\s*\d|--:--|\d\s?[kmgt]i?b\b|[\u2580-\u259f\u2800-\u28ff]|\[[=#>.\s-]*\]/i;

/** Takes bytes as they come, and hands on those that are to be read. Its texts have a character a byte. */
export class TerminalText {
  /** The line that has not ended yet, since the last carriage return that something followed. */
  #line = "";
  /** What stood in its place before; null: nothing did. */
  #under: string | null = null;
  /** The line is longer than any that is drawn over: what comes of it stays. */
  #long = false;
  /** Whether escape sequences were left out. */
  had_codes = false;

  /** `take` gets bytes that are overwritten once it returns. */
  constructor(private readonly take: (bytes: Uint8Array) => void) {}

  push(bytes: Uint8Array): void {
    const draws = bytes.includes(ESCAPE) || bytes.includes(RETURN) || this.#under !== null ||
      /[\x1b\r]/.test(this.#line);
    // Most output does not: whole lines of it are handed on as they are.
    const end = draws ? 0 : bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      this.#give(this.#line);
      this.take(bytes.subarray(0, end));
      this.#line = "";
      this.#long = false;
    }
    const lines = (this.#line + characters(bytes.subarray(end))).split("\n");
    const open = lines.pop() ?? "";
    const whole = lines.map((line) => `${this.#shown(line, true)}\n`).join("");
    this.#give(whole + this.#shown(open, false));
  }

  end(): void {
    this.#give(this.#shown(this.#line, true));
  }

  #give(text: string): void {
    if (text !== "") this.take(bytes_of(text));
  }

  /** What is to be read of a line; of one that may go on, what nothing can be drawn over. */
  #shown(text: string, is_whole: boolean): string {
    // It may be a part of the line's end.
    const end = text.endsWith("\r") ? "\r" : "";
    const states = text.slice(0, text.length - end.length).split("\r");
    let shown = "";
    for (const [at, state] of states.entries()) {
      const is_open = !is_whole && at === states.length - 1;
      const begun = is_open ? BEGUN.exec(state)?.[0] ?? "" : "";
      const line = this.#without_codes(state.slice(0, state.length - begun.length));
      if (this.#long) shown += at === 0 ? line : `\r${line}`;
      else {
        const is_long = line.length > MOST_LINE;
        if (!is_open || is_long) shown += this.#drawn_over(line);
        this.#under = is_open || is_long ? this.#under : line;
        if (is_long) [shown, this.#under, this.#long] = [shown + line, null, true];
      }
      if (is_open) this.#line = (this.#long ? begun : state) + end;
    }
    if (!is_whole) return shown;
    shown += (this.#under ?? "") + end;
    this.#under = null;
    this.#long = false;
    return shown;
  }

  /** What stood in the place of a line, with what led back, unless that gives way. */
  #drawn_over(line: string): string {
    const under = this.#under;
    return under === null || gives_way(under, line) ? "" : `${under}\r`;
  }

  #without_codes(text: string): string {
    return text.replace(SEQUENCE, () => {
      this.had_codes = true;
      return "";
    });
  }
}

/** Whether a text that was drawn over is an earlier state of what stands in its place, or of nothing. */
function gives_way(under: string, line: string): boolean {
  const [before = "", now = ""] = [under, line].map((text) =>
    new TextDecoder().decode(bytes_of(text))
  );
  if (before.trim() === "") return true;
  if (!PROGRESS.test(before)) return false;
  return now.trim() === "" || words_of(now).startsWith(words_of(before));
}

function characters(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += BLOCK) {
    text += String.fromCharCode(...bytes.subarray(at, at + BLOCK));
  }
  return text;
}

function bytes_of(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The words without numbers and units. */
function words_of(text: string): string {
  return (text.match(/\p{L}{3,}/gu) ?? []).join(" ");
}
