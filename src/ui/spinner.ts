import { later } from "../config/timer.ts";

export const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
export const FRAME_MS = 100;

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
      this.write(`\r\x1b[K${FRAMES[frame++ % FRAMES.length]} ${this.#words} ${seconds}s`);
    };
    this.#stop = later(FRAME_MS, draw);
  }

  /** Makes room for another line; it comes back by itself. */
  clear(): void {
    if (this.#stop !== null) this.write("\r\x1b[K");
  }

  stop(): void {
    this.clear();
    this.#stop?.();
    this.#stop = null;
  }
}
