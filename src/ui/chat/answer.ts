/** The model's answer as it streams. What is finished becomes a block, so that a piece costs no more after a long text than after a short one. */
import { type Component, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { MarkdownView } from "./markdown_view.ts";
import type { Theme } from "./theme.ts";

/** Characters of one paragraph or of one code block that are laid out again with each piece. */
const LONG = 4000;
/** What is longer is taken apart even where a mark is open: laid out as one it would keep a key waiting. */
const ENDLESS = 4 * LONG;
/** A line that begins so, after an empty one, belongs to nothing before it: no list goes on like that. */
const BEGINS = /^(?:\p{L}|\*\*\S|#{1,6} \S|`{3}|~{3}|>)/u;
/** A line of code that ends no block. */
const GOES_ON = /^ *[^ `~]/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** What may go on behind an empty line: HTML, formulas. Nothing is taken apart after it. */
const OPEN_ENDED = /^ {0,3}(?:<|\$\$|\\\[)/;

/** What is laid out in this time may be so in each frame; half of one is left for all else. */
const QUICK_MS = 8;
/** What takes longer is so in this part of the time. */
const SHARE = 0.1;
const CODE_INDENT = "  ";
/** In the place of the lines around a code block, none of which is drawn. */
const NO_LINE = "\0";

/** Code, or a name as Python has them: `__init__.py` would be bold, and lose its lines. */
const CODE_OR_NAME =
  /(`+|~{3,})[^]*?(?:\1|(?![^]))|^(?: {4}|\t).*|(?<![\w\\])__([^\W_](?:\w*[^\W_])?)__(?!\w)/gm;

class Part implements Component {
  readonly #view: MarkdownView;
  #text = "";
  #width = 0;
  #drawn: { readonly text: string; readonly width: number; readonly lines: string[] } | null = null;
  /** When it may be laid out again. */
  #next_at = 0;
  #settled = false;

  constructor(theme: Theme["markdown"], private readonly clock: () => number) {
    this.#view = new MarkdownView("", 0, 0, {
      ...theme,
      codeBlockBorder: () => NO_LINE,
      codeBlockIndent: CODE_INDENT,
      highlightCode: (code, name) =>
        theme.highlightCode(code, name).flatMap((line) => this.#hanging(line)),
    });
  }

  set text(text: string) {
    this.#text = text;
  }

  /** A line of code, in as many as it takes: each begins below the first. */
  #hanging(line: string): readonly string[] {
    const width = this.#width - CODE_INDENT.length;
    const indent = /^ */.exec(line)?.[0] ?? "";
    if (visibleWidth(line) <= width || indent.length > width / 2) return [line];
    return wrapTextWithAnsi(line.slice(indent.length), width - indent.length)
      .map((part) => indent + part);
  }

  /** It changes no more, and is drawn as it is. */
  settle(): void {
    this.#settled = true;
  }

  invalidate(): void {
    this.#drawn = null;
    this.#view.invalidate();
  }

  render(width: number): string[] {
    const began = this.clock();
    if (this.#drawn?.width === width) {
      const { text, lines } = this.#drawn;
      if (text === this.#text || (!this.#settled && began < this.#next_at)) return lines;
    }
    this.#width = width;
    this.#view.setText(
      this.#text.replace(CODE_OR_NAME, (all, _, name) => name ? `\\_\\_${name}\\_\\_` : all),
    );
    const lines = this.#view.render(width).filter((line) => !line.includes(NO_LINE));
    const took = this.clock() - began;
    this.#next_at = took > QUICK_MS ? began + took / SHARE : 0;
    this.#drawn = { text: this.#text, width, lines };
    return lines;
  }
}

/** An answer. Each part is given to `show` once, below the ones before; only the last one changes. */
export class Answer {
  #part: Part;
  #text = "";
  /** How much of it has been looked through, up to the beginning of a line. */
  #seen = 0;
  /** The line that opened the code block which it ends in. */
  #fence: string | null = null;
  #after_empty = false;
  #open_ended = false;

  constructor(
    private readonly theme: Theme["markdown"],
    private readonly show: (part: Component) => void,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.#part = this.#next();
  }

  add(text: string): void {
    this.#text += text;
    this.#look();
    this.#break_line();
    this.#part.text = this.#text;
  }

  end(): void {
    this.#part.settle();
  }

  #next(): Part {
    const part = new Part(this.theme, this.clock);
    this.show(part);
    return part;
  }

  #look(): void {
    for (;;) {
      const end = this.#text.indexOf("\n", this.#seen);
      const line = this.#text.slice(this.#seen, end === -1 ? undefined : end);
      if (this.#fence !== null) {
        if (this.#long() && GOES_ON.test(line)) this.#cut_code(this.#fence);
      } else if (this.#after_empty && BEGINS.test(line)) {
        const before = this.#text.slice(0, this.#seen).trimEnd();
        this.#cut(this.#text.indexOf("\n", before.length));
      } else if (this.#long() && (this.#may_part(this.#seen) || this.#must_part(line))) {
        this.#cut(this.#seen);
      }
      if (end === -1) return;
      this.#line(line);
      this.#seen = this.#text.indexOf("\n", this.#seen) + 1;
    }
  }

  #line(line: string): void {
    const mark = FENCE.exec(line)?.[1];
    if (this.#fence !== null) {
      const opened = FENCE.exec(this.#fence)?.[1] ?? "";
      if (mark?.startsWith(opened) && line.trim() === mark) this.#fence = null;
    } else if (mark !== undefined) {
      this.#fence = line;
    } else if (OPEN_ENDED.test(line)) {
      this.#open_ended = true;
    }
    this.#after_empty = this.#fence === null && line.trim() === "";
  }

  #long(): boolean {
    return this.#seen > LONG;
  }

  /** A list, or a paragraph with an open mark, before a line that is not part of a table or of an item. */
  #must_part(line: string): boolean {
    return this.#seen > ENDLESS && /^[^\s|]/.test(line);
  }

  /** Whether a paragraph may be taken apart here: nothing that is marked goes on. */
  #may_part(at: number): boolean {
    const before = this.#text.slice(0, at).trimStart();
    const line = this.#text.slice(at, at + 2);
    return /^\p{L}/u.test(line) && /^\p{L}/u.test(before) && !/\n[^\p{L}]/u.test(before) &&
      balanced(before);
  }

  /** A line that is longer than anybody writes is broken behind a sentence. */
  #break_line(): void {
    if (this.#fence !== null || this.#text.length - this.#seen < 2 * LONG) return;
    const at = this.#text.lastIndexOf(". ") + 2;
    if (at > this.#seen + LONG && this.#may_part(at)) return this.#cut(at);
    const word = this.#text.lastIndexOf(" ") + 1;
    if (word > this.#seen + ENDLESS) this.#cut(word);
  }

  /** What is before `at` stays as it is. */
  #cut(at: number): void {
    if (this.#open_ended || at <= 0) return;
    this.#part.text = this.#text.slice(0, at);
    this.#text = this.#text.slice(at);
    this.#seen = Math.max(0, this.#seen - at);
    this.#after_empty = false;
    this.#part.settle();
    this.#part = this.#next();
  }

  /** The same in a code block, before the line that comes next. */
  #cut_code(fence: string): void {
    // One in a list, or below other lines, is part of what it stands in.
    if (this.#open_ended || !this.#text.trimStart().startsWith(fence)) return;
    this.#part.text = this.#text.slice(0, this.#seen) + (FENCE.exec(fence)?.[1] ?? "");
    this.#text = `${fence}\n${this.#text.slice(this.#seen)}`;
    this.#seen = fence.length + 1;
    this.#part.settle();
    this.#part = this.#next();
  }
}

/** Whether all marks of emphasis, code, links and formulas in a text are closed. */
function balanced(text: string): boolean {
  const count = (mark: string) => text.split(mark).length - 1;
  return ["*", "_", "`", "~", "$"].every((mark) => count(mark) % 2 === 0) &&
    count("[") === count("]") && count("(") === count(")");
}
