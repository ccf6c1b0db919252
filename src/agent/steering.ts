/** Messages to a run in progress: the model hears them before the next request. */
export class Steering {
  #said: string[] = [];
  #live = true;
  #interrupting = false;
  #cut: () => void = () => {};

  /** Says `text` to the model, at any moment; false if the run has ended and nobody hears it anymore. */
  steer(text: string): boolean {
    if (this.#live && text.trim() !== "") this.#said.push(text);
    return this.#live;
  }

  /** Drops the request or command under way. `text` is what the model is told next; empty: the run ends in `user_interrupt`. False if it has ended. */
  interrupt(text = ""): boolean {
    if (!this.steer(text)) return false;
    this.#interrupting = true;
    this.#cut();
    return true;
  }

  /** Whether something was said that the model has not heard. */
  get pending(): boolean {
    return this.#said.length > 0;
  }

  /** Whether the run was interrupted since something was last taken. */
  get interrupting(): boolean {
    return this.#interrupting;
  }

  /** What an interrupt does besides, from now on; null: nothing. */
  on_interrupt(cut: (() => void) | null): void {
    this.#cut = cut ?? (() => {});
  }

  take(): readonly string[] {
    this.#interrupting = false;
    return this.#said.splice(0);
  }

  /** Takes back what was said, the last of these words; false if they have been taken. */
  take_back(text: string): boolean {
    const at = this.#said.lastIndexOf(text);
    if (at >= 0) this.#said.splice(at, 1);
    return at >= 0;
  }

  /** The run has ended. What it did not hear can still be taken. */
  end(): void {
    this.#live = false;
  }
}
