import { type Terminal, TuiMainScreen } from "@earendil-works/pi-tui";

const NO_IMAGES: ReadonlySet<number> = new Set();

/**
 * The library's screen, for long conversations: of a line that is the same as in the last frame nothing is worked out anew, and
 * that it is the same is seen at once.
 */
export class MainScreen extends TuiMainScreen {
  #from: readonly string[] = [];
  #to: readonly string[] = [];

  constructor(terminal: Terminal) {
    super(terminal);
    // No image is ever drawn here: to look for some in every line took most of a frame.
    Object.assign(this, {
      collectKittyImageIds: () => NO_IMAGES,
      expandChangedRangeForKittyImages: (firstChanged: number, lastChanged: number) => ({
        firstChanged,
        lastChanged,
      }),
    });
  }

  protected override applyLineResets(lines: string[]): string[] {
    const from = [...lines];
    for (let at = 0; at < lines.length; at++) {
      const line = from[at] ?? "";
      const before = line === this.#from[at] ? this.#to[at] : undefined;
      lines[at] = before ?? super.applyLineResets([line])[0] ?? "";
    }
    this.#from = from;
    this.#to = lines;
    return lines;
  }
}
