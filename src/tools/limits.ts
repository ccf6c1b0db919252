/** How much of a file or of a command's output goes to the model. */
export interface OutputLimits {
  readonly lines: number;
  readonly bytes: number;
}
