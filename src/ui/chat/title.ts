/** The title of the terminal's window or tab: shows whether a task is running or a question is open. */
import { line } from "../text.ts";

/** Length of a workspace's name; tabs are narrow. */
const NAME_CHARS = 40;
/** xterm's: the title that was there is kept, and comes back. Terminals that don't know them leave them out. */
const KEEP = "\x1b[22;2t", BACK = "\x1b[23;2t";

export class Title {
  #shown: string | null = null;

  constructor(
    /** Name of the workspace; empty: the title is left alone. */
    private readonly name: string,
    private readonly write: (text: string) => void,
  ) {}

  /** `state` stands first, where a tab has room for it. */
  show(state: "" | "working" | "asks you"): void {
    if (this.name === "" || state === this.#shown) return;
    if (this.#shown === null) this.write(KEEP);
    this.#shown = state;
    const parts = [state, line(this.name, NAME_CHARS), "hamr"].filter((part) => part !== "");
    this.write(`\x1b]2;${parts.join(" - ")}\x07`);
  }

  end(): void {
    if (this.#shown !== null) this.write(BACK);
    this.#shown = null;
  }
}
