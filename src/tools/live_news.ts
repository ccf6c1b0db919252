/** News of commands that are under way, for a person who looks on. Plain data: it crosses a thread border. */
export type LiveNews =
  | { readonly type: "printed"; readonly id: string; readonly text: string }
  /** The commands that run beside the calls by now, each in a line. */
  | { readonly type: "background"; readonly commands: readonly string[] };
