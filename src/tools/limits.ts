export interface OutputLimits {
  readonly lines: number;
  readonly bytes: number;
}

/** How much of a result goes to the model: at most that of the settings, and less where nobody asked for so much. */
export interface ResultLimits extends OutputLimits {
  /** Of what a command has printed. */
  readonly bash_bytes: number;
  /** Of what `read` shows where the call does not say how many lines. */
  readonly read_bytes: number;
}

/** Where nobody reads any. */
export const NO_RESULTS: ResultLimits = { lines: 1, bytes: 1, bash_bytes: 1, read_bytes: 1 };
