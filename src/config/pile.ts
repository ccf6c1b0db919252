/** A piece takes some 60 bytes until the text is made of it: 4 MB where each is a single character. */
const BLOCK_CHARS = 65_536;

/** A text that grows. V8 keeps the pieces of one that is only added to, each with a node of its own, until someone looks into it. */
export class Pile {
  #blocks: string;
  #last = "";

  constructor(first = "") {
    this.#blocks = first;
  }

  /** Adds a piece. */
  add(piece: string): void {
    this.#last += piece;
    // To look is what makes it one text.
    if (this.#last.length < BLOCK_CHARS || this.#last.charCodeAt(0) < 0) return;
    this.#blocks += this.#last;
    this.#last = "";
  }

  /** All of it. */
  get text(): string {
    return this.#blocks + this.#last;
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.#blocks.length + this.#last.length;
  }
}
