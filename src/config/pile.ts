/** Pieces are made one text when there are so many characters of them: one at a time they take 30 to 60 bytes each. */
const BLOCK_CHARS = 65_536;

/**
 * A text that grows. V8 keeps the pieces of one that is only added to, each with a node of its own, until someone looks into it; and a
 * look whose outcome does not matter, its compiler leaves out.
 */
export class Pile {
  #text: string;
  #pieces: string[] = [];
  #chars = 0;

  constructor(first = "") {
    this.#text = first;
  }

  /** Adds a piece. */
  add(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#chars += piece.length;
    if (this.#chars >= BLOCK_CHARS) this.#join();
  }

  /** All of it. */
  get text(): string {
    if (this.#chars > 0) this.#join();
    return this.#text;
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.#text.length + this.#chars;
  }

  #join(): void {
    this.#text += this.#pieces.join("");
    this.#pieces = [];
    this.#chars = 0;
  }
}
