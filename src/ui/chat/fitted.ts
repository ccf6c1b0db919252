import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";

/** A component none of whose lines is wider than the terminal: one that is ends the program, and those of the library have some. */
export class Fitted implements Component {
  #from: readonly string[] = [];
  #width = 0;
  #lines: string[] = [];

  constructor(private readonly inner: Component) {}

  invalidate(): void {
    this.inner.invalidate();
    this.#from = [];
  }

  render(width: number): string[] {
    const lines = this.inner.render(width);
    // What is the same object was looked at before.
    if (lines === this.#from && width === this.#width) return this.#lines;
    this.#from = lines;
    this.#width = width;
    this.#lines = lines.some((line) => visibleWidth(line) > width)
      ? lines.map((line) => visibleWidth(line) > width ? truncateToWidth(line, width) : line)
      : lines;
    return this.#lines;
  }
}
