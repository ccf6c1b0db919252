/** The end of a running command's output so far, shown now and then. */
import { later } from "../../../config/timer.ts";
import { TerminalText } from "./terminal_text.ts";

/** More often nobody can read it; and a command that is over before that costs nothing. */
const EVERY_MS = 250;
/** Some screen lines. */
const KEPT_BYTES = 2000;
/** What a progress bar has drawn over. */
const OVERDRAWN = /[^\n]*\r(?=[^\n])/g;

export class LiveTail {
  #kept = new Uint8Array(0);
  #stop: (() => void) | undefined;

  constructor(private readonly tell: (text: string) => void) {}

  push(bytes: Uint8Array): void {
    const end = bytes.subarray(-KEPT_BYTES);
    const before = this.#kept.subarray(Math.max(0, this.#kept.length + end.length - KEPT_BYTES));
    const kept = new Uint8Array(before.length + end.length);
    kept.set(before);
    kept.set(end, before.length);
    this.#kept = kept;
    this.#stop ??= later(EVERY_MS, () => {
      this.#stop = undefined;
      const decoder = new TextDecoder();
      let text = "";
      const terminal = new TerminalText((shown) => text += decoder.decode(shown));
      terminal.push(this.#kept);
      terminal.end();
      this.tell(text.replace(OVERDRAWN, ""));
    });
  }

  over(): void {
    this.#stop?.();
  }
}
