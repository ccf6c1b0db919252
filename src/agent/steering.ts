/** What the person says to a run that is under way. The model hears it before the next request. */
export class Steering {
  #said: string[] = [];
  #live = true;

  /** Says `text` to the model, at any moment; false where the run has ended and nobody hears it any more. */
  steer(text: string): boolean {
    if (this.#live && text.trim() !== "") this.#said.push(text);
    return this.#live;
  }

  /** Whether something was said that the model has not been told. */
  get pending(): boolean {
    return this.#said.length > 0;
  }

  /** What was said since the last time, oldest first. */
  take(): readonly string[] {
    return this.#said.splice(0);
  }

  /** The run has ended. What it was not told can still be taken. */
  end(): void {
    this.#live = false;
  }
}
