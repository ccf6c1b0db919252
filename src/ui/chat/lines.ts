import {
  type Component,
  sliceByColumn,
  visibleWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { indent_of } from "../wrap.ts";

export class WrappedLines implements Component {
  #text: string;
  #wrapped: { readonly width: number; readonly lines: string[] } | null = null;

  constructor(text = "") {
    this.#text = text;
  }

  add(text: string): void {
    this.#text += text;
    this.#wrapped = null;
  }

  invalidate(): void {
    this.#wrapped = null;
  }

  render(width: number): string[] {
    if (this.#wrapped?.width !== width) {
      const lines = this.#text.replace(/\n$/, "").split("\n")
        .flatMap((one) => one === "" ? [""] : hanging(one, width));
      this.#wrapped = { width, lines };
    }
    return this.#wrapped.lines;
  }
}

/** A line wrapped so that what follows stands below its words. */
function hanging(text: string, width: number): string[] {
  const hang = Math.min(indent_of(text) + 3, Math.floor(width / 3));
  if (visibleWidth(text) <= width) return [text];
  // What stands above the blanks of the lines below is put before the first one: it has the whole width,
  // and a word that is longer than a line, such as an address, begins where it stands.
  const start = sliceByColumn(text, 0, hang);
  const rest = sliceByColumn(text, hang, Infinity);
  const [first = "", ...more] = wrapTextWithAnsi(rest, width - visibleWidth(start));
  return [start + first, ...more.map((one) => " ".repeat(hang) + one)];
}

/** Phrases beside each other, none of which is broken where it has room. */
export class Phrases implements Component {
  constructor(
    private readonly phrases: readonly string[],
    private readonly paint: (text: string) => string,
  ) {}

  invalidate(): void {}

  render(width: number): string[] {
    const lines: string[] = [];
    for (const phrase of this.phrases) {
      const last = lines.at(-1);
      const longer = `${last} · ${phrase}`;
      if (last !== undefined && visibleWidth(longer) <= width) lines[lines.length - 1] = longer;
      else lines.push(...hanging(`  ${phrase}`, width));
    }
    return lines.map(this.paint);
  }
}
