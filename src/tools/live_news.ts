/** News of running commands, for a person watching. Plain data: it crosses threads. */
export type LiveNews =
  | { readonly type: "printed"; readonly id: string; readonly text: string }
  /** The commands that run beside the calls by now, each in a line. */
  | { readonly type: "background"; readonly commands: readonly string[] };
