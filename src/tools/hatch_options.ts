import type { Recorder } from "../store/recorder.ts";
import type { Hooks } from "./hook.ts";
import type { ResultLimits } from "./limits.ts";
import type { TurnDiff } from "../changes/turn_diff.ts";

/** How the tools work. */
export interface HatchOptions {
  readonly limits: ResultLimits;
  /** Seconds a command may take where the call does not say. */
  readonly bash_timeout_s: number;
  /** Absent: none. */
  readonly hooks?: Hooks;
  /** Where it is written down what must stay as it is, and who hears of what was put back. Absent: nobody, nowhere. */
  readonly watch?: {
    /** Null where no home is known. */
    readonly data_dir: string | null;
    readonly warn: (message: string) => void;
    /** Of the session that this goes on with, or works on, the last run was killed. Default: no. */
    readonly cut_off?: boolean;
  };
  /** What this thread still needs its rights for: they are not given up before. Absent: nothing. */
  readonly first?: Promise<unknown>;
  /** Who writes down what the run changes; null where it turns out that nobody can. Absent: nobody is meant to. */
  readonly record?: Promise<Pick<Recorder, "take"> | null>;
  /** It is there to put files back. */
  readonly undo?: true;
  /** Who hears what each step changed. Absent: nobody, and nothing is compared. */
  readonly on_turn_diff?: (diff: TurnDiff) => void;
}
