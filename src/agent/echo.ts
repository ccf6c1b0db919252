/** Small models repeat the form in which `hamr` speaks to them: no part of an answer. */

const [OPEN, CLOSE] = ["<hamr>", "</hamr>"];
const FENCE = "```";

/**
 * Takes blocks of `<hamr>` out of a text, whatever pieces it comes in: those that begin a line. In the middle of one, or in a block of
 * code, the same words are what the answer is about. One that never ends goes to the end of the text.
 */
export class EchoFilter {
  #held = "";
  #inside = false;
  #in_code = false;
  /** What was given of the line under way: its beginning, as that is what is asked for. */
  #line = "";

  /** What is new, without blocks, and without what may become one. */
  push(text: string): string {
    this.#held += text;
    let out = "";
    for (;;) {
      if (this.#inside) {
        const end = this.#held.indexOf(CLOSE);
        if (end < 0) return out;
        this.#held = this.#held.slice(end + CLOSE.length).replace(/^\n/, "");
        this.#inside = false;
      }
      const fresh = this.#line === "" && !this.#in_code;
      if (fresh && this.#held.startsWith(OPEN)) {
        this.#held = this.#held.slice(OPEN.length);
        this.#inside = true;
        continue;
      }
      if (this.#held === "" || (fresh && OPEN.startsWith(this.#held))) return out;
      const end = this.#held.indexOf("\n") + 1 || this.#held.length;
      out += this.#give(this.#held.slice(0, end));
      this.#held = this.#held.slice(end);
    }
  }

  /** The text is over. */
  end(): string {
    const rest = this.#inside ? "" : this.#held;
    this.#held = "";
    return rest;
  }

  #give(piece: string): string {
    if (this.#line.trimStart().length < FENCE.length) this.#line += piece;
    if (!piece.endsWith("\n")) return piece;
    if (this.#line.trimStart().startsWith(FENCE)) this.#in_code = !this.#in_code;
    this.#line = "";
    return piece;
  }
}

/** A whole text without such blocks. */
export function without_echo(text: string): string {
  if (!text.includes(OPEN)) return text;
  const filter = new EchoFilter();
  return (filter.push(text) + filter.end()).trim();
}
