import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { harmless } from "../text.ts";

/** What the screen itself puts into a line: colors, links and the mark of the cursor. */
const OURS = /(\x1b\[[\d;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b_pi:c\x07)/;
/** What no line has by itself. */
const CONTROL = /[\p{Cc}\p{Cf}]/u;

/** A component with no line wider than the terminal, which would end the program, and none that steers it, whatever text is in it. */
export class FittedLines implements Component {
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
    const tame = lines.some((line) => CONTROL.test(line)) ? lines.map(tamed) : lines;
    this.#lines = tame.some((line) => visibleWidth(line) > width)
      ? tame.map((line) => visibleWidth(line) > width ? truncateToWidth(line, width, "…") : line)
      : tame;
    return this.#lines;
  }
}

function tamed(line: string): string {
  if (!CONTROL.test(line)) return line;
  return line.split(OURS).map((part, nth) =>
    nth % 2 === 1 ? part : harmless(part).replaceAll("\n", " ")
  ).join("");
}
