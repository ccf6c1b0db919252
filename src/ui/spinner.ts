import { later } from "../config/timer.ts";

export const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
export const FRAME_MS = 100;
const CLEAR = "\r\x1b[K";

/** A live line on a terminal that shows that something is awaited, and for how long. */
export class Spinner {
  #stop: (() => void) | null = null;
  #words = "";

  /** Does nothing unless `live`; while `held`, a question has the terminal, and the line waits. */
  constructor(
    private readonly write: (text: string) => void,
    private readonly options: { readonly live: boolean; readonly held: () => boolean },
  ) {}

  get running(): boolean {
    return this.#stop !== null;
  }

  say(words: string): void {
    this.#words = words;
  }

  start(words: string): void {
    if (!this.options.live) return;
    this.stop();
    this.#words = words;
    const since = performance.now();
    let frame = 0;
    const draw = () => {
      this.#stop = later(FRAME_MS, draw);
      if (this.options.held()) return;
      const seconds = Math.floor((performance.now() - since) / 1000);
      this.write(`${CLEAR}${FRAMES[frame++ % FRAMES.length]} ${this.#words} ${seconds}s`);
    };
    this.#stop = later(FRAME_MS, draw);
  }

  /** Makes room for another line, if it is there; it comes back by itself. */
  clear(): boolean {
    const shown = this.running && !this.options.held();
    if (shown) this.write(CLEAR);
    return shown;
  }

  stop(): void {
    if (this.running) this.write(CLEAR);
    this.#stop?.();
    this.#stop = null;
  }
}
