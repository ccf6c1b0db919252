/** Ends and reports what a killed run has left running. */
import { one_line } from "../config/text.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";
import type { RunMark } from "../sandbox/processes/run_mark.ts";
import { end_survivors } from "../sandbox/processes/survivors.ts";

/** Said where nothing tells a run's processes from others, or nothing was written down. */
export const UNKNOWN =
  "a run was cut off here, or its end could not be saved: it is not known whether its commands are still running";

export class LeftRunning {
  #ended = 0;
  #is_unknown = false;
  readonly #survivors: string[] = [];

  /** `own`: what this run carries. */
  constructor(private readonly libc: Libc | null, private readonly own: RunMark | null) {}

  /** Ends the processes of one of them, blocking; false if some could not be ended. `is_ours`: it was in this workspace. */
  end(mark: RunMark | null, { is_ours } = { is_ours: true }): boolean {
    if (this.libc === null || mark === null) {
      this.#is_unknown ||= is_ours;
      return true;
    }
    // An earlier run of this very process, which had ended them itself.
    if (mark.last === this.own?.last) return true;
    const { ended, left } = end_survivors(this.libc, mark);
    this.#ended += ended;
    this.#survivors.push(
      ...left.map(({ pid, name, why }) =>
        `process ${pid} (${one_line(name)}) of a run that was killed can't be ended: ${why}`
      ),
    );
    return left.length === 0;
  }

  get survivors(): number {
    return this.#survivors.length;
  }

  get ended(): readonly string[] {
    const ended = this.#ended;
    if (ended === 0) return [];
    const [processes, were] = ended === 1 ? ["process", "was"] : ["processes", "were"];
    return [`${ended} ${processes} of a run that was killed ${were} still running: ended`];
  }

  notes(): readonly string[] {
    return [...this.ended, ...this.#survivors, ...(this.#is_unknown ? [UNKNOWN] : [])];
  }
}
