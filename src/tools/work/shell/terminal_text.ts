/** What a terminal would show of a program's output: no escape sequences, and only the last state of a progress bar. Models pay for noise. */
/** Said to the model where there were some: it may be looking at a program's colors. */
export const COLORS_LEFT_OUT = "colors left out: cat -v shows them";
/** What a model reads where a command printed nothing. */
export const NO_OUTPUT = "[no output]";

const ESCAPE = 0x1b, BELL = 0x07, NEWLINE = 10, RETURN = 13;
const BRACKET = 0x5b, BACKSLASH = 0x5c;
/** `ESC ]`, `ESC P`, `ESC X`, `ESC ^` and `ESC _` begin a text that ends in BEL or `ESC \`. */
const STRINGS = new Set([0x5d, 0x50, 0x58, 0x5e, 0x5f]);
/** A title, a link: longer ones are no such thing. */
const MOST_SEQUENCE = 2048;
/** A progress bar fits on a screen line, with its colors. */
const MOST_LINE = 4096;

/** Signs of progress in a line: a share, a count, a time, a bar. */
const PROGRESS =
  /%|\d\s*\/\s*\d|--:--|\d\s?[kmgt]i?b\b|[\u2580-\u259f\u2800-\u28ff]|\[[=#>.\s-]*\]/i;

/** Takes bytes as they come, and hands on those that are to be read. */
export class TerminalText {
  #sequence: number[] = [];
  /** The line that has not ended yet, since the last carriage return in it. */
  #line: number[] = [];
  /** What stood in its place before; null: nothing did. */
  #under: readonly number[] | null = null;
  /** A carriage return that may be one of a line end. */
  #returned = false;
  /** The line is longer than any that is drawn over. */
  #long = false;
  /** Whether escape sequences were left out. */
  had_codes = false;

  /** `take` gets bytes that are overwritten once it returns. */
  constructor(private readonly take: (bytes: Uint8Array) => void) {}

  push(bytes: Uint8Array): void {
    if (this.#plain(bytes)) return;
    const kept: number[] = [];
    for (let at = 0; at < bytes.length; at++) this.#next(bytes[at]!, kept);
    if (kept.length > 0) this.take(Uint8Array.from(kept));
  }

  end(): void {
    const kept: number[] = [];
    this.#give_up(kept);
    this.#end_line(kept, this.#returned ? [RETURN] : []);
    if (kept.length > 0) this.take(Uint8Array.from(kept));
  }

  /** Most output has neither: whole lines of it are handed on as they are. */
  #plain(bytes: Uint8Array): boolean {
    if (bytes.includes(ESCAPE) || bytes.includes(RETURN)) return false;
    if (this.#sequence.length > 0 || this.#returned || this.#under !== null) return false;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      if (this.#line.length > 0) this.take(Uint8Array.from(this.#line.splice(0)));
      this.#long = false;
      this.take(bytes.subarray(0, end));
    }
    const rest = bytes.subarray(end);
    if (this.#long || this.#line.length + rest.length > MOST_LINE) {
      if (this.#line.length > 0) this.take(Uint8Array.from(this.#line.splice(0)));
      this.#long = true;
      this.take(rest);
    } else {
      for (const byte of rest) this.#line.push(byte);
    }
    return true;
  }

  #next(byte: number, kept: number[]): void {
    if (this.#sequence.length > 0) {
      const state = continued(this.#sequence, byte);
      if (state === "ended") {
        this.#sequence = [];
        this.had_codes = true;
        return;
      }
      if (state === "goes_on" && this.#sequence.length < MOST_SEQUENCE) {
        this.#sequence.push(byte);
        return;
      }
      this.#give_up(kept);
    }
    if (byte === ESCAPE) this.#sequence.push(byte);
    else this.#text(byte, kept);
  }

  #give_up(kept: number[]): void {
    for (const byte of this.#sequence.splice(0)) this.#text(byte, kept);
  }

  #text(byte: number, kept: number[]): void {
    if (byte === NEWLINE) {
      this.#end_line(kept, this.#returned ? [RETURN, NEWLINE] : [NEWLINE]);
      return;
    }
    if (this.#returned) {
      this.#returned = false;
      if (this.#long) kept.push(RETURN);
      else this.#drawn_over(kept);
    }
    if (byte === RETURN) {
      this.#returned = true;
      return;
    }
    if (this.#long) {
      kept.push(byte);
      return;
    }
    this.#line.push(byte);
    if (this.#line.length > MOST_LINE) {
      this.#end_line(kept, []);
      this.#long = true;
    }
  }

  /** The next text begins where the line began. */
  #drawn_over(kept: number[]): void {
    const line = this.#line.splice(0);
    if (this.#under !== null && !gives_way(this.#under, line)) kept.push(...this.#under, RETURN);
    this.#under = line;
  }

  #end_line(kept: number[], end: readonly number[]): void {
    const under = this.#under;
    const line = this.#line.splice(0);
    if (under !== null && !gives_way(under, line)) kept.push(...under, RETURN);
    kept.push(...line, ...end);
    this.#under = null;
    this.#returned = false;
    this.#long = false;
  }
}

/** What a byte is to a sequence that has begun (ECMA-48, 5.3 to 5.6). */
function continued(sequence: readonly number[], byte: number): "goes_on" | "ended" | "broken" {
  const kind = sequence[1];
  if (kind === undefined) {
    if (byte === BRACKET || STRINGS.has(byte) || is_within(byte, 0x20, 0x2f)) return "goes_on";
    return is_within(byte, 0x30, 0x7e) ? "ended" : "broken";
  }
  if (STRINGS.has(kind)) {
    if (sequence.at(-1) === ESCAPE && sequence.length > 2) {
      return byte === BACKSLASH ? "ended" : "broken";
    }
    if (byte === BELL) return "ended";
    return byte === ESCAPE || byte >= 0x20 ? "goes_on" : "broken";
  }
  const parameters = kind === BRACKET ? 0x3f : 0x2f;
  if (is_within(byte, 0x20, parameters)) return "goes_on";
  return is_within(byte, kind === BRACKET ? 0x40 : 0x30, 0x7e) ? "ended" : "broken";
}

function is_within(byte: number, least: number, most: number): boolean {
  return byte >= least && byte <= most;
}

/** Whether a text that was drawn over is an earlier state of what stands in its place, or of nothing. */
function gives_way(under: readonly number[], line: readonly number[]): boolean {
  const [before, now] = [text_of(under), text_of(line)];
  if (before.trim() === "") return true;
  if (!PROGRESS.test(before)) return false;
  return now.trim() === "" || words_of(now).startsWith(words_of(before));
}

function text_of(bytes: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** The words without numbers and units. */
function words_of(text: string): string {
  return (text.match(/\p{L}{3,}/gu) ?? []).join(" ");
}
