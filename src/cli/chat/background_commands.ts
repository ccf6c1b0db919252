/** What a conversation's commands have left running, for the status between two tasks. */
import { type Agent, left_by_last } from "../../app/agent.ts";

/** Between two looks, while something runs. */
const LOOK_MS = 2000;

/** The commands that run beside the calls, as they were when somebody last looked. */
export class BackgroundCommands {
  commands: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `changed`: something has ended by itself. */
  constructor(private readonly agent: Agent, private readonly changed: () => void) {}

  /** After a task, or a command; then again and again, until nothing runs. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    const before = this.commands.length;
    try {
      this.commands = await left_by_last(this.agent)?.tools?.left() ?? [];
    } catch {
      this.commands = []; // The tools are lost; that has been said.
    }
    if (this.commands.length < before) this.changed();
    if (this.commands.length > 0) this.#timer = setTimeout(() => void this.look(), LOOK_MS);
  }
}
