/** Pieces are made one text when there are so many characters of them: one at a time they take 30 to 60 bytes each. */
const BLOCK_CHARS = 65_536;

/** A growing text. V8 keeps each added piece as a node until someone reads the text, and drops a read whose result is unused. */
export class Pile {
  #text: string;
  #pieces: string[] = [];
  #chars = 0;

  constructor(first = "") {
    this.#text = first;
  }

  add(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#chars += piece.length;
    if (this.#chars >= BLOCK_CHARS) this.#join();
  }

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
